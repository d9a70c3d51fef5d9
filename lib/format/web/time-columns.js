// SPDX-License-Identifier: LGPL-2.1-or-later
// Columns of a time line: their sums, how they are drawn, and dragging over them.

const timeColours = ['--running', '--waiting', '--asleep', '--stuck']; // by state of the thread
const timeWords = ['running', 'waiting for a CPU', 'asleep', 'uninterruptible'];

// Sums the history in columns of equal length: {states, matched}, for each row arrays by column. rowOf: the row of each
// thread, -1: none. matching: 1 for samples that the search finds, or null. Values are parts of the column's length.
function sumColumns(profile, rowOf, rowCount, count, matching) {
  const {history, samples} = profile, slots = history.slots / count;
  const make = () => Array.from({length: rowCount}, () => new Float64Array(count));
  const states = timeColours.map(make), matched = make();
  for (let i = 0; i < history.sample.length; i++) {
    const sample = history.sample[i], row = rowOf[samples.thread[sample]];
    if (row < 0)
      continue;
    const first = history.first[i], end = first + history.more[i] + 1, each = history.value[i] / (end - first);
    const to = Math.min(count - 1, Math.ceil(end / slots) - 1);
    for (let k = Math.floor(first / slots); k <= to; k++) {
      const part = each * (Math.min(end, (k + 1) * slots) - Math.max(first, k * slots));
      states[samples.state[sample]][row][k] += part;
      if (matching !== null && matching[sample] === 1)
        matched[row][k] += part;
    }
  }
  return {states, matched, length: slots * history.slot};
}

// Returns the sum of the highest column of all rows.
function highestColumn(sums) {
  let highest = 0;
  sums.matched.forEach((columns, row) => {
    for (let k = 0; k < columns.length; k++)
      highest = Math.max(highest, sums.states.reduce((sum, rows) => sum + rows[row][k], 0));
  });
  return highest;
}

// Draws row `row` of sums, stacked from the bottom. `full` is the value of a full column.
function drawColumns(canvas, sums, row, full) {
  const pen = canvas.getContext('2d'), {width, height} = canvas, css = getComputedStyle(document.documentElement);
  const count = sums.matched[row].length, step = width / count;
  pen.clearRect(0, 0, width, height);
  const paint = (values, colour, bottoms) => {
    pen.fillStyle = css.getPropertyValue(colour);
    for (let k = 0; k < count; k++) {
      const tall = Math.min(height - bottoms[k], height * ratio(values[k], full));
      if (tall > 0)
        pen.fillRect(k * step, height - bottoms[k] - tall, Math.ceil(step), Math.max(tall, 1));
      bottoms[k] += tall;
    }
  };
  const bottoms = new Float64Array(count);
  sums.states.forEach((rows, state) => paint(rows[row], timeColours[state], bottoms));
  paint(sums.matched[row], '--mark', new Float64Array(count));
}

// Calls done(from, to) with the ends of the range that the pointer was dragged over, 0 to 1; from equals to if it was
// not dragged. moved(from, to) is called meanwhile.
function watchDrags(element, boxOf, moved, done) {
  let begin = null;
  const placeOf = (event) => {
    const box = boxOf();
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
  };
  const range = (event) => [begin.place, placeOf(event)].sort((a, b) => a - b);
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.clientX < boxOf().left || event.target.closest('button') !== null)
      return;
    begin = {x: event.clientX, place: placeOf(event)};
    element.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  element.addEventListener('pointermove', (event) => {
    if (begin !== null)
      moved(...range(event));
  });
  element.addEventListener('pointerup', (event) => {
    if (begin === null)
      return;
    const [from, to] = range(event), dragged = Math.abs(event.clientX - begin.x) >= 4;
    begin = null;
    done(from, dragged ? to : from);
  });
  element.addEventListener('pointercancel', () => { begin = null; });
}
