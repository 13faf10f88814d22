function element(parent, tag, style, text) {
  var e = parent.appendChild(document.createElement(tag));
  e.style.cssText = style;
  if (text) e.textContent = text;
  return e;
}

// hideNote takes away what is said of the still picture, and the link to a live one.
function hideNote(root) {
  root.querySelectorAll(".dpb-note, .dpb-link").forEach(function (e) { e.style.display = "none"; });
}

// slider adds a slider over the values to the place. It calls change with the index of the value
// that the reader chooses.
function slider(place, label, values, start, change) {
  var bar = element(place, "label", "display:flex;flex-wrap:wrap;gap:4px 14px;align-items:center;padding:4px 28px 14px;font:16px sans-serif");
  element(bar, "span", "white-space:nowrap", label);
  var input = element(bar, "input", "flex:1;min-width:80px;accent-color:#0072B2");
  var value = element(bar, "output", "font-weight:bold;text-align:right");
  value.style.minWidth = "min(100%," + Math.max.apply(null, values.map(function (v) { return v.length; })) + "ch)";
  input.type = "range";
  input.min = 0;
  input.max = values.length - 1;
  input.step = 1;
  input.value = start;
  input.setAttribute("aria-label", label);
  function show(i) {
    value.textContent = values[i];
    input.setAttribute("aria-valuetext", values[i]);
  }
  input.addEventListener("input", function () { show(+input.value); change(+input.value); });
  // arrow keys move the slider, not the notebook
  input.addEventListener("keydown", function (e) { e.stopPropagation(); });
  show(start);
}
