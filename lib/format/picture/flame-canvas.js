// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the visible part of a flame graph on a canvas, and tells what is under the pointer.

const flameRow = 18;

// It is the view of a Flame (flame.js).
class FlameCanvas {
  // canvas, scroll, tall, tip: elements of the page. The canvas stays in view while `scroll` scrolls over `tall`, which
  // is as tall as the graph. tip shows the text about the frame under the pointer.
  // hooks: colour(frame), lines(frame): an array of lines about a frame; ask(): asks for a search; painted(): the graph
  // has changed; pointed(frame): the pointer is on another frame, -1: on none; clicked(frame).
  constructor({canvas, scroll, tall, tip}, hooks) {
    Object.assign(this, {canvas, scroll, tall, tip, hooks});
    this.pen = canvas.getContext('2d');
    this.down = false;
    this.width = this.height = 0;
    this.hovered = -1;
    this.letter = 7.2;
    this.waiting = false;
    canvas.addEventListener('click', (event) => {
      const at = this.frameAt(event);
      if (at >= 0)
        this.hooks.clicked(at);
    });
    canvas.addEventListener('mousemove', (event) => this.hover(event));
    canvas.addEventListener('mouseleave', () => this.hover(null));
    scroll.addEventListener('scroll', () => {
      if (scroll.clientHeight > 0) // a hidden element loses its place
        this.top = scroll.scrollTop;
      this.draw();
    });
    addEventListener('resize', () => this.fit());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.fit());
  }

  // Shows other frames. down: callees are below their callers.
  setFrames(frames, down) {
    this.down = down;
    this.flame = new Flame(frames, this);
    this.hovered = -1;
    this.tip.hidden = true;
    this.fit();
    this.top = this.scroll.scrollTop = down ? 0 : this.tallness();
  }

  // Shows the frames again, at the same place, after they were hidden.
  resume() {
    this.fit();
    this.scroll.scrollTop = this.top;
  }

  ask() {
    this.hooks.ask();
  }

  show(i) {
    const y = this.ground() + this.topOf(this.flame.depth[i]), scroll = this.scroll;
    if (y < scroll.scrollTop || y + flameRow > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = y - scroll.clientHeight / 2;
  }

  paint() {
    this.draw();
    this.hooks.painted();
  }

  // --- places ----------------------------------------------------------------------------------

  topOf(depth) {
    return flameRow * (this.down ? depth : this.flame.rows.length - 1 - depth);
  }

  tallness() {
    return Math.max(this.flame.rows.length * flameRow + 8, this.scroll.clientHeight);
  }

  // The y of row 0: a flame graph has its root at the bottom.
  ground() {
    return this.down ? 4 : this.tallness() - this.flame.rows.length * flameRow - 4;
  }

  // Calls act for each visible frame. If a frame is too narrow to see, its callees are also too narrow.
  eachVisible(act) {
    const flame = this.flame, top = this.scroll.scrollTop, base = this.ground();
    const low = top - flameRow, high = top + this.height;
    const visit = (i) => {
      const [x, w] = flame.place(i), y = base + this.topOf(flame.depth[i]);
      if (w * this.width < 0.4)
        return false;
      if (y > low && y < high)
        act(i, x * this.width, y - top, w * this.width);
      return true;
    };
    for (let i = flame.parent[flame.zoomed]; i >= 0; i = flame.parent[i])
      visit(i);
    for (let i = flame.zoomed; i < flame.end[flame.zoomed];)
      i = visit(i) ? i + 1 : flame.end[i];
  }

  frameAt(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let at = -1;
    this.eachVisible((i, left, top, w) => {
      if (x >= left && x < left + w && y >= top && y < top + flameRow)
        at = i;
    });
    return at;
  }

  // --- drawing ---------------------------------------------------------------------------------

  clip(text, room) {
    const columns = Math.floor((room - 7) / this.letter);
    if (columns < 3)
      return '';
    return text.length <= columns ? text : [...text].slice(0, columns - 1).join('') + '…';
  }

  // Narrow frames are rectangles without round corners: most frames are narrow, and a browser draws a rectangle
  // much faster than a path.
  drawFrame(i, x, y, w) {
    const {flame, pen, style} = this, match = flame.matches[i] === 1, marked = i === this.hovered || i === flame.focus;
    pen.fillStyle = match ? style.mark : this.hooks.colour(i);
    if (w <= 6 && !marked && i >= flame.zoomed) {
      pen.fillRect(x, y, w > 3 ? w - 1 : w, flameRow - 1);
      return;
    }
    pen.globalAlpha = i < flame.zoomed ? 0.55 : 1;
    pen.beginPath();
    pen.roundRect(x, y, w > 3 ? w - 1 : w, flameRow - 1, 2);
    pen.fill();
    if (marked) {
      pen.strokeStyle = style.ink;
      pen.lineWidth = i === flame.focus ? 2 : 1;
      pen.stroke();
    }
    const text = this.clip(flame.label[i], w);
    if (text !== '') {
      pen.fillStyle = match ? style.onMark : '#16181b';
      pen.fillText(text, x + 4, y + 13);
    }
    pen.globalAlpha = 1;
  }

  // Draws before the browser's next paint. All calls until then cause only one drawing.
  draw() {
    if (this.flame === undefined)
      return;
    if (!this.waiting)
      requestAnimationFrame(() => {
        this.waiting = false;
        this.pen.clearRect(0, 0, this.width, this.height);
        this.eachVisible((...frame) => this.drawFrame(...frame));
      });
    this.waiting = true;
  }

  fit() {
    if (this.flame === undefined)
      return;
    const ratio = devicePixelRatio || 1, {canvas, scroll, tall, pen} = this;
    tall.style.height = '0';
    tall.style.height = `${this.tallness()}px`;
    this.width = scroll.clientWidth;
    this.height = scroll.clientHeight;
    canvas.width = this.width * ratio;
    canvas.height = this.height * ratio;
    canvas.style.width = `${this.width}px`;
    canvas.style.height = `${this.height}px`;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const css = getComputedStyle(document.documentElement);
    this.style = {ink: css.getPropertyValue('--ink'), mark: css.getPropertyValue('--mark'),
      onMark: css.getPropertyValue('--on-mark')};
    pen.font = `12px ${css.getPropertyValue('--mono')}`;
    pen.direction = 'ltr';
    this.letter = pen.measureText('mmmmmmmmmm').width / 10;
    this.draw();
  }

  // --- the pointer -----------------------------------------------------------------------------

  showTip(event) {
    const tip = this.tip;
    tip.hidden = this.hovered < 0;
    if (this.hovered < 0)
      return;
    const head = document.createElement('b');
    head.textContent = this.flame.label[this.hovered];
    tip.replaceChildren(head, `\n${this.hooks.lines(this.hovered).join('\n')}`);
    const box = tip.getBoundingClientRect();
    const below = event.clientY + 18, above = event.clientY - box.height - 10;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${Math.max(4, below + box.height > innerHeight ? above : below)}px`;
  }

  hover(event) {
    if (this.flame === undefined)
      return;
    const at = event === null ? -1 : this.frameAt(event);
    if (at !== this.hovered) {
      this.hovered = at;
      this.draw();
      this.hooks.pointed(at);
    }
    this.showTip(event);
  }
}
