// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of functions.

const tableRowsMax = 500;

class TableView {
  constructor(model, act) {
    Object.assign(this, {model, act, shown: ''});
    this.body = document.getElementById('rows');
    this.note = document.getElementById('rows-note');
    document.querySelector('#table thead').addEventListener('click', (event) => {
      if (event.target.dataset.sort !== undefined)
        this.act.sort(event.target.dataset.sort);
    });
    this.body.addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (row !== null)
        this.act.select(Number(row.dataset.name));
    });
    this.body.addEventListener('dblclick', () => this.act.view('source'));
  }

  show(state) {
    const shown = [state.sort, this.model.filter, this.model.query].join('\n');
    for (const button of document.querySelectorAll('[data-sort]'))
      button.setAttribute('aria-pressed', button.dataset.sort === state.sort);
    if (shown !== this.shown)
      this.fill(state.sort);
    this.shown = shown;
    for (const row of this.body.children) {
      const chosen = Number(row.dataset.name) === state.fn;
      row.setAttribute('aria-selected', chosen);
      if (chosen)
        row.scrollIntoView({block: 'nearest'});
    }
  }

  // Handles a key, and returns true if the table uses it: arrows select another row, and Enter shows the source.
  key(event) {
    const {fn} = this.model.state, step = {ArrowDown: 1, ArrowUp: -1}[event.key], rows = [...this.body.children];
    if (event.key === 'Enter' && fn >= 0)
      this.act.view('source');
    else if (step !== undefined && rows.length > 0) {
      const at = rows.findIndex((row) => Number(row.dataset.name) === fn);
      const next = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step));
      this.act.walk(Number(rows[next].dataset.name));
    } else
      return false;
    return true;
  }

  fill(sort) {
    const {model} = this, {names} = model.profile;
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    const orders = {self: (a, b) => b.self - a.self, total: (a, b) => b.total - a.total,
      name: (a, b) => compare(names[a.name].text, names[b.name].text),
      object: (a, b) => compare(names[a.name].object, names[b.name].object)};
    const rows = model.rows.filter(({name}) => !model.searches || model.matches[name] === 1);
    rows.sort((a, b) => orders[sort](a, b) || b.self - a.self || b.total - a.total || a.name - b.name);
    this.body.replaceChildren(...rows.slice(0, tableRowsMax).map((row) => this.makeRow(row)));
    const left = rows.length - tableRowsMax;
    this.note.textContent = left > 0 ? `${sayNumber(left, 0)} more functions: a search finds them`
      : rows.length > 0 ? '' : model.searches ? 'No function matches.' : 'There are no samples.';
  }

  makeRow({name, self, total}) {
    const {model} = this, {text, object, colour} = model.profile.names[name];
    const row = document.createElement('tr'), dot = document.createElement('i');
    row.dataset.name = name;
    for (const value of model.profile.stacks ? [self, total] : [self]) {
      const share = row.insertCell(), error = row.insertCell();
      share.textContent = sayPercent(model.shareOf(value));
      share.title = sayValue(value, model.profile.timed);
      error.textContent = model.sayError(value);
      error.className = 'error';
    }
    const cell = row.insertCell(), file = row.insertCell();
    cell.className = 'name';
    dot.style.background = colour;
    cell.append(dot, text);
    cell.title = text;
    file.className = 'object';
    file.textContent = file.title = object;
    return row;
  }
}
