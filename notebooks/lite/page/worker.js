// The kernel's worker: Go's compiler, Go's linker and the cell's program, one after the other, over
// a file system in memory. Messages in: start, execute, declare, help. Out: ready, modules, state,
// loading, stream, display, done.
"use strict";

importScripts("files.js");

let base, index, build, modules = {}, scale;
const decoders = {1: new TextDecoder(), 2: new TextDecoder()};
const encoder = new TextEncoder();

// What a program writes goes to the page at once, until it writes much.
let sink = null; // takes what compiler and linker say, instead
let pending = null, writes = 0, last = 0;
function stdio(fd, data) {
  if (sink !== null) {
    sink += decoders[fd === 1 ? 1 : 2].decode(data, {stream: true});
    return;
  }
  const name = fd === 1 ? "stdout" : "stderr";
  const text = decoders[fd === 1 ? 1 : 2].decode(data, {stream: true});
  if (pending && pending.name !== name) flush();
  pending = pending || {name, text: ""};
  pending.text += text;
  const now = performance.now();
  if (++writes < 200 || now - last > 50 || pending.text.length > 1 << 16) flush();
}
function flush() {
  if (pending) postMessage({type: "stream", ...pending});
  pending = null;
  last = performance.now();
}

globalThis.process = {
  pid: 1, ppid: 1, argv: [], getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [],
  umask: () => 0o22, cwd: () => "/checkout/notebooks", chdir() {},
};
const files = makeFiles(stdio);
globalThis.fs = files.fs;
globalThis.path = {resolve: (...parts) => files.clean(parts.join("/"))};
files.mkdirAll("/tmp");
files.mkdirAll("/checkout/notebooks");
importScripts("wasm_exec.js");

globalThis.gonbDisplay = (mime, content, id) => {
  flush();
  postMessage({type: "display", mime, content, id});
};

// How much of what is wanted has come.
const meter = {loaded: 0, total: 0};
function progress() {
  postMessage({type: "loading", ...meter});
}

// Two workers unpack the files of the site, as this one is busy while Go runs.
const unpackers = [0, 1].map(() => {
  const u = {worker: new Worker("unpack.js"), asked: new Map(), left: 0};
  u.worker.onmessage = ({data: {path, came, data, error}}) => {
    if (came) {
      meter.loaded += came;
      progress();
      return;
    }
    const {size, resolve, reject} = u.asked.get(path);
    u.asked.delete(path);
    u.left -= size;
    if (error) reject(new Error(error));
    else resolve(data);
  };
  u.worker.onerror = e => {
    e.preventDefault();
    for (const {reject} of u.asked.values()) reject(new Error(e.message || "a worker did not start"));
    u.asked.clear();
    u.left = 0;
  };
  return u;
});
function unpack({path, size}) {
  const u = unpackers[0].left <= unpackers[1].left ? unpackers[0] : unpackers[1];
  meter.total += size;
  u.left += size;
  return new Promise((resolve, reject) => {
    u.asked.set(path, {size, resolve, reject});
    u.worker.postMessage({path, size, url: base + "api/" + path});
  });
}

// latest fetches a file whose name tells nothing of what is in it: the one of an earlier visit serves
// where there is no network.
async function latest(url) {
  const kept = globalThis.caches ? await caches.open("dpbandits-go").catch(() => null) : null;
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    if (kept) kept.put(url, response.clone()).catch(() => {});
    return response;
  } catch (e) {
    const response = kept && await kept.match(url);
    if (response) return response;
    throw e;
  }
}

