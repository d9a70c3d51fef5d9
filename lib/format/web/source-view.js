// SPDX-License-Identifier: LGPL-2.1-or-later
// The source of the selected function, with the time of each line.

class SourceView {
  constructor(model) {
    this.model = model;
    this.head = document.getElementById('source-head');
    this.body = document.getElementById('source-body');
    this.notes = document.getElementById('source-notes');
  }

  show(state) {
    this.notes.replaceChildren();
    this.body.replaceChildren();
    if (state.fn < 0) {
      this.head.textContent = 'No function is selected: click one in the flame graph or in the table.';
      return;
    }
    const {model} = this, name = model.profile.names[state.fn], row = model.rowOf(state.fn);
    const figures = (model.profile.stacks ? ['self', 'total'] : ['self']).map((what) =>
      `${what} ${sayPercent(model.shareOf(row[what]))}`);
    this.head.textContent = [name.text, name.object, ...figures].filter((word) => word !== '').join(' · ');
    const files = model.linesOf(state.fn);
    if (files.size === 0)
      this.say(row.total > 0 ? 'The profile has no source lines of this function.'
        : 'The function has no samples in what is selected.');
    for (const [file, lines] of [...files].sort((a, b) => sumOf(b[1]) - sumOf(a[1])))
      this.addFile(file, lines);
  }

  say(text) {
    const note = document.createElement('p');
    note.textContent = text;
    this.notes.append(note);
  }

  addFile(file, lines) {
    const {profile} = this.model, source = profile.source.get(file), path = profile.files[file];
    const head = document.createElement('h3');
    head.textContent = path;
    this.body.append(head);
    const rows = source === undefined ? null : this.chooseLines(source.lines, lines);
    if (source !== undefined && source.newer)
      this.say(`${path} was changed after the profile was made, so lines may not be those that ran.`);
    if (!profile.withSource)
      this.say('The page was made without source text (--no-source).');
    else if (source === undefined)
      this.say(`${path} could not be read when the page was made.`);
    else if (rows.some(([number]) => lines.has(number) && !source.lines.has(number)))
      this.say(`${path}: the text of lines is left out. The file has no such lines, or the page was full: it holds ` +
        `${sayNumber(profile.sourceLimit / (1 << 20), 0)} MiB of source of the hottest functions, and ` +
        `${sayNumber(profile.sourceLeftOut, 0)} functions did not fit.`);
    this.addTable(rows || [...lines.keys()].sort((a, b) => a - b).map((number) => [number]), source, lines);
  }

  // Returns the lines to show, as arrays [number]: those around the lines that have samples. An empty array stands for
  // lines that are left out.
  chooseLines(text, lines) {
    const context = 8, gap = 60, numbers = [...lines.keys()].sort((a, b) => a - b), chosen = [];
    let next = 1;
    numbers.forEach((line, i) => {
      const near = i > 0 && line - numbers[i - 1] <= gap, from = near ? next : Math.max(next, line - context);
      if (i > 0 && from > next)
        chosen.push([]);
      for (let number = from; number <= line + context; number++)
        if (text.has(number) || lines.has(number))
          chosen.push([number]);
      next = line + context + 1;
    });
    return chosen;
  }

  addTable(rows, source, lines) {
    const {model} = this, {stacks} = model.profile, table = document.createElement('table');
    const largest = Math.max(...[...lines.values()].map((sums) => sums.self), 1);
    table.className = 'source';
    const head = table.createTHead().insertRow();
    for (const word of ['Line', 'Self', ...stacks ? ['Total'] : [], ''])
      head.append(Object.assign(document.createElement('th'), {textContent: word}));
    const body = table.createTBody();
    for (const [number] of rows) {
      const row = body.insertRow(), sums = lines.get(number);
      row.insertCell().textContent = number === undefined ? '⋮' : number;
      for (const key of stacks ? ['self', 'total'] : ['self']) {
        const cell = row.insertCell(), value = sums === undefined ? 0 : sums[key];
        cell.textContent = value > 0 ? sayPercent(model.shareOf(value)) : '';
        cell.title = value > 0 ? sayValue(value, model.profile.timed) : '';
      }
      const code = row.insertCell();
      code.className = 'code';
      code.textContent = (source !== undefined && source.lines.get(number)) || '';
      if (sums !== undefined && sums.self > 0)
        row.style.setProperty('--heat', (sums.self / largest).toFixed(3));
    }
    this.body.append(table);
  }
}

function sumOf(lines) {
  let sum = 0;
  for (const {self, total} of lines.values())
    sum += self + total;
  return sum;
}
