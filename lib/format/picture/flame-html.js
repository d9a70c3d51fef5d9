// SPDX-License-Identifier: LGPL-2.1-or-later
// The script of the page: makes trees of frames from the data, and shows one of them as a flame graph.
(() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find('data').textContent);
  // `changes` has what pprofil diff says about a function: [change of self, change of total, verdicts], in points; it is
  // empty if diff does not know the function.
  const names = data.names.map(([text, object, kind, colour, changes]) => ({text, object, kind, colour, changes}));
  // what a frame's tree.verdict means
  const chance = 0, part = 1, significant = 2, untested = 3;
  const state = {shape: 'flame', widths: 'new', sort: 'self'};

  // --- trees ---------------------------------------------------------------------------------

  function readTree() {
    const from = data.frames, step = data.compares ? 9 : 5;
    const tree = makeTree(from.length / step);
    for (let i = 0, at = 0; at < from.length; i++, at += step) {
      tree.depth[i] = from[at];
      tree.name[i] = from[at + 1];
      tree.total[i] = from[at + 2];
      tree.self[i] = from[at + 3];
      tree.samples[i] = from[at + 4];
      if (data.compares) {
        tree.oldTotal[i] = from[at + 5];
        tree.oldSelf[i] = from[at + 6];
        tree.oldSamples[i] = from[at + 7];
        tree.verdict[i] = from[at + 8];
      }
    }
    return tree;
  }

  // Returns the verdict on a function's own time. In diff, the own time includes that of inlined functions and system
  // calls. If this makes a difference, the change of this tree was not tested.
  function verdictOfSelf(tree, i) {
    const [self, , verdicts] = names[tree.name[i]].changes || [];
    if (self === undefined || Math.abs(100 * change(tree, i) - self) > 0.001)
      return untested;
    return verdicts & 1 ? significant : chance;
  }

  const trees = {flame: readTree()};

  function treeOf(shape) {
    const key = shape === 'callers' ? 'callers' : 'flame';
    return trees[key] ||= turnOver(trees.flame, verdictOfSelf, untested);
  }

  // --- changes: coloured as in colour.c --------------------------------------------------------

  const change = (tree, i) => ratio(tree.total[i], tree.total[0]) - ratio(tree.oldTotal[i], tree.oldTotal[0]);

  function colourOfStrength(strength) {
    const s = Math.abs(strength);
    if (strength > 0)
      return `hsl(6 ${55 + 33 * s}% ${90 - 24 * s}%)`;
    return strength < 0 ? `hsl(216 ${55 + 33 * s}% ${91 - 22 * s}%)` : 'hsl(40 10% 90%)';
  }

  function colourOfChange(tree, i) {
    tree.largest ||= tree.depth.reduce((most, _, k) => Math.max(most, Math.abs(change(tree, k))), 0);
    if (tree.verdict[i] !== part && tree.verdict[i] !== significant)
      return colourOfStrength(0);
    const by = change(tree, i);
    return colourOfStrength(Math.sign(by) * Math.sqrt(Math.abs(by) / tree.largest));
  }

  const colourOf = (tree, i) => data.compares ? colourOfChange(tree, i) : names[tree.name[i]].colour;

  // --- the graph -----------------------------------------------------------------------------

  const canvas = find('canvas');
  let tree;

  const chart = new FlameCanvas({canvas, scroll: find('scroll'), tall: find('tall'), tip: find('tip')}, {
    colour: (i) => colourOf(tree, i),
    lines: (i) => linesOf(i),
    pointed: (i) => tell(i >= 0 ? i : chart.flame.focus),
    clicked: (i) => chart.flame.zoom(i),
    ask() {
      find('search').focus();
      find('search').select();
    },
    painted() {
      const flame = chart.flame;
      tell(flame.focus);
      const matched = flame.query === '' ? '' : (100 * flame.matched).toFixed(2);
      find('matched').textContent = matched === '' ? '' : `${matched} % in ${sayNumber(flame.found.length, 0)}`;
      find('search').classList.toggle('wrong', flame.wrong);
      if (flame.query === '' && document.activeElement !== find('search'))
        find('search').value = '';
      const label = (i) => i < 0 ? '' : flame.label[i];
      Object.assign(document.documentElement.dataset,
        {zoomed: label(flame.zoomed), focus: label(flame.focus), matched, frames: flame.count});
    },
  });

  // --- the text about a frame ----------------------------------------------------------------

  const words = ['may be chance', 'part of a significant change', 'significant', 'not tested'];
  const signed = (points) => `${points > 0 ? '+' : ''}${points.toFixed(2)}`;
  const sayChange = (what, points, word) => `${what} ${signed(points)} points, ${word}`;

  // Returns a line with what pprofil diff says about a function, if it says that the function has changed.
  function functionLines(name) {
    const [self, total, verdicts] = name.changes;
    const word = (bit) => words[verdicts & bit ? significant : chance];
    return verdicts > 0 ? [`${sayChange('function: self', self, word(1))}; ${sayChange('total', total, word(2))}`] : [];
  }

  function linesOf(i) {
    const name = names[tree.name[i]];
    const figures = (what, value, all, samples) => `${what} ${sayPercent(ratio(value, all))}, ${sayValue(value, data.timed)}` +
      (data.timed && samples !== undefined ? `, ${sayNumber(samples, 0)} samples` : '');
    const lines = [[name.object, data.kinds[name.kind][0]].filter((word) => word !== '').join(' · '),
      figures('total', tree.total[i], tree.total[0], tree.samples[i]),
      figures('self', tree.self[i], tree.total[0])];
    if (data.compares)
      lines.push(figures('before', tree.oldTotal[i], tree.oldTotal[0], tree.oldSamples[i]),
        sayChange('change', 100 * change(tree, i), words[tree.verdict[i]]), ...functionLines(name));
    return lines;
  }

  function tell(i) {
    find('details').textContent = i >= 0 ? [chart.flame.label[i], ...linesOf(i)].join('  ·  ')
      : 'Click or Enter: zoom · arrows: move · Backspace: out · / or Ctrl-F: search · n, N: next, previous · Esc: reset';
  }

  // --- the table -----------------------------------------------------------------------------

  // Returns the rows of the table: the functions, or in a comparison their changes as pprofil diff has them. In each
  // row, certain[k] is false if figure k of the row may be chance. weights[k] decides the order.
  function makeRows() {
    const whole = trees.flame.total[0];
    const {self, total} = sumNames(trees.flame, names.length);
    if (!data.compares)
      return names.map((name, i) => ({name, weights: [self[i], total[i]], certain: [true, true],
        figures: [self[i], total[i]].map((value) => sayPercent(ratio(value, whole)))}))
        .filter(({name, weights}) => name !== names[0] && weights[1] > 0);
    return names.filter((name) => name.changes.length > 0).map((name) => {
      const points = name.changes.slice(0, 2), certain = [1, 2].map((bit) => (name.changes[2] & bit) > 0);
      return {name, certain, figures: points.map(signed),
        weights: points.map((by, k) => Math.abs(by) + (certain[k] ? 1000 : 0))}; // significant changes come first
    });
  }

  let table = null;

  function fillTable() {
    const by = state.sort === 'total' ? 1 : 0;
    table ||= makeRows();
    table.sort((a, b) => state.sort === 'name' ? (a.name.text < b.name.text ? -1 : 1)
      : b.weights[by] - a.weights[by] || b.weights[1] - a.weights[1]);
    const rows = table.slice(0, 300).map(({name, figures, certain}) => {
      const row = document.createElement('tr'), dot = document.createElement('i');
      figures.forEach((text, k) => {
        const cell = row.insertCell();
        cell.textContent = text;
        cell.classList.toggle('chance', !certain[k]);
        cell.title = data.compares ? words[certain[k] ? significant : chance] : '';
      });
      const cell = row.insertCell();
      cell.className = 'name';
      dot.style.background = name.colour;
      cell.append(dot, name.text);
      cell.title = `${name.text}\n${name.object}`;
      row.addEventListener('click', () => choose(name.text));
      return row;
    });
    find('rows').replaceChildren(...rows);
    for (const button of document.querySelectorAll('[data-sort]'))
      button.setAttribute('aria-pressed', button.dataset.sort === state.sort);
  }

  // Selects a function in the table: finds all frames with exactly this name.
  function choose(text) {
    find('search').value = text;
    chart.flame.search(text, (label) => label === text);
    canvas.focus();
  }

  // --- the page ------------------------------------------------------------------------------

  function mark(id, key) {
    for (const button of find(id).children) {
      button.setAttribute('role', 'radio');
      button.setAttribute('aria-checked', button.dataset[key] === state[key]);
    }
  }

  function rebuild() {
    const query = chart.flame === undefined ? '' : chart.flame.query;
    tree = treeOf(state.shape);
    mark('shape', 'shape');
    mark('widths', 'widths');
    const value = state.widths === 'old' ? tree.oldTotal : tree.total;
    chart.setFrames(placeFrames(tree, value, names.map((name) => name.text)), state.shape !== 'flame');
    chart.flame.search(query);
  }

  function addLegend() {
    const shown = data.compares
      ? [['more than before', 0.8], ['less than before', -0.8], ['may be chance', 0]].map(([word, s]) => [word, colourOfStrength(s)])
      : data.kinds.filter(([word, there]) => there && word !== 'all').map(([word, , colour]) => [word, colour]);
    for (const [word, colour] of shown) {
      const item = document.createElement('span'), dot = document.createElement('i');
      dot.style.background = colour;
      item.append(dot, word);
      find('legend').append(item);
    }
  }

  function listen() {
    for (const [id, key] of [['shape', 'shape'], ['widths', 'widths']])
      find(id).addEventListener('click', (event) => {
        if (event.target.dataset[key] === undefined)
          return;
        state[key] = event.target.dataset[key];
        rebuild();
      });
    document.querySelector('thead').addEventListener('click', (event) => {
      if (event.target.dataset.sort === undefined)
        return;
      state.sort = event.target.dataset.sort;
      fillTable();
    });
    find('reset').addEventListener('click', () => {
      find('search').value = '';
      chart.flame.reset();
    });
    find('search').addEventListener('input', () => chart.flame.search(find('search').value));
    find('search').addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') {
        find('search').value = '';
        chart.flame.search('');
        canvas.focus();
      } else if (event.key === 'Enter') {
        chart.flame.next(1);
        canvas.focus();
      }
    });
    addEventListener('keydown', (event) => {
      const pressed = document.activeElement instanceof HTMLButtonElement && event.key === 'Enter';
      if (!pressed && chart.flame.key(event))
        event.preventDefault();
    });
  }

  find('title').textContent = data.title;
  find('subtitle').textContent = data.subtitle;
  find('widths').hidden = !data.compares;
  addLegend();
  listen();
  rebuild();
  canvas.focus({preventScroll: true});
  setTimeout(() => {
    fillTable();
    document.documentElement.dataset.ready = Math.round(performance.now());
  }, 0);
})();
