// SPDX-License-Identifier: LGPL-2.1-or-later
// Figures as text, as HTML pages show them.

const ratio = (some, all) => all > 0 ? some / all : 0;

const sayNumber = (value, digits) => value.toLocaleString('en', {minimumFractionDigits: digits,
  maximumFractionDigits: digits});

const sayPercent = (share) => `${(100 * share).toFixed(2)} %`;

// timed: the value is in ns; otherwise it is a number of samples.
function sayValue(value, timed) {
  if (!timed)
    return value === 1 ? '1 sample' : `${sayNumber(value, 0)} samples`;
  const [unit, ns] = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]].find(([, ns]) => value >= ns) || ['ns', 1];
  const amount = value / ns;
  return `${sayNumber(amount, unit === 'ns' || amount >= 100 ? 0 : amount >= 10 ? 1 : 2)} ${unit}`;
}
