// Presses the button of a verdict by its key: 1, 0 or ?.
(() => {
  "use strict";
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("input, textarea, select")) return;
    // An input method sends full-width signs.
    const sign = { "１": "1", "０": "0", "？": "?" }[event.key] || event.key;
    const button = [...document.querySelectorAll("#judge button")].find((one) => one.dataset.key === sign);
    if (button) button.click();
  });
})();
