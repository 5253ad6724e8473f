// arrow keys, Home and End go from digit to digit; Escape puts the explanation away until the next move
const quiet = (yes) => element.classList.toggle("quiet", yes);
element.addEventListener("keydown", (event) => {
  if (event.key === "Escape") quiet(true);
  const digit = event.target.closest(".d");
  const by = { ArrowRight: 1, ArrowLeft: -1, End: Infinity, Home: -Infinity }[event.key];
  if (!digit || !by) return;
  const digits = [...digit.closest(".trace").querySelectorAll(".d")];
  const next = digits[Math.max(0, Math.min(digits.length - 1, digits.indexOf(digit) + by))];
  digit.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  quiet(false);
  event.preventDefault();
});
element.addEventListener("focusin", () => quiet(false));
element.addEventListener("pointerover", () => quiet(false));
