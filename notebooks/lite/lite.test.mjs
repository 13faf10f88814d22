// The notebooks in a browser without a server: every cell is run in JupyterLite with our Go kernel,
// and what it shows is compared with what the kernel GoNB shows.
//
// DPBANDITS_LITE_NOTEBOOKS="a.ipynb b.ipynb" names the notebooks; else it is 00-quickstart. The site
// is build/lite (make lite). Chromium is the system's, or CHROMIUM=... Any request to another host
// fails the test. Cells have no limit on the clock, as a loaded machine takes its time; a page has
// ten minutes to come.

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const { chromium } = createRequire(path.join(root, 'docker', 'package.json'))('playwright-core');
const site = path.join(root, 'build', 'lite');
const notebooks = (process.env.DPBANDITS_LITE_NOTEBOOKS ?? 'notebooks/00-quickstart.ipynb').split(/\s+/).filter(Boolean);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'dpbandits-lite-'));

const types = {
  '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.css': 'text/css', '.gz': 'application/gzip',
  '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.png': 'image/png',
};

// A static server, with the site in a subfolder. It counts bytes as a server would send them that
// compresses text.
const sent = { bytes: 0, files: 0 };
const sizes = new Map();
let down = false;
const server = http.createServer((request, response) => {
  if (down) return void request.socket.destroy();
  if (request.method === 'POST') return void report(request, response);
  const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  let file = name.startsWith('/sub/') ? path.join(site, name.slice(5)) : '';
  if (file && fs.existsSync(file) && fs.statSync(file).isDirectory()) file = path.join(file, 'index.html');
  if (!file || !fs.existsSync(file)) return void response.writeHead(404).end();
  let data = fs.readFileSync(file);
  if (inject && file.endsWith(path.join('lab', 'index.html'))) data = data.toString().replace('</head>', `<script>${inject}</script></head>`);
  sent.files++;
  sent.bytes += size(file, data);
  response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' }).end(data);
});

// What a browser runs that the driver does not drive, and what it reports.
let inject = '', reported;
async function report(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  response.end();
  reported(Buffer.concat(parts).toString());
}
const runAll = `(async () => {
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  const now = () => window.jupyterapp && window.jupyterapp.shell.currentWidget;
  while (!(now() && now().content && now().content.model && now().content.model.cells.length > 0)) await sleep(100);
  await now().sessionContext.ready;
  for (const c of now().content.model.cells) if (c.type === 'code') c.outputs.clear();
  await window.jupyterapp.commands.execute('notebook:run-all-cells');
  await fetch('/report', { method: 'POST', body: JSON.stringify(now().content.model.toJSON()) });
})();`;

function size(file, data) {
  if (file.endsWith('.gz')) return data.length;
  if (!sizes.has(file)) sizes.set(file, execFileSync('gzip', ['-6c', file], { maxBuffer: 1 << 28 }).length);
  return sizes.get(file);
}

let address, browser;
const foreign = [];

