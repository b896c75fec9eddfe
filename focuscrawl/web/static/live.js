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
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const place of document.querySelectorAll("[hx-trigger*=shown]")) htmx.trigger(place, "shown");
  });
})();
