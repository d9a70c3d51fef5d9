// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests/e2e/web.sh made, in a browser:  node web.js BROWSER DIRECTORY PPROFIL
'use strict';
const {execFileSync} = require('node:child_process');
const {Browser} = require('./browser.js');
const [command, directory, pprofil] = process.argv.slice(2);
const browser = new Browser(command, `${directory}/chromium`);

function expect(name, wanted, got) {
  const same = JSON.stringify(wanted) === JSON.stringify(got);
  console.log(same ? `PASS ${name}` : `FAIL ${name}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
}

// --- the report ----------------------------------------------------------------------------------

function report(name, ...options) {
  const text = execFileSync(pprofil, ['report', '-n', '0', '-f', 'json', ...options, `${directory}/${name}.pb`],
    {stdio: ['ignore', 'pipe', 'ignore']});
  return JSON.parse(text);
}

const percent = (share) => `${(100 * share).toFixed(2)} %`;
const points = (share) => `±${(100 * share).toFixed(2)}`;

// The rows of the report as the page has them. Rows of equal times may stand in any order.
const rowsOf = ({rows}) => rows.filter((row) => row.total_ns > 0).map((row) => [percent(row.share), points(row.error95),
  percent(row.total_share), points(row.total_error95), row.name, row.object].join(' ')).sort();

// --- the page ------------------------------------------------------------------------------------

const open = async (name, fragment = '') => {
  // a change of the fragment alone does not load a page
  await browser.open(`${directory}/${name === 'plain' ? 'hostile' : 'plain'}.html`);
  return browser.open(`${directory}/${name}.html`, fragment);
};
const state = (...keys) =>
  browser.evaluate(`(${JSON.stringify(keys)}).map((key) => document.documentElement.dataset[key])`);
const text = (id) => browser.evaluate(`document.getElementById('${id}').textContent`);
const click = async (selector) => {
  await browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  await browser.painted();
};
const view = (name) => click(`#tabs [data-view=${name}]`);
const cellsOf = (selector) => browser.evaluate(`[...document.querySelectorAll('${selector}')].map((row) =>
  [...row.cells].map((cell) => cell.textContent))`);
const tableRows = async () => (await cellsOf('#rows tr')).map((cells) => cells.join(' '));
const names = (id) => browser.evaluate(`[...document.querySelectorAll('#${id} button')].map((row) =>
  ['span', 'b'].map((part) => row.querySelector(part).textContent))`);
const selectRow = (name) => browser.evaluate(`[...document.querySelectorAll('#rows tr')].find((row) =>
  row.querySelector('.name').textContent === '${name}').click()`);
const search = async (words) => {
  await browser.press('Escape');
  await browser.press('/');
  await browser.type(words);
};
const back = async () => {
  await browser.evaluate(`new Promise((done) => {
    addEventListener('hashchange', () => setTimeout(done, 0), {once: true});
    history.back();
  })`);
  await browser.painted();
};
const fragment = () => browser.evaluate('location.hash');
const boxOf = (selector) => browser.evaluate(`(() => {
  const {left, top, width, height} = document.querySelector('${selector}').getBoundingClientRect();
  return {left, top, width, height};
})()`);

// --- the views -----------------------------------------------------------------------------------

async function flame() {
  await open('plain');
  expect('flame: frames', ['flame', 'all', '6'], await state('view', 'zoomed', 'frames'));
  await click('[data-shape=icicle]');
  const {top} = await boxOf('#canvas');
  await browser.click(900, top + 4 + 2.5 * 18); // the third row: warm, then work
  expect('flame: a click zooms and selects', ['work', 'work'], await state('zoomed', 'fn'));
  await browser.press('Backspace');
  expect('flame: Backspace', 'main', (await state('zoomed'))[0]);
  await back();
  expect('flame: Back', 'work', (await state('zoomed'))[0]);
  const link = await fragment();
  await open('plain', link);
  expect('flame: a link has the zoom', ['icicle', 'work', 'work'], await state('shape', 'zoomed', 'fn'));
  await click('[data-shape=callers]');
  expect('flame: callers: functions that ran, work and main', '9', (await state('frames'))[0]);
  await click('#reset');
  expect('flame: reset', ['all', ''], await state('zoomed', 'fn'));
}

async function functions() {
  await open('plain', '#view=functions');
  expect('functions: as the report has them', rowsOf(report('plain')), (await tableRows()).sort());
  await click('[data-sort=total]');
  expect('functions: sorted by total', ['main', 'work', 'hot'],
    (await cellsOf('#rows tr')).slice(0, 3).map((cells) => cells[4]));
  await selectRow('work');
  await browser.painted();
  expect('calls: callers', [['main', '70.00 %']], await names('callers'));
  expect('calls: callees', [['hot', '50.00 %'], ['cold', '20.00 %']], await names('callees'));
  await click('#callees button');
  expect('calls: a click goes there', ['hot', [['work', '50.00 %']]], [(await state('fn'))[0], await names('callers')]);
  await back();
  expect('calls: Back', 'work', (await state('fn'))[0]);
  await browser.press('ArrowDown');
  await browser.press('ArrowUp');
  await browser.press('ArrowUp');
  expect('functions: arrows', 'main', (await state('fn'))[0]);
  await search('O[tl]');
  expect('search: in any case, and the table follows', ['70.00 % of the time matches', 2],
    [await text('matched'), (await tableRows()).length]);
  await browser.press('Escape');
  await browser.press('Escape');
  await search('(');
  expect('search: no expression', true, (await text('matched')).startsWith('Not a regular expression: '));
  await browser.press('Escape');
  expect('search: Escape', '', await text('matched'));
}

async function flat() {
  await open('flat', '#view=functions');
  const wanted = report('flat').rows.map((row) =>
    [percent(row.share), points(row.error95), row.name, row.object].join(' '));
  expect('without stacks: as the report has it', wanted.sort(), (await tableRows()).sort());
  await click('#rows tr');
  expect('without stacks: it is said', true, (await text('calls-note')).includes('no stacks'));
}

// Profiles with little in them.
async function scarce() {
  for (const at of ['flame', 'functions', 'source', 'threads']) {
    await open('empty', `#view=${at}&q=x`);
    expect(`empty: ${at}`, ['0', '0.00 % of the time matches'], [(await state('samples'))[0], await text('matched')]);
  }
  await open('folded', '#view=functions');
  const wanted = rowsOf(report('folded')).map((row) => row.replace('[unknown]', ''));
  expect('folded: as the report has it', wanted, (await tableRows()).sort());
}

// The words of a range of time are those of --from and --to.
const options = async () => {
  const words = new URLSearchParams((await fragment()).slice(1));
  return ['--from', words.get('from'), '--to', words.get('to')];
};

async function times() {
  await open('phases', '#view=functions');
  expect('times: everything', rowsOf(report('phases')), (await tableRows()).sort());
  const {left, top, width} = await boxOf('#strip-canvas');
  await browser.drag(left + width * 0.3, top + 10, left + width * 0.6, top + 12);
  expect('times: a range', true, Number((await state('to'))[0]) > Number((await state('from'))[0]));
  const part = report('phases', ...await options());
  expect('times: a range has what --from and --to say', rowsOf(part), (await tableRows()).sort());
  expect('times: and its samples', [part.totals.cpu_ns, part.totals.samples],
    (await state('total', 'samples')).map(Number));
  const link = await fragment(), before = await state('from', 'to', 'total');
  await open('phases', link);
  expect('times: a link has the range', before, await state('from', 'to', 'total'));
  await view('threads');
  const box = await boxOf('.thread canvas');
  await browser.drag(box.left + box.width * 0.1, box.top + 5, box.left + box.width * 0.4, box.top + 5);
  expect('times: dragging over a thread', report('phases', ...await options()).totals.cpu_ns,
    Number((await state('total'))[0]));
  await browser.click(box.left + box.width / 2, box.top + 5);
  expect('times: a click clears the range', '0', (await state('to'))[0]);
  await search('phase_a');
  const whole = report('phases').totals.cpu_ns, found = report('phases', '--focus', 'phase_a').totals.cpu_ns;
  expect('search: the share is that of --focus', percent(found / whole), percent((await state('share'))[0]));
  await open('plain', '#view=threads');
  expect('times: a file without times says so', [true, true],
    [(await text('threads-note')).includes('does not say when'),
      await browser.evaluate("document.getElementById('strip').hidden")]);
}

async function threads() {
  await open('sleepers', '#view=threads');
  const rows = report('sleepers', '--by', 'thread').rows.filter((row) => row.ns > 0);
  const shown = await browser.evaluate(`[...document.querySelectorAll('.thread button')].map((button) =>
    /[/]([0-9]+)/.exec(button.textContent)[1])`);
  expect('threads: those of the report', rows.map((row) => String(row.tid)).sort(), [...shown].sort());
  await click('.thread button');
  expect('threads: a click filters', report('sleepers', '--thread', shown[0]).totals.wall_ns,
    Number((await state('total'))[0]));
  await view('functions');
  expect('threads: the table, too', rowsOf(report('sleepers', '--thread', shown[0])), (await tableRows()).sort());
  await search('sleep');
  const link = await fragment(), before = await state('view', 'thread', 'total', 'share');
  await open('sleepers', link);
  expect('threads: a link has the thread and the search', before, await state('view', 'thread', 'total', 'share'));
  await browser.press('Escape');
  await browser.press('Escape');
  expect('threads: Escape', '-1', (await state('thread'))[0]);
}

async function source() {
  await open('phases', '#view=functions');
  const {rows} = report('phases'), row = rows.find(({name}) => name.startsWith('phase_a'));
  await selectRow(row.name);
  await view('source');
  const line = (await cellsOf('table.source tr')).find((cells) => Number(cells[0]) === row.line);
  expect('source: the line of the function', [percent(row.share), percent(row.total_share), 'PHASE(phase_a, 3)'],
    line.slice(1));
  const link = await fragment();
  await open('bare', link);
  expect('source: left out, and said', true, (await text('source-notes')).includes('--no-source'));
}

async function hostile() {
  for (const at of ['flame', 'functions', 'source', 'threads']) {
    await open('hostile', `#view=${at}&fn=1`);
    await search('^(</script>|__proto__|constructor)');
    expect(`hostile: ${at}: found by its name`, '33.33 % of the time matches', await text('matched'));
    expect(`hostile: ${at}: scripts, images`, [2, 0],
      await browser.evaluate('[document.scripts.length, document.images.length]'));
    expect(`hostile: ${at}: fetches nothing`, [true, 1],
      [browser.fetched[0].startsWith('file:'), browser.fetched.length]);
  }
  await open('hostile', '#view=functions');
  expect('hostile: each function has a row', 9, (await tableRows()).length);
  const wrongs = [
    '#view=__proto__&shape=constructor&fn=99999&thread=-3&zoom=9.x..1', '#from=a&to=1e9&sort=toString&q=(',
    '#%%%', '#fn=1e1'];
  for (const wrong of wrongs) {
    await open('hostile', wrong);
    expect(`a wrong link: ${wrong}`, ['flame', 'flame', '', '-1', '0'],
      await state('view', 'shape', 'fn', 'thread', 'to'));
  }
}

async function large() {
  const times = {opened: await open('large')};
  const acts = {functions: () => view('functions'), 'a function': () => click('#rows tr'),
    source: () => view('source'), flame: () => view('flame'), callers: () => click('[data-shape=callers]')};
  for (const [what, act] of Object.entries(acts)) {
    const begin = performance.now();
    await act();
    times[what] = performance.now() - begin;
  }
  console.log(`large: ${Object.entries(times).map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`).join(', ')}`);
  expect('large: the whole', String(report('large', '-n', '1').totals.samples), (await state('samples'))[0]);
}

async function main() {
  await browser.start(1000, 700);
  for (const test of [flame, functions, flat, scarce, times, threads, source, hostile, large]) {
    await test();
    expect(`${test.name}: no error was reported`, [], browser.problems.splice(0));
  }
}

main().catch((error) => {
  console.log(`FAIL browser: ${error.stack}`);
}).finally(() => browser.close());
