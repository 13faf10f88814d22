// Gives cells of a page their controls, and runs them: a program in WebAssembly, unpacked once and
// started in a worker for each run. WORKER is the text of Go's wasm_exec.js, CELLS what
// charts/pages says of the notebook.
(function (CELLS, WORKER) {
  var programs; // a promise of the compiled program

  function program() {
    return programs = programs || (async function () {
      var packed = Uint8Array.from(atob(document.getElementById("dpb-program").textContent), function (c) { return c.charCodeAt(0); });
      var stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      return WebAssembly.compileStreaming(new Response(stream, {headers: {"Content-Type": "application/wasm"}}));
    })();
  }

  // work is what runs in the worker, after wasm_exec.js: one run of the program. It hands on what the
  // program writes, as bytes.
  function work() {
    onmessage = async function (e) {
      var go = new Go();
      go.argv = ["page"].concat(e.data.args);
      go.exit = function (status) {
        postMessage({status: status});
        close();
      };
      globalThis.fs.writeSync = function (fd, bytes) {
        postMessage({bytes: bytes.slice()});
        return bytes.length;
      };
      try {
        var instance = await WebAssembly.instantiate(e.data.program, go.importObject);
        postMessage({ready: true});
        await go.run(instance);
      } catch (error) {
        postMessage({error: error.message});
      }
    };
  }
  var source;
  function worker() {
    source = source || URL.createObjectURL(new Blob([WORKER, "\n(", work, ")();"], {type: "text/javascript"}));
    return new Worker(source);
  }

  // lines calls line with each line of UTF-8 that comes in pieces.
  function lines(line) {
    var decoder = new TextDecoder(), rest = "";
    return function (bytes) {
      var parts = (rest + decoder.decode(bytes, {stream: true})).split("\n");
      rest = parts.pop();
      parts.forEach(line);
    };
  }

  // control adds a slider and a field of one number, and returns a function that tells the number.
  function control(form, c) {
    var row = element(form, "span", "", c.name), slider = element(row, "input"), field = element(row, "input");
    var to = c.log ? Math.log : Number, from = c.log ? Math.exp : Number, steps = c.whole ? Math.min(200, c.log ? 200 : c.to - c.from) : 200;
    function round(x) {
      x = c.whole ? Math.round(x) : +x.toPrecision(3);
      return Math.min(Math.max(x, c.from), c.to);
    }
    slider.type = "range";
    slider.max = steps;
    slider.setAttribute("aria-label", c.name + ", slider");
    field.type = "number";
    field.setAttribute("aria-label", c.name);
    field.min = c.from;
    field.max = c.to;
    field.step = c.whole ? 1 : "any";
    field.required = true;
    field.value = c.start;
    function follow() { slider.value = Math.round((to(+field.value) - to(c.from)) / (to(c.to) - to(c.from)) * steps); }
    slider.addEventListener("input", function () {
      field.value = round(from(to(c.from) + slider.value / steps * (to(c.to) - to(c.from))));
    });
    field.addEventListener("input", follow);
    follow();
    if (c.notebook) element(row, "small", "", "notebook: " + c.notebook);
    return function () { return c.name + "=" + field.value; };
  }

  function cell(spec) {
    var root = document.getElementById("cell-id=" + spec.id);
    var made = outputs(root), own = made.own, place = made.place;
    var form = document.createElement("form");
    form.className = "dpb-rerun";
    form.setAttribute("aria-label", "Compute this figure again");
    root.insertBefore(form, own);
    var values = spec.controls.map(function (c) { return control(form, c); });
    var bar = element(form, "div");
    var run = element(bar, "button", "", "Run"), stop = element(bar, "button", "", "Stop"), back = element(bar, "button", "", "Notebook's figure");
    var meter = element(bar, "progress"), said = element(bar, "output");
    stop.type = back.type = "button";
    meter.max = 1;

    var now, clock; // the worker that runs, and what shows its time
    function state(name, text) {
      form.dataset.state = name;
      run.disabled = name === "running";
      stop.disabled = name !== "running";
      back.disabled = place.hidden;
      meter.hidden = name !== "running";
      said.setAttribute("aria-live", name === "running" ? "off" : "polite"); // nobody wants the seconds read out
      if (text !== undefined) said.textContent = text;
    }
    function end(name, text) {
      clearInterval(clock);
      if (now) now.terminate();
      now = null;
      place.style.minHeight = "";
      state(name, text);
    }
    state("idle", "");

    form.addEventListener("submit", async function (e) {
      e.preventDefault();
      var start = performance.now(), args = [spec.id].concat(values.map(function (v) { return v(); })), progress = "", text, began = false;
      function took() { return ((performance.now() - start) / 1000).toFixed(1) + " s"; }
      delete form.dataset.ready;
      form.lines = []; // for tests
      meter.removeAttribute("value");
      state("running", "");
      now = worker();
      clock = setInterval(function () { said.textContent = took() + progress; }, 200);
      // What was shown goes when there is something in its place.
      function begin() {
        if (began) return;
        began = true;
        place.style.minHeight = (place.hidden ? own : place).offsetHeight + "px";
        clear(place);
        place.hidden = false;
        own.hidden = true;
      }
      var line = lines(function (s) {
        form.lines.push(s);
        if (s[0] !== "\x1e") {
          begin();
          text = text || element(place, "pre");
          text.textContent += s + "\n";
          return;
        }
        var message = JSON.parse(s.slice(1)), p = message.progress;
        if (p) {
          if (p.Total) meter.value = p.Done / p.Total;
          progress = ", trial " + Math.min(p.TrialsDone + 1, p.Trials) + " of " + p.Trials;
          return;
        }
        begin();
        text = null;
        show(place, message.html);
      });
      now.onerror = function (e) { end("failed", "the program could not run: " + e.message); };
      now.onmessage = function (e) {
        if (e.data.ready) form.dataset.ready = performance.now() - start;
        if (e.data.bytes) line(e.data.bytes);
        if (e.data.error) end("failed", "the program could not run: " + e.data.error);
        if ("status" in e.data) end(e.data.status ? "failed" : "done", e.data.status ? "ended with status " + e.data.status : "took " + took());
      };
      var mine = now;
      try {
        var compiled = await program();
        mine.postMessage({program: compiled, args: args});
      } catch (e) {
        end("failed", "the program could not be unpacked: " + e.message);
      }
    });
    stop.addEventListener("click", function () { end("stopped", "stopped"); });
    back.addEventListener("click", function () {
      if (now) end("stopped", "stopped");
      clear(place);
      place.hidden = true;
      own.hidden = false;
      state("idle", "");
    });
    // the first who reaches for a control has the program unpacked
    form.addEventListener("pointerenter", program, {once: true});
    form.addEventListener("focusin", program, {once: true});
  }

  CELLS.forEach(cell);
})
