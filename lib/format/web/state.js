// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of the page: what is shown. The fragment of the page's address has the state, so that a link shows the
// same, and Back goes to the state before.

class State {
  // profile: says which indexes are valid. changed() is called after each change.
  constructor(profile, changed) {
    this.profile = profile;
    this.changed = changed;
    this.read();
    addEventListener('hashchange', () => {
      if (location.hash === this.hash)
        return;
      this.read();
      this.changed();
    });
  }

  static get initial() {
    // from, to: slots of the history; to 0: everything. zoom: names of the frames from below the root to the zoomed one
    return {view: 'flame', shape: 'flame', fn: -1, thread: -1, from: 0, to: 0, q: '', sort: 'self', zoom: []};
  }

  // Reads the fragment. What is not valid is left out.
  read() {
    const words = new URLSearchParams(location.hash.slice(1)), {names, threads, history} = this.profile;
    const now = State.initial;
    const choice = (key, choices) => {
      if (choices.includes(words.get(key)))
        now[key] = words.get(key);
    };
    const index = (text, count) => /^\d{1,9}$/.test(text) && Number(text) < count ? Number(text) : -1;
    choice('view', ['flame', 'functions', 'source', 'threads']);
    choice('shape', ['flame', 'icicle', 'callers']);
    choice('sort', ['self', 'total', 'name', 'object']);
    now.fn = index(words.get('fn'), names.length);
    now.thread = index(words.get('thread'), threads.length);
    now.q = words.get('q') || '';
    if (words.has('zoom'))
      now.zoom = words.get('zoom').split('.').map((text) => index(text, names.length));
    if (history !== null && words.has('to')) {
      const slotOf = (text) => Math.round(Number(text) * 1e9 / history.slot) || 0;
      const [from, to] = [slotOf(words.get('from')), slotOf(words.get('to'))].map((slot) =>
        Math.max(0, Math.min(slot, history.slots)));
      Object.assign(now, from < to ? {from, to} : {});
    }
    this.now = now;
    this.hash = location.hash;
  }

  // Returns the fragment. It has only what differs from the initial state.
  write() {
    const words = new URLSearchParams(), initial = State.initial, now = this.now;
    for (const key of ['view', 'shape', 'fn', 'thread', 'q', 'sort'])
      if (now[key] !== initial[key])
        words.set(key, now[key]);
    if (now.zoom.length > 0)
      words.set('zoom', now.zoom.join('.'));
    if (now.to > 0)
      for (const key of ['from', 'to'])
        words.set(key, String(Number((now[key] * this.profile.history.slot / 1e9).toFixed(3))));
    const text = words.toString();
    return text === '' ? '' : `#${text}`;
  }

  // Changes the state. replaces: Back does not return to the state before.
  set(changes, replaces) {
    Object.assign(this.now, changes);
    const hash = this.write();
    if (hash !== this.hash) {
      this.hash = hash;
      if (replaces)
        location.replace(hash === '' ? '#' : hash);
      else
        location.hash = hash;
    }
    this.changed();
  }
}
