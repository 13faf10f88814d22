// How long a first visit takes, a changed cell, and a second visit, with bytes and memory.
//
//   node notebooks/lite/bench.mjs [-n visits] [-site build/lite] [chromium|firefox...]
//
// It prints a table, the medians of n visits (3), each with a browser and a profile of its own. Times
// are seconds since the page was asked for: the notebook is shown, its first cell is done, its first
// figure is there. Then the figure's cell is run with another epsilon: at once, when the compiler may
// have to come, and once more when the page has rested. Memory is of the browser's processes when the
// figure is there, shared pages by parts, and so is the time that they computed, which other work on
// the machine moves less than the clock's. The server is on the loopback, and compresses text.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './serve.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const browsers = [];
let visits = 3, site = path.join(root, 'build', 'lite');
for (let rest = process.argv.slice(2), word; (word = rest.shift());) {
  if (word === '-n') visits = Number(rest.shift());
  else if (word === '-site') site = path.resolve(rest.shift());
  else browsers.push(word);
}
if (!browsers.length) browsers.push('chromium', 'firefox');

// visit runs in the page: the cells in their order up to the first figure, and that one again, changed.
const visit = async () => {
  const epsilon = Number(new URLSearchParams(location.search).get('epsilon')); // one that no visit has played
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  const now = () => window.jupyterapp?.shell.currentWidget;
  const says = { times: [] };
  window.goTimes = says.times;
  while (!(now()?.content?.model?.cells.length > 0)) await sleep(20);
  const { content, sessionContext } = now();
  await sessionContext.ready;
  says.shown = performance.now();
  for (const c of content.model.cells) if (c.type === 'code') c.outputs.clear();
  const run = () => window.jupyterapp.commands.execute('notebook:run-cell');
  const figure = i => (content.model.cells.get(i).toJSON().outputs ?? []).some(o => JSON.stringify(o.data ?? {}).includes('dpb-figure'));
  let i = 0;
  for (; i < content.model.cells.length; i++) {
    if (content.model.cells.get(i).type !== 'code') continue;
    content.activeCellIndex = i;
    await run();
    says.first ??= performance.now();
    if (figure(i)) break;
  }
  says.figure = performance.now();
  await fetch('/report', { method: 'POST', body: JSON.stringify({ memory: true }) });
  const changed = content.activeCell.model.sharedModel, code = changed.getSource();
  const change = async epsilon => {
    changed.setSource(code.replace('private(1)', `private(${epsilon})`).replace('ε = 1"', `ε = ${epsilon}"`));
    const from = performance.now();
    await run();
    if (!figure(i) || changed.getSource() === code || JSON.stringify(content.activeCell.model.toJSON().outputs).includes('"error"')) return NaN;
    return performance.now() - from;
  };
  says.changed = await change(epsilon);
  await sleep(15_000);
  says.again = await change(epsilon + 0.5);
  says.right = says.changed > 0 && says.again > 0;
  await fetch('/report', { method: 'POST', body: JSON.stringify(says) });
};

const which = name => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();
const programs = {
  chromium: () => process.env.CHROMIUM || ['chromium', 'chromium-browser', 'google-chrome'].map(which).find(Boolean),
  firefox: () => process.env.FIREFOX || ['firefox-esr', 'firefox'].map(which).find(Boolean),
};
const flags = {
  chromium: profile => ['--headless=new', '--no-sandbox', '--no-first-run', '--disable-background-networking', `--user-data-dir=${profile}`],
  firefox: profile => ['--headless', '--no-remote', '--profile', profile],
};