// What later visits find again: programs by what they are made of, and finished trials, which the
// toolkit files by all that they depend on. The oldest go when there are many.
const kept = {
  async open(name) {
    return globalThis.caches ? caches.open("dpbandits-go-" + name).catch(() => null) : null;
  },
  url: key => base + "api/kept?" + encodeURIComponent(key),
  async keys(name) {
    const cache = await this.open(name), list = cache ? await cache.keys().catch(() => []) : [];
    return list.map(r => decodeURIComponent(new URL(r.url).search.slice(1)));
  },
  async has(name, key) {
    const cache = await this.open(name);
    return !!cache && !!await cache.match(this.url(key)).catch(() => null);
  },
  async get(name, key) {
    const cache = await this.open(name), response = cache && await cache.match(this.url(key));
    if (!response) return null;
    return new Uint8Array(await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  },
  async put(name, key, data, most) {
    const cache = await this.open(name);
    if (!cache) return;
    await cache.put(this.url(key), new Response(new Blob([data]).stream().pipeThrough(new CompressionStream("gzip"))));
    const list = await cache.keys();
    await Promise.all(list.slice(0, Math.max(0, list.length - most)).map(r => cache.delete(r)));
  },
};

// unkept are programs that wait to be kept until nothing else is to do, as compressing them takes a while.
const unkept = new Map();
async function keepPrograms() {
  for (const [key, wasm] of unkept) {
    unkept.delete(key);
    await kept.put("programs", key, wasm, 40).catch(() => {}); // no room is no error
  }
}

// digest names data by what is in them; "" where a page may not hash.
async function digest(text) {
  if (!globalThis.crypto || !crypto.subtle) return "";
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(sum.subarray(0, 16), b => b.toString(16).padStart(2, "0")).join("");
}

// trials is where the toolkit keeps the trials of a notebook's experiments.
const trials = "/checkout/build/cache/";
const filed = new Map(); // sizes by path
async function keepTrials() {
  for (const path of files.list(trials)) {
    const data = files.get(path); // null: of an earlier visit, and not wanted yet
    if (!data || filed.get(path) === data.length) continue;
    await kept.put("trials", path, data, 2000);
    filed.set(path, data.length);
  }
}

// bytes returns a file, or a part of one that is kept for its other parts.
const wholes = new Map();
async function bytes(file) {
  if (!file.length) return unpack(file);
  if (!wholes.has(file.path)) {
    wholes.set(file.path, unpack(file).catch(e => {
      wholes.delete(file.path);
      throw e;
    }));
  }
  return (await wholes.get(file.path)).subarray(file.at || 0, (file.at || 0) + file.length);
}

async function module(name) {
  modules[name] = modules[name] || bytes(index.programs[name]).then(b => WebAssembly.compile(b)).catch(e => {
    delete modules[name]; // who needs it asks again
    throw e;
  });
  return modules[name];
}

// ready are programs that the site has of its own cells, files by keys.
const ready = {}, readied = new Map();
function fetchReady(key) {
  if (ready[key] && !readied.has(key)) {
    readied.set(key, bytes(ready[key]).then(b => WebAssembly.compile(b)).catch(() => { // it is compiled here, then
      delete ready[key];
    }));
  }
  return readied.get(key);
}

// run runs a program, and returns its status.
async function run(module, args, env) {
  const go = new Go();
  let code = 0;
  go.argv = args;
  go.env = {TMPDIR: "/tmp", HOME: "/tmp", GOMAXPROCS: "1", ...env};
  go.exit = c => { code = c; };
  const instance = await WebAssembly.instantiate(module, go.importObject);
  try {
    await go.run(instance);
  } finally {
    files.closeAll();
    for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // it would wake a program that has ended
  }
  return code;
}

async function quiet(module, args, env) {
  sink = "";
  try {
    const code = await run(module, args, env);
    return {code, said: sink};
  } finally {
    sink = null;
  }
}

function cells(request) {
  return JSON.parse(goCells(JSON.stringify(request)));
}

async function start(message) {
  base = message.base;
  scale = message.scale;
  Object.assign(modules, message.modules);
  const [text, all] = await Promise.all(["index.json", "ready.json"].map(async name => (await latest(base + "api/" + name)).text()));
  index = JSON.parse(text);
  build = await digest(text);
  const lists = JSON.parse(all), first = Object.keys(build && lists[message.path] || {});
  Object.assign(ready, ...Object.values(lists));
  for (const key of first) fetchReady(key);
  // What pkg/cmd/stamp tells a program that is linked elsewhere; a command line has no room for it.
  const stamp = Object.keys(index.packages).map(p => `${p}=${build}`).join(" ");
  files.put("/tmp/stamp", encoder.encode(`-X=github.com/dpbandits/dpbandits/pkg/internal/built.built=${stamp}\n`));
  for (const [path, p] of Object.entries(index.packages)) {
    files.lazy(exported(path), 0, () => bytes(p.exports));
    files.lazy(objects(path), 0, () => bytes(p.objects));
  }
  for (const [path, f] of Object.entries(index.files)) files.lazy(path, 0, () => bytes(f));
  for (const [name, half] of [["compile", exported], ["link", objects]]) {
    files.put(`/tmp/${name}cfg`, encoder.encode(Object.keys(index.packages).map(p => `packagefile ${p}=${half(p)}\n`).join("")));
  }
  files.lazy("/echarts.min.js", 0, async () => new Uint8Array(await (await fetch(base + "../../static/dpbandits/echarts.min.js")).arrayBuffer()));
  const [programs, finished] = await Promise.all([kept.keys("programs"), kept.keys("trials")]);
  for (const path of finished) {
    files.lazy(path, 0, async () => {
      const data = await kept.get("trials", path).catch(() => null);
      if (!data) throw Object.assign(new Error(path), {code: "ENOENT"}); // damaged, or another tab has let it go
      filed.set(path, data.length);
      return data;
    });
  }
  const there = new Promise(resolve => { globalThis.goCellsReady = resolve; });
  const parts = module("cells").then(m => run(m, ["cells"], {}));
  await Promise.race([there, parts.then(() => { throw new Error("the kernel has ended"); })]);
  parts.catch(e => { throw e; });
  cells({Do: "packages", Packages: names()});
  declared = message.state;
  if (declared) cells({Do: "restore", State: declared});
  if (!programs.length && !first.length) warm();
  rest(8000); // Jupyter starts until then
  if (!message.path) return;
  fetch(`${base}../../files/${message.path}`).then(r => r.json()).then(({cells}) => {
    next.cells = cells.filter(c => c.cell_type === "code").map(c => [].concat(c.source).join(""));
  }).catch(() => {}); // a notebook of the reader's own
}

// warm fetches what the first cell wants that was not run before, as it is or at a later visit.
let warming = null, idle = 0, imports = [];
function warm() {
  const archives = fetchAll(imports);
  archives.catch(() => {}); // who needs them asks again
  if (warming) return;
  warming = Promise.all(["compile", "link"].map(module).concat(archives)).then(async () => {
    const all = {};
    for (const [name, m] of Object.entries(modules)) all[name] = await m;
    postMessage({type: "modules", modules: all});
  }).catch(() => { warming = null; });
}

// rest does what may be wanted later, if nothing is asked for so long.
function rest(ms) {
  clearTimeout(idle);
  idle = setTimeout(() => {
    warm();
    keepPrograms();
    ahead();
  }, ms);
}

const names = () => Object.fromEntries(Object.entries(index.packages).map(([path, p]) => [path, p.name]));

// commit makes what the last cell declares last. What it imports will be wanted soon.
let declared = null;
function commit() {
  declared = cells({Do: "commit"}).State;
  postMessage({type: "state", state: declared});
  imports = (declared.Imports || []).map(i => /"([^"]+)"/.exec(i.Spec)).filter(Boolean).map(m => m[1]);
}

