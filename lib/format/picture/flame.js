// SPDX-License-Identifier: LGPL-2.1-or-later
// Zoom, search and keys of a flame graph, for SVG pictures and for HTML pages. Frames are numbered in the order of a
// depth-first walk: the direct and indirect callees of frame i are i + 1 to end[i] - 1.
'use strict';

class Flame {
  // label, depth, x, w: arrays by frame; x and w are shares of all, 0 to 1.
  // view has the functions paint() to draw the graph, ask() to ask for a search, and show(frame) to scroll to a
  // frame. view.down is true if callees are below their callers.
  constructor(frames, view) {
    Object.assign(this, frames);
    this.view = view;
    this.count = this.label.length;
    this.parent = new Int32Array(this.count);
    this.end = new Int32Array(this.count);
    this.rows = [];
    const open = [];
    for (let i = 0; i < this.count; i++) {
      const depth = this.depth[i];
      while (open.length > depth)
        this.end[open.pop()] = i;
      this.parent[i] = depth > 0 ? open[depth - 1] : -1;
      open.push(i);
      (this.rows[depth] ||= []).push(i);
    }
    while (open.length > 0)
      this.end[open.pop()] = this.count;
    this.zoomed = 0;
    this.focus = -1;
    this.forget();
  }

  forget() {
    this.query = '';
    this.wrong = false;
    this.matches = new Uint8Array(this.count);
    this.found = [];
    this.matched = 0;
  }

  // Returns a frame's left edge and width, [x, w], as shares of the graph's width; null if the zoom hides the frame.
  place(i) {
    const z = this.zoomed;
    if (i <= z && this.end[i] > z)
      return [0, 1];
    if (i < z || i >= this.end[z] || !(this.w[z] > 0))
      return null;
    return [(this.x[i] - this.x[z]) / this.w[z], this.w[i] / this.w[z]];
  }

  zoom(i) {
    this.zoomed = Math.max(0, i);
    this.focus = this.zoomed;
    this.view.paint();
  }

  zoomOut() {
    this.zoom(this.parent[this.zoomed]);
  }

  reset() {
    this.forget();
    this.zoomed = 0;
    this.focus = -1;
    this.view.paint();
  }

  // Returns a function that tests a name. A query is a part of a name, in any case, or a regular expression in slashes.
  tester(query) {
    const pattern = /^\/(.+)\/$/.exec(query);
    if (pattern) {
      const expression = new RegExp(pattern[1], 'i');
      return (name) => expression.test(name);
    }
    const part = query.toLowerCase();
    return (name) => name.toLowerCase().includes(part);
  }

  // Marks the frames that the query finds. If test is given, it tests names instead of the query.
  search(query, test) {
    this.forget();
    this.query = query;
    if (query !== '') {
      try {
        this.mark(test || this.tester(query));
      } catch (error) {
        if (!(error instanceof SyntaxError))
          throw error;
        this.wrong = true;
      }
    }
    this.view.paint();
  }

  // Marks the frames whose label passes the test, and adds up their shares. A match within another match is not added.
  // The root is no function.
  mark(test) {
    const known = new Map();
    let counted = 0;
    for (let i = 1; i < this.count; i++) {
      const label = this.label[i];
      if (!known.has(label))
        known.set(label, test(label));
      if (!known.get(label))
        continue;
      this.matches[i] = 1;
      this.found.push(i);
      if (i >= counted) {
        this.matched += this.w[i];
        counted = this.end[i];
      }
    }
  }

  // Goes to the next (step 1) or previous match (step -1). Zooms out if this match is not visible.
  next(step) {
    const found = this.found;
    if (found.length === 0)
      return;
    let at = step > 0 ? found.findIndex((i) => i > this.focus) : found.findLastIndex((i) => i < this.focus);
    if (at < 0)
      at = step > 0 ? 0 : found.length - 1;
    if (this.place(found[at]) === null)
      this.zoomed = 0;
    this.look(found[at]);
  }

  look(i) {
    this.focus = i;
    this.view.show(i);
    this.view.paint();
  }

  // Moves to the nearest visible frame in the same row. step: 1 to the right, -1 to the left.
  aside(step) {
    const row = this.rows[this.depth[this.focus]];
    for (let at = row.indexOf(this.focus) + step; at >= 0 && at < row.length; at += step) {
      const place = this.place(row[at]);
      if (place !== null && place[1] > 0)
        return this.look(row[at]);
    }
  }

  // Moves to the widest callee.
  deeper() {
    let widest = -1;
    for (let i = this.focus + 1; i < this.end[this.focus]; i = this.end[i])
      if (this.place(i) !== null && (widest < 0 || this.w[i] > this.w[widest]))
        widest = i;
    if (widest >= 0)
      this.look(widest);
  }

  caller() {
    if (this.parent[this.focus] >= 0)
      this.look(this.parent[this.focus]);
  }

  move(key) {
    if (this.focus < 0)
      return this.look(this.zoomed);
    if (key === 'ArrowLeft')
      return this.aside(-1);
    if (key === 'ArrowRight')
      return this.aside(1);
    return (key === 'ArrowDown') === this.view.down ? this.deeper() : this.caller();
  }

  // Handles a key, and returns true if the graph uses the key.
  key(event) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
      this.view.ask();
      return true;
    }
    if (event.ctrlKey || event.metaKey || event.altKey)
      return false;
    const keys = {
      '/': () => this.view.ask(),
      'Escape': () => this.reset(),
      'Enter': () => this.zoom(this.focus),
      'Backspace': () => this.zoomOut(),
      'Home': () => this.look(this.zoomed),
      'n': () => this.next(1),
      'N': () => this.next(-1),
    };
    if (event.key.startsWith('Arrow'))
      this.move(event.key);
    else if (Object.hasOwn(keys, event.key))
      keys[event.key]();
    else
      return false;
    return true;
  }
}