// used adds up what a process and its children hold, in MB, and the seconds that they computed for.
function used(of) {
  const children = new Map(), ticks = new Map();
  for (const p of fs.readdirSync('/proc').filter(p => /^\d+$/.test(p))) {
    try {
      const stat = fs.readFileSync(`/proc/${p}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      children.set(stat[1], [...(children.get(stat[1]) ?? []), p]);
      ticks.set(p, stat.slice(11, 15).reduce((sum, t) => sum + Number(t), 0)); // its ended children's, too
    } catch { /* it has ended */ }
  }
  const sum = { memory: 0, computed: 0 };
  for (const list = [String(of)]; list.length;) {
    const p = list.pop();
    list.push(...(children.get(p) ?? []));
    sum.computed += (ticks.get(p) ?? 0) / 100;
    try {
      sum.memory += Number(/^Pss: +(\d+)/m.exec(fs.readFileSync(`/proc/${p}/smaps_rollup`, 'utf8'))[1]) / 1e3;
    } catch { /* it has ended */ }
  }
  return sum;
}

const state = serve(site, { dated: true });
await new Promise(resolve => state.server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${state.server.address().port}/sub/lab/index.html?path=00-quickstart.ipynb`;
state.inject = `(${visit})().catch(e => fetch("/report", {method: "POST", body: JSON.stringify({error: String(e)})}));`;
let epsilon = 1;

// open starts a browser, and returns what the page reports.
async function open(name, profile) {
  state.sent.by.clear();
  const child = spawn(programs[name](), [...flags[name](profile), `${address}&epsilon=${++epsilon}`], { stdio: 'ignore' });
  try {
    let held, list;
    const said = await new Promise((resolve, reject) => {
      child.once('exit', code => reject(new Error(`${name} has ended, status ${code}`)));
      state.reported = text => {
        const report = JSON.parse(text);
        if (!report.memory) return void resolve(report);
        held = used(child.pid);
        list = new Map(state.sent.by);
      };
    });
    if (said.error || !said.right) throw new Error(`${name}: ${said.error ?? 'the changed cell shows no figure'}`);
    state.sent.by.clear();
    for (const [file, times] of list) state.sent.by.set(file, times);
    return { ...said, ...held, bytes: state.sent.bytes / 1e6, parts: state.sent.list() };
  } finally {
    child.removeAllListeners('exit');
    if (child.exitCode === null) {
      child.kill();
      await new Promise(resolve => child.once('exit', resolve));
    }
  }
}

const median = list => [...list].sort((a, b) => a - b)[(list.length - 1) >> 1];
const load = () => os.loadavg()[0].toFixed(1);
console.log(`${visits} visits, ${os.cpus().length} processors, load at the start ${load()}`);
console.log('| | shown | first cell | first figure | changed at once | changed later | MB up to the figure | memory, MB | processor, s |\n|---|---|---|---|---|---|---|---|---|');
let parts;
for (const name of browsers) {
  if (!programs[name]()) {
    console.log(`| ${name}: there is none | | | | | | | | |`);
    continue;
  }
  const cold = [], warm = [];
  for (let i = 0; i < visits; i++) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'dpbandits-bench-'));
    try {
      cold.push(await open(name, profile));
      parts ??= cold[0].parts;
      warm.push(await open(name, profile));
    } finally {
      fs.rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    }
  }
  for (const [which, list] of [['first visit', cold], ['second visit', warm]]) {
    const of = (key, digits) => median(list.map(x => x[key])).toFixed(digits);
    const seconds = key => (of(key, 0) / 1000).toFixed(1);
    console.log(`| ${name}, ${which} | ${['shown', 'first', 'figure', 'changed', 'again'].map(seconds).join(' | ')} | ${of('bytes', 1)} | ${of('memory', 0)} | ${of('computed', 1)} |`);
  }
  const kinds = ['kept', 'compiler', 'compile', 'linker', 'archives', 'link', 'load', 'run'];
  const longest = cold[0].times.map(t => kinds.map(k => `${k} ${((t?.[k] ?? 0) / 1000).toFixed(1)}`).join(', '));
  console.log(`cells of the first visit, seconds: ${longest.join('; ')}`);
}
console.log(`load at the end ${load()}`);

// What a first visit fetches.
const index = JSON.parse(fs.readFileSync(path.join(site, 'extensions', 'dpbandits-go', 'api', 'index.json')));
const kinds = new Map([...Object.entries(index.programs).map(([name, p]) => [p.path, name]), ...Object.values(index.files).map(f => [f.path, 'tables'])]);
const sums = {};
for (const [file, bytes] of parts ?? []) {
  const base = path.basename(file);
  const kind = kinds.get(base) ?? (/\.(zst|gz)$/.test(base) ? 'packages' : /echarts/.test(base) ? 'ECharts' : 'Jupyter');
  sums[kind] = (sums[kind] ?? 0) + bytes / 1e6;
}
console.log(`a first visit, MB: ${Object.entries(sums).sort((a, b) => b[1] - a[1]).map(([kind, mb]) => `${kind} ${mb.toFixed(1)}`).join(', ')}`);
state.server.close();
state.server.closeAllConnections?.();
