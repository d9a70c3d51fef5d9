// SPDX-License-Identifier: LGPL-2.1-or-later
// The script of the page: makes trees of frames from the data, and draws the visible part of a tree on a canvas.
(() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find('data').textContent);
  // `changes` has what pprofil diff says about a function: [change of self, change of total, verdicts], in points; it is
  // empty if diff does not know the function.
  const names = data.names.map(([text, object, kind, colour, changes]) => ({text, object, kind, colour, changes}));
  // what a frame's tree.verdict means
  const chance = 0, part = 1, significant = 2, untested = 3;
  const state = {shape: 'flame', widths: 'new', sort: 'self'};
  const rowHeight = 18;

  // --- figures -------------------------------------------------------------------------------

  const number = (value, digits) => value.toLocaleString('en', {minimumFractionDigits: digits,
    maximumFractionDigits: digits});
  const percent = (share) => `${(100 * share).toFixed(2)} %`;

  function sayValue(value) {
    if (!data.timed)
      return value === 1 ? '1 sample' : `${number(value, 0)} samples`;
    const [unit, ns] = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]].find(([, ns]) => value >= ns) || ['ns', 1];
    const amount = value / ns;
    return `${number(amount, unit === 'ns' || amount >= 100 ? 0 : amount >= 10 ? 1 : 2)} ${unit}`;
  }

  // --- trees ---------------------------------------------------------------------------------

  // A tree has an array for each property of frames, by index of the frame. The root has depth 0.
  function makeTree(count) {
    const tree = {depth: new Int32Array(count), name: new Int32Array(count), verdict: new Uint8Array(count)};
    for (const key of ['total', 'self', 'samples', 'oldTotal', 'oldSelf', 'oldSamples'])
      tree[key] = new Float64Array(count);
    return tree;
  }

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

  // Returns an array by frame: tree[key] of the frame minus tree[key] of its callees.
  function selfSamples(tree, key) {
    const own = Float64Array.from(tree[key]), open = [];
    for (let i = 0; i < own.length; i++) {
      if (tree.depth[i] > 0)
        own[open[tree.depth[i] - 1]] -= tree[key][i];
      open[tree.depth[i]] = i;
    }
    return own;
  }

  // Returns the tree of inverted stacks: an innermost function is next to the root, and its callers follow. Stacks
  // are cut at a depth, which limits the number of frames.
  function turnOver(tree) {
    const deepest = 256;
    const nodes = [{name: 0, kids: new Map(), sums: [0, 0, 0, 0]}];
    const samples = selfSamples(tree, 'samples'), oldSamples = selfSamples(tree, 'oldSamples');
    const open = [];
    for (let i = 0; i < tree.depth.length; i++) {
      open[tree.depth[i]] = i;
      const sums = [tree.self[i], samples[i], tree.oldSelf[i], oldSamples[i]];
      if (sums.every((sum) => sum <= 0))
        continue;
      let node = nodes[0];
      sums.forEach((sum, k) => { node.sums[k] += sum; });
      for (let depth = tree.depth[i]; depth > 0 && depth > tree.depth[i] - deepest; depth--) {
        const name = tree.name[open[depth]];
        if (!node.kids.has(name)) {
          nodes.push({name, kids: new Map(), sums: [0, 0, 0, 0]});
          node.kids.set(name, nodes[nodes.length - 1]);
        }
        node = node.kids.get(name);
        sums.forEach((sum, k) => { node.sums[k] += sum; });
      }
    }
    return layDown(nodes);
  }

  // Returns the verdict on a function's own time. In diff, the own time includes that of inlined functions and system
  // calls. If this makes a difference, the change of this tree was not tested.
  function verdictOfSelf(tree, i) {
    const [self, , verdicts] = names[tree.name[i]].changes || [];
    if (self === undefined || Math.abs(100 * change(tree, i) - self) > 0.001)
      return untested;
    return verdicts & 1 ? significant : chance;
  }

  function layDown(nodes) {
    const tree = makeTree(nodes.length), open = [[nodes[0], 0]];
    for (let i = 0; open.length > 0; i++) {
      const [node, depth] = open.pop();
      const kids = [...node.kids.values()].sort((a, b) => a.sums[0] + a.sums[2] - b.sums[0] - b.sums[2]);
      tree.depth[i] = depth;
      tree.name[i] = node.name;
      [tree.total[i], tree.samples[i], tree.oldTotal[i], tree.oldSamples[i]] = node.sums;
      if (depth === 1)
        [tree.self[i], tree.oldSelf[i]] = [node.sums[0], node.sums[2]];
      tree.verdict[i] = depth === 1 ? verdictOfSelf(tree, i) : untested;
      for (const kid of kids)
        open.push([kid, depth + 1]);
    }
    return tree;
  }

  const trees = {flame: readTree()};

  function treeOf(shape) {
    const key = shape === 'callers' ? 'callers' : 'flame';
    return trees[key] ||= turnOver(trees.flame);
  }

  // --- changes: coloured as in colour.c --------------------------------------------------------

  const ratio = (some, all) => all > 0 ? some / all : 0;
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

  const canvas = find('canvas'), scroll = find('scroll'), pen = canvas.getContext('2d');
  let tree, flame, width = 0, height = 0, hovered = -1, letter = 7.2, style;

  function makeFlame() {
    const value = state.widths === 'old' ? tree.oldTotal : tree.total;
    const count = tree.depth.length, all = value[0] || 1;
    const x = new Float64Array(count), w = new Float64Array(count), ends = [];
    for (let i = 0; i < count; i++) {
      const depth = tree.depth[i];
      x[i] = depth === 0 ? 0 : ends[depth];
      w[i] = value[i] / all;
      ends[depth] = x[i] + w[i];
      ends[depth + 1] = x[i];
    }
    view.down = state.shape !== 'flame';
    return new Flame({label: Array.from(tree.name, (name) => names[name].text), depth: tree.depth, x, w}, view);
  }

  const topOf = (depth) => rowHeight * (view.down ? depth : flame.rows.length - 1 - depth);
  const tallness = () => Math.max(flame.rows.length * rowHeight + 8, scroll.clientHeight);
  // the y of row 0: a flame graph has its root at the bottom
  const ground = () => view.down ? 4 : tallness() - flame.rows.length * rowHeight - 4;

  const view = {
    down: false,
    ask() {
      find('search').focus();
      find('search').select();
    },
    show(i) {
      const y = ground() + topOf(flame.depth[i]);
      if (y < scroll.scrollTop || y + rowHeight > scroll.scrollTop + scroll.clientHeight)
        scroll.scrollTop = y - scroll.clientHeight / 2;
    },
    paint() {
      draw();
      tell(flame.focus);
      const matched = flame.query === '' ? '' : (100 * flame.matched).toFixed(2);
      find('matched').textContent = matched === '' ? '' : `${matched} % in ${number(flame.found.length, 0)}`;
      find('search').classList.toggle('wrong', flame.wrong);
      if (flame.query === '' && document.activeElement !== find('search'))
        find('search').value = '';
      const label = (i) => i < 0 ? '' : flame.label[i];
      Object.assign(document.documentElement.dataset,
        {zoomed: label(flame.zoomed), focus: label(flame.focus), matched, frames: flame.count});
    },
  };

  // Calls act for each visible frame. If a frame is too narrow to see, its callees are also too narrow.
  function eachVisible(act) {
    const low = scroll.scrollTop - rowHeight, high = scroll.scrollTop + height, base = ground();
    const visit = (i) => {
      const [x, w] = flame.place(i), y = base + topOf(flame.depth[i]);
      if (w * width < 0.4)
        return false;
      if (y > low && y < high)
        act(i, x * width, y - scroll.scrollTop, w * width);
      return true;
    };
    for (let i = flame.parent[flame.zoomed]; i >= 0; i = flame.parent[i])
      visit(i);
    for (let i = flame.zoomed; i < flame.end[flame.zoomed];)
      i = visit(i) ? i + 1 : flame.end[i];
  }

  function clip(text, room) {
    const columns = Math.floor((room - 7) / letter);
    if (columns < 3)
      return '';
    return text.length <= columns ? text : [...text].slice(0, columns - 1).join('') + '…';
  }

  // Narrow frames are rectangles without round corners: most frames are narrow, and a browser draws a rectangle
  // much faster than a path.
  function drawFrame(i, x, y, w) {
    const match = flame.matches[i] === 1;
    pen.fillStyle = match ? style.mark : colourOf(tree, i);
    if (w <= 6 && i !== hovered && i !== flame.focus && i >= flame.zoomed) {
      pen.fillRect(x, y, w > 3 ? w - 1 : w, rowHeight - 1);
      return;
    }
    pen.globalAlpha = i < flame.zoomed ? 0.55 : 1;
    pen.beginPath();
    pen.roundRect(x, y, w > 3 ? w - 1 : w, rowHeight - 1, 2);
    pen.fill();
    if (i === hovered || i === flame.focus) {
      pen.strokeStyle = style.ink;
      pen.lineWidth = i === flame.focus ? 2 : 1;
      pen.stroke();
    }
    const text = clip(flame.label[i], w);
    if (text !== '') {
      pen.fillStyle = match ? style.onMark : '#16181b';
      pen.fillText(text, x + 4, y + 13);
    }
    pen.globalAlpha = 1;
  }

  // Draws before the browser's next paint. All calls until then cause only one drawing.
  let waiting = false;
  function draw() {
    if (!waiting)
      requestAnimationFrame(() => {
        waiting = false;
        pen.clearRect(0, 0, width, height);
        eachVisible(drawFrame);
      });
    waiting = true;
  }

  function fit() {
    const ratio = devicePixelRatio || 1;
    find('tall').style.height = '0';
    find('tall').style.height = `${tallness()}px`;
    width = scroll.clientWidth;
    height = scroll.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const css = getComputedStyle(document.documentElement);
    style = {ink: css.getPropertyValue('--ink'), mark: css.getPropertyValue('--mark'),
             onMark: css.getPropertyValue('--on-mark')};
    pen.font = `12px ${css.getPropertyValue('--mono')}`;
    pen.direction = 'ltr';
    letter = pen.measureText('mmmmmmmmmm').width / 10;
    draw();
  }

  function frameAt(event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let at = -1;
    eachVisible((i, left, top, w) => {
      if (x >= left && x < left + w && y >= top && y < top + rowHeight)
        at = i;
    });
    return at;
  }

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
    const figures = (what, value, all, samples) => `${what} ${percent(ratio(value, all))}, ${sayValue(value)}` +
      (data.timed && samples !== undefined ? `, ${number(samples, 0)} samples` : '');
    const lines = [[name.object, data.kinds[name.kind][0]].filter((word) => word !== '').join(' · '),
      figures('total', tree.total[i], tree.total[0], tree.samples[i]),
      figures('self', tree.self[i], tree.total[0])];
    if (data.compares)
      lines.push(figures('before', tree.oldTotal[i], tree.oldTotal[0], tree.oldSamples[i]),
        sayChange('change', 100 * change(tree, i), words[tree.verdict[i]]), ...functionLines(name));
    return lines;
  }

  function tell(i) {
    find('details').textContent = i >= 0 ? [flame.label[i], ...linesOf(i)].join('  ·  ')
      : 'Click or Enter: zoom · arrows: move · Backspace: out · / or Ctrl-F: search · n, N: next, previous · Esc: reset';
  }

  function showTip(event) {
    const tip = find('tip');
    tip.hidden = hovered < 0;
    if (hovered < 0)
      return;
    const head = document.createElement('b');
    head.textContent = flame.label[hovered];
    tip.replaceChildren(head, `\n${linesOf(hovered).join('\n')}`);
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${Math.max(4, event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18)}px`;
  }

  function hover(event) {
    const at = event === null ? -1 : frameAt(event);
    if (at !== hovered) {
      hovered = at;
      draw();
      tell(at >= 0 ? at : flame.focus);
    }
    showTip(event);
  }

  // --- the table -----------------------------------------------------------------------------

  // Returns the sums of each name. The time of a recursive call counts only once.
  function sumNames() {
    const all = trees.flame, sums = names.map((_, name) => ({name, self: 0, total: 0}));
    const open = [], depths = new Int32Array(names.length);
    for (let i = 0; i < all.depth.length; i++) {
      while (open.length > all.depth[i])
        depths[open.pop()]--;
      const name = all.name[i], sum = sums[name];
      sum.self += all.self[i];
      if (depths[name] === 0)
        sum.total += all.total[i];
      depths[name]++;
      open.push(name);
    }
    return sums.filter((sum) => sum.name !== 0 && sum.total > 0);
  }

  // Returns the rows of the table: the functions, or in a comparison their changes as pprofil diff has them. In each
  // row, certain[k] is false if figure k of the row may be chance. weights[k] decides the order.
  function makeRows() {
    const whole = trees.flame.total[0];
    if (!data.compares)
      return sumNames().map((sum) => ({name: names[sum.name], weights: [sum.self, sum.total], certain: [true, true],
        figures: [percent(ratio(sum.self, whole)), percent(ratio(sum.total, whole))]}));
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
    flame.search(text, (label) => label === text);
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
    const query = flame === undefined ? '' : flame.query;
    tree = treeOf(state.shape);
    flame = makeFlame();
    mark('shape', 'shape');
    mark('widths', 'widths');
    hovered = -1;
    fit();
    scroll.scrollTop = view.down ? 0 : tallness();
    flame.search(query);
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
      flame.reset();
    });
    find('search').addEventListener('input', () => flame.search(find('search').value));
    find('search').addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') {
        find('search').value = '';
        flame.search('');
        canvas.focus();
      } else if (event.key === 'Enter') {
        flame.next(1);
        canvas.focus();
      }
    });
    canvas.addEventListener('click', (event) => {
      const at = frameAt(event);
      if (at >= 0)
        flame.zoom(at);
    });
    canvas.addEventListener('mousemove', hover);
    canvas.addEventListener('mouseleave', () => hover(null));
    scroll.addEventListener('scroll', draw);
    addEventListener('keydown', (event) => {
      const pressed = document.activeElement instanceof HTMLButtonElement && event.key === 'Enter';
      if (!pressed && flame.key(event))
        event.preventDefault();
    });
    addEventListener('resize', fit);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', fit);
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
