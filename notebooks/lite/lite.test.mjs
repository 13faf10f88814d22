// The notebooks in a browser without a server: every cell is run in JupyterLite with our Go kernel,
// and what it shows is compared with what the kernel GoNB shows.
//
// DPBANDITS_LITE_NOTEBOOKS="a.ipynb b.ipynb" names the notebooks; else it is 00-quickstart. The site
// is build/lite (make lite). Chromium is the system's, or CHROMIUM=... Any request to another host
// fails the test, whoever sends it: what is not for this machine goes to a proxy, which refuses and
// counts it. Cells have no limit on the clock, as a loaded machine takes its time; a page has
// ten minutes to come.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from './serve.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const { chromium } = createRequire(path.join(root, 'docker', 'package.json'))('playwright-core');
const site = path.join(root, 'build', 'lite');
const notebooks = (process.env.DPBANDITS_LITE_NOTEBOOKS ?? 'notebooks/00-quickstart.ipynb').split(/\s+/).filter(Boolean);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'dpbandits-lite-'));

// Bytes are counted as a server would send them that compresses text.
const state = serve(site);
const { server, sent, asked } = state;

// What a browser runs that the driver does not drive, and what it reports.
const runAll = `(async () => {
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));
  const now = () => window.jupyterapp && window.jupyterapp.shell.currentWidget;
  while (!(now() && now().content && now().content.model && now().content.model.cells.length > 0)) await sleep(100);
  await now().sessionContext.ready;
  for (const c of now().content.model.cells) if (c.type === 'code') c.outputs.clear();
  await window.jupyterapp.commands.execute('notebook:run-all-cells');
  await fetch('/report', { method: 'POST', body: JSON.stringify(now().content.model.toJSON()) });
})();`;

let address, browser;
const foreign = [];
// What Chromium asks for itself, though it is told not to: no page can make it do so.
const chromiums = /(^|\/\/)(clients2\.google\.com|accounts\.google\.com|update\.googleapis\.com|content-autofill\.googleapis\.com)[:/]/;
const proxy = http.createServer((request, response) => {
  if (!chromiums.test(request.url)) foreign.push(request.url);
  response.writeHead(502).end();
}).on('connect', (request, socket) => {
  if (!chromiums.test(request.url)) foreign.push(request.url);
  socket.end('HTTP/1.1 502 refused\r\n\r\n');
});
const listen = s => new Promise(resolve => s.listen(0, '127.0.0.1', resolve));

