// SPDX-License-Identifier: LGPL-2.1-or-later
// A headless Chromium, driven through the DevTools protocol over a pipe: no package is needed.
'use strict';
const {spawn} = require('node:child_process');
const fs = require('node:fs');

class Browser {
  // command: the browser; directory: where it may keep what it keeps.
  constructor(command, directory) {
    this.process = spawn(command, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
      '--disable-dev-shm-usage', '--disable-background-networking', '--no-first-run', '--remote-debugging-pipe',
      `--user-data-dir=${directory}`, 'about:blank'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.waiting = new Map();
    this.listeners = [];
    this.next = 1;
    let rest = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      messages.forEach((message) => this.take(JSON.parse(message)));
    });
    this.process.on('exit', () => this.waiting.forEach(({reject}) => reject(new Error('the browser has ended'))));
  }

  take(message) {
    if (message.id === undefined)
      return this.listeners.forEach((listener) => listener(message));
    const {resolve, reject, method} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error)
      reject(new Error(`${method}: ${message.error.message}`));
    else
      resolve(message.result);
  }

  send(method, params = {}) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({id, method, params, sessionId: this.session})}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject, method}));
  }

  // A page of this size, whose errors and fetches are collected.
  async start(width = 1200, height = 800) {
    this.problems = [];
    this.fetched = [];
    this.listeners.push(({method, params}) => {
      if (method === 'Runtime.exceptionThrown')
        this.problems.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
      if (method === 'Log.entryAdded' && params.entry.level === 'error')
        this.problems.push(params.entry.text);
      if (method === 'Network.requestWillBeSent')
        this.fetched.push(params.request.url);
      if (method === 'Page.javascriptDialogOpening')
        this.problems.push(`a dialogue opened: ${params.message}`);
    });
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    this.session = (await this.send('Target.attachToTarget', {targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
      await this.send(`${domain}.enable`);
    await this.resize(width, height);
  }

  resize(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
  }

  dark(on) {
    return this.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: on ? 'dark' : 'light'}]});
  }

  // Milliseconds until it is loaded and painted.
  async open(path, fragment = '') {
    this.fetched = [];
    const begin = performance.now();
    const loaded = new Promise((resolve) => {
      const listener = ({method}) => {
        if (method === 'Page.loadEventFired') {
          this.listeners.splice(this.listeners.indexOf(listener), 1);
          resolve();
        }
      };
      this.listeners.push(listener);
    });
    await this.send('Page.navigate', {url: `file://${fs.realpathSync(path)}${fragment}`});
    await loaded;
    await this.painted();
    return performance.now() - begin;
  }

  painted() {
    return this.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true), 0)))');
  }

  async evaluate(expression) {
    const answer = await this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (answer.exceptionDetails)
      throw new Error(`${expression}: ${answer.exceptionDetails.exception?.description}`);
    return answer.result.value;
  }

  // key: as KeyboardEvent.key has it. modifiers: 2 is Control.
  async press(key, modifiers = 0) {
    const text = key.length === 1 && modifiers === 0 ? key : key === 'Enter' ? '\r' : undefined;
    const codes = {Enter: 13, Escape: 27, Backspace: 8, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36};
    const code = codes[key] || (/^[a-z]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0);
    const event = {key, modifiers, windowsVirtualKeyCode: code};
    await this.send('Input.dispatchKeyEvent', {...event, type: text === undefined ? 'rawKeyDown' : 'keyDown', text});
    await this.send('Input.dispatchKeyEvent', {...event, type: 'keyUp'});
    await this.painted();
  }

  async type(text) {
    for (const letter of text)
      await this.press(letter);
  }

  async click(x, y) {
    await this.send('Input.dispatchMouseEvent', {type: 'mouseMoved', x, y});
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1});
    await this.painted();
  }

  async drag(fromX, fromY, toX, toY) {
    const send = (type, x, y, button) => this.send('Input.dispatchMouseEvent', {type, x, y, button, buttons: 1, clickCount: 1});
    await send('mouseMoved', fromX, fromY, 'none');
    await send('mousePressed', fromX, fromY, 'left');
    await send('mouseMoved', (fromX + toX) / 2, toY, 'left');
    await send('mouseMoved', toX, toY, 'left');
    await send('mouseReleased', toX, toY, 'left');
    await this.painted();
  }

  async hover(x, y) {
    await this.send('Input.dispatchMouseEvent', {type: 'mouseMoved', x, y});
    await this.painted();
  }

  async shoot(path) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    fs.writeFileSync(path, Buffer.from(data, 'base64'));
  }

  close() {
    this.process.removeAllListeners('exit');
    this.process.kill();
    return new Promise((resolve) => this.process.once('exit', resolve));
  }
}

module.exports = {Browser};
