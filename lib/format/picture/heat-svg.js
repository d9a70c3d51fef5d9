// SPDX-License-Identifier: LGPL-2.1-or-later
// Shows the text of the cell under the pointer. A tooltip would appear only after the pointer has stopped.
(() => {
  const details = document.getElementById('details');
  document.getElementById('places').addEventListener('mouseover', (event) => {
    const place = event.target.closest('#places > g');
    details.textContent = place === null ? '' : place.querySelector('title').textContent;
  });
})();
