// SPDX-License-Identifier: LGPL-2.1-or-later
// Trees of frames, for HTML pages. A tree has an array for each property of frames, by index of the frame. Frames are in
// the order of a depth-first walk, and frame 0 is the root, with depth 0.

function makeTree(count) {
  const tree = {depth: new Int32Array(count), name: new Int32Array(count), verdict: new Uint8Array(count)};
  for (const key of ['total', 'self', 'samples', 'oldTotal', 'oldSelf', 'oldSamples'])
    tree[key] = new Float64Array(count);
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

// Returns the tree of inverted stacks: an innermost function is next to the root, and its callers follow. Stacks are cut
// at a depth, which limits the number of frames. verdictOf(tree, i): the verdict on frame i of the result, if it has
// depth 1; all other verdicts are `untested`.
function turnOver(tree, verdictOf, untested) {
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
  return layDown(nodes, verdictOf, untested);
}

function layDown(nodes, verdictOf, untested) {
  const tree = makeTree(nodes.length), open = [[nodes[0], 0]];
  for (let i = 0; open.length > 0; i++) {
    const [node, depth] = open.pop();
    const kids = [...node.kids.values()].sort((a, b) => a.sums[0] + a.sums[2] - b.sums[0] - b.sums[2]);
    tree.depth[i] = depth;
    tree.name[i] = node.name;
    [tree.total[i], tree.samples[i], tree.oldTotal[i], tree.oldSamples[i]] = node.sums;
    if (depth === 1)
      [tree.self[i], tree.oldSelf[i]] = [node.sums[0], node.sums[2]];
    tree.verdict[i] = depth === 1 ? verdictOf(tree, i) : untested;
    for (const kid of kids)
      open.push([kid, depth + 1]);
  }
  return tree;
}

// Returns the sums of each name, {self, total}: arrays by index of the name. The time of a recursive call counts only
// once.
function sumNames(tree, nameCount) {
  const self = new Float64Array(nameCount), total = new Float64Array(nameCount);
  const open = [], depths = new Int32Array(nameCount);
  for (let i = 0; i < tree.depth.length; i++) {
    while (open.length > tree.depth[i])
      depths[open.pop()]--;
    const name = tree.name[i];
    self[name] += tree.self[i];
    if (depths[name] === 0)
      total[name] += tree.total[i];
    depths[name]++;
    open.push(name);
  }
  return {self, total};
}

// Returns what class Flame needs of a tree: frames as wide as their `value`, an array by frame. labels: the text of each
// name.
function placeFrames(tree, value, labels) {
  const count = tree.depth.length, all = value[0] || 1;
  const x = new Float64Array(count), w = new Float64Array(count), ends = [];
  for (let i = 0; i < count; i++) {
    const depth = tree.depth[i];
    x[i] = depth === 0 ? 0 : ends[depth];
    w[i] = value[i] / all;
    ends[depth] = x[i] + w[i];
    ends[depth + 1] = x[i];
  }
  return {label: Array.from(tree.name, (name) => labels[name]), depth: tree.depth, x, w};
}
