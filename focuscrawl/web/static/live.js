// Lists that fetch themselves again: not while nobody sees them, and never below a finger or the keyboard's focus.
(() => {
  const isLive = (place) => (place.getAttribute("hx-trigger") || "").startsWith("every");
  const isHeld = (place) => place.matches(":active, :focus-within");
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isLive(event.target) && (document.hidden || isHeld(event.target))) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (isLive(event.target) && isHeld(event.target)) event.detail.shouldSwap = false;
  });
  // They go on while the server does not answer, which the page says.
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (isLive(detail.requestConfig.elt)) document.getElementById("away").hidden = Boolean(detail.successful);
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const place of document.querySelectorAll("[hx-trigger*=shown]")) htmx.trigger(place, "shown");
  });
})();
