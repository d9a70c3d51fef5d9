// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the profile from the page's data. Tables become typed arrays, because they may have a million rows.

// Returns the numbers of a column: base64 of LEB128.
function decodeColumn(text, type) {
  const bytes = atob(text), size = bytes.length;
  let count = 0;
  for (let i = 0; i < size; i++)
    if (bytes.charCodeAt(i) < 128)
      count++;
  const numbers = new type(count);
  for (let i = 0, at = 0, number = 0, power = 1; i < size; i++) {
    const byte = bytes.charCodeAt(i);
    number += (byte & 127) * power;
    power *= 128;
    if (byte < 128) {
      numbers[at++] = number;
      number = 0;
      power = 1;
    }
  }
  return numbers;
}

// Returns the column with one more number before the others.
function withFirst(first, numbers) {
  const all = new numbers.constructor(numbers.length + 1);
  all[0] = first;
  all.set(numbers, 1);
  return all;
}

const kindAll = 0, kindProcess = 1; // as in enum picture_kind

class Profile {
  constructor(data) {
    Object.assign(this, {timed: data.timed, wall: data.wall, stacks: data.stacks, start: data.start,
      title: data.title, kinds: data.kinds, files: data.files});
    this.names = data.names.map(([text, object, kind, colour]) => ({text, object, kind, colour}));
    this.threads = data.threads.map(([comm, tid, process, pid]) => ({comm, tid, process, pid}));
    this.readNodes(data);
    this.samples = {value: decodeColumn(data.samples.value, Float64Array),
      count: decodeColumn(data.samples.count, Float64Array)};
    for (const key of ['thread', 'node', 'state'])
      this.samples[key] = decodeColumn(data.samples[key], Int32Array);
    this.history = data.history === null ? null : this.readHistory(data.history);
    this.source = new Map(data.source.map(([file, newer, ...runs]) =>
      [file, {newer: newer === 1, lines: readRuns(runs)}]));
    const {withSource, sourceLeftOut, sourceLimit} = data;
    Object.assign(this, {withSource, sourceLeftOut, sourceLimit});
  }

  // Node 0 is the root, and place 0 is no place.
  readNodes(data) {
    const column = (table, key) => withFirst(0, decodeColumn(table[key], Int32Array));
    this.places = {file: column(data.places, 'file'), line: column(data.places, 'line')};
    this.nodes = {};
    for (const key of ['parent', 'name', 'place', 'call'])
      this.nodes[key] = column(data.nodes, key);
    this.isCall = new Uint8Array(this.names.length);
    for (let i = 1; i < this.nodes.parent.length; i++) {
      this.nodes.parent[i] = i - this.nodes.parent[i];
      if (this.nodes.call[i] === 1)
        this.isCall[this.nodes.name[i]] = 1;
    }
  }

  readHistory(from) {
    const history = {slot: from.slot, slots: from.slots, value: decodeColumn(from.value, Float64Array)};
    for (const key of ['sample', 'first', 'more', 'count'])
      history[key] = decodeColumn(from[key], Int32Array);
    for (let i = 0, before = 0; i < history.first.length; i++) {
      const step = history.first[i]; // 0, 1, 2, ... stand for 0, -1, 1, ...
      before += step % 2 === 1 ? -(step + 1) / 2 : step / 2;
      history.first[i] = before;
    }
    return history;
  }

  // Returns true if a name is that of a function, so that it has a row in the table.
  isFunction(name) {
    const kind = this.names[name].kind;
    return kind !== kindAll && kind !== kindProcess && this.isCall[name] === 0;
  }

  // Returns what the samples count with a filter: {value, count}, arrays by sample, and their sums {total, samples}.
  // thread: index of a thread, -1: all. The range is from slot `from`, and before slot `to`; to 0: everything.
  weigh({thread, from, to}) {
    const {samples} = this, number = samples.value.length;
    const weights = {value: samples.value, count: samples.count, total: 0, samples: 0};
    if (to > 0)
      Object.assign(weights, this.clip(from, to));
    else if (thread >= 0)
      Object.assign(weights, {value: Float64Array.from(samples.value), count: Float64Array.from(samples.count)});
    for (let i = 0; i < number; i++) {
      if (thread >= 0 && samples.thread[i] !== thread)
        weights.value[i] = weights.count[i] = 0;
      weights.total += weights.value[i];
      weights.samples += weights.count[i];
    }
    return weights;
  }

  // Rounds as history_clip of pprofil does.
  clip(from, to) {
    const {history, samples} = this;
    const value = new Float64Array(samples.value.length), count = new Float64Array(samples.value.length);
    for (let i = 0; i < history.sample.length; i++) {
      const first = history.first[i], whole = history.more[i] + 1;
      const slots = Math.min(first + whole, to) - Math.max(first, from);
      if (slots <= 0)
        continue;
      value[history.sample[i]] += slots === whole ? history.value[i] : Math.floor(history.value[i] * slots / whole);
      count[history.sample[i]] += Math.floor((history.count[i] * slots + Math.floor(whole / 2)) / whole);
    }
    return {value, count};
  }
}

// Returns the lines of a source file, by number. runs: first line, text, first line, text, ...
function readRuns(runs) {
  const lines = new Map();
  for (let i = 0; i < runs.length; i += 2)
    runs[i + 1].split('\n').forEach((line, k) => lines.set(runs[i] + k, line));
  return lines;
}
