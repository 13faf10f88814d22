// live replaces the static picture of one figure by the live chart, wherever the page holds the
// figure. Without a library it leaves the page as it is.
function live(id, spec, alt, lib) {
  // library returns one promise a page: the ECharts of the page, else that of the notebook server,
  // else that of the CDN. The text of the library runs with define, module and exports hidden, as
  // otherwise a page with RequireJS fails.
  function library() {
    if (window.echarts && window.echarts.init) return Promise.resolve(window.echarts);
    if (window.dpbEcharts) return window.dpbEcharts;
    var urls = [lib.cdn], config = document.getElementById("jupyter-config-data");
    try {
      if (config) urls.unshift((JSON.parse(config.textContent).baseUrl || "/") + "static/dpbandits/echarts.min.js");
    } catch (e) { /* not a notebook server's page */ }
    function get(i) {
      return fetch(urls[i], {integrity: lib.integrity, credentials: i < urls.length - 1 ? "same-origin" : "omit"}).then(function (r) {
        if (!r.ok) throw new Error(urls[i] + ": " + r.status);
        return r.text();
      }).catch(function (e) {
        if (i + 1 < urls.length) return get(i + 1);
        throw e;
      });
    }
    window.dpbEcharts = get(0).then(function (text) {
      var script = document.createElement("script");
      script.textContent = "(function (define, module, exports) {" + text + "\n}).call(window);";
      document.head.appendChild(script).remove();
      if (!window.echarts) throw new Error("echarts did not start");
      return window.echarts;
    });
    // the next figure asks again
    window.dpbEcharts.catch(function () { window.dpbEcharts = null; });
    return window.dpbEcharts;
  }

  function start(echarts, root) {
    if (root.hasAttribute("data-dpb-live")) return;
    var img = root.querySelector(".dpb-static"), place = root.querySelector(".dpb-live"), caption = root.querySelector(".dpb-caption");
    var width = img.clientWidth || root.clientWidth, height = dpb.height(echarts, spec, width), frame = spec.start;
    if (!width) throw new Error("the figure is not on the screen yet");
    place.textContent = "";
    place.style.cssText = "border-radius:8px;overflow:hidden";
    var canvas = element(place, "div", "width:100%;height:" + height + "px");
    canvas.style.width = width + "px";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", alt);
    var chart = echarts.init(canvas, null, {renderer: "canvas", width: width, height: height});
    function hidden() {
      var o = chart.getOption();
      return o && o.legend ? o.legend[0].selected : {};
    }
    function draw() {
      var off = hidden(), option = dpb.option(echarts, Object.assign({}, spec, {height: height}), frame, width, hidden, dark);
      option.legend.selected = off; // what the reader switched off stays off
      chart.setOption(option, {notMerge: true});
    }
    var dark = false;
    watchMode(root, function (now) {
      dark = now;
      place.style.background = tone("#ffffff", dark);
      place.style.color = tone("#222222", dark);
      draw();
    });
    canvas.style.width = "100%";
    if (spec.frames.length > 1) {
      slider(place, spec.label, spec.frames.map(function (f) { return f.value; }), frame, function (i) {
        frame = i;
        draw();
        if (caption) caption.textContent = spec.frames[i].caption;
      });
    }
    img.style.display = "none";
    hideNote(root);
    root.setAttribute("data-dpb-live", "1");
    if (window.ResizeObserver) {
      new ResizeObserver(function () {
        if (!canvas.clientWidth || canvas.clientWidth === width) return;
        width = canvas.clientWidth;
        height = dpb.height(echarts, spec, width);
        canvas.style.height = height + "px";
        chart.resize({width: width, height: height});
        draw();
      }).observe(canvas);
    }
  }

  // A notebook may run the script before the element is on the page, or in a hidden tab. So ask
  // again for a while.
  var tries = 0;
  function attempt(echarts) {
    var waiting = false, found = document.querySelectorAll('[id="' + id + '"]');
    found.forEach(function (root) {
      try { start(echarts, root); } catch (e) {
        waiting = true;
        if (tries === 60) console.warn("dpbandits: " + e.message);
      }
    });
    if ((waiting || !found.length) && ++tries <= 60) setTimeout(attempt, 50 + 20 * tries, echarts);
  }
  library().then(attempt).catch(function (e) { console.info("dpbandits: static figures only: " + e.message); });
}
