// tone returns the colour that takes the place of a colour in the dark mode.
function tone(color, dark) { return dark && TONES.hasOwnProperty(color) ? TONES[color] : color; }

// toned returns SVG with all its colours replaced.
function toned(svg, dark) {
  return svg.replace(/(fill|stroke)="(#\w{6})"/g, function (all, paint, c) { return paint + '="' + tone(c, dark) + '"'; });
}

// bright says whether the eye takes a colour, given as #rrggbb or rgb(...), for a bright one.
function bright(color) {
  var c = color[0] === "#" ? [1, 3, 5].map(function (i) { return parseInt(color.substr(i, 2), 16); }) : color.match(/[\d.]+/g) || [0, 0, 0];
  return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] >= 150;
}

// watchMode calls show(dark) now, and again whenever the page around the element turns dark or
// light. A page whose text is bright is dark, whatever made it so: the system, JupyterLab's theme
// or VS Code's.
function watchMode(root, show) {
  var now;
  function look() {
    var dark = bright(getComputedStyle(root).color);
    if (dark !== now) show(now = dark);
  }
  look();
  // a theme's style sheet may arrive after its name
  function soon() { look(); setTimeout(look, 300); }
  if (window.matchMedia) matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  if (window.MutationObserver) {
    [document.documentElement, document.body].forEach(function (e) { new MutationObserver(soon).observe(e, {attributes: true}); });
  }
}
