// Lets a reader change a cell of a page and run it there, by the worker of notebooks/lite. LITE is the
// folder that `make lite` made, as the page sees it; CELLS are the notebook's code cells in their
// order, id and source. A page that was opened from a disk may start no worker, and offers nothing.
(function (LITE, CELLS) {
  if (!/^http/.test(location.protocol)) return;
  var base = new URL(LITE + "extensions/dpbandits-go/", location.href).href;
  var worker, modules = {}; // what the next worker takes over
  var job = null, jobs = 0; // what runs now

  function boot() {
    worker = new Worker(base + "worker.js");
    worker.onerror = function (e) {
      e.preventDefault();
      end("the worker did not start" + (e.message ? ": " + e.message : ""));
    };
    worker.onmessage = function (e) {
      var m = e.data;
      if (m.type === "modules") modules = m.modules;
      if (m.type === "ready" && m.error) end(m.error);
      if (!job) return;
      if (m.type === "loading") job.loading(m);
      if (m.type === "stream") job.write(m.text);
      if (m.type === "display") job.display(m);
      if (m.type === "done" && m.id === job.id) {
        var done = job;
        job = null;
        done.done(m);
      }
    };
    worker.postMessage({type: "start", base: base, scale: "smoke", state: null, modules: modules});
  }

  // end stops the worker.
  function end(why) {
    worker.terminate();
    worker = null;
    var stopped = job;
    job = null;
    if (stopped) stopped.done({status: "error", traceback: [why]});
  }

  function editable(spec, index) {
    var root = document.getElementById("cell-id=" + spec.id), code = root.querySelector(".highlight");
    var made = outputs(root), own = made.own, place = made.place;
    var form = document.createElement("form");
    form.className = "dpb-edit";
    code.parentNode.insertBefore(form, code.nextSibling);
    var open = element(form, "button", "", "Edit this cell");
    open.type = "button";
    open.setAttribute("aria-label", "Edit this cell, number " + (index + 1));
    open.addEventListener("click", function () {
      open.remove();
      edit();
    });

    function edit() {
      var text = document.createElement("textarea"), source = spec.source;
      text.value = source;
      text.spellcheck = false;
      text.rows = source.split("\n").length + 1;
      text.setAttribute("aria-label", "Go code of this cell");
      form.insertBefore(text, form.firstChild);
      code.hidden = true;
      text.focus();
      var run = element(form, "button", "", "Run"), stop = element(form, "button", "", "Stop"), back = element(form, "button", "", "As it was");
      var said = element(form, "output", "", "Shift+Enter runs it, in fewer trials than the notebook's own: " +
        "numbers may differ. The first run fetches Go's compiler: 17 MB, once.");
      stop.type = back.type = "button";
      stop.disabled = true;
      text.addEventListener("input", function () { spec.source = text.value; }); // for the cells below, too
      text.addEventListener("keydown", function (e) {
        if (e.key !== "Enter" || !e.shiftKey) return;
        e.preventDefault();
        form.requestSubmit();
      });

      form.addEventListener("submit", function (e) {
        e.preventDefault();
        if (job) {
          if (form.dataset.state !== "running") said.textContent = "another cell is running";
          return;
        }
        var from = performance.now(), pre = null, letters = 0, shown = {}, began = false;
        function begin() {
          if (began) return;
          began = true;
          clear(place);
          place.hidden = false;
          own.hidden = true;
        }
        form.dataset.state = "running";
        said.setAttribute("aria-live", "off"); // nobody wants the megabytes read out
        run.disabled = true;
        stop.disabled = false;
        said.textContent = "running";
        if (!worker) boot();
        job = {
          id: ++jobs,
          loading: function (m) {
            said.textContent = m.loaded < m.total ? "Go: " + (m.loaded / 1e6).toFixed(1) + " of " + (m.total / 1e6).toFixed(1) + " MB" : "running";
          },
          write: function (t) {
            begin();
            pre = pre || element(place, "pre");
            if (letters < 1e5) pre.append(t); // a page can hold no more than a reader can
            else if (letters < Infinity) pre.append("\n... and more");
            letters = letters < 1e5 ? letters + t.length : Infinity;
          },
          display: function (m) {
            begin();
            pre = null;
            var into = m.id && shown[m.id] || element(place, "div");
            if (m.id) shown[m.id] = into;
            clear(into);
            if (m.mime === "text/html" || m.mime === "image/svg+xml") show(into, m.content);
            else if (m.mime === "image/png") element(into, "img").src = "data:image/png;base64," + m.content;
            else element(into, "pre", "", m.content);
          },
          done: function (m) {
            begin();
            if (m.status === "error") element(place, "pre", "dpb-error", m.traceback.join("\n"));
            form.dataset.state = m.status;
            run.disabled = false;
            stop.disabled = true;
            said.setAttribute("aria-live", "polite");
            said.textContent = (m.status === "error" ? "failed after " : "took ") + ((performance.now() - from) / 1000).toFixed(1) + " s";
          },
        };
        // What the cells above declare, as they stand now, and nothing else.
        var above = CELLS.slice(0, index).map(function (c, i) { return {code: c.source, count: i + 1}; });
        worker.postMessage({type: "declare", id: 0, cells: above});
        worker.postMessage({type: "execute", id: job.id, code: spec.source, count: index + 1});
      });
      stop.addEventListener("click", function () { end("stopped"); });
      back.addEventListener("click", function () {
        if (form.dataset.state === "running") end("stopped");
        text.value = spec.source = source;
        clear(place);
        place.hidden = true;
        own.hidden = false;
        said.textContent = "";
      });
    }
  }

  CELLS.forEach(editable);
})
