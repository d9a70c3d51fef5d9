// SPDX-License-Identifier: LGPL-2.1-or-later
// The time line: a strip above all views, and a view with a row for each thread. Dragging over either selects a range
// of time. A click clears the range.

const timeRowsMax = 200;

class TimeView {
  constructor(model, act) {
    Object.assign(this, {model, act, shown: {strip: '', threads: ''}});
    this.parts = {};
    for (const id of ['strip', 'strip-canvas', 'strip-range', 'strip-axis', 'states', 'threads-list', 'threads-range',
      'threads-axis', 'threads-note'])
      this.parts[id] = document.getElementById(id);
    this.history = model.profile.history;
    this.parts.strip.hidden = this.history === null;
    this.value = this.sumThreads();
    this.threads = model.profile.threads.map((_, i) => i).filter((i) => this.value[i] > 0)
      .sort((a, b) => this.value[b] - this.value[a]);
    if (this.history !== null) {
      this.watch(this.parts.strip, this.parts['strip-canvas']);
      this.watch(this.parts['threads-list'], this.parts['threads-axis']);
    }
    this.makeRows();
    this.say();
    this.addLegend();
    addEventListener('resize', () => this.again());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.again());
  }

  // Returns the time of each thread in a range of slots, as Profile.weigh has it.
  sumThreads(from = 0, to = 0) {
    const {profile} = this.model, {value} = profile.weigh({thread: -1, from, to});
    const sums = new Float64Array(profile.threads.length);
    profile.samples.thread.forEach((thread, i) => { sums[thread] += value[i]; });
    return sums;
  }

  watch(element, place) {
    watchDrags(element, () => place.getBoundingClientRect(), (from, to) => this.mark(from, to), (from, to) => {
      const begin = Math.min(Math.round(from * this.history.slots), this.history.slots - 1);
      const end = Math.max(Math.round(to * this.history.slots), begin + 1); // at least one slot
      this.act.range(...to > from ? [begin, end] : [0, 0]);
    });
  }

  // Shows a range, 0 to 1.
  mark(from, to) {
    for (const id of ['strip-range', 'threads-range']) {
      this.parts[id].hidden = to <= from;
      this.parts[id].style.left = `${100 * from}%`;
      this.parts[id].style.width = `${100 * (to - from)}%`;
    }
  }

  makeRows() {
    this.rows = this.threads.slice(0, timeRowsMax).map((thread) => {
      const [row, button, share, canvas] = ['div', 'button', 'b', 'canvas'].map((word) => document.createElement(word));
      row.className = 'thread';
      button.type = 'button';
      button.textContent = this.model.sayThread(thread);
      button.title = this.model.sayThread(thread, true);
      button.addEventListener('click', () => this.act.thread(thread));
      row.append(button, share, canvas);
      this.parts['threads-list'].append(row);
      return {thread, button, share, canvas};
    });
  }

  say() {
    const notes = [], more = this.threads.length - timeRowsMax;
    if (this.history === null)
      notes.push('The file does not say when its samples were taken, so there is no time line. Files that pprofil ' +
        'has saved say it.');
    else
      notes.push('Drag to select a range of time, click to clear it. Click a thread to see only this thread.');
    if (more > 0)
      notes.push(`${sayNumber(more, 0)} more threads with less time are not shown.`);
    this.parts['threads-note'].textContent = notes.join(' ');
  }

  // The states that samples have.
  addLegend() {
    const there = new Set(this.model.profile.samples.state);
    const add = (word, colour) => {
      const item = document.createElement('span'), dot = document.createElement('i');
      dot.style.background = `var(${colour})`;
      item.append(dot, word);
      this.parts.states.append(item);
    };
    timeWords.forEach((word, state) => {
      if (there.has(state))
        add(word, timeColours[state]);
    });
    add('found by the search', '--mark');
  }

  again() {
    this.shown = {strip: '', threads: ''};
    this.show(this.model.state);
  }

  show(state) {
    if (state.view === 'threads')
      this.showShares(state);
    if (this.history === null)
      return;
    this.mark(...state.to > 0 ? [state.from, state.to].map((slot) => slot / this.history.slots) : [0, 0]);
    this.draw('strip', state, () => this.drawStrip(state));
    if (state.view === 'threads')
      this.draw('threads', state, () => this.drawThreads());
  }

  showShares({thread: chosen, from, to}) {
    const sums = this.sumThreads(from, to), whole = sums.reduce((sum, value) => sum + value, 0);
    for (const {thread, button, share} of this.rows) {
      button.setAttribute('aria-pressed', thread === chosen);
      share.textContent = sayPercent(ratio(sums[thread], whole));
      share.title = sayValue(sums[thread], this.model.profile.timed);
    }
  }

  draw(what, state, act) {
    const now = [this.model.query, what === 'strip' ? state.thread : '', innerWidth].join('\n');
    if (now !== this.shown[what])
      act();
    this.shown[what] = now;
  }

  columnsIn(width) {
    return Math.max(1, Math.min(Math.floor(width), this.history.slots));
  }

  drawStrip(state) {
    const canvas = this.parts['strip-canvas'], {profile, matching} = this.model;
    canvas.width = canvas.clientWidth;
    canvas.height = canvas.clientHeight;
    const rowOf = Int32Array.from(profile.threads, (_, i) => state.thread < 0 || i === state.thread ? 0 : -1);
    const sums = sumColumns(profile, rowOf, 1, this.columnsIn(canvas.width), matching);
    drawColumns(canvas, sums, 0, highestColumn(sums));
    this.drawAxis(this.parts['strip-axis'], canvas.width);
  }

  drawThreads() {
    const {profile, matching} = this.model, width = this.rows.length > 0 ? this.rows[0].canvas.clientWidth : 1;
    const rowOf = new Int32Array(profile.threads.length).fill(-1);
    this.rows.forEach(({thread}, i) => { rowOf[thread] = i; });
    const sums = sumColumns(profile, rowOf, this.rows.length, this.columnsIn(width), matching);
    const full = profile.timed ? sums.length : highestColumn(sums);
    this.rows.forEach(({canvas}, i) => {
      canvas.width = canvas.clientWidth;
      canvas.height = canvas.clientHeight;
      drawColumns(canvas, sums, i, full);
    });
    this.drawAxis(this.parts['threads-axis'], width);
  }

  // Writes the times below a time line, at round numbers of seconds.
  drawAxis(axis, width) {
    const seconds = this.history.slots * this.history.slot / 1e9;
    const wanted = seconds / Math.max(2, Math.floor(width / 90)), power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((times) => times * power).find((step) => step >= wanted);
    const marks = [];
    for (let k = 0; k * step <= seconds * 0.97; k++) {
      const mark = document.createElement('span');
      mark.textContent = `${Number((k * step).toFixed(3))} s`;
      mark.style.left = `${100 * k * step / seconds}%`;
      marks.push(mark);
    }
    axis.replaceChildren(...marks);
  }
}
