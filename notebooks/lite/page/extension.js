// The Go kernel's extension of JupyterLite, as the module that JupyterLab's loader wants of a
// prebuilt extension: no bundler makes it.
"use strict";

(() => {
  const base = new URL(".", document.currentScript.src).href;
  let shared; // JupyterLab's packages, by name and version

  async function use(name) {
    const versions = Object.values(shared[name] || {});
    if (!versions.length) throw new Error(`JupyterLite shares no ${name}`);
    return (await versions[0].get())();
  }

  // A line in the corner of the page, while something is loading.
  let corner = null;
  function meter({loaded, total}) {
    if (!corner) {
      corner = document.createElement("div");
      corner.setAttribute("role", "status");
      corner.style.cssText = "position:fixed;right:12px;bottom:36px;z-index:1000;padding:4px 10px;border-radius:4px;font:13px sans-serif;" +
        "background:var(--jp-layout-color2,#eee);color:var(--jp-ui-font-color1,#222);box-shadow:0 1px 4px #0006";
    }
    const done = loaded >= total;
    if (done) corner.remove();
    else if (!corner.isConnected) document.body.append(corner);
    const mb = n => (n / 1e6).toFixed(1);
    corner.textContent = `Go: ${mb(loaded)} of ${mb(total)} MB`;
  }

  // JupyterLite's service worker answers from the cache "precache" when there is no network, but for
  // what lies below api/, and fills it with what is asked of it after it has started. keep adds what
  // was asked for before, and remember does the same for api/.
  performance.setResourceTimingBufferSize(5000);
  async function keep() {
    if (!window.caches) return;
    const cache = await caches.open("precache");
    const here = performance.getEntriesByType("resource").map(e => e.name).filter(u => u.startsWith(location.origin + "/") && !u.includes("/api/"));
    const own = ["worker.js", "unpack.js", "fzstd.js", "files.js", "wasm_exec.js", "../../static/dpbandits/echarts.min.js"].map(f => new URL(f, base).href);
    const pages = ["lab/", "lab/index.html", "notebooks/", "notebooks/index.html"].map(f => new URL("../../" + f, base).href);
    for (const url of new Set([...pages, ...here, ...own])) {
      if (!await cache.match(url)) await cache.add(url).catch(() => {});
    }
    window.goKept = true;
  }
  const fetchNow = window.fetch;
  window.fetch = async (request, options) => {
    const url = new URL(request.url || request, location.href);
    const method = (options && options.method) || request.method || "GET";
    if (!window.caches || method !== "GET" || url.origin !== location.origin || !url.pathname.includes("/api/")) return fetchNow(request, options);
    const cache = await caches.open("dpbandits-go");
    try {
      const response = await fetchNow(request, options);
      if (response.ok) await cache.put(url.href.split("?")[0], response.clone()).catch(() => {});
      return response;
    } catch (e) {
      const kept = await cache.match(url.href.split("?")[0]);
      if (kept) return kept;
      throw e;
    }
  };

  // The worker of the first kernel starts while Jupyter does. What it says is kept until the kernel
  // hears it.
  const scale = new URLSearchParams(location.search).get("scale") || "smoke";
  function start(state, modules, path) {
    const worker = new Worker(base + "worker.js"), early = [];
    worker.onmessage = e => early.push(e);
    worker.onerror = e => {
      e.preventDefault();
      early.push(e);
    };
    worker.postMessage({type: "start", base, scale, state, modules, path});
    return {worker, early};
  }
  const path = new URLSearchParams(location.search).get("path");
  let first = /\.ipynb$/.test(path) ? start(null, {}, path) : null;

  function makeKernel(BaseKernel) {
    return class GoKernel extends BaseKernel {
      constructor(options) {
        super(options);
        this.jobs = new Map();
        this.next = 1;
        this.state = null;
        this.modules = {};
        this.shown = new Set();
        this.boot();
      }

      boot() {
        const {worker, early} = first || start(this.state, this.modules);
        first = null;
        this.worker = worker;
        this.started = new Promise((resolve, reject) => {
          worker.onmessage = ({data}) => this.hear(data, resolve, reject);
          worker.onerror = e => {
            e.preventDefault();
            const text = e.message || "the worker did not start";
            reject(new Error(text));
            this.fail("worker", text);
          };
        });
        this.started.catch(() => {});
        for (const e of early) (e.type === "message" ? worker.onmessage : worker.onerror)(e);
      }

      hear(m, resolve, reject) {
        switch (m.type) {
        case "ready":
          if (m.error) reject(new Error(m.error));
          else resolve();
          break;
        case "loading":
          meter(m);
          break;
        case "modules":
          this.modules = m.modules;
          keep();
          break;
        case "state":
          this.state = m.state;
          break;
        case "stream":
          this.stream({name: m.name, text: m.text});
          break;
        case "display": {
          const content = {data: {[m.mime]: m.content}, metadata: {}, transient: m.id ? {display_id: m.id} : {}};
          if (m.id && this.shown.has(m.id)) {
            this.updateDisplayData(content);
            break;
          }
          this.shown.add(m.id);
          this.displayData(content);
          break;
        }
        case "done": {
          const job = this.jobs.get(m.id);
          this.jobs.delete(m.id);
          if (window.goTimes) window.goTimes.push(m.times);
          if (job) job(m);
        }
        }
      }

      // fail ends what is running, and starts anew with the declarations so far.
      fail(ename, evalue) {
        this.worker.terminate();
        const jobs = [...this.jobs.values()];
        this.jobs.clear();
        this.boot();
        for (const job of jobs) job({status: "error", ename, evalue, traceback: [evalue]});
      }

      interrupt() {
        if (this.jobs.size) this.fail("interrupted", "interrupted; what the cells above declare is kept");
      }

      dispose() {
        if (this.isDisposed) return;
        this.worker.terminate();
        super.dispose();
      }

      async kernelInfoRequest() {
        return {
          status: "ok", protocol_version: "5.3", implementation: "dpbandits-go", implementation_version: "1",
          banner: "Go's own compiler, in this page", help_links: [],
          language_info: {name: "go", version: "", mimetype: "text/x-go", file_extension: ".go", codemirror_mode: "go", pygments_lexer: "go"},
        };
      }

      // ask sends the worker a message and waits for its answer.
      ask(message) {
        const id = this.next++;
        return new Promise(resolve => {
          this.jobs.set(id, resolve);
          this.started.then(
            () => this.worker.postMessage({...message, id}),
            e => {
              this.jobs.delete(id);
              resolve({status: "error", ename: "kernel", evalue: e.message, traceback: [e.message]});
            });
        });
      }

      async executeRequest({code}) {
        const count = this.executionCount;
        const result = await this.ask({type: "execute", code, count});
        if (result.status === "ok") return {status: "ok", execution_count: count, user_expressions: {}};
        const {ename, evalue, traceback} = result;
        this.publishExecuteError({ename, evalue, traceback});
        return {status: "error", execution_count: count, ename, evalue, traceback};
      }

      async completeRequest({code, cursor_pos}) {
        const {names = [], start = cursor_pos, end = cursor_pos} = await this.ask({type: "help", code, at: cursor_pos});
        return {status: "ok", matches: names, cursor_start: start, cursor_end: end, metadata: {}};
      }

      async inspectRequest({code, cursor_pos}) {
        const {text} = await this.ask({type: "help", code, at: cursor_pos});
        return {status: "ok", found: !!text, data: text ? {"text/plain": text} : {}, metadata: {}};
      }

      async isCompleteRequest() { return {status: "unknown"}; }
      async commInfoRequest() { return {status: "ok", comms: {}}; }
      inputReply() {}
      async commOpen() {}
      async commMsg() {}
      async commClose() {}
    };
  }

  async function plugins() {
    const {BaseKernel, IKernelSpecs, IKernelClient} = await use("@jupyterlite/services");
    const GoKernel = makeKernel(BaseKernel);
    const style = Object.assign(document.createElement("link"), {rel: "stylesheet", href: base + "notebook.css"});
    document.head.append(style);
    const kernels = new Map();
    return [{
      // The layout of the last visit comes back, and would put its notebook before the one of the address.
      id: "dpbandits-go:front",
      autoStart: true,
      activate(app) {
        const path = new URLSearchParams(location.search).get("path");
        if (!path || !location.pathname.includes("/lab/")) return;
        app.restored.then(() => {
          if (innerWidth < 900) app.shell.collapseLeft(); // the list of files would leave no room
          app.commands.execute("docmanager:open", {path});
        });
      },
    }, {
      id: "dpbandits-go:kernel",
      autoStart: true,
      requires: [IKernelSpecs],
      activate(app, specs) {
        specs.register({
          spec: {name: "gonb", display_name: "Go (in this page)", language: "go", argv: [], resources: {}},
          create: async options => {
            const kernel = new GoKernel(options);
            kernels.set(kernel.id, kernel);
            kernel.disposed.connect(() => {
              if (kernels.get(kernel.id) === kernel) kernels.delete(kernel.id);
            });
            return kernel;
          },
        });
      },
    }, {
      // JupyterLite's interrupt drops the cells that wait, and tells a kernel nothing.
      id: "dpbandits-go:interrupt",
      autoStart: true,
      requires: [IKernelClient],
      activate(app, client) {
        const before = client.interrupt.bind(client);
        client.interrupt = async id => {
          await before(id);
          const kernel = kernels.get(id);
          if (kernel) kernel.interrupt();
        };
      },
    }];
  }

  (window._JUPYTERLAB = window._JUPYTERLAB || {})["dpbandits-go"] = {
    init(scope) { shared = scope; },
    async get(name) {
      if (name !== "./extension") throw new Error(`dpbandits-go has no ${name}`);
      const list = await plugins();
      return () => ({__esModule: true, default: list});
    },
  };
})();
