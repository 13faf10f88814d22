// dpb turns the spec of a figure (options.go) into ECharts options. It resolves the "@dpb:name"
// strings, sets the type, and leaves room for titles, tick labels and the legend. Node runs it
// for the static picture, the browser for the live one.
var dpb = (function () {
  var FONT = 15, ROW = 31, GAP = 26, INK = "#222222";

  function superscript(k) {
    return String(k).replace(/[-0-9]/g, function (c) { return c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[+c]; });
  }

  function number(v, digits) {
    if (v === 0) return "0";
    var a = Math.abs(v), sign = v < 0 ? "−" : "";
    if (a >= 1e6 || a < 1e-3) {
      var parts = a.toExponential(Math.min((digits || 4) - 1, 3)).split("e");
      var m = String(+parts[0]), k = "10" + superscript(+parts[1]);
      return sign + (m === "1" ? k : m + "·" + k);
    }
    var t = String(+a.toPrecision(digits || 6)).split(".");
    t[0] = t[0].replace(/\B(?=(\d{3})+$)/g, ",");
    return sign + t.join(".");
  }

  // power labels 1, 2 and 5 times a power of ten on a log axis and leaves the rest bare.
  function power(v) {
    var k = Math.floor(Math.log10(v) + 1e-9), m = +(v / Math.pow(10, k)).toPrecision(6);
    if (m !== 1 && m !== 2 && m !== 5) return "";
    if (m !== 1) return k < 4 && k > -3 ? number(v) : m + "·10" + superscript(k);
    return k === 0 ? "1" : k === 1 ? "10" : "10" + superscript(k);
  }

  function percent(v, digits) { return number(+(100 * v).toPrecision(12), digits) + "%"; }

  // ---- shapes that ECharts lacks ----

  // band draws one polygon around all rows x, lo, hi. ECharts sees only the first row and asks
  // once.
  function band(series, step) {
    var rows = series.data;
    series.data = rows.slice(0, 1);
    return function (params, api) {
      var up = [], down = [];
      rows.forEach(function (r, i) {
        if (step && i > 0) {
          up.push(api.coord([r[0], rows[i - 1][2]]));
          down.push(api.coord([r[0], rows[i - 1][1]]));
        }
        up.push(api.coord([r[0], r[2]]));
        down.push(api.coord([r[0], r[1]]));
      });
      return {type: "polygon", shape: {points: up.concat(down.reverse())}, style: {fill: api.visual("color"), opacity: 0.2}};
    };
  }

  function whisker(params, api) {
    var x = api.value(0), lo = api.coord([x, api.value(1)]), hi = api.coord([x, api.value(2)]), shift = 0;
    var among = api.value(4), cap = 5;
    // undefined on an axis without categories
    var layout = among > 1 && api.barLayout({count: among, barMaxWidth: 70});
    if (layout) shift = layout[api.value(3)].offsetCenter;
    var color = among > 0 ? INK : api.visual("color");
    function line(x1, y1, x2, y2) {
      return {type: "line", shape: {x1: x1 + shift, y1: y1, x2: x2 + shift, y2: y2}, style: {stroke: color, lineWidth: 1.8}};
    }
    return {type: "group", children: [
      line(lo[0], lo[1], hi[0], hi[1]),
      line(lo[0] - cap, lo[1], lo[0] + cap, lo[1]),
      line(hi[0] - cap, hi[1], hi[0] + cap, hi[1])
    ]};
  }

  function box(series) {
    return function (params, api) {
      var a = api.coord([api.value(0), api.value(3)]), b = api.coord([api.value(1), api.value(2)]);
      var name = (series.data[params.dataIndexInside] || {}).name || "", fill = series.itemStyle.color;
      var w = b[0] - a[0], h = b[1] - a[1], size = Math.min(16, 0.9 * h);
      while (size > 9 && widthOf(name, size) > w - 4) size--;
      var shapes = [{type: "rect", shape: {x: a[0] + 1.5, y: a[1], width: w - 3, height: h, r: 4},
        style: {fill: fill, stroke: "#5F6670", lineWidth: 1}}];
      if (name && widthOf(name, size) <= w) {
        shapes.push({type: "text", silent: true, style: {text: name, x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2,
          align: "center", verticalAlign: "middle", fill: inkOn(fill), fontSize: size, fontFamily: "sans-serif"}});
      }
      return {type: "group", children: shapes};
    };
  }

  // bars draws a row's bars, filled in one of three ways.
  function bars(series, fill) {
    return function (params, api) {
      var a = api.coord([api.value(0), api.value(1)]), x = a[0] + 1, w = Math.max(2, api.coord([api.value(2), api.value(1)])[0] - a[0] - 2);
      var h = Math.min(38, 0.7 * api.size([0, 1])[1]), y = a[1] - h / 2, color = series.itemStyle.color;
      var name = (series.data[params.dataIndexInside] || {}).name || "", size = Math.min(16, 0.7 * h);
      var shapes = [{type: "rect", shape: {x: x, y: y, width: w, height: h, r: Math.min(4, w / 2)},
        style: {fill: fill === "solid" ? color : "#ffffff", stroke: color, lineWidth: 2}}];
      if (fill === "hatched") {
        // from the left or lower edge up to the upper or right one
        for (var s = 8, d = ""; s < w + h; s += 8) {
          var left = Math.max(0, s - h), right = Math.min(w, s);
          d += "M" + (x + left) + " " + (y + s - left) + "L" + (x + right) + " " + (y + s - right);
        }
        shapes.push({type: "path", silent: true, shape: {pathData: d}, style: {fill: "none", stroke: color, lineWidth: 2}});
      }
      while (size > 11 && widthOf(name, size) > w - 4) size--;
      if (name && widthOf(name, size) <= w - 2) {
        shapes.push({type: "text", silent: true, style: {text: name, x: x + w / 2, y: a[1], align: "center", verticalAlign: "middle",
          fill: fill === "solid" ? inkOn(color) : INK, stroke: fill === "solid" ? "none" : "#ffffff", lineWidth: 4, fontSize: size, fontFamily: "sans-serif"}});
      }
      return {type: "group", children: shapes};
    };
  }

  // inkOn returns the ink for a text on a fill. It stands for two: the text is black or white, as
  // the fill is in either mode.
  function inkOn(fill) {
    var light = bright(fill), dark = bright(tone(fill, true));
    return light ? (dark ? "#232323" : INK) : dark ? "#fdfdfd" : "#fefefe";
  }

  // ---- tooltips ----

  function formatter(axis, digits) {
    var f = axis.axisLabel && axis.axisLabel.formatter;
    return function (v) { return f === "@dpb:percent" ? percent(v, digits) : number(v, digits); };
  }

  // words returns the parts of both kinds of tooltip.
  function words(echarts, o) {
    var esc = echarts.format.encodeHTML, x = o.xAxis[0], fx = formatter(x, 6);
    var fy = o.yAxis.map(function (y) { return formatter(y, 4); });
    return {
      esc: esc,
      x: fx,
      at: function (v) { return esc(x.name || "x") + " = <b>" + (x.data ? esc(x.data[v]) : fx(v)) + "</b>"; },
      row: function (marker, s, v) {
        var f = fy[s.yAxisIndex || 0];
        return marker + esc(s.name) + ": <b>" + f(v[1]) + "</b>" + (v.length > 3 ? " (" + f(v[2]) + " to " + f(v[3]) + ")" : "");
      }
    };
  }

  // atPoint returns the function that makes the tooltip of the point under the pointer.
  function atPoint(echarts, o) {
    var w = words(echarts, o), bare = o.xAxis[0].show === false;
    return function (p) {
      if (o.yAxis[0].data && p.value.length === 3) {
        return "<b>" + w.esc(o.yAxis[0].data[p.value[1]]) + "</b><br>" + p.marker + w.esc(p.seriesName) + (p.name ? ": <b>" + w.esc(p.name) + "</b>" : "") +
          "<br>" + w.at(p.value[0]) + " to <b>" + w.x(p.value[2]) + "</b>";
      }
      if (bare) return w.esc(p.seriesName) + (p.name ? ": <b>" + w.esc(p.name) + "</b>" : "");
      return (p.name ? "<b>" + w.esc(p.name) + "</b><br>" : "") + w.at(p.value[0]) + "<br>" + w.row(p.marker, {name: p.seriesName, yAxisIndex: o.series[p.seriesIndex].yAxisIndex}, p.value);
    };
  }

  // atPlace returns the function that makes the tooltip of all curves and bars at one x. Between
  // two points of a curve it interpolates linearly.
  function atPlace(echarts, o, selected, dark) {
    var w = words(echarts, o), all = o.series.filter(function (s) { return s.name && (s.type === "line" || s.type === "bar"); });
    all = all.map(function (s) {
      return {name: s.name, data: s.data, type: s.type, step: s.step, yAxisIndex: s.yAxisIndex,
        marker: '<span style="display:inline-block;width:12px;height:12px;border-radius:6px;margin-right:6px;background:' + tone(s.itemStyle.color, dark) + '"></span>'};
    });
    return function (ps) {
      if (!ps.length) return "";
      var x = ps[0].axisValue === undefined || o.xAxis[0].data ? ps[0].value[0] : +ps[0].axisValue, off = selected ? selected() : {};
      var lines = all.map(function (s) {
        var v = off[s.name] === false ? null : valueAt(s, x);
        return v && w.row(s.marker, s, v);
      });
      return [w.at(x)].concat(lines.filter(Boolean)).join("<br>");
    };
  }

  function valueAt(s, x) {
    for (var i = 0; i < s.data.length; i++) {
      var b = s.data[i], a = s.data[i - 1];
      if (b[0] === x) return b;
      if (s.type === "line" && a && a[0] < x && x < b[0]) {
        var t = s.step ? 0 : (x - a[0]) / (b[0] - a[0]);
        return a.map(function (v, k) { return v + t * (b[k] - v); });
      }
    }
    return null;
  }

  // ---- the parts of an option ----

  function dress(s, i) {
    var part = (s.symbol || "").split("/");
    if (part.length === 3) {
      s.symbol = part[0];
      s.data = s.data.map(function (d, k) { return k % part[1] == part[2] ? d : {value: d, symbol: "none"}; });
    }
    if (s.type === "line") s.symbolSize = 9;
    if (/\d/.test((s.lineStyle || {}).type)) s.lineStyle.type = s.lineStyle.type.split(",").map(Number);
    s.emphasis = {disabled: true};
    s.animation = false;
    s.clip = true;
    if (s.markLine) {
      s.silent = true;
      s.markLine.silent = true;
      s.markLine.animation = false;
      s.markLine.precision = -1; // else a place is rounded to two digits after the point
    }
    switch (s.renderItem) {
    case "@dpb:box": s.renderItem = box(s); return;
    case "@dpb:solid": case "@dpb:hatched": case "@dpb:hollow":
      s.icon = s.renderItem.slice(5);
      s.renderItem = bars(s, s.icon);
      return;
    case "@dpb:band": s.renderItem = band(s, false); break;
    case "@dpb:stepband": s.renderItem = band(s, true); break;
    case "@dpb:whisker": s.renderItem = whisker; s.z = 4; s.clip = false; break;
    default:
      if ((s.itemStyle || {}).opacity < 1) s.z = 1;
      return;
    }
    s.silent = true;
    s.z = s.z || 1; // a band lies under every curve
    s.tooltip = {show: false};
  }

  function tickLabels(a) {
    if (a.data) return a.data;
    var out = [], f = {"@dpb:power": power, "@dpb:percent": percent}[a.axisLabel.formatter] || number;
    if (a.type === "log") {
      for (var k = Math.ceil(Math.log10(a.min) - 1e-9); k <= Math.log10(a.max) + 1e-9; k++) out.push(power(Math.pow(10, k)));
      return [power(a.min)].concat(out, power(a.max));
    }
    for (var v = a.min; v <= a.max + a.interval / 2; v += a.interval) out.push(f(+v.toPrecision(9)));
    return out;
  }

  function widest(labels, size) {
    return labels.reduce(function (w, t) { return Math.max(w, widthOf(t, size)); }, 0);
  }

  function dressAxis(a) {
    var f = {"@dpb:power": power, "@dpb:percent": percent, "@dpb:number": number}[a.axisLabel.formatter];
    if (f) a.axisLabel.formatter = function (v) { return f(+(+v).toPrecision(9)); };
    a.axisLabel.color = INK;
    a.nameTextStyle = {fontSize: FONT + 1, lineHeight: 20, color: INK};
    a.axisLine.lineStyle = {color: "#5F6670"};
    a.axisTick = {show: a.show !== false};
    a.splitLine.lineStyle = {color: "#E6E8EC"};
    a.axisPointer = {label: {show: false}};
    if (a.show === false) a.name = "";
    // ECharts labels an end of the axis, too, where it is no tick: not right beside one that is
    if (a.type === "value" && a.interval) {
      if (a.max / a.interval % 1 > 1e-6 && a.max / a.interval % 1 < 0.7) a.axisLabel.showMaxLabel = false;
      if (Math.abs(a.min / a.interval % 1) > 1e-6) { // ECharts would count from the end of the axis
        var at = [];
        for (var v = Math.ceil(a.min / a.interval) * a.interval; v <= a.max; v += a.interval) at.push(+v.toPrecision(9));
        a.axisLabel.customValues = a.axisTick.customValues = at;
      }
    }
    if (a.type === "log") {
      a.axisLabel.hideOverlap = true;
      // with more than eight decades, a tick every second one, or fewer: else ECharts takes every tenth
      a.logBase = Math.pow(10, Math.ceil(Math.log10(a.max / a.min) / 8));
    }
  }

  // markRows puts the names of vertical lines above the grid, in as many rows as they need and
  // within the figure, and returns the rows.
  function markRows(o, left, width, whole) {
    var ends = [], x = o.xAxis[0];
    function t(v) { return x.type === "log" ? Math.log(v) : v; }
    o.series.forEach(function (s) {
      if (!s.markLine) return;
      s.markLine.data.slice().sort(function (a, b) { return a.xAxis - b.xAxis; }).forEach(function (m) {
        m.label = {show: !!m.name, formatter: "{b}", fontSize: FONT - 1, color: INK, backgroundColor: "rgba(255,255,255,0.8)", padding: 2};
        if (m.xAxis === undefined) return; // levels
        var w = widthOf(m.name || "", FONT - 1), at = left + width * (t(m.xAxis) - t(x.min)) / (t(x.max) - t(x.min));
        var place = Math.max(w / 2 + 4, Math.min(whole - w / 2 - 4, at));
        m.label.offset = [place - at, 0];
        at = place;
        for (var r = 0; ends[r] > at - w / 2 - 8; r++);
        ends[r] = at + w / 2;
        m.label.position = "end";
        m.label.distance = 5 + 20 * r;
      });
    });
    return ends.length;
  }

  // crossed counts the places in a box at which a curve or a point is: of lines, at 16 places
  // between two points.
  function crossed(o, box, px, py) {
    var n = 0;
    o.series.forEach(function (s) {
      if (s.renderItem || !s.data || s.yAxisIndex) return;
      var before;
      s.data.forEach(function (d) {
        var v = d.value || d, p = [px(v[0]), py(v[1])];
        for (var k = before && s.type === "line" ? 1 : 16; k <= 16; k++) {
          var f = k / 16, x = f * p[0] + (f < 1 ? (1 - f) * before[0] : 0), y = f * p[1] + (f < 1 ? (1 - f) * before[1] : 0);
          if (x > box.x1 && x < box.x2 && y > box.y1 && y < box.y2) n++;
        }
        before = p;
      });
    });
    return n;
  }

  // levels puts the name of each horizontal line on it where no other name is, and the fewest
  // curves are: at its end or at its start, above or below.
  function levels(o, top, width, h) {
    var x = o.xAxis[0], y = o.yAxis[0], taken = [];
    function t(v) { return y.type === "log" ? Math.log(v) : v; }
    function px(v) {
      if (x.type === "log") return width * Math.log(v / x.min) / Math.log(x.max / x.min);
      return width * (v - x.min) / (x.max - x.min);
    }
    function py(v) { return top + h * (t(y.max) - t(v)) / (t(y.max) - t(y.min)); }
    o.series.forEach(function (s) {
      if (s.markLine) s.markLine.data.forEach(function (m) {
        if (m.xAxis !== undefined) return;
        var w = widthOf(m.name || "", FONT - 1) + 8, at = py(m.yAxis);
        function box(place) {
          var end = /End/.test(place), above = /Top/.test(place);
          return {x1: end ? width - w : 0, x2: end ? width : w, y1: above ? at - 21 : at, y2: above ? at : at + 21};
        }
        function free(place) {
          var b = box(place);
          return b.y1 >= top - 16 && b.y2 <= top + h && taken.every(function (c) { return b.x2 <= c.x1 || c.x2 <= b.x1 || b.y2 <= c.y1 || c.y2 <= b.y1; });
        }
        var places = ["insideEndTop", "insideEndBottom", "insideStartTop", "insideStartBottom"];
        var open = places.filter(free), curves = open.map(function (p) { return crossed(o, box(p), px, py); });
        m.label.position = open[curves.indexOf(Math.min.apply(null, curves))] || places[0];
        taken.push(box(m.label.position));
      });
    });
  }

  // entry returns an entry of the legend. Its icon is that of the series, but only the line if that
  // has no symbols, and the symbols of a scatter in their own proportions.
  var ICONS = {
    solid: "M0 0h28v14h-28z",
    hatched: "M0 0h28v14h-28zM2 2v10h24v-10zM6 0h3L2 14h-3zM13 0h3L9 14h-3zM20 0h3L16 14h-3zM27 0h1L23 14h-3z",
    hollow: "M0 0h28v14h-28zM2 2v10h24v-10z",
    none: "M0 0h9v2h-9zM14 0h9v2h-9zM28 0h9v2h-9z",
    triangle: "M0 11L6 0L12 11z",
    rect: "M0 0h11v11h-11z",
    diamond: "M6 0L12 6L6 12L0 6z",
    emptyTriangle: "M0 11L6 0L12 11zM3 9.2h6L6 3.5z",
    emptyRect: "M0 0h11v11h-11zM2 2v7h7v-7z",
    emptyDiamond: "M6 0L12 6L6 12L0 6zM6 2.8L2.8 6L6 9.2L9.2 6z",
    emptyCircle: "M0 6a6 6 0 0 1 12 0a6 6 0 0 1 -12 0zM2 6a4 4 0 0 0 8 0a4 4 0 0 0 -8 0z"
  };
  function entry(s) {
    var own = s.type === "scatter" || s.type === "line" && s.symbol === "none" && (!s.lineStyle || s.lineStyle.type !== "solid");
    if (s.icon) return {name: s.name, icon: "path://" + ICONS[s.icon]};
    return own && ICONS[s.symbol] ? {name: s.name, icon: "path://" + ICONS[s.symbol]} : {name: s.name};
  }

  // corners returns an invisible series that spans the axes, because ECharts rounds the end of a
  // log axis to the digits of the data.
  function corners(x, y) {
    return {type: "line", data: [[x.data ? 0 : x.min, y.data ? 0 : y.min], [x.data ? 0 : x.max, y.data ? 0 : y.max]], symbol: "none", silent: true,
      lineStyle: {opacity: 0}, tooltip: {show: false}};
  }

  // safe returns a value in whose texts no line is the name of a property that every object has.
  // ECharts uses texts as keys of objects, and would write to that property. An invisible word
  // joiner changes such a line.
  function safe(v) {
    if (typeof v === "string") return v.split("\n").map(function (l) { return l in {} ? "\u2060" + l : l; }).join("\n");
    if (v && typeof v === "object") Object.keys(v).forEach(function (k) { v[k] = safe(v[k]); });
    return v;
  }

  // paint replaces the colours of an option, or of a shape, by those of the dark mode.
  function paint(v) {
    Object.keys(v).forEach(function (k) {
      var x = v[k];
      if (/^(color|fill|stroke|backgroundColor|borderColor)$/.test(k) && typeof x === "string") v[k] = tone(x, true);
      else if (k === "opacity" && x === 0.3) v[k] = 0.6; // faint symbols, which the dark would swallow
      else if (k === "renderItem") v[k] = function () { return paint(x.apply(this, arguments)); };
      else if (x && typeof x === "object" && !Array.isArray(x[0])) paint(x);
    });
    return v;
  }

  // legendRows returns the rows that a legend of some names takes, filled as ECharts fills them.
  function legendRows(names, width) {
    var rows = 0, used = Infinity;
    names.forEach(function (n) {
      var w = 42 + 5 + widthOf(n, FONT) + GAP;
      if (used + w > width - 32) { rows++; used = 0; }
      used += w;
    });
    return names.length < 2 ? 0 : rows;
  }

  // namesOf returns the different names of some series.
  function namesOf(series) {
    return series.map(function (s) { return s.name; }).filter(function (n, i, all) { return n && all.indexOf(n) === i; });
  }

  // build returns the ECharts options of frame i at a width, and the heights that the plots have and use. The live chart passes a function that tells which series are
  // switched off, and whether the page is dark. Without them the picture is still, and shows what
  // the slider would say.
  function build(echarts, spec, i, width, selected, dark) {
    var o = safe(JSON.parse(JSON.stringify(spec.option))), x = o.xAxis[0], y = o.yAxis[0], lower = o.yAxis[1], frame = spec.frames[i];
    o.series = o.series.concat(safe(JSON.parse(JSON.stringify(frame.series))));
    // a band, and error bars on lines and points, have the data of the series before
    o.series.forEach(function (s, k) {
      if (!s.renderItem || s.data) return;
      s.data = o.series[k - 1].data.map(function (d) {
        var v = d.value || d;
        return [v[0], y.type === "log" ? Math.max(v[2], y.min) : v[2], v[3]];
      });
    });
    var text = wrap(o.title.text, 19, width - 40), sub = spec.label && !selected ? spec.label + " = " + frame.value : "";
    var xs = tickLabels(x), ys = y.show === false ? [] : tickLabels(y);
    if (lower) ys = ys.concat(tickLabels(lower));
    var left = y.show === false ? 24 : Math.ceil(widest(ys, FONT)) + (y.name ? 52 : 28);
    // half of the first and the last label of x stands out beside the grid
    var right = x.show === false || x.data ? 28 : Math.max(28, Math.ceil(widthOf(xs[xs.length - 1] || "", FONT) / 2) + 8);
    if (x.show !== false && !x.data) left = Math.max(left, Math.ceil(widthOf(xs[0] || "", FONT) / 2) + 8);
    var top = 14 + 25 * text.length + (sub ? 24 : 0) + (text.length ? 16 : 6);

    // The legend lies below the grid, which keeps its place from frame to frame.
    var rows = spec.frames.reduce(function (most, f) {
      return Math.max(most, legendRows(namesOf(spec.option.series.concat(f.series)), width));
    }, 0);
    // labels of categories that have no room: numbers in a row are thinned out, others turned
    var room = (width - left - right) / xs.length, crowded = x.data && widest(xs, FONT) + 10 > room;
    var counts = crowded && xs.every(function (t, i) { return t === String(+xs[0] + i); }), turn = crowded && !counts;
    if (turn) left = Math.max(left, 0.87 * widthOf(xs[0], FONT) - room / 2 + 12);
    var below = x.show === false ? 8 : (turn ? Math.ceil(widest(xs, FONT) * 0.5) + 18 : 26) + (x.name ? 28 : 0);
    // the name of x may be wider than the grid, and not than what lies around its middle
    var middle = left + (width - left - right) / 2, named = wrap(x.name, FONT + 1, 2 * Math.min(middle, width - middle) - 8);
    x.name = named.join("\n");
    below += 20 * Math.max(0, named.length - 1);
    var bottom = 12 + ROW * rows + below;
    var w = width - left - right;
    if (x.type === "value" && x.interval) while (widest(xs, FONT) + 12 > w * x.interval / (x.max - x.min) && x.interval < x.max - x.min) x.interval *= 2;
    top += 20 * markRows(o, left, w, width);
    var plot = spec.height - top - bottom, h = plot, nameGap = left - 24;
    if (spec.equal) { // shrink the longer side, keep the middle
      var unit = Math.min(w / (x.max - x.min), h / (y.max - y.min));
      left += (w - unit * (x.max - x.min)) / 2;
      top += (h - unit * (y.max - y.min)) / 2;
      w = unit * (x.max - x.min);
      h = unit * (y.max - y.min);
    }
    if (lower) h = Math.round(0.7 * h) - 10; // the upper plot
    if (!y.data) levels(o, top, w, h);
    var bars = o.series.filter(function (s) { return s.type === "bar"; }).length;

    o.tooltip.formatter = o.tooltip.formatter === "@dpb:axis" ? atPlace(echarts, o, selected, dark) : atPoint(echarts, o);
    o.tooltip.confine = true;
    o.tooltip.textStyle = {fontSize: FONT, color: INK};
    o.tooltip.backgroundColor = "#ffffff";
    o.series.forEach(dress);
    if (x.type === "log" || y.type === "log") o.series.push(corners(x, y));
    x.axisLabel.margin = 10;
    x.nameGap = below - 20 - 10 * Math.max(0, named.length - 1);
    if (turn) { x.axisLabel.rotate = 30; x.nameGap -= 4; }
    if (x.data) x.axisLabel.interval = counts ? Math.ceil((widest(xs, FONT) + 10) / room) - 1 : 0;
    if (y.data) y.axisLabel.interval = 0;
    y.nameGap = nameGap;
    dressAxis(x);
    dressAxis(y);
    o.grid = {left: left, top: top, width: w, height: h};
    if (lower) {
      lower.nameGap = nameGap;
      dressAxis(lower);
      // the axis x stands below both plots
      o.xAxis = [Object.assign({}, x, {name: "", axisLabel: {show: false}, axisTick: {show: false}}), Object.assign({}, x, {gridIndex: 1})];
      lower.gridIndex = 1;
      o.grid = [o.grid, {left: left, top: top + h + 20, width: w, height: plot - h - 20}];
    }
    o.title = {text: safe(text.join("\n")), subtext: safe(sub), left: 16, top: 12, itemGap: 6,
      textStyle: {fontSize: 19, fontWeight: "bold", color: INK, lineHeight: 25}, subtextStyle: {fontSize: 16, color: INK}};
    o.legend = {show: rows > 0, data: o.series.filter(function (s) { return s.name; }).map(entry), bottom: 8, left: "center", width: width - 32, itemWidth: 42, itemGap: GAP,
      textStyle: {fontSize: FONT, color: INK}};
    if (bars > 1) o.aria = {enabled: true, decal: {show: true}, label: {enabled: false}};
    o.textStyle = {fontFamily: "sans-serif", fontSize: FONT};
    o.animation = false;
    o.backgroundColor = "#ffffff";
    return {option: dark ? paint(o) : o, plot: plot, used: lower ? plot : h};
  }

  function option(echarts, spec, i, width, selected, dark) {
    return build(echarts, spec, i, width, selected, dark).option;
  }

  // height returns the height of a live figure at a width, in pixels. Where a narrow page wraps the
  // title and the legend into more rows, the figure grows, so that 220 are left to the plot, or all
  // that it has at the spec's own width. Where a plot with equal axes cannot use its height, the
  // figure shrinks.
  function height(echarts, spec, width) {
    function at(width) {
      var b = build(echarts, spec, spec.start, width, Object);
      return {plot: b.plot, idle: b.plot - b.used};
    }
    var own = at(spec.width), now = at(width);
    return spec.height + Math.max(0, Math.min(220, own.plot) - now.plot) - Math.max(0, now.idle - own.idle);
  }

  return {option: option, height: height};
})();
