// A card's link ticks its box in the form on the same page. Without this script it loads the page anew, with the box
// ticked.
const form = () => document.querySelector("inquiry-form")?.shadowRoot;

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-package]") : null;
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const box = form()?.querySelector(`input[type=checkbox][value="${CSS.escape(link.dataset.package)}"]`);
  // The form has been sent, or shows something else.
  if (!box) return;
  event.preventDefault();
  if (!box.checked) box.click();
  document.getElementById("inquiry").scrollIntoView();
  box.focus({ preventScroll: true });
});
