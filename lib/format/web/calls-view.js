// SPDX-License-Identifier: LGPL-2.1-or-later
// The selected function, with its callers and its callees. A click on one of them goes there.

class CallsView {
  constructor(model, act) {
    Object.assign(this, {model, act});
    this.parts = {};
    for (const id of ['calls-none', 'calls', 'calls-name', 'calls-figures', 'callers', 'callees', 'calls-note'])
      this.parts[id] = document.getElementById(id);
    for (const id of ['callers', 'callees'])
      this.parts[id].addEventListener('click', (event) => {
        const row = event.target.closest('[data-name]');
        if (row !== null)
          this.act.select(Number(row.dataset.name));
      });
    document.getElementById('to-source').addEventListener('click', () => this.act.view('source'));
    document.getElementById('to-flame').addEventListener('click', () => this.act.findInFlame());
  }

  show(state) {
    const {model, parts} = this, {profile} = model;
    parts['calls-none'].hidden = state.fn >= 0;
    parts.calls.hidden = state.fn < 0;
    if (state.fn < 0)
      return;
    const name = profile.names[state.fn], row = model.rowOf(state.fn);
    const figures = (what, value) =>
      `${what} ${sayPercent(model.shareOf(value))} ${model.sayError(value)}, ${sayValue(value, profile.timed)}`;
    const all = (profile.stacks ? ['self', 'total'] : ['self']).map((what) => figures(what, row[what]));
    parts['calls-name'].textContent = name.text;
    parts['calls-figures'].textContent = [name.object, ...all].filter((word) => word !== '').join(' · ');
    parts['calls-note'].textContent = profile.stacks ? ''
      : 'The profile has no stacks (pprofil -g records them), so no callers are known.';
    const {callers, callees} = neighbours(model.tree, state.fn);
    this.fill(parts.callers, callers, row.total);
    this.fill(parts.callees, callees, row.total);
  }

  // Bars are shares of the function's own total; the figures are shares of everything.
  fill(list, neighbours, whole) {
    const {model} = this, most = 200;
    list.replaceChildren(...neighbours.slice(0, most).map(({name, value}) => {
      const {text, object, colour, kind} = model.profile.names[name];
      const [row, bar, share, label] = ['button', 'i', 'b', 'span'].map((word) => document.createElement(word));
      row.type = 'button';
      if (model.profile.isFunction(name))
        row.dataset.name = name;
      else
        row.disabled = true;
      bar.style.width = `${100 * ratio(value, whole)}%`;
      bar.style.background = colour;
      share.textContent = sayPercent(model.shareOf(value));
      label.textContent = kind === kindAll ? '(nobody: the stack begins here)' : text;
      row.title = `${text}\n${object}\n${sayPercent(ratio(value, whole))} of the function's total, ` +
        sayValue(value, model.profile.timed);
      row.append(bar, share, label);
      return row;
    }));
    if (neighbours.length === 0)
      list.replaceChildren('none');
    else if (neighbours.length > most)
      list.append(`${sayNumber(neighbours.length - most, 0)} more`);
  }
}
