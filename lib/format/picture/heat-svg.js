// SPDX-License-Identifier: LGPL-2.1-or-later
// Shows the text of the cell under the pointer at once: a tooltip waits until the pointer rests.
(() => {
  const details = document.getElementById('details');
  document.getElementById('places').addEventListener('mouseover', (event) => {
    const place = event.target.closest('#places > g');
    details.textContent = place === null ? '' : place.querySelector('title').textContent;
  });
})();