const exported = path => "/pkg/" + path + ".x", objects = path => "/pkg/" + path + ".a";

// fetchAll starts to fetch what packages export, and the objects of all that they import, the nearest first.
function fetchAll(paths) {
  const seen = new Set(["runtime"]), list = ["runtime"];
  for (const p of paths) if (!seen.has(p)) list.push(p), seen.add(p);
  for (let i = 0; i < list.length; i++) {
    const p = index.packages[list[i]];
    for (const q of (p && p.imports) || []) if (index.packages[q] && !seen.has(q)) list.push(q), seen.add(q);
  }
  const has = p => index.packages[p];
  return Promise.all([...paths.filter(has).map(exported), ...list.filter(has).map(objects)].map(files.fill));
}

const environment = {GOOS: "js", GOARCH: "wasm", GOROOT: "/go", GOGC: "400"};

// keyOf names a program by what it is made of, and of which archives; "" where nothing can be kept.
const keyOf = async program => build && digest([build, program.Run, program.Source].join("\n"));

// make compiles and links a program. One that only declares is not linked, and is empty.
async function make(program, timed = (_, work) => work()) {
  warm();
  const archives = fetchAll(program.Imports || []); // while the compiler comes
  archives.catch(() => {});
  const compile = await timed("compiler", () => module("compile"));
  files.put("/tmp/main.go", encoder.encode(program.Source));
  const compiled = await timed("compile", () => quiet(compile, ["compile", "-o", "/tmp/main.a", "-p", "main", "-complete",
    "-importcfg", "/tmp/compilecfg", "-pack", "-c=1", "-trimpath", "/checkout/notebooks=>", "/tmp/main.go"], environment));
  if (compiled.code) return {error: "compile", text: cells({Do: "explain", Code: compiled.said}).Message};
  if (!program.Run) return {wasm: new Uint8Array(0)};
  const link = await timed("linker", () => module("link"));
  await timed("archives", () => archives);
  const linked = await timed("link", () => quiet(link, ["link", "-o", "/tmp/main.wasm", "-importcfg", "/tmp/linkcfg", "-s", "-w",
    "-buildmode=exe", ...(build ? ["@/tmp/stamp"] : []), "/tmp/main.a"], environment));
  if (linked.code) return {error: "link", text: linked.said};
  const wasm = files.get("/tmp/main.wasm");
  files.remove("/tmp/main.wasm");
  return {wasm};
}

// next is what the reader will want: the notebook's cells as the site has them, of which the ones up
// to until are compiled while nothing else is to do. state is what those before at declare.
const next = {cells: null, state: null, at: 0, until: 3, made: new Map()};
let waiting = 0; // messages that are not answered

// expect looks two cells ahead of one that was run, if it was as the site has it.
function expect(code, count) {
  if (next.cells && next.cells[count - 1] === code) Object.assign(next, {state: declared, at: count, until: count + 2});
}