before(async () => {
  assert.ok(fs.existsSync(path.join(site, 'lab', 'index.html')), `there is no ${site}: run make lite`);
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}/sub/`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || ['chromium', 'chromium-browser', 'google-chrome'].map(which).find(Boolean),
    args: ['--no-sandbox'],
  });
});
after(async () => {
  await browser?.close();
  server.close();
  fs.rmSync(scratch, { recursive: true, force: true });
});

function which(name) {
  const found = spawnSync('which', [name], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : '';
}

// visit opens a notebook of the site.
async function visit(context, name) {
  const page = await context.newPage();
  page.setDefaultTimeout(600_000);
  page.on('request', r => {
    if (/^(http|ws)/.test(r.url()) && new URL(r.url()).host !== new URL(address).host) foreign.push(r.url());
  });
  await page.goto(`${address}lab/index.html?path=${name}`, { timeout: 600_000 });
  await page.waitForFunction(n => {
    const w = window.jupyterapp?.shell.currentWidget;
    return w?.context?.path === n && w.content.model?.cells.length > 0;
  }, name);
  await page.evaluate(async () => {
    window.goTimes = [];
    await window.jupyterapp.shell.currentWidget.sessionContext.ready;
  });
  return page;
}

const model = page => page.evaluate(() => window.jupyterapp.shell.currentWidget.content.model.toJSON());

// cell runs code in a new cell at the end, and returns its outputs. meanwhile is done while it runs.
async function cell(page, code, meanwhile) {
  const running = page.evaluate(async code => {
    const { content, context, sessionContext } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.model.cells.length - 1;
    await window.jupyterapp.commands.execute('notebook:insert-cell-below');
    content.activeCell.model.sharedModel.setSource(code);
    await window.jupyterapp.commands.execute('notebook:run-cell');
    return content.activeCell.model.toJSON().outputs;
  }, code);
  if (meanwhile) await meanwhile();
  const text = x => (Array.isArray(x) ? x.join('') : x ?? '');
  return (await running).map(o => text(o.text) + (o.output_type === 'error' ? `${o.ename}: ${text(o.traceback.join('\n'))}\n` : '') +
    text(o.data?.['text/html'])).join('');
}

// compare holds a notebook that a page has run against the same notebook run by the kernel.
function compare(t, name, file) {
  const base = path.basename(name), kernels = path.join(scratch, base);
  const env = { ...process.env, SCALE: 'smoke', DPBANDITS_DATA: path.join(scratch, 'none') };
  const python = (...args) => spawnSync(path.join(root, 'docker', 'run'), ['python', ...args], { cwd: root, env, encoding: 'utf8' });
  if (!fs.existsSync(kernels)) {
    const ran = python('notebooks/tools/run.py', '--out', scratch, name);
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  }
  const compared = python('notebooks/lite/compare.py', file, kernels);
  t.diagnostic(compared.stderr.trim());
  assert.equal(compared.status, 0, compared.stdout + compared.stderr);
  for (const line of compared.stdout.split('\n').filter(Boolean)) t.diagnostic(line);
}

for (const name of notebooks) {
  const base = path.basename(name);
  test(`${base}: every cell shows in a page what it shows in the kernel`, async t => {
    const context = await browser.newContext();
    const from = performance.now();
    const page = await visit(context, base);
    const open = performance.now();
    await page.evaluate(() => {
      for (const c of window.jupyterapp.shell.currentWidget.content.model.cells) c.type === 'code' && c.outputs.clear();
    });
    await page.evaluate(() => window.jupyterapp.commands.execute('notebook:run-all-cells'));
    const file = path.join(scratch, `page-${base}`);
    fs.writeFileSync(file, JSON.stringify(await model(page)));
    const times = await page.evaluate(() => window.goTimes);
    const sum = k => times.reduce((s, x) => s + (x?.[k] ?? 0), 0) / 1000;
    t.diagnostic(`open ${((open - from) / 1000).toFixed(1)} s, all cells ${((performance.now() - open) / 1000).toFixed(1)} s: ` +
      ['compiler', 'linker', 'archives', 'compile', 'link', 'load', 'run'].map(k => `${k} ${sum(k).toFixed(1)}`).join(', ') +
      `; ${(sent.bytes / 1e6).toFixed(1)} MB in ${sent.files} files`);
    await context.close();
    compare(t, name, file);
  });
}

test('what a student does to a cell', async t => {
  const context = await browser.newContext();
  const page = await visit(context, '00-quickstart.ipynb');
  const says = async (code, want, meanwhile) => {
    const said = await cell(page, code, meanwhile);
    assert.match(said, want, code);
  };
  await says('import "fmt"\n\nfunc twice(x int) int { return 2 * x }\n%%\nfmt.Println(twice(21))', /^42\n$/);
  await says('%%\nfmt.Println(twce(21))', /compile: cell \[\d+\], line 2: undefined: twce\n +2 \| fmt\.Println\(twce\(21\)\)/);
  await says('%%\nx := 1', /line 2: declared and not used: x/);
  await says('%%\nfmt.Println("a"', /line 2: missing ','/);
  await says('%%\nvar list []int\nfmt.Println(list[twice(2)])', /panic: runtime error: index out of range \[4\] with length 0[\s\S]*cell \[\d+\]:3[\s\S]*exit status 2/);
  await says('import "github.com/nobody/nothing"', /this page has no package "github\.com\/nobody\/nothing"/);
  await says('!ls', /!ls: a page has no shell/);
  await says('%test', /%test: a page runs programs, not tests/);
  await says('%%\nfmt.Println(strings.ToUpper("imports come by themselves"))', /^IMPORTS COME BY THEMSELVES\n$/);
  await says('%env GREETING hello\n%%\nfmt.Println(os.Getenv("GREETING"))', /^Set: GREETING="hello"\nhello\n$/);
  await says('%% one "two words"\nfmt.Println(len(os.Args), os.Args[2])', /^3 two words\n$/);
  await says('%%\nvar keep [][]byte\nfor {\n\tkeep = append(keep, make([]byte, 1<<27)) // nobody touches it\n}', /out of memory/);
  let stopped;
  await says('%%\nfmt.Println("begins")\nfor i := 0; ; i++ {\n}', /^begins\ninterrupted: /, async () => {
    await page.waitForFunction(() => window.jupyterapp.shell.currentWidget.content.activeCell.model.toJSON().outputs.length > 0);
    stopped = Date.now();
    await page.evaluate(() => window.jupyterapp.commands.execute('notebook:interrupt-kernel'));
  });
  t.diagnostic(`interrupted in ${Date.now() - stopped} ms`);
  await says('%%\nfmt.Println(twice(4))', /^8\n$/); // what was declared is still there
  t.diagnostic(`and the next cell is done ${Date.now() - stopped} ms after it`);
  await says('%%\nfmt.Fprintln(os.Stderr, "aside")\nfmt.Println("x")', /^aside\nx\n$/);
  const help = await page.evaluate(async () => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const code = '%%\nfmt.Printl(1)';
    const at = code.indexOf('(');
    const done = await kernel.requestComplete({ code, cursor_pos: at });
    const says = await kernel.requestInspect({ code: code.replace('Printl', 'Println'), cursor_pos: at, detail_level: 0 });
    return [done.content.matches, done.content.cursor_start, says.content.data['text/plain']];
  });
  assert.deepEqual(help, [['Println'], 7, 'func fmt.Println(a ...any) (n int, err error)']);
  await says('import "github.com/janpfeifer/gonb/gonbui"\n%%\ngonbui.DisplayHTML("<b>bold</b>")\ngonbui.UpdateHTML("x", "old")\ngonbui.UpdateHTML("x", "new")',
    /^<b>bold<\/b>new$/);
  // A table is fetched when a cell opens it, and not before.
  await says('import "github.com/dpbandits/dpbandits/notebooks/results"\n%%\nt, err := results.Table("jdp-exp3-gap0")\nfmt.Println(t != nil, err)', /^true <nil>\n$/);
  await context.close();
});

test('a second visit needs no network', async () => {
  const context = await browser.newContext();
  let page = await visit(context, '00-quickstart.ipynb');
  assert.equal(await cell(page, 'import "fmt"\n%%\nfmt.Println(1)'), '1\n');
  await page.waitForFunction(() => window.goKept);
  await page.close();
  down = true;
  try {
    page = await visit(context, '00-quickstart.ipynb');
    assert.equal(await cell(page, 'import "fmt"\n%%\nfmt.Println(2)'), '2\n');
  } finally {
    down = false;
  }
  await context.close();
});

const firefox = ['firefox-esr', 'firefox'].map(which).find(Boolean);
const whole = process.env.DPBANDITS_LITE_NOTEBOOKS !== undefined;
test('Firefox runs every cell of the first notebook', { skip: !firefox ? 'there is no Firefox' : !whole && 'make test-lite does' }, async t => {
  const profile = fs.mkdtempSync(path.join(scratch, 'firefox-'));
  const base = path.basename(notebooks[0]), from = performance.now();
  const said = new Promise(resolve => { reported = resolve; });
  inject = runAll;
  const child = spawn(firefox, ['--headless', '--no-remote', '--profile', profile, `${address}lab/index.html?path=${base}`], { stdio: 'ignore' });
  const file = path.join(scratch, `firefox-${base}`);
  try {
    fs.writeFileSync(file, await said);
  } finally {
    inject = '';
    child.kill();
    await new Promise(resolve => child.once('exit', resolve));
  }
  t.diagnostic(`open and all cells ${((performance.now() - from) / 1000).toFixed(1)} s`);
  compare(t, notebooks[0], file);
});

test('nothing is asked of another host', () => assert.deepEqual(foreign, []));
