// SPDX-License-Identifier: LGPL-2.1-or-later
// What is under the pointer is said at once, and not only when it rests.
(() => {
  const details = document.getElementById('details');
  document.getElementById('places').addEventListener('mouseover', (event) => {
    const place = event.target.closest('#places > g');
    details.textContent = place === null ? '' : place.querySelector('title').textContent;
  });
})();
