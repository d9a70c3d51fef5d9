// SPDX-License-Identifier: LGPL-2.1-or-later
// Merges the stacks of the profile by function, once. The trees that the page shows are made of these stacks, again for
// each filter.

class Stacks {
  // `parent`, `name`, `call`, `depth`: arrays by frame, in the order of a depth-first walk. Frames with the same caller
  // are sorted by name. frameOf: the frame of each node of the profile.
  constructor(profile) {
    this.profile = profile;
    const merged = this.merge();
    this.order(merged);
  }

  // Finds which nodes are the same frame: those that differ only in their line. A hash table with open addresses finds
  // the frames by caller and name.
  merge() {
    const {parent, name, call} = this.profile.nodes, count = parent.length;
    let size = 1024;
    while (size < 2 * count)
      size *= 2;
    const table = new Int32Array(size).fill(-1), of = new Int32Array(count);
    const frames = {count: 1, of, parent: new Int32Array(count), name: new Int32Array(count),
      call: new Uint8Array(count)};
    frames.parent[0] = -1;
    for (let i = 1; i < count; i++) {
      const caller = of[parent[i]];
      let at = (Math.imul(caller, 0x9e3779b1) ^ Math.imul(name[i] + 1, 0x85ebca6b)) >>> 0;
      at = (at ^ at >>> 15) & (size - 1);
      while (table[at] >= 0 && (frames.parent[table[at]] !== caller || frames.name[table[at]] !== name[i]))
        at = (at + 1) & (size - 1);
      if (table[at] < 0) {
        table[at] = frames.count++;
        frames.parent[table[at]] = caller;
        frames.name[table[at]] = name[i];
        frames.call[table[at]] = call[i];
      }
      of[i] = table[at];
    }
    return frames;
  }

  // Makes the list of each frame's callees, sorted by name: frames are put before the others of a list, names from last
  // to first.
  static callees(frames, names) {
    const ofName = new Int32Array(names.length).fill(-1), nextOfName = new Int32Array(frames.count);
    const first = new Int32Array(frames.count).fill(-1), next = new Int32Array(frames.count).fill(-1);
    for (let i = 1; i < frames.count; i++) {
      nextOfName[i] = ofName[frames.name[i]];
      ofName[frames.name[i]] = i;
    }
    const sorted = names.map((_, i) => i).sort((a, b) => names[a].text < names[b].text ? 1
      : names[a].text > names[b].text ? -1 : b - a);
    for (const name of sorted)
      for (let i = ofName[name]; i >= 0; i = nextOfName[i]) {
        next[i] = first[frames.parent[i]];
        first[frames.parent[i]] = i;
      }
    return {first, next};
  }

  order(frames) {
    const {first, next} = Stacks.callees(frames, this.profile.names), count = frames.count;
    const place = new Int32Array(count);
    this.count = count;
    this.parent = new Int32Array(count);
    this.name = new Int32Array(count);
    this.call = new Uint8Array(count);
    this.depth = new Int32Array(count);
    for (let i = 0, at = 0; i >= 0; at++) {
      place[i] = at;
      this.name[at] = frames.name[i];
      this.call[at] = frames.call[i];
      this.parent[at] = i === 0 ? -1 : place[frames.parent[i]];
      this.depth[at] = i === 0 ? 0 : this.depth[this.parent[at]] + 1;
      if (first[i] >= 0) {
        i = first[i];
        continue;
      }
      while (i >= 0 && next[i] < 0)
        i = frames.parent[i];
      i = i >= 0 ? next[i] : -1;
    }
    this.frameOf = frames.of.map((i) => place[i]);
  }

  // Returns the tree of the stacks (frame-trees.js) whose samples have these weights, without frames that have no time.
  // tree.call: 1 for frames that are system calls.
  tree(weights) {
    const {samples} = this.profile, self = new Float64Array(this.count), own = new Float64Array(this.count);
    for (let i = 0; i < samples.node.length; i++) {
      self[this.frameOf[samples.node[i]]] += weights.value[i];
      own[this.frameOf[samples.node[i]]] += weights.count[i];
    }
    const total = Float64Array.from(self), all = Float64Array.from(own);
    for (let i = this.count - 1; i > 0; i--) {
      total[this.parent[i]] += total[i];
      all[this.parent[i]] += all[i];
    }
    let kept = 1;
    for (let i = 1; i < this.count; i++)
      kept += total[i] > 0;
    const tree = makeTree(kept);
    tree.call = new Uint8Array(kept);
    for (let i = 0, at = 0; i < this.count; i++) {
      if (i > 0 && !(total[i] > 0))
        continue;
      [tree.depth[at], tree.name[at], tree.call[at]] = [this.depth[i], this.name[i], this.call[i]];
      [tree.total[at], tree.self[at], tree.samples[at]] = [total[i], self[i], all[i]];
      at++;
    }
    return tree;
  }

  // Returns an array by sample: 1 if a frame of its stack has one of these names. matches: an array by name.
  samplesWith(matches) {
    const has = new Uint8Array(this.count);
    for (let i = 1; i < this.count; i++)
      has[i] = has[this.parent[i]] | matches[this.name[i]];
    return Uint8Array.from(this.profile.samples.node, (node) => has[this.frameOf[node]]);
  }
}

// Returns the share of a tree's time whose stacks have one of these names.
function shareWith(tree, matches) {
  let sum = 0;
  for (let i = 1, counted = 0; i < tree.depth.length; i++) {
    if (counted > 0 && tree.depth[i] > counted)
      continue;
    counted = matches[tree.name[i]] ? tree.depth[i] : 0;
    sum += counted > 0 ? tree.total[i] : 0;
  }
  return ratio(sum, tree.total[0]);
}

// Returns the rows of the table: for each function {name, self, total}. The time of a system call is that of the
// function that called it. Without stacks, an inlined function counts as a part of the function that it is in.
function functionRows(profile, tree) {
  const sums = sumNames(tree, profile.names.length), open = [];
  if (!profile.stacks)
    sums.self.fill(0);
  for (let i = 1; i < tree.depth.length; i++) {
    const depth = tree.depth[i], name = tree.name[i], above = open[depth - 1];
    open[depth] = name;
    if (profile.stacks && tree.call[i])
      sums.self[above] += tree.self[i];
    else if (!profile.stacks && profile.isFunction(name) && (depth === 1 || !profile.isFunction(above)))
      sums.self[name] += tree.total[i];
  }
  const rows = [];
  profile.names.forEach((_, name) => {
    const self = sums.self[name], total = profile.stacks ? sums.total[name] : self;
    if (profile.isFunction(name) && total > 0)
      rows.push({name, self, total});
  });
  return rows;
}

// Returns who calls a function, and what it calls: {callers, callees}, arrays of {name, value}, largest first. In each
// stack, only the outermost call of the function counts. The root is the caller of functions that nobody called.
function neighbours(tree, wanted) {
  const callers = new Map(), callees = new Map(), open = [0];
  const add = (to, name, value) => to.set(name, (to.get(name) || 0) + value);
  for (let i = 1, within = 0; i < tree.depth.length; i++) {
    const depth = tree.depth[i];
    open[depth] = tree.name[i];
    if (within > 0 && depth <= within)
      within = 0;
    if (within > 0 && depth === within + 1)
      add(callees, tree.name[i], tree.total[i]);
    if (within === 0 && tree.name[i] === wanted) {
      within = depth;
      add(callers, open[depth - 1], tree.total[i]);
    }
  }
  const sorted = (map) => [...map].map(([name, value]) => ({name, value})).sort((a, b) => b.value - a.value);
  return {callers: sorted(callers), callees: sorted(callees)};
}
