// SPDX-License-Identifier: LGPL-2.1-or-later
// The flame graph, upright or as icicles, and the graph of inverted stacks.

class FlameView {
  // act: what the page does when it is asked to (page.js).
  constructor(model, act) {
    Object.assign(this, {model, act, shown: ''});
    const find = (id) => document.getElementById(id);
    this.canvas = find('canvas');
    this.details = find('details');
    this.chart = new FlameCanvas({canvas: this.canvas, scroll: find('scroll'), tall: find('tall'), tip: find('tip')}, {
      colour: (i) => this.model.profile.names[this.tree.name[i]].colour,
      lines: (i) => this.linesOf(i),
      pointed: (i) => this.tell(i >= 0 ? i : this.chart.flame.focus),
      clicked: (i) => this.act.zoom(this.pathOf(i), this.tree.name[i]),
      ask: () => this.act.ask(),
      painted: () => this.painted(),
    });
    find('shape').addEventListener('click', (event) => {
      if (event.target.dataset.shape !== undefined)
        this.act.shape(event.target.dataset.shape);
    });
    this.addLegend(find('legend'));
  }

  addLegend(legend) {
    for (const [word, there, colour] of this.model.profile.kinds) {
      if (!there || word === 'all')
        continue;
      const item = document.createElement('span'), dot = document.createElement('i');
      dot.style.background = colour;
      item.append(dot, word);
      legend.append(item);
    }
  }

  show(state) {
    const shown = [state.shape, this.model.filter].join();
    for (const button of document.querySelectorAll('#shape button'))
      button.setAttribute('aria-checked', button.dataset.shape === state.shape);
    this.showing = true;
    if (shown !== this.shown) {
      this.tree = state.shape === 'callers' ? this.model.inverted : this.model.tree;
      this.chart.setFrames(placeFrames(this.tree, this.tree.total, this.model.labels), state.shape !== 'flame');
    } else {
      this.chart.resume();
    }
    this.shown = shown;
    const query = this.model.searches ? state.q : '';
    if (query !== this.chart.flame.query)
      this.chart.flame.search(query, this.tester());
    if (this.pathOf(this.chart.flame.zoomed).join() !== state.zoom.join())
      this.chart.flame.zoom(this.findPath(state.zoom));
    this.showing = false;
    this.painted();
  }

  // Marks the frames that the search of the page has found. Equal texts have equal matches.
  tester() {
    const found = new Set(this.model.labels.filter((_, name) => this.model.matches[name] === 1));
    return (label) => found.has(label);
  }

  // Returns the names from below the root to a frame.
  pathOf(i) {
    const path = [];
    for (let at = i; at > 0; at = this.chart.flame.parent[at])
      path.unshift(this.tree.name[at]);
    return path;
  }

  // Returns the frame with this path, or the last one of the path that the tree has.
  findPath(path) {
    const {end} = this.chart.flame;
    let found = 0;
    for (const name of path) {
      let at = found + 1;
      while (at < end[found] && this.tree.name[at] !== name)
        at = end[at];
      if (at >= end[found])
        break;
      found = at;
    }
    return found;
  }

  // The graph has changed. The keys of the graph change its zoom, so the state of the page follows.
  painted() {
    const flame = this.chart.flame;
    if (this.showing)
      return;
    this.tell(flame.focus);
    Object.assign(document.documentElement.dataset, {zoomed: flame.label[flame.zoomed], frames: flame.count});
    const path = this.pathOf(flame.zoomed);
    if (path.join() !== this.model.state.zoom.join())
      this.act.zoom(path, this.tree.name[flame.zoomed]);
  }

  linesOf(i) {
    const {tree, model} = this, {profile} = model, name = profile.names[tree.name[i]];
    const figures = (what, value) =>
      `${what} ${sayPercent(ratio(value, tree.total[0]))}, ${sayValue(value, profile.timed)}`;
    const samples = profile.timed ? `, ${sayNumber(tree.samples[i], 0)} samples` : '';
    return [[name.object, profile.kinds[name.kind][0]].filter((word) => word !== '').join(' · '),
      figures('total', tree.total[i]) + samples, figures('self', tree.self[i])];
  }

  tell(i) {
    this.details.textContent = i > 0 ? [this.chart.flame.label[i], ...this.linesOf(i)].join('  ·  ')
      : 'Click or Enter: zoom · arrows: move · Backspace: out · / search · n, N: next, previous · Esc: reset';
  }

  // Handles a key, and returns true if the graph uses it.
  key(event) {
    return this.chart.flame.key(event);
  }
}
