// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: its header, its keys, and which view is shown.
(() => {
  const find = (id) => document.getElementById(id);
  const profile = new Profile(JSON.parse(find('data').textContent));
  const model = new Model(profile);
  const state = new State(profile, () => show());

  // What the views ask for.
  const act = {
    select: (fn) => state.set({fn}),
    walk: (fn) => state.set({fn}, true),
    view: (view) => state.set({view}),
    shape: (shape) => state.set({shape, zoom: []}),
    sort: (sort) => state.set({sort}, true),
    range: (from, to) => state.set({from, to}),
    thread: (thread) => state.set({thread: thread === state.now.thread ? -1 : thread}),
    zoom: (zoom, name) => state.set({zoom, ...zoom.length > 0 && profile.isFunction(name) ? {fn: name} : {}}),
    // A first letter begins a new state, and further letters belong to it.
    search: (q) => state.set({q}, state.now.q !== '' && q !== ''),
    findInFlame: () => state.set({view: 'flame', q: `^${exactly(model.labels[state.now.fn])}$`}),
    ask() {
      find('search').focus();
      find('search').select();
    },
  };
  const exactly = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

  const views = {flame: new FlameView(model, act), functions: new TableView(model, act),
    source: new SourceView(model), threads: null};
  const calls = new CallsView(model, act), times = new TimeView(model, act);

  // --- the header ------------------------------------------------------------------------------

  function sayWhole() {
    const {weights, profile: {timed, wall, start}} = model, words = [];
    words.push(sayValue(weights.total, timed) + (timed ? ` of ${wall ? 'elapsed' : 'CPU'} time` : ''));
    if (timed)
      words.push(`${sayNumber(weights.samples, 0)} samples`);
    if (start > 0)
      words.push(`${new Date(start).toISOString().slice(0, 16).replace('T', ' ')} UTC`);
    return words.join(' · ');
  }

  // A button that says what is selected; a click clears it.
  function chip(text, clear) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = `${text} ×`;
    button.title = `${text}: click to clear`;
    button.addEventListener('click', () => state.set(clear));
    return button;
  }

  function showHeader() {
    const {fn, thread, to, q, view} = state.now;
    find('subtitle').textContent = find('subtitle').title = sayWhole();
    find('chips').replaceChildren(
      ...to > 0 ? [chip(model.sayRange(), {from: 0, to: 0})] : [],
      ...thread >= 0 ? [chip(model.sayThread(thread), {thread: -1})] : [],
      ...fn >= 0 ? [chip(model.labels[fn], {fn: -1})] : []);
    for (const tab of document.querySelectorAll('#tabs button')) {
      tab.setAttribute('aria-selected', tab.dataset.view === view);
      find(`view-${tab.dataset.view}`).hidden = tab.dataset.view !== view;
    }
    find('tip').hidden ||= view !== 'flame';
    find('search').classList.toggle('wrong', model.wrong !== '');
    if (find('search').value !== q)
      find('search').value = q;
    find('matched').textContent = model.wrong !== '' ? `Not a regular expression: ${model.wrong}`
      : model.searches ? `${sayPercent(model.share)} of the time matches` : '';
  }

  function show() {
    model.update(state.now);
    showHeader();
    if (views[state.now.view] !== null)
      views[state.now.view].show(state.now);
    if (state.now.view === 'functions')
      calls.show(state.now);
    times.show(state.now);
    const {view, shape, fn, from, to, thread} = state.now, {total, samples} = model.weights;
    Object.assign(document.documentElement.dataset, {view, shape, from, to, thread, total, samples,
      fn: fn < 0 ? '' : model.labels[fn], share: model.searches ? model.share : ''});
  }

  // --- keys ------------------------------------------------------------------------------------

  // Escape leaves, one after the other, the search, the zoom, the range and the thread, and the function.
  function leave() {
    const {q, zoom, to, thread} = state.now;
    if (q !== '')
      state.set({q: ''});
    else if (zoom.length > 0)
      state.set({zoom: []});
    else if (to > 0 || thread >= 0)
      state.set({from: 0, to: 0, thread: -1});
    else
      state.set({fn: -1});
  }

  function key(event) {
    const tab = ['1', '2', '3', '4'].indexOf(event.key);
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && state.now.view === 'flame') {
      act.ask();
      return true;
    }
    if (event.ctrlKey || event.metaKey || event.altKey)
      return false;
    if (event.key === '/')
      act.ask();
    else if (event.key === 'Escape')
      leave();
    else if (tab >= 0)
      act.view(Object.keys(views)[tab]);
    else
      return ['flame', 'functions'].includes(state.now.view) && views[state.now.view].key(event);
    return true;
  }

  function listen() {
    find('tabs').addEventListener('click', (event) => {
      if (event.target.dataset.view !== undefined)
        act.view(event.target.dataset.view);
    });
    find('reset').addEventListener('click', () => {
      state.set({q: '', zoom: [], from: 0, to: 0, thread: -1, fn: -1});
      views.flame.canvas.focus({preventScroll: true});
    });
    find('search').addEventListener('input', () => act.search(find('search').value));
    find('search').addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape')
        act.search('');
      if (event.key === 'Escape' || event.key === 'Enter')
        find('search').blur();
    });
    addEventListener('keydown', (event) => {
      const pressed = document.activeElement instanceof HTMLButtonElement && ['Enter', ' '].includes(event.key);
      if (!pressed && key(event))
        event.preventDefault();
    });
  }

  find('title').textContent = profile.title;
  find('title').title = profile.title;
  document.body.classList.toggle('flat', !profile.stacks);
  document.body.classList.toggle('timeless', profile.history === null);
  listen();
  show();
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
