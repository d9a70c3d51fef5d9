// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes the picture as wide as its window, and interactive. The data of frames is read from the elements of the
// picture, so that it is right even if another program has changed the file.
(() => {
  const svg = document.documentElement;
  const find = (id) => document.getElementById(id);
  const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
  const rects = [...find('frames').children];
  const titles = rects.map((rect) => rect.textContent.split('\n'));
  const texts = rects.map(() => null);
  for (const text of find('labels').children)
    texts[text.dataset.frame] = text;
  const number = (element, name) => Number(element.getAttribute(name));
  const edge = 10, row = 18, letter = 7.23;
  const whole = number(svg, 'width') - 2 * edge, height = number(svg, 'height');
  const down = find('frames').dataset.down === '1';
  const tops = rects.map((rect) => number(rect, 'y'));
  const drawn = rects.map(() => '');
  let width = 0, input = null;

  const view = {
    down,
    ask() {
      find('ask').style.display = '';
      input.focus();
      input.select();
    },
    show(i) {
      const y = tops[i];
      if (y < scrollY + 70 || y > scrollY + innerHeight - 80)
        scrollTo(0, y - innerHeight / 2);
    },
    paint() {
      for (let i = 0; i < rects.length; i++)
        paintFrame(i);
      find('search').querySelector('text').textContent =
        flame.wrong ? 'no pattern' : flame.query === '' ? 'Search  /'
          : `Matched ${(100 * flame.matched).toFixed(2)} %`;
      find('reset').style.opacity = flame.zoomed > 0 || flame.query !== '' ? 1 : 0.45;
      svg.dataset.zoomed = titles[flame.zoomed][0];
      svg.dataset.focus = flame.focus < 0 ? '' : titles[flame.focus][0];
      svg.dataset.matched = flame.query === '' ? '' : (100 * flame.matched).toFixed(2);
      tell(flame.focus);
    },
  };
  const flame = new Flame({
    label: titles.map((title) => title[0]),
    depth: tops.map((top) => Math.abs(top - tops[0]) / row),
    x: rects.map((rect) => (number(rect, 'x') - edge) / whole),
    w: rects.map((rect) => number(rect, 'width') / whole),
  }, view);

  // Returns the text, cut to the letters that fit into `room` units.
  function clip(text, room) {
    const columns = Math.floor((room - 6) / letter);
    if (columns < 3)
      return '';
    const letters = [...text];
    return letters.length <= columns ? text : letters.slice(0, columns - 1).join('') + '…';
  }

  // Sets only the attributes that have changed, because the browser then has less to do.
  function paintFrame(i) {
    const place = flame.place(i), room = place === null ? 0 : place[1] * width;
    const outside = i < flame.zoomed && flame.zoomed > 0;
    const name = [outside ? 'outside' : '', flame.matches[i] ? 'match' : '',
                  flame.focus === i ? 'focus' : ''].filter((word) => word !== '').join(' ');
    const now = room < 0.05 ? 'none' : `${place[0] * width} ${room} ${name}`;
    if (drawn[i] === now)
      return;
    const was = drawn[i];
    drawn[i] = now;
    if (now === 'none' || was === 'none')
      rects[i].style.display = now === 'none' ? 'none' : '';
    const x = now === 'none' ? 0 : edge + place[0] * width;
    if (now !== 'none') {
      rects[i].setAttribute('class', name);
      rects[i].setAttribute('x', x);
      rects[i].setAttribute('width', room);
    }
    paintLabel(i, clip(titles[i][0], room), x, name);
  }

  function paintLabel(i, text, x, name) {
    if (texts[i] === null && text !== '') {
      texts[i] = document.createElementNS(SVG, 'text');
      texts[i].setAttribute('y', tops[i] + 13);
      find('labels').append(texts[i]);
    }
    if (texts[i] === null)
      return;
    texts[i].setAttribute('x', x + 4);
    texts[i].setAttribute('class', name);
    texts[i].textContent = text;
  }

  function tell(i) {
    find('details').textContent = i < 0 ? find('details').dataset.help : titles[i].join('  ·  ');
  }

  function fit() {
    width = Math.max(320, innerWidth) - 2 * edge;
    const all = width + 2 * edge;
    svg.setAttribute('width', all);
    svg.setAttribute('viewBox', `0 0 ${all} ${height}`);
    for (const ground of document.querySelectorAll('.paper'))
      ground.setAttribute('width', all);
    find('reset').setAttribute('transform', `translate(${all - edge - 256} 14)`);
    find('search').setAttribute('transform', `translate(${all - edge - 140} 14)`);
    find('ask').setAttribute('x', Math.max(edge, all - edge - 508));
    view.paint();
    stay();
  }

  // Moves the heading and the foot so that they stay visible.
  function stay() {
    find('head').setAttribute('transform', `translate(0 ${scrollY})`);
    find('foot').setAttribute('transform', `translate(0 ${Math.min(0, scrollY + innerHeight - height)})`);
  }

  function makeSearch() {
    const box = document.createElementNS(SVG, 'foreignObject');
    box.id = 'ask';
    for (const [name, value] of [['y', 14], ['width', 244], ['height', 28]])
      box.setAttribute(name, value);
    input = document.createElementNS(HTML, 'input');
    input.setAttribute('placeholder', 'name, or /pattern/');
    input.setAttribute('aria-label', 'Search functions');
    input.addEventListener('input', () => flame.search(input.value));
    input.addEventListener('blur', () => { box.style.display = 'none'; });
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') {
        input.value = '';
        flame.search('');
      } else if (event.key !== 'Enter') {
        return;
      } else {
        flame.next(1);
      }
      input.blur();
    });
    box.append(input);
    box.style.display = 'none';
    find('head').append(box);
  }

  function frameOf(event) {
    return rects.indexOf(event.target.closest('#frames > rect'));
  }

  makeSearch();
  for (const id of ['reset', 'search'])
    find(id).style.display = '';
  find('details').style.display = '';
  find('frames').addEventListener('click', (event) => {
    if (frameOf(event) >= 0)
      flame.zoom(frameOf(event));
  });
  find('frames').addEventListener('mouseover', (event) => tell(frameOf(event)));
  find('frames').addEventListener('mouseleave', () => tell(flame.focus));
  for (const [id, act] of [['reset', () => flame.reset()], ['search', () => view.ask()]]) {
    find(id).addEventListener('click', act);
    find(id).addEventListener('keydown', (event) => {
      if (event.key === 'Enter') {
        event.stopPropagation();
        act();
      }
    });
  }
  addEventListener('keydown', (event) => {
    if (flame.key(event))
      event.preventDefault();
  });
  addEventListener('resize', fit);
  addEventListener('scroll', stay);
  fit();
  if (!down)
    scrollTo(0, height);
})();