// ahead compiles the next cell, and asks for its turn again. A cell that is wrong ends it.
function ahead() {
  turn = turn.then(async () => {
    if (waiting || !build || !next.cells || next.at >= Math.min(next.until, next.cells.length)) return;
    cells({Do: "restore", State: next.state});
    try {
      const program = cells({Do: "compose", Code: next.cells[next.at], Count: next.at + 1});
      if (program.Error) return;
      const key = program.Source && await keyOf(program);
      if (key && !ready[key] && !next.made.has(key) && !await kept.has("programs", key)) {
        const {wasm} = await make(program);
        if (!wasm) return;
        next.made.set(key, wasm);
        if (next.made.size > 3) next.made.delete(next.made.keys().next().value); // of a cell that was changed
      }
      next.state = cells({Do: "commit"}).State;
      next.at++;
      ahead();
    } catch (e) { // the cell itself will say so
    } finally {
      cells({Do: "restore", State: declared});
    }
  });
}

async function execute({code, count}) {
  const times = {};
  const timed = async (name, work) => {
    const from = performance.now();
    try {
      return await work();
    } finally {
      times[name] = Math.round(performance.now() - from);
    }
  };
  const fail = (ename, text) => ({status: "error", ename, evalue: text.split("\n")[0], traceback: text.trimEnd().split("\n"), times});
  const program = cells({Do: "compose", Code: code, Count: count});
  if (program.Error) return fail("cell", program.Error);
  if (program.Said) stdio(1, encoder.encode(program.Said));
  flush();
  if (!program.Source) {
    commit();
    expect(code, count);
    return {status: "ok", times};
  }
  const key = await keyOf(program);
  let loaded = await timed("load", () => fetchReady(key)), wasm = null;
  if (!loaded) wasm = next.made.get(key) || unkept.get(key) || key && await timed("kept", () => kept.get("programs", key).catch(() => null));
  const fresh = !loaded && (!wasm || next.made.delete(key));
  if (!loaded && !wasm) {
    const made = await make(program, timed);
    if (made.error) return fail(made.error, made.text);
    wasm = made.wasm;
  }
  if (fresh && key) unkept.set(key, wasm);
  commit();
  expect(code, count);
  if (!program.Run) return {status: "ok", times};
  if (!loaded) loaded = await timed("load", () => WebAssembly.compile(wasm));
  writes = 0;
  const status = await timed("run", () => run(loaded, ["cell", ...(program.Args || [])], {
    SCALE: scale, DPBANDITS_ROOT: "/checkout", DPBANDITS_ECHARTS: "/echarts.min.js", ...(build ? {} : {DPBANDITS_BATCH: "1"}),
    ...(program.Env || {}),
  }));
  flush();
  keepTrials().catch(() => {});
  if (status) {
    stdio(2, encoder.encode(`exit status ${status}\n`));
    flush();
    return fail("exit", `exit status ${status}`);
  }
  return {status: "ok", times};
}

// declare forgets what was declared, takes what cells declare, and runs nothing. What does not parse
// declares nothing.
function declare(list) {
  cells({Do: "restore"});
  for (const {code, count} of list) {
    if (!cells({Do: "compose", Code: code, Count: count}).Error) commit();
  }
  return {status: "ok"};
}

// help completes a name, or says what it is. Positions are in letters on the page, and in bytes here.
let helping = null;
async function help({code, at}) {
  helping = helping || new Promise((resolve, reject) => {
    globalThis.goHelpReady = resolve;
    module("help").then(m => run(m, ["help"], {})).then(reject, reject);
  });
  await helping;
  const ask = n => JSON.parse(goHelp(JSON.stringify({Packages: names(), State: declared, Code: code, At: n})));
  await Promise.all((ask(-1) || []).filter(p => index.packages[p]).map(p => files.fill(exported(p))));
  const found = ask(encoder.encode(code.slice(0, at)).length) || {};
  const letters = n => new TextDecoder().decode(encoder.encode(code).subarray(0, n)).length;
  return {names: found.Names || [], start: letters(found.Start || 0), end: letters(found.End || 0), text: found.Text || ""};
}

// One message at a time.
let turn = Promise.resolve();
onmessage = ({data}) => {
  waiting++;
  turn = turn.then(async () => {
    waiting--;
    clearTimeout(idle);
    if (data.type === "start") {
      try {
        await start(data);
        postMessage({type: "ready"});
      } catch (e) {
        postMessage({type: "ready", error: String(e && e.message || e)});
      }
      return;
    }
    let result;
    try {
      result = await (data.type === "help" ? help(data) : data.type === "declare" ? declare(data.cells) : execute(data));
    } catch (e) {
      flush();
      result = {status: "error", ename: "kernel", evalue: String(e && e.message || e), traceback: [String(e && e.stack || e)]};
    }
    postMessage({type: "done", id: data.id, ...result});
    if (!waiting) rest(1000);
  });
};