before(async () => {
  assert.ok(fs.existsSync(path.join(site, 'lab', 'index.html')), `there is no ${site}: run make lite`);
  await Promise.all([server, proxy].map(listen));
  address = `http://127.0.0.1:${server.address().port}/sub/`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || ['chromium', 'chromium-browser', 'google-chrome'].map(which).find(Boolean),
    args: ['--no-sandbox', `--proxy-server=http://127.0.0.1:${proxy.address().port}`, // not for the loopback
      '--host-resolver-rules=MAP lan.test 127.0.0.1', '--proxy-bypass-list=lan.test'],
  });
});
after(async () => {
  await browser?.close();
  server.close();
  proxy.close();
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
  await opened(page, name);
  return page;
}

// opened waits until a page shows a notebook and its kernel is there.
async function opened(page, name) {
  await page.waitForFunction(n => {
    const w = window.jupyterapp?.shell.currentWidget;
    return w?.context?.path === n && w.context.isReady && w.content.model?.cells.length > 0; // a model has a cell before it is read
  }, name);
  await page.evaluate(async () => {
    window.goTimes = [];
    await window.jupyterapp.shell.currentWidget.sessionContext.ready;
  });
}

// until asks a page until it says something, for ten minutes at most; waitForFunction takes a promise
// for an answer.
async function until(page, ask, argument) {
  for (const from = performance.now(); performance.now() - from < 600_000;) {
    const said = await page.evaluate(ask, argument);
    if (said) return said;
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  throw new Error(`the page does not say so: ${ask}`);
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
  return outputs(await running);
}

const text = x => (Array.isArray(x) ? x.join('') : x ?? '');
const outputs = list => list.map(o => text(o.text) + (o.output_type === 'error' ? `${o.ename}: ${text(o.traceback.join('\n'))}\n` : '') +
  text(o.data?.['text/html'])).join('');

// edited runs the cell of an id, with its code as change leaves it, and returns its outputs.
async function edited(page, id, change = code => code) {
  const before = (await model(page)).cells.find(c => c.id === id);
  assert.ok(before, `there is no cell ${id}`);
  return outputs(await page.evaluate(async ([id, code]) => {
    const { content } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = content.widgets.findIndex(w => w.model.id === id);
    content.activeCell.model.sharedModel.setSource(code);
    await window.jupyterapp.commands.execute('notebook:run-cell');
    return content.activeCell.model.toJSON().outputs;
  }, [id, change(text(before.source))]));
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
  const compared = python('notebooks/lite/compare.py', file, kernels, path.relative('notebooks', name));
  t.diagnostic(compared.stderr.trim());
  assert.equal(compared.status, 0, compared.stdout + compared.stderr);
  for (const line of compared.stdout.split('\n').filter(Boolean)) t.diagnostic(line);
}

for (const name of notebooks) {
  const base = path.basename(name);
  test(`${base}: every cell shows in a page what it shows in the kernel`, async t => {
    sent.by.clear();
    const context = await browser.newContext();
    const from = performance.now();
    const page = await visit(context, path.relative('notebooks', name)); // the folder evidence is there, too
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
    if (base === '00-quickstart.ipynb') assert.ok(sent.once < 25e6, `a first visit takes ${sent.once} bytes`);
    compare(t, name, file);
  });
}

// told notes what the page says to an edit of a student's.
function told(t, edit, said) {
  const line = said.trim().replace(/\s*\n\s*/g, ' / ');
  t.diagnostic(`${edit} -> ${line.length > 300 ? line.slice(0, 300) + '...' : line}`);
  return said;
}

test('what a student does to a cell', async t => {
  const context = await browser.newContext();
  const page = await visit(context, '00-quickstart.ipynb');
  const says = async (code, want, meanwhile) => {
    const said = await cell(page, code, meanwhile);
    assert.match(told(t, JSON.stringify(code), said), want, code);
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
  await says('%%\nb := make([]byte, 2<<30)\nfor i := 0; i < len(b); i += 4096 {\n\tb[i] = 1\n}\nfmt.Println(len(b))', /^2147483648\n$|out of memory/);
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

test('on a narrow screen, in the dark, by keyboard alone', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  for (const app of ['notebooks', 'lab']) {
    const page = await context.newPage();
    page.setDefaultTimeout(600_000);
    await page.goto(`${address}${app}/index.html?path=00-quickstart.ipynb`, { timeout: 600_000 });
    await opened(page, '00-quickstart.ipynb');
    for (const scheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForFunction(light => document.body.dataset.jpThemeLight === light, String(scheme === 'light'));
      for (const width of [390, 800, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.waitForFunction(() => {
          const list = document.querySelector('.jp-WindowedPanel-outer');
          return list.clientWidth > Math.min(300, innerWidth / 2) && list.scrollWidth <= list.clientWidth &&
            document.scrollingElement.scrollWidth <= innerWidth;
        }).catch(e => { throw new Error(`${app}, ${scheme}, ${width} px: something is wider than the page`, { cause: e }); });
      }
    }
    // A figure as it was saved: its HTML is one text.
    const figure = page.locator('.dpb-figure').first();
    await figure.waitFor({ state: 'attached' });
    assert.match(await figure.evaluate(f => f.parentElement.innerHTML), /^<div class="dpb-figure"[^>]*>\n<img /);
    assert.ok(await page.evaluate(() => document.activeElement.closest('.jp-Notebook')), 'the notebook has no focus');
    await page.keyboard.press('b');
    await page.keyboard.press('Enter');
    await page.keyboard.type('%%\nfmt.Println(6*7)');
    await page.keyboard.press('Shift+Enter');
    await page.waitForFunction(() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells[1].outputs?.length > 0);
    assert.equal(outputs((await model(page)).cells[1].outputs), '42\n');
    await page.close();
  }
  await context.close();
});

test('a second visit needs no network, and compiles what has changed alone', async () => {
  const context = await browser.newContext();
  let page = await visit(context, '00-quickstart.ipynb');
  const compiled = () => page.evaluate(() => window.goTimes.map(t => t.compile !== undefined));
  const ids = (await model(page)).cells.filter(c => c.cell_type === 'code').slice(0, 3).map(c => c.id);
  const only = ['import "os"', '// a remark']; // what only declares, prints nothing of the program before it
  const run = async () => {
    const said = [];
    for (const id of ids) said.push(await edited(page, id));
    for (const code of only) assert.equal(await cell(page, code), '', code);
    return said;
  };
  const first = await run();
  assert.match(first[2], /dpb-figure/);
  assert.deepEqual(await compiled(), [false, false, false, true, false]); // up to the figure nothing
  await page.waitForFunction(() => window.goKept);
  for (const [name, many] of [['programs', 1], ['trials', 4]]) { // the notebook's own are the site's
    await until(page, async ([name, many]) => (await (await caches.open(`dpbandits-go-${name}`)).keys()).length >= many, [name, many]);
  }
  await page.close();
  state.down = true;
  try {
    page = await visit(context, '00-quickstart.ipynb');
    assert.deepEqual(await run(), first);
    assert.deepEqual(await compiled(), [false, false, false, false, false]);
    assert.equal(await cell(page, 'import "fmt"\n%%\nfmt.Println(2)'), '2\n');
    assert.deepEqual((await compiled()).slice(5), [true]);
  } finally {
    state.down = false;
  }
  await context.close();
});

// A page that has to make them itself gets the same bytes.
test('programs that the site has ready are those that a page makes', async t => {
  const api = path.join(site, 'extensions', 'dpbandits-go', 'api');
  const { decompress } = createRequire(path.join(root, 'docker', 'package.json'))('fzstd');
  const ready = Object.entries(JSON.parse(fs.readFileSync(path.join(api, 'ready.json')))['00-quickstart.ipynb']);
  const bundle = decompress(fs.readFileSync(path.join(api, ready[0][1].path)));
  const want = ready.map(([key, { at = 0, length }]) => [key, createHash('sha256').update(bundle.subarray(at, at + length)).digest('hex')]);
  const context = await browser.newContext({ serviceWorkers: 'block' });
  await context.route('**/api/ready.json', route => route.fulfill({ contentType: 'application/json', body: '{}' }));
  const page = await visit(context, '00-quickstart.ipynb');
  const ids = (await model(page)).cells.filter(c => c.cell_type === 'code').slice(0, want.length).map(c => c.id);
  for (const id of ids) await edited(page, id);
  const made = await until(page, async many => {
    const cache = await caches.open('dpbandits-go-programs'), list = await cache.keys();
    if (list.length < many) return null;
    return Promise.all(list.slice(0, many).map(async key => {
      const stream = (await cache.match(key)).body.pipeThrough(new DecompressionStream('gzip'));
      const sum = await crypto.subtle.digest('SHA-256', await new Response(stream).arrayBuffer());
      return [decodeURIComponent(new URL(key.url).search.slice(1)), [...new Uint8Array(sum)].map(b => b.toString(16).padStart(2, '0')).join('')];
    }));
  }, want.length);
  assert.deepEqual(made.sort(), want.sort());
  t.diagnostic(`${want.length} programs, ${bundle.length} bytes, equal`);
  await context.close();
});

// A browser keeps nothing of such a site, and offers no hash.
test('from another machine, without https', async () => {
  const context = await browser.newContext(), page = await context.newPage();
  page.setDefaultTimeout(600_000);
  await page.goto(`${address.replace('127.0.0.1', 'lan.test')}lab/index.html?path=00-quickstart.ipynb`, { timeout: 600_000 });
  await opened(page, '00-quickstart.ipynb');
  assert.equal(await page.evaluate(() => window.isSecureContext), false);
  assert.equal(await cell(page, 'import "fmt"\n%%\nfmt.Println(1)'), '1\n');
  await context.close();
});

// A session that lasts: an exercise solved, another tab, the page loaded again, the file saved.
test('an exercise is solved, kept and saved', async t => {
  const context = await browser.newContext({ acceptDownloads: true });
  let page = await visit(context, '00b-privacy.ipynb');
  assert.equal(await edited(page, 'b01'), '');
  assert.match(told(t, 'exercise as it is', await edited(page, 'ex-posterior')), /^posterior: not yet: /);
  const solution = 'return prior * math.Exp(epsilon) / (prior*math.Exp(epsilon) + 1 - prior)';
  assert.match(told(t, 'exercise solved', await edited(page, 'ex-posterior', code => code.replace(/return .*/, solution))), /^posterior: right\n$/);
  await page.evaluate(() => window.jupyterapp.commands.execute('docmanager:save'));

  const second = await visit(context, '00-quickstart.ipynb');
  assert.equal(told(t, 'a cell in a second tab', await cell(second, 'import "fmt"\n%%\nfmt.Println("second")')), 'second\n');
  assert.match(await cell(second, '%%\nfmt.Println(posterior(1, 1))'), /undefined: posterior/);
  assert.match(told(t, 'the first tab, after it', await edited(page, 'ex-posterior')), /^posterior: right\n$/);
  await second.close();

  await page.evaluate(() => window.jupyterapp.commands.execute('docmanager:save'));
  // By its address: a plain reload shows what was in view last, in either tab.
  await page.goto(`${address}lab/index.html?path=00b-privacy.ipynb`, { timeout: 600_000 });
  await opened(page, '00b-privacy.ipynb');
  const kept = (await model(page)).cells.find(c => c.id === 'ex-posterior');
  assert.ok(text(kept.source).includes(solution), 'the edit is lost');
  assert.match(told(t, 'after a reload, unrun', outputs(kept.outputs)), /^posterior: right\n$/);
  assert.match(told(t, 'after a reload, without the first cell', await edited(page, 'ex-posterior')), /undefined: exercises[\s\S]*Nothing is declared yet/);
  assert.equal(await edited(page, 'b01'), '');
  assert.match(told(t, 'after a reload and the first cell', await edited(page, 'ex-posterior')), /^posterior: right\n$/);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.evaluate(() => window.jupyterapp.commands.execute('docmanager:download')),
  ]);
  await download.saveAs(solved);
  await context.close();
  const saved = JSON.parse(fs.readFileSync(solved, 'utf8'));
  assert.equal(saved.metadata.kernelspec.name, 'gonb');
  assert.ok(text(saved.cells.find(c => c.id === 'ex-posterior').source).includes(solution));
});
const solved = path.join(scratch, '00b-solved.ipynb');

const whole = process.env.DPBANDITS_LITE_NOTEBOOKS !== undefined;
test('GoNB runs the saved file, and another exercise is solved there', { skip: !whole && 'make test-lite does' }, async t => {
  const saved = JSON.parse(fs.readFileSync(solved, 'utf8'));
  const other = saved.cells.find(c => c.id === 'ex-Gaussian-releases');
  other.source = text(other.source).replace(/return .*/, 'return math.Sqrt(floats.Dot(mus, mus))');
  fs.writeFileSync(solved, JSON.stringify(saved));
  const out = path.join(scratch, 'solved');
  const ran = spawnSync(path.join(root, 'docker', 'run'), ['python', 'notebooks/tools/run.py', '--out', out, solved],
    { cwd: root, env: { ...process.env, SCALE: 'smoke', DPBANDITS_DATA: path.join(scratch, 'none') }, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  const { cells } = JSON.parse(fs.readFileSync(path.join(out, path.basename(solved)), 'utf8'));
  const said = id => outputs(cells.find(c => c.id === id).outputs);
  assert.equal(told(t, 'the exercise of the page', said('ex-posterior')), 'posterior: right\n');
  assert.equal(told(t, 'an exercise after it', said('ex-Gaussian-releases')), 'Gaussian releases: right\n');
});

test('a learner of the reader, and another epsilon', { skip: !whole && 'make test-lite does' }, async t => {
  const context = await browser.newContext();
  const page = await visit(context, '06-write-your-own.ipynb');
  const runs = async id => assert.doesNotMatch(await edited(page, id), /^(compile|cell|link|exit): /m, id);
  for (const id of ['c01', 'c03', 'c05', 'c07', 'c07a']) await runs(id);
  const caption = said => /Hopeful pays[^<"]*?rivals at ε = \d+(\.\d+)?/.exec(said)?.[0] ?? assert.fail(said.slice(0, 2000));
  const first = caption(await edited(page, 'c08'));
  const other = caption(await edited(page, 'c08', code => code.replace('epsilon, boldness := 1.0', 'epsilon, boldness := 2.0')));
  assert.match(told(t, 'c08 of 06', first), /ε = 1$/);
  assert.match(told(t, 'c08 of 06, another epsilon', other), /ε = 2$/);
  // Her learner forgets to be hopeful: what it pays is another number, which the picture shows.
  const before = await edited(page, 'c08');
  assert.equal(await edited(page, 'c05', code => code.replace('could > most', '-could > most')), '');
  const after = await edited(page, 'c08');
  assert.notEqual(after, before);
  told(t, 'c08 of 06, a learner of her own that is wrong', caption(after));
  await context.close();
});

const firefox = ['firefox-esr', 'firefox'].map(which).find(Boolean);
test('Firefox runs every cell of the first notebook', { skip: !firefox ? 'there is no Firefox' : !whole && 'make test-lite does' }, async t => {
  const profile = fs.mkdtempSync(path.join(scratch, 'firefox-'));
  const base = path.basename(notebooks[0]), from = performance.now();
  const said = new Promise(resolve => { state.reported = resolve; });
  state.inject = runAll;
  const child = spawn(firefox, ['--headless', '--no-remote', '--profile', profile, `${address}lab/index.html?path=${base}`], { stdio: 'ignore' });
  const file = path.join(scratch, `firefox-${base}`);
  try {
    fs.writeFileSync(file, await said);
  } finally {
    state.inject = '';
    child.kill();
    await new Promise(resolve => child.once('exit', resolve));
  }
  t.diagnostic(`open and all cells ${((performance.now() - from) / 1000).toFixed(1)} s`);
  compare(t, notebooks[0], file);
});

// The site's pages, beside the notebooks that run: on a telephone, in the dark.
test('a cell of a page is changed in its place', async t => {
  const out = path.join(scratch, 'site');
  const made = spawnSync(path.join(root, 'docker', 'run'), ['python', 'notebooks/tools/site_pages.py', '--out', out, '--lite', site,
    'notebooks/00-quickstart.ipynb'], { cwd: root, encoding: 'utf8' });
  assert.equal(made.status, 0, made.stdout + made.stderr);
  const pages = serve(out);
  await listen(pages.server);
  const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  try {
    const page = await context.newPage(), wrong = [];
    page.setDefaultTimeout(600_000);
    page.on('pageerror', e => wrong.push(String(e)));
    page.on('request', r => {
      if (/^http/.test(r.url()) && new URL(r.url()).port !== String(pages.server.address().port)) wrong.push(r.url());
    });
    await page.goto(`http://127.0.0.1:${pages.server.address().port}/sub/00-quickstart.html`, { timeout: 600_000 });
    const { cells } = JSON.parse(fs.readFileSync(path.join(root, 'notebooks', '00-quickstart.ipynb'), 'utf8'));
    const code = cells.filter(c => c.cell_type === 'code');
    assert.equal(await page.locator('.dpb-edit').count(), code.length);
    const place = page.locator(`[id="cell-id=${code[2].id}"]`);
    await place.locator('details').evaluate(d => { d.open = true; });
    await place.getByRole('button', { name: 'Edit this cell' }).press('Enter');
    const text = place.getByRole('textbox', { name: 'Go code' });
    assert.equal(await text.inputValue(), code[2].source.join('').trimEnd());
    const runs = async source => {
      await text.fill(source);
      await text.press('Shift+Enter');
      await place.locator('.dpb-edit:not([data-state=running])').waitFor();
      return place.locator('.dpb-again:visible').first().innerHTML();
    };
    const own = await text.inputValue();
    const other = await runs(own.replace('private(1)', 'private(2)').replace('ε = 1"', 'ε = 2"'));
    assert.match(other, /dpb-figure/);
    assert.match(other, /ε = 2/);
    t.diagnostic(`another epsilon: ${await place.locator('.dpb-edit output').textContent()}`);
    assert.match(await runs(own.replace('private(1)', 'privte(1)')), /cell \[3\], line 2: undefined: privte/);
    await page.evaluate(fs.readFileSync(createRequire(path.join(root, 'docker', 'package.json')).resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(v => `${v.id}: ${v.nodes[0].html}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it is wider than a telephone');
    await text.fill('%%\nfmt.Println("begins")\nfor {\n}');
    await text.press('Shift+Enter');
    await place.locator('.dpb-again pre', { hasText: 'begins' }).waitFor();
    await place.locator('.dpb-edit').getByRole('button', { name: 'Stop' }).click();
    await place.locator('.dpb-error', { hasText: 'stopped' }).waitFor();
    await place.getByRole('button', { name: 'As it was' }).click();
    assert.equal(await text.inputValue(), own);
    assert.ok(await place.locator('.jp-Cell-outputWrapper').isVisible());
    assert.match(await runs(own), /ε = 1/);
    // A cell above counts as it stands, run or not, and what was taken back is forgotten.
    const above = page.locator(`[id="cell-id=${code[1].id}"]`), next = above.getByRole('textbox', { name: 'Go code' });
    await above.locator('details').evaluateAll(list => list.forEach(d => { d.open = true; }));
    await above.getByRole('button', { name: 'Edit this cell' }).click();
    await next.fill(`${await next.inputValue()}\nfunc wrong() { missing() }`);
    assert.match(await runs(own), /cell \[2\], line \d+: undefined: missing/);
    await above.getByRole('button', { name: 'As it was' }).click();
    assert.match(await runs(own), /dpb-figure/);
    assert.deepEqual(wrong, []);
    await page.goto(`file://${path.join(out, '00-quickstart.html')}`);
    assert.equal(await page.locator('.dpb-edit').count(), 0);
  } finally {
    await context.close();
    pages.server.close();
  }
});

// Every page that a reader may enter by: it comes, and asks nobody else.
test('no page of the site asks another host', async t => {
  const context = await browser.newContext();
  for (const entry of ['', 'lab/', 'notebooks/index.html?path=00-quickstart.ipynb', 'tree/', 'edit/', 'consoles/', 'repl/']) {
    const page = await context.newPage(), before = sent.files;
    page.on('request', r => {
      if (/^(http|ws)/.test(r.url()) && new URL(r.url()).host !== new URL(address).host) foreign.push(r.url());
    });
    await page.goto(address + entry, { timeout: 600_000 });
    await page.waitForFunction(() => window.jupyterapp?.shell, null, { timeout: 600_000 });
    await page.waitForLoadState('networkidle', { timeout: 600_000 });
    t.diagnostic(`${entry || 'index.html'}: ${sent.files - before} files`);
    await page.close();
  }
  // The control: a worker that does ask one is seen.
  assert.deepEqual(foreign, []);
  const page = await context.newPage();
  await page.goto(`${address}tree/`, { timeout: 600_000 });
  await page.evaluate(() => new Promise(resolve => {
    const code = 'fetch("http://elsewhere.invalid/").catch(() => {}).then(() => postMessage(0))';
    new Worker(URL.createObjectURL(new Blob([code]))).onmessage = resolve;
  }));
  assert.deepEqual(foreign.splice(0), ['http://elsewhere.invalid/']);
  await context.close();
});

test('nothing is asked of another host', t => {
  t.diagnostic(`requests by host: ${JSON.stringify(Object.fromEntries(asked))}, of others ${foreign.length}`);
  const { host } = new URL(address); // by two names
  assert.deepEqual([...asked.keys()].map(h => h.replace('lan.test', '127.0.0.1')).filter(h => h !== host), []);
  assert.deepEqual(foreign, []);
});
