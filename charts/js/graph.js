// dpbGraph draws a graph and tells whether a set of its edges has a cycle. Node runs it for
// the static picture, the browser for the live one.
var dpbGraph = (function () {
  var INK = "#222222", FONT = 16, CORE = 17;
  var LOOKS = {
    plain: {color: "#7A828C", width: 2.5},
    selected: {color: "#0072B2", width: 6},
    cycle: {color: "#D55E00", width: 6, dash: "13,8"},
    rejected: {color: "#D55E00", width: 3.5, dash: "13,8"}
  };
  var HALO = "#EFBE4D"; // under an edge, whatever its look

  // ---- dependence ----

  // rank returns the size of a largest subset without a cycle, of the edges {u, v} of a graph with
  // n vertices.
  function rank(n, edges) {
    var up = [], r = 0;
    for (var i = 0; i < n; i++) up.push(i);
    function root(v) {
      while (up[v] !== v) v = up[v] = up[up[v]];
      return v;
    }
    edges.forEach(function (e) {
      var a = root(e.u), b = root(e.v);
      if (a !== b) { up[a] = b; r++; }
    });
    return r;
  }

  // path returns a shortest path from vertex a to vertex b, found breadth first, or nothing.
  function path(n, edges, a, b) {
    var from = {}, queue = [a];
    from[a] = a;
    while (queue.length && !(b in from)) {
      var v = queue.shift();
      edges.forEach(function (e) {
        var w = e.u === v ? e.v : e.v === v ? e.u : v;
        if (!(w in from)) { from[w] = v; queue.push(w); }
      });
    }
    if (!(b in from)) return null;
    for (var out = [b]; out[0] !== a;) out.unshift(from[out[0]]);
    return out;
  }

  // judge returns, for the selected edges given by index, their rank, the indices of those that lie
  // on cycles, and the vertices of a shortest cycle, with the first one again at the end.
  function judge(n, edges, selected) {
    var set = selected.map(function (i) { return edges[i]; }), shortest = null;
    var cyclic = selected.filter(function (i) {
      var p = path(n, set.filter(function (e) { return e !== edges[i]; }), edges[i].v, edges[i].u);
      if (p && (!shortest || p.length + 1 < shortest.length)) shortest = [edges[i].u].concat(p);
      return p;
    });
    return {rank: rank(n, set), cyclic: cyclic, cycle: shortest};
  }

  // ---- words ----

  function name(spec, e) { return spec.vertices[e.u].label + "–" + spec.vertices[e.v].label; }

  function total(spec, selected) {
    var sum = selected.reduce(function (s, i) { return s + spec.edges[i].weight; }, 0);
    return spec.weighted ? ", total weight " + String(+sum.toPrecision(6)).replace("-", "−") : "";
  }

  // verdict says in words whether the selected edges are independent.
  function verdict(spec, selected) {
    var n = spec.vertices.length, full = rank(n, spec.edges), j = judge(n, spec.edges, selected.slice().sort(function (a, b) { return a - b; }));
    if (j.cycle) {
      var walk = j.cycle.map(function (v) { return spec.vertices[v].label; }).join("–");
      return "dependent: it contains " + (selected.length === j.rank + 1 ? "the cycle " : "several cycles, such as ") + walk;
    }
    if (j.rank === full) return "a basis: independent, " + j.rank + " of rank " + full + total(spec, selected);
    return "independent, " + j.rank + " of rank " + full + total(spec, selected);
  }

  // highlight says in words what the button highlights.
  function highlight(spec) {
    var names = spec.basis.map(function (i) { return name(spec, spec.edges[i]); });
    return spec.basisName + ": " + names.join(", ") + total(spec, spec.basis);
  }

  // edgeName returns what a screen reader says of edge i.
  function edgeName(spec, i) {
    var e = spec.edges[i];
    return "edge " + name(spec, e) + (e.text ? ", " + e.text : "");
  }

  // heard returns what a screen reader says of the live picture, as the alternative text is that of
  // the start. Edges to click speak for themselves; at step k it lists them.
  function heard(spec, k) {
    function list(set) {
      return set.map(function (i) {
        var e = spec.edges[i];
        return name(spec, e) + (e.text ? " (" + e.text + ")" : "");
      }).join(", ") || "none";
    }
    var graph = "Graph" + (spec.title ? ": " + spec.title : ""), s = spec.steps[k];
    return s ? graph + (/[.!?:;]$/.test(graph) ? "" : ".") + " Accepted: " + list(s.accepted) + ". Rejected: " + list(s.rejected) + "." : graph;
  }

  // ---- the picture ----

  function esc(text) {
    return String(text).replace(/[\x00-\x1f\x7f-\x9f\ufffe\uffff]/g, " ").replace(/[&<>"']/g, function (c) {
      return {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}[c];
    });
  }

  function px(v) { return String(+v.toFixed(1)); }

  function write(x, y, size, text, more) {
    return '<text x="' + px(x) + '" y="' + px(y) + '" font-size="' + size + '" fill="' + INK + '"' + (more || "") + ">" + esc(text) + "</text>";
  }
  var MIDDLE = ' text-anchor="middle" dominant-baseline="central"', BOLD = ' font-weight="bold"';

  // layout gives everything its place: rows of text above and below, and the vertices between them
  // with the same unit on both axes. Each edge is a cubic curve: straight, bent beside its
  // parallels, or a loop.
  function layout(spec, below) {
    var title = wrap(spec.title, 19, spec.width - 40), top = 14 + 25 * title.length + (spec.label ? 24 : 0);
    var loops = spec.edges.some(function (e) { return e.u === e.v; });
    var widest = spec.vertices.map(function (v) { return Math.max(2 * CORE, widthOf(v.label, FONT) + 18); });
    var pad = loops ? 86 : 30, side = Math.max(pad, Math.max.apply(null, widest) / 2 + 14);
    var xs = spec.vertices.map(function (v) { return v.x; }), ys = spec.vertices.map(function (v) { return v.y; });
    function ends(a) { return [Math.min.apply(null, a), Math.max.apply(null, a)]; }
    var ex = ends(xs), ey = ends(ys), w = Math.max(60, spec.width - 2 * side), h = Math.max(60, spec.height - top - below - 2 * pad);
    var unit = Math.min(w / (ex[1] - ex[0]), h / (ey[1] - ey[0])); // Infinity for a single place
    if (!isFinite(unit)) unit = 1;
    var cx = spec.width / 2, cy = top + pad + h / 2;
    var at = spec.vertices.map(function (v, i) {
      return {x: cx + unit * (v.x - (ex[0] + ex[1]) / 2), y: cy - unit * (v.y - (ey[0] + ey[1]) / 2), half: widest[i] / 2};
    });
    var mx = at.reduce(function (s, p) { return s + p.x; }, 0) / at.length, my = at.reduce(function (s, p) { return s + p.y; }, 0) / at.length;
    function key(e) { return Math.min(e.u, e.v) + " " + Math.max(e.u, e.v); }
    var count = {}, seen = {};
    spec.edges.forEach(function (e) { count[key(e)] = (count[key(e)] || 0) + 1; });
    var curves = spec.edges.map(function (e) {
      var k = key(e), j = seen[k] = (seen[k] || 0) + 1, a = at[Math.min(e.u, e.v)], b = at[Math.max(e.u, e.v)];
      if (a === b) {
        var t = Math.hypot(a.x - mx, a.y - my) < 1 ? -Math.PI / 2 : Math.atan2(a.y - my, a.x - mx), far = 100 + 30 * j, open = 0.55 + 0.05 * j;
        return [a, {x: a.x + far * Math.cos(t - open), y: a.y + far * Math.sin(t - open)}, {x: a.x + far * Math.cos(t + open), y: a.y + far * Math.sin(t + open)}, a];
      }
      var d = Math.hypot(b.x - a.x, b.y - a.y), bend = (j - (count[k] + 1) / 2) * 62 / d;
      function third(f) { return {x: a.x + f * (b.x - a.x) - bend * (b.y - a.y), y: a.y + f * (b.y - a.y) + bend * (b.x - a.x)}; }
      return [a, third(1 / 3), third(2 / 3), b];
    });
    return {title: title, at: at, curves: curves, labels: places(spec, at, curves)};
  }

  function point(c, t) {
    var s = 1 - t, k = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    function sum(axis) { return c.reduce(function (v, p, i) { return v + k[i] * p[axis]; }, 0); }
    return {x: sum("x"), y: sum("y")};
  }

  // places puts each edge's label where on its curve it hides least of the other labels, vertices
  // and edges.
  function places(spec, at, curves) {
    var done = [], samples = curves.map(function (c) {
      var out = [];
      for (var t = 0; t <= 40; t++) out.push(point(c, t / 40));
      return out;
    });
    return curves.map(function (c, i) {
      var text = spec.edges[i].text, w = widthOf(text, FONT - 1) / 2 + 6, best = null;
      if (!text) return null;
      [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72].forEach(function (t, k) {
        var p = point(c, t), cost = 0.3 * k;
        done.forEach(function (q) {
          if (Math.abs(p.x - q.x) < w + q.w && Math.abs(p.y - q.y) < 28) cost += 40;
        });
        at.forEach(function (q) {
          if (Math.abs(p.x - q.x) < w + q.half + 4 && Math.abs(p.y - q.y) < 12 + CORE + 4) cost += 40;
        });
        samples.forEach(function (s, other) {
          if (other === i) return;
          s.forEach(function (q) { if (Math.hypot(p.x - q.x, p.y - q.y) < w + 18) cost += 1; });
        });
        if (!best || cost < best.cost) best = {x: p.x, y: p.y, w: w, cost: cost};
      });
      done.push(best);
      return best;
    });
  }

  function curve(c) {
    function p(q) { return px(q.x) + " " + px(q.y); }
    return "M" + p(c[0]) + "C" + p(c[1]) + " " + p(c[2]) + " " + p(c[3]);
  }

  function stroke(d, look) {
    return '<path d="' + d + '" fill="none" stroke="' + look.color + '" stroke-width="' + look.width + '"' +
      (look.dash ? ' stroke-dasharray="' + look.dash + '"' : "") + "/>";
  }

  // strokes draws everything that shows the state of an edge with this curve.
  function strokes(d, state) {
    return (state.halo ? stroke(d, {color: HALO, width: 19}) : "") + stroke(d, LOOKS[state.look]);
  }

  // chosen returns the states of all edges when some are selected and the basis is highlighted or
  // not.
  function chosen(spec, selected, lit) {
    var cyclic = judge(spec.vertices.length, spec.edges, selected).cyclic;
    return spec.edges.map(function (e, i) {
      return {look: cyclic.indexOf(i) >= 0 ? "cycle" : selected.indexOf(i) >= 0 ? "selected" : "plain", halo: lit && spec.basis.indexOf(i) >= 0};
    });
  }

  // stepped returns the states of all edges at step k.
  function stepped(spec, k) {
    var s = spec.steps[k];
    return spec.edges.map(function (e, i) {
      return {look: s.accepted.indexOf(i) >= 0 ? "selected" : s.rejected.indexOf(i) >= 0 ? "rejected" : "plain", halo: s.current === i};
    });
  }

  // legend explains the looks of the steps, in rows around the middle.
  function legend(spec) {
    var rows = [], used = Infinity;
    [["plain", false, "not yet looked at"], ["plain", true, "looked at now"], ["selected", false, "accepted"], ["rejected", false, "rejected"]].forEach(function (l) {
      var w = 52 + widthOf(l[2], FONT - 1) + 24;
      if (used + w > spec.width - 24) { rows.push({width: 0, items: []}); used = 0; }
      rows[rows.length - 1].items.push({state: {look: l[0], halo: l[1]}, text: l[2], x: used});
      rows[rows.length - 1].width = used += w;
    });
    return rows;
  }

  // svg draws the graph with its edges in these states, described by words. A still picture also
  // shows what stands beside the live one: the verdict, or what the slider shows.
  function svg(spec, states, words, still) {
    var keys = spec.steps.length ? legend(spec) : [], notes = still && !keys.length ? wrap(verdict(spec, spec.selected), 17, spec.width - 40) : [];
    var below = 8 + 26 * keys.length + 26 * notes.length, l = layout(spec, below);
    var out = ['<svg ' + (still ? 'xmlns="http://www.w3.org/2000/svg" width="' + spec.width + '" height="' + spec.height + '" ' : 'style="display:block;width:100%;height:auto" ') +
      'viewBox="0 0 ' + spec.width + " " + spec.height + '" font-family="sans-serif" role="' + (still ? "img" : "group") + '" aria-label="' + esc(words) + '">'];
    out.push('<rect width="100%" height="100%" fill="#ffffff"/>');
    l.title.forEach(function (t, i) { out.push(write(16, 31 + 25 * i, 19, t, BOLD)); });
    if (still && spec.label) out.push(write(16, 31 + 25 * l.title.length - 2, FONT, spec.label + " = " + spec.steps[spec.start].value));
    spec.edges.forEach(function (e, i) {
      var d = curve(l.curves[i]);
      out.push('<g data-edge="' + i + '">' + (still ? "" : '<path class="dpb-hit" d="' + d + '" fill="none" stroke="#222222" stroke-opacity="0" stroke-width="30" pointer-events="stroke"/>') +
        '<g pointer-events="none">' + strokes(d, states[i]) + "</g></g>");
    });
    l.labels.forEach(function (p, i) {
      if (!p) return;
      out.push('<g data-label="' + i + '"' + (still ? "" : ' aria-hidden="true"') + '><rect x="' + px(p.x - p.w) + '" y="' + px(p.y - 12) + '" width="' + px(2 * p.w) + '" height="24" rx="6" fill="#ffffff"/>' +
        write(p.x, p.y + 1, FONT - 1, spec.edges[i].text, MIDDLE) + "</g>");
    });
    l.at.forEach(function (p, i) {
      out.push('<g pointer-events="none"><rect x="' + px(p.x - p.half) + '" y="' + px(p.y - CORE) + '" width="' + px(2 * p.half) + '" height="' + 2 * CORE + '" rx="' + CORE + '" fill="#ffffff" stroke="' + INK + '" stroke-width="2"/>' +
        write(p.x, p.y + 1, FONT, spec.vertices[i].label, MIDDLE + BOLD) + "</g>");
    });
    keys.forEach(function (row, i) {
      var y = spec.height - 8 - 26 * (keys.length - i) + 12;
      row.items.forEach(function (k) {
        var x = (spec.width - row.width) / 2 + k.x;
        out.push(strokes("M" + px(x) + " " + px(y) + "h42", k.state), write(x + 52, y + 1, FONT - 1, k.text, ' dominant-baseline="central"'));
      });
    });
    notes.forEach(function (t, i) { out.push(write(16, spec.height - 14 - 26 * (notes.length - 1 - i), 17, t, BOLD)); });
    return out.join("") + "</svg>";
  }

  return {
    HALO: HALO, judge: judge, verdict: verdict, highlight: highlight, edgeName: edgeName, heard: heard, strokes: strokes, chosen: chosen, stepped: stepped, svg: svg,
    still: function (spec) { return svg(spec, spec.steps.length ? stepped(spec, spec.start) : chosen(spec, spec.selected, false), spec.alt, true); }
  };
})();
