// Presses the button of a verdict by its key: 1, 0 or ?. In a list, j and k lead to the next and the last text, o opens it.
(() => {
  "use strict";
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    // An input method sends full-width signs.
    const sign = { "１": "1", "０": "0", "？": "?", "ｊ": "j", "ｋ": "k", "ｏ": "o" }[event.key] || event.key;
    const links = [...document.querySelectorAll(".hits .title a")], at = links.indexOf(document.activeElement);
    const next = links[Math.max(at + ({ j: 1, k: -1 }[sign] || 0), 0)];
    if ("jk".includes(sign) && next) next.focus();
    if (event.repeat) return;
    if (sign === "o" && at >= 0) links[at].click();
    const button = [...document.querySelectorAll("#judge button")].find((one) => one.dataset.key === sign);
    if (button) button.click();
  });
})();
