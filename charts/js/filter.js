// filterTable puts buttons above a table, one for each value of some columns, and sorts it by a
// column whose header is clicked. The reader chooses one value of a column, or all.
function filterTable(id, spec) {
  var BUTTON = "font:15px sans-serif;padding:4px 12px;border:1.5px solid #7A828C;border-radius:8px;cursor:pointer;";

  function number(text) {
    var t = text.replace(/[,\s]/g, "").replace("−", "-");
    return t === "∞" ? Infinity : parseFloat(t);
  }

  function start(root) {
    if (root.hasAttribute("data-dpb-live")) return;
    var body = root.querySelector("tbody"), heads = Array.from(root.querySelectorAll("th")), bar = root.querySelector(".dpb-filter");
    var chosen = spec.filters.map(function (f) { return f.start; }), by = -1, down = false;
    bar.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab leaves the keys to us

    function press(b, act) {
      b.addEventListener("click", act);
      b.addEventListener("keydown", function (e) { e.stopPropagation(); });
    }

    spec.filters.forEach(function (f, i) {
      var line = element(bar, "div", "display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:6px 0");
      line.setAttribute("role", "group");
      line.setAttribute("aria-label", spec.headers[f.column]);
      element(line, "span", "min-width:7em;font:15px sans-serif", spec.headers[f.column]);
      var buttons = f.values.concat([""]).map(function (v) {
        var b = element(line, "button", BUTTON, v || "all");
        b.type = "button";
        press(b, function () { chosen[i] = v; light(); show(); });
        return b;
      });
      function light() {
        buttons.forEach(function (b, k) {
          var on = chosen[i] === (f.values[k] || "");
          b.setAttribute("aria-pressed", on ? "true" : "false");
          b.style.background = on ? "#0072B2" : "transparent";
          b.style.color = on ? "#ffffff" : "inherit";
        });
      }
      light();
    });
    var count = element(bar, "div", "font:15px sans-serif;margin:6px 0");
    count.setAttribute("role", "status");

    heads.forEach(function (th, k) {
      var b = element(th, "button", "font:inherit;color:inherit;background:none;border:none;padding:0;cursor:pointer;text-align:inherit");
      b.type = "button";
      b.title = "sort by this column";
      while (th.firstChild !== b) b.appendChild(th.firstChild);
      press(b, function () {
        down = by === k && !down;
        by = k;
        heads.forEach(function (h, j) { h.setAttribute("aria-sort", j !== k ? "none" : down ? "descending" : "ascending"); });
        show();
      });
    });

    // less compares two rows in the column chosen. What is not a number comes last, in both orders.
    function less(a, b) {
      var x = number(a[by]), y = number(b[by]), sign = down ? -1 : 1;
      if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
      if (isNaN(x)) return sign * (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0);
      return x === y ? 0 : sign * (x < y ? -1 : 1);
    }

    function show() {
      var rows = spec.rows.filter(function (r) {
        return spec.filters.every(function (f, i) { return !chosen[i] || r[f.column] === chosen[i]; });
      });
      if (by >= 0) rows.sort(less);
      body.textContent = "";
      rows.forEach(function (r) {
        var tr = element(body, "tr", "");
        r.forEach(function (text, k) {
          element(tr, "td", "text-align:" + spec.sides[k] + ";" + (text.length > spec.long ? spec.wide : spec.narrow), text);
        });
      });
      count.textContent = rows.length + " of " + spec.rows.length + " rows";
    }

    show();
    hideNote(root);
    root.setAttribute("data-dpb-live", "1");
  }

  // A notebook may run the script before the element is on the page.
  var tries = 0;
  (function attempt() {
    var found = document.querySelectorAll('[id="' + id + '"]');
    found.forEach(start);
    if (!found.length && ++tries <= 60) setTimeout(attempt, 50 + 20 * tries);
  })();
}
