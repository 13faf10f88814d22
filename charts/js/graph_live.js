// liveGraph replaces the static picture of a graph by the live one, wherever the page holds it. It
// needs no library.
function liveGraph(id, spec) {
  var BUTTON = "font:16px sans-serif;padding:6px 14px;border:1.5px solid #5F6670;border-radius:8px;cursor:pointer;";

  function start(root) {
    if (root.hasAttribute("data-dpb-live")) return;
    var img = root.querySelector(".dpb-static"), place = root.querySelector(".dpb-live"), caption = root.querySelector(".dpb-caption");
    place.textContent = "";
    place.style.cssText = "border-radius:8px;overflow:hidden";
    place.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab leaves the keys to us
    element(place, "style", "", "#" + id + " [data-edge]:focus{outline:none}#" + id + " [data-label],#" + id + " [role=button]{cursor:pointer}" +
      "#" + id + " [role=button]:hover .dpb-hit{stroke-opacity:0.1}#" + id + " [role=button]:focus-visible .dpb-hit{stroke-opacity:0.5}");
    var picture = element(place, "div", ""), fitted = Object.assign({}, spec), again = function () {}, dark = false;
    fit();
    if (spec.steps.length) steps(); else clicks();
    watchMode(root, function (now) {
      dark = now;
      place.style.background = tone("#ffffff", dark);
      place.style.color = tone("#222222", dark);
      again();
    });
    img.style.display = "none";
    hideNote(root);
    root.setAttribute("data-dpb-live", "1");
    if (window.ResizeObserver) new ResizeObserver(function () { if (fit()) again(); }).observe(picture);

    // fit lays the graph out in the available width, so that letters keep their size, and returns
    // whether that changed.
    function fit() {
      var width = Math.min(spec.width, Math.max(280, picture.clientWidth || spec.width)), other = width !== fitted.width;
      fitted.width = width;
      return other;
    }

    function draw(states, k) { picture.innerHTML = toned(dpbGraph.svg(fitted, states, dpbGraph.heard(spec, k), false), dark); }

    function clicks() {
      var selected = spec.selected.slice(), lit = false, edges;
      var bar = element(place, "div", "display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center;padding:4px 16px 14px");
      var words = element(bar, "div", "flex:1 1 320px;font:17px/1.4 sans-serif;min-height:1.4em");
      var status = element(words, "div", "font-weight:bold"), about = element(words, "div", "");
      words.setAttribute("role", "status");
      words.setAttribute("aria-live", "polite");
      if (spec.basis.length) var light = button("show " + spec.basisName, function () { lit = !lit; });
      button("clear", function () { selected = []; });
      if (spec.selected.length) button("reset", function () { selected = spec.selected.slice(); lit = false; });
      picture.addEventListener("click", function (e) {
        var g = e.target.closest("[data-edge],[data-label]");
        if (g) toggle(+(g.getAttribute("data-edge") || g.getAttribute("data-label")));
      });
      picture.addEventListener("keydown", function (e) {
        var g = e.target.closest("[data-edge]");
        if (!g || e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        e.stopPropagation();
        if (!e.repeat) toggle(+g.getAttribute("data-edge"));
      });
      again = build;
      build();

      function build() {
        var focus = edges ? edges.indexOf(document.activeElement) : -1;
        draw(dpbGraph.chosen(spec, selected, lit));
        edges = Array.from(picture.querySelectorAll("[data-edge]"));
        edges.forEach(function (g, i) {
          g.setAttribute("role", "button");
          g.setAttribute("tabindex", "0");
          g.setAttribute("aria-label", dpbGraph.edgeName(spec, i));
        });
        show();
        if (focus >= 0) edges[focus].focus();
      }

      function button(text, act) {
        var b = element(bar, "button", BUTTON + "background:transparent;color:inherit", text);
        b.type = "button";
        b.addEventListener("click", function () { act(); show(); });
        b.addEventListener("keydown", function (e) { e.stopPropagation(); });
        return b;
      }

      function toggle(i) {
        var k = selected.indexOf(i);
        if (k < 0) selected.push(i); else selected.splice(k, 1);
        show();
      }

      // show changes the edges in place, so that the one with the focus keeps it.
      function show() {
        dpbGraph.chosen(spec, selected, lit).forEach(function (state, i) {
          edges[i].setAttribute("aria-pressed", selected.indexOf(i) >= 0 ? "true" : "false");
          edges[i].lastChild.innerHTML = toned(dpbGraph.strokes(edges[i].firstChild.getAttribute("d"), state), dark);
        });
        status.textContent = dpbGraph.verdict(spec, selected);
        about.textContent = lit ? dpbGraph.highlight(spec) : "";
        if (!light) return;
        light.setAttribute("aria-pressed", lit ? "true" : "false");
        light.style.background = lit ? tone(dpbGraph.HALO, dark) : "transparent";
      }
    }

    function steps() {
      var k = spec.start;
      if (caption) caption.setAttribute("aria-live", "polite");
      again = function () { draw(dpbGraph.stepped(spec, k), k); };
      again();
      slider(place, spec.label, spec.steps.map(function (s) { return s.value; }), k, function (to) {
        k = to;
        again();
        if (caption) caption.textContent = spec.steps[k].caption;
      });
    }
  }

  // A notebook may run the script before the element is on the page: ask again for a while.
  var tries = 0;
  (function attempt() {
    var found = document.querySelectorAll('[id="' + id + '"]');
    found.forEach(start);
    if (!found.length && ++tries <= 60) setTimeout(attempt, 50 + 20 * tries);
  })();
}
