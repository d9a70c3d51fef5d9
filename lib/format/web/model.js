// SPDX-License-Identifier: LGPL-2.1-or-later
// What the views show of the profile in the page's state. Everything is made when it is first needed, and kept until
// the filter or the search changes.

const z95 = 1.959963984540054;

// Returns half the width of the 95 % confidence interval of a share: statistics_half_width of pprofil.
function halfWidth(share, samples) {
  if (samples <= 0)
    return 0;
  const z2 = z95 * z95;
  const variance = Math.max(0, share * (1 - share) / samples) + z2 / (4 * samples * samples);
  return z95 / (1 + z2 / samples) * Math.sqrt(variance);
}

// Returns the regular expression of a search, null if it is empty. Slashes around it are left out. It throws a
// SyntaxError.
function expressionOf(query) {
  const slashes = /^\/(.+)\/$/.exec(query), text = slashes === null ? query : slashes[1];
  return text === '' ? null : new RegExp(text, 'i');
}

class Model {
  constructor(profile) {
    this.profile = profile;
    this.stacks = new Stacks(profile);
    this.labels = profile.names.map((name) => name.text);
    this.kept = new Map();
    this.filter = '';
    this.query = null;
  }

  // Takes over the state of the page.
  update(state) {
    const filter = [state.thread, state.from, state.to].join();
    this.state = state;
    if (filter !== this.filter)
      for (const key of ['weights', 'tree', 'inverted', 'rows', 'nodeTimes', 'share'])
        this.kept.delete(key);
    this.filter = filter;
    if (state.q !== this.query)
      this.search(state.q);
  }

  search(query) {
    this.query = query;
    this.wrong = '';
    this.kept.delete('share');
    let expression = null;
    try {
      expression = expressionOf(query);
    } catch (error) {
      this.wrong = error.message.split(': ').pop(); // browsers repeat the expression before the reason
    }
    this.searches = expression !== null;
    this.matches = Uint8Array.from(this.profile.names, ({text, kind}) =>
      expression !== null && kind !== kindAll && expression.test(text) ? 1 : 0);
    this.matching = this.searches ? this.stacks.samplesWith(this.matches) : null;
  }

  keep(key, make) {
    if (!this.kept.has(key))
      this.kept.set(key, make());
    return this.kept.get(key);
  }

  get weights() {
    return this.keep('weights', () => this.profile.weigh(this.state));
  }

  get tree() {
    return this.keep('tree', () => this.stacks.tree(this.weights));
  }

  get inverted() {
    return this.keep('inverted', () => turnOver(this.tree, () => 0, 0));
  }

  get rows() {
    return this.keep('rows', () => functionRows(this.profile, this.tree));
  }

  // The share of the time that the search finds.
  get share() {
    return this.keep('share', () => shareWith(this.tree, this.matches));
  }

  rowOf(name) {
    return this.rows.find((row) => row.name === name) || {name, self: 0, total: 0};
  }

  shareOf(value) {
    return ratio(value, this.weights.total);
  }

  sayError(value) {
    return `±${(100 * halfWidth(this.shareOf(value), this.weights.samples)).toFixed(2)}`;
  }

  // The time of each node, of itself and with its callees: {self, total}.
  get nodeTimes() {
    return this.keep('nodeTimes', () => {
      const {nodes, samples} = this.profile, count = nodes.parent.length;
      const self = new Float64Array(count), total = new Float64Array(count);
      for (let i = 0; i < samples.node.length; i++) {
        const node = samples.node[i];
        self[nodes.call[node] === 1 ? nodes.parent[node] : node] += this.weights.value[i];
        total[node] += this.weights.value[i];
      }
      for (let i = count - 1; i > 0; i--)
        total[nodes.parent[i]] += total[i];
      return {self, total};
    });
  }

  // Returns the lines of a function: a map by file, of maps by line, of {self, total}. If a line is on a stack more
  // than once, its time counts once.
  linesOf(name) {
    const {nodes, places} = this.profile, {self, total} = this.nodeTimes, files = new Map();
    const nearest = new Int32Array(nodes.parent.length); // the nearest node of the function among a node's callers
    for (let i = 1; i < nodes.parent.length; i++) {
      const parent = nodes.parent[i], place = nodes.place[i];
      nearest[i] = nodes.name[parent] === name && parent > 0 ? parent : nearest[parent];
      if (nodes.name[i] !== name || place === 0 || !(total[i] > 0))
        continue;
      let above = nearest[i];
      while (above > 0 && nodes.place[above] !== place)
        above = nearest[above];
      const file = places.file[place], line = places.line[place];
      if (!files.has(file))
        files.set(file, new Map());
      const sums = files.get(file).get(line) || {self: 0, total: 0};
      sums.self += self[i];
      sums.total += above > 0 ? 0 : total[i];
      files.get(file).set(line, sums);
    }
    return files;
  }

  sayRange() {
    const {from, to} = this.state, slot = this.profile.history.slot / 1e9;
    return `${(from * slot).toFixed(2)} s to ${(to * slot).toFixed(2)} s`;
  }

  sayThread(index, whole) {
    const {comm, tid, process, pid} = this.profile.threads[index];
    return whole ? `thread ${comm}, ${tid}, of process ${process}, ${pid}`
      : `${comm}/${tid}` + (process !== comm && process !== '' ? ` of ${process}` : '');
  }
}
