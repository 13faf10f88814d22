// The notebooks in a browser: run in JupyterLab with the kernel, as an exported page offline, and as a page whose scripts are off.
//
// Chromium is the system's (docker/setup chromium, or CHROMIUM=...). DPBANDITS_BROWSER_NOTEBOOKS="a.ipynb b.ipynb" names
// the notebooks. Any request to another machine fails the test that made it.
//
// No test has a limit on the clock, as a loaded machine takes its time. Ten minutes without progress
// fail it.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '..', '..');
const { chromium } = createRequire(path.join(root, 'docker', 'package.json'))('playwright-core');

const fixtures = ['figure', 'graph'].map(name => path.join(here, 'testdata', `${name}.ipynb`));
const named = (process.env.DPBANDITS_BROWSER_NOTEBOOKS ?? '').split(/\s+/).filter(Boolean).map(f => path.resolve(root, f));
const usual = [...fixtures, path.join(root, 'notebooks', '03-jdp-linucb.ipynb')].filter(f => fs.existsSync(f));
const notebooks = named.length ? named : usual;

// The notebooks that hold something to click as they are committed, with their outputs.
const [lessons, evidence] = ['notebooks', 'notebooks/evidence'].map(folder => path.join(root, folder)).map(folder =>
  fs.readdirSync(folder).filter(name => name.endsWith('.ipynb')).map(name => path.join(folder, name)));
const saved = named.length ? [] : [...lessons, ...evidence].filter(file => fs.readFileSync(file, 'utf8').includes('class=\\"dpb-widget\\"'));

const pictures = '.dpb-figure, .dpb-widget';
const patience = 10 * 60_000;

let last = Date.now();
const progress = () => { last = Date.now(); };

// watched does the work, and fails when nothing calls progress for as long as patience has it.
async function watched(work) {
  progress();
  let clock;
  const stalled = new Promise((_, reject) => {
    clock = setInterval(() => { if (Date.now() - last > patience) reject(new Error('ten minutes without progress')); }, 1000);
  });
  try {
    return await Promise.race([work(), stalled]);
  } finally {
    clearInterval(clock);
  }
}

function browserProgram() {
  if (process.env.CHROMIUM) return execFileSync('sh', ['-c', 'command -v "$CHROMIUM"'], { encoding: 'utf8' }).trim();
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch { /* the next one */ }
  }
  throw new Error('Chromium is not installed (docker/setup chromium)');
}

let scratch, lab;

before(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'dpbandits-browser-'));
  lab = await startLab();
});

after(async () => {
  await lab?.stop();
  fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
});

// startLab starts JupyterLab over copies of the notebooks, so that what the browser saves changes none of them.
async function startLab() {
  const directory = path.join(scratch, 'notebooks');
  fs.mkdirSync(directory);
  for (const entry of fs.readdirSync(path.join(root, 'notebooks'))) {
    if (!entry.endsWith('.ipynb')) fs.symlinkSync(path.join(root, 'notebooks', entry), path.join(directory, entry));
  }
  for (const file of notebooks) fs.copyFileSync(file, path.join(directory, path.basename(file)));

  const port = await freePort();
  const token = randomBytes(24).toString('hex');
  const base = `http://127.0.0.1:${port}/`;
  const log = fs.openSync(path.join(scratch, 'lab.log'), 'w');
  const server = spawn(path.join(root, 'docker', 'run'), [
    'jupyter', 'lab', '--no-browser', '--ServerApp.ip=127.0.0.1', `--ServerApp.port=${port}`, '--ServerApp.port_retries=0',
    `--ServerApp.root_dir=${directory}`, '--LabApp.expose_app_in_browser=True',
    ...(process.getuid?.() === 0 ? ['--allow-root'] : []),
  ], { cwd: root, detached: true, stdio: ['ignore', log, log], env: { ...process.env, SCALE: 'smoke', DPBANDITS_BATCH: '1', TMPDIR: scratch, JUPYTER_TOKEN: token } });
  const exited = new Promise(resolve => server.once('exit', resolve));
  let gone = false;
  exited.then(() => { gone = true; });

  async function stop() {
    if (!gone) await fetch(`${base}api/shutdown`, { method: 'POST', headers: { Authorization: `token ${token}` } }).catch(() => {});
    await Promise.race([exited, sleep(patience, undefined, { ref: false })]);
    if (!gone) {
      try { process.kill(-server.pid, 'SIGKILL'); } catch { /* it has ended after all */ }
    }
    fs.closeSync(log);
  }

  for (const start = Date.now(); ; await sleep(200)) {
    const answer = await fetch(`${base}api/status`, { headers: { Authorization: `token ${token}` } }).catch(() => undefined);
    if (answer?.ok) return { base, token, directory, stop };
    if (gone || Date.now() - start > patience) {
      await stop();
      throw new Error(`JupyterLab did not start:\n${fs.readFileSync(path.join(scratch, 'lab.log'), 'utf8')}`);
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const s = net.createServer().once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}

// withPage runs work in a fresh browser, with a fresh home, that reaches only what allowed(url) says.
async function withPage(allowed, options, work) {
  const home = fs.mkdtempSync(path.join(scratch, 'chromium-'));
  const context = await chromium.launchPersistentContext(path.join(home, 'profile'), {
    executablePath: browserProgram(),
    timeout: patience,
    headless: true,
    viewport: { width: 1280, height: 1000 },
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    ...options,
  });
  context.setDefaultTimeout(patience);
  for (const event of ['request', 'response', 'console']) context.on(event, progress);
  const beyond = [];
  try {
    const ours = address => /^(data|blob|about):/.test(address) || allowed(new URL(address));
    context.on('request', r => { if (!ours(r.url())) beyond.push(r.url()); });
    await context.route(address => !ours(address.href), route => route.abort());
    const page = await context.newPage();
    page.on('websocket', s => { if (!ours(s.url())) beyond.push(s.url()); });
    await watched(() => work(page, context));
  } finally {
    await watched(() => context.close());
  }
  assert.deepEqual(beyond, [], 'requests beyond what is allowed');
}

const loopback = url => url.hostname === '127.0.0.1';
const onlyFiles = url => url.protocol === 'file:';

// painted says whether the canvas shows more than one colour: at least a thousandth of its pixels are not the commonest.
function painted(canvas) {
  const { width, height } = canvas;
  if (!width || !height) return false;
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
  const count = new Map();
  for (const p of pixels) count.set(p, (count.get(p) ?? 0) + 1);
  return pixels.length - Math.max(...count.values()) > pixels.length / 1000;
}

// tooltip is the text of the tooltip that the figure shows, or nothing.
function tooltip(figure) {
  const candidates = [...figure.querySelectorAll('.dpb-live div'), ...document.querySelectorAll('body > div')];
  const shown = candidates.find(e => {
    const style = getComputedStyle(e);
    return style.position === 'absolute' && style.zIndex === '9999999' && style.display !== 'none' &&
      style.visibility === 'visible' && Number(style.opacity) > 0.5 && e.innerText.trim();
  });
  return shown?.innerText.trim();
}

// checkLive checks that the figure is live: marked so, each canvas painted, the static picture
// hidden, a tooltip on hover. A widget is used instead. Only what is expected to be broken is given
// up after a second.
async function checkLive(page, figure, expected, grids = [[5, 3], [24, 16]]) {
  const name = await figure.getAttribute('id');
  const until = async (what, holds) => {
    const limit = what === expected ? 1000 : patience;
    for (const start = Date.now(); ; await sleep(100)) {
      if (await holds()) return progress();
      assert.ok(Date.now() - start < limit, `figure ${name}: ${what}`);
    }
  };
  await until('is not live', async () => await figure.getAttribute('data-dpb-live') === '1');
  await figure.locator('.dpb-live').scrollIntoViewIfNeeded();
  await until('the static picture is still there', async () => !await figure.locator('img.dpb-static').isVisible());
  if (await figure.evaluate(e => e.classList.contains('dpb-widget'))) {
    const slider = figure.locator('.dpb-live input[type=range]');
    if (await slider.count()) await checkSteps(figure, slider, until); else await checkClicks(page, figure, until);
    return;
  }

  const canvases = await figure.locator('.dpb-live canvas').all();
  assert.ok(canvases.length > 0, `figure ${name}: no canvas`);
  for (const canvas of canvases) {
    await until('a canvas is blank', () => canvas.evaluate(painted));
    await canvas.evaluate(e => e.scrollIntoView({ block: 'center' }));
    let pace = 0;
    await until('no tooltip appears on hover', () => hover(page, figure, canvas, grids, ++pace));
  }
}

// checkNarrow checks that title and legend leave a live chart's plot room on a narrow page: 220
// pixels of height, or half of its width where a unit is as long on both axes.
async function checkNarrow(figure) {
  for (const canvas of await figure.locator('.dpb-live canvas').all()) {
    const grid = () => canvas.evaluate(e => window.echarts.getInstanceByDom(e.parentElement.parentElement).getOption().grid[0]);
    if (!(await grid()).width) continue; // no chart of the toolkit
    const limit = Date.now() + patience;
    while ((await canvas.boundingBox()).width > 390) {
      assert.ok(Date.now() < limit, 'the chart is as wide as before');
      await sleep(50);
    }
    const { width, height } = await grid();
    assert.ok(height >= Math.min(220, width / 2), `figure ${await figure.getAttribute('id')}: a plot of ${width} x ${height} pixels`);
  }
}

// checkClicks selects the edges of a graph, by the mouse until they close a cycle, and by the keyboard.
async function checkClicks(page, figure, until) {
  const status = async () => (await figure.locator('[role=status]').innerText()).trim();
  const clear = figure.getByRole('button', { name: 'clear', exact: true });
  const edges = await figure.locator('[data-edge]').all();
  const pressed = edge => edge.getAttribute('aria-pressed');
  const click = async i => {
    const before = await pressed(edges[i]);
    const at = await edges[i].evaluate(pointOn);
    assert.ok(at, `edge ${i} is nowhere to be clicked`);
    await page.mouse.click(at.x, at.y);
    await until(`a click does not select edge ${i}`, async () => await pressed(edges[i]) !== before);
  };

  await clear.click();
  await until('"clear" leaves something selected', async () => /^(a basis: )?independent, 0 of rank \d/.test(await status()));
  let last = -1;
  do {
    await click(++last);
    await until('the status is of another set', async () => new RegExp(`^(dependent: it contains |(a basis: )?independent, ${last + 1} of rank )`).test(await status()));
  } while (!(await status()).startsWith('dependent') && last + 1 < edges.length);
  await until('a cycle is not called dependent', async () => (await status()).startsWith('dependent: it contains the cycle '));
  await until('no edge of the cycle is marked', () => figure.locator('[data-edge][aria-pressed=true] path[stroke="#D55E00"][stroke-dasharray]').count());
  await click(last);
  await until('the set without its cycle is not called independent', async () => new RegExp(`^(a basis: )?independent, ${last} of rank `).test(await status()));

  await clear.click();
  await edges[0].focus();
  for (const [key, i, want] of [['Enter', 0, 'true'], ['Space', 0, 'false'], ['Space', 0, 'true'], ['Tab', 0, 'true'], ['Enter', Math.min(1, edges.length - 1), 'true']]) {
    await page.keyboard.press(key);
    await until(`the key ${key} does not reach edge ${i}`, async () => await pressed(edges[i]) === want);
  }
  await clear.click();
}

// pointOn is a point of the screen at which a click meets this edge and not what lies over it.
function pointOn(edge) {
  edge.scrollIntoView({ block: 'center' });
  const hit = edge.querySelector('.dpb-hit');
  for (let k = 1; k < 20; k++) {
    const { x, y } = hit.getPointAtLength(hit.getTotalLength() * k / 20).matrixTransform(hit.getScreenCTM());
    if (document.elementFromPoint(x, y)?.closest('[data-edge]') === edge) return { x, y };
  }
}

// checkSteps moves the slider of a graph by the keyboard, to its ends.
async function checkSteps(figure, slider, until) {
  const shown = () => Promise.all([figure.locator('output').innerText(), figure.locator('.dpb-caption').innerText(), figure.locator('.dpb-live svg').innerHTML()]);
  await slider.press('Home');
  await until('the key Home does not reach the slider', async () => await slider.inputValue() === '0');
  const first = await shown();
  await slider.press('End');
  await until('the key End does not reach the slider', async () => await slider.inputValue() === await slider.getAttribute('max'));
  for (const [i, what] of ['value', 'caption', 'picture'].entries()) await until(`the slider does not change its ${what}`, async () => (await shown())[i] !== first[i]);
}

// hover moves over the canvas until a tooltip shows: across one grid of points after the other, the
// slower the larger the pace.
async function hover(page, figure, canvas, grids, pace) {
  for (const [columns, rows] of grids) {
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        const box = await canvas.boundingBox();
        await page.mouse.move(box.x + box.width * (i + 0.5) / columns, box.y + box.height * (j + 0.5) / rows, { steps: 2 });
        await sleep(pace * (columns > 5 ? 20 : 120));
        if (await figure.evaluate(tooltip)) {
          await page.mouse.move(1, 1); // so that it is gone when the next figure is looked at
          return true;
        }
      }
    }
  }
  return false;
}

const pageOf = new Map(); // notebook -> its exported page, once the notebook has run

for (const file of notebooks) {
  const name = path.basename(file, '.ipynb');

  test(`${name} runs in JupyterLab and its figures are live`, async t => {
    await withPage(loopback, {}, async page => {
      await page.goto(`${lab.base}lab/tree/${encodeURIComponent(`${name}.ipynb`)}?reset&token=${lab.token}`);
      await page.waitForFunction(n => {
        const widget = window.jupyterapp?.shell.currentWidget;
        return widget?.context?.path === n && widget.context.isReady && widget.sessionContext.session?.kernel;
      }, `${name}.ipynb`);

      const start = Date.now();
      let running = true;
      const run = page.evaluate(async () => {
        const { commands } = window.jupyterapp;
        await window.jupyterapp.shell.currentWidget.sessionContext.ready;
        await commands.execute('notebook:clear-all-cell-outputs');
        await commands.execute('notebook:run-all-cells');
      }).finally(() => { running = false; });
      run.catch(() => {}); // awaited below
      const ran = () => page.evaluate(() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
        .map(c => `${c.execution_count} ${c.outputs?.length}`).join());
      for (let before; running; await Promise.race([run, sleep(1000)])) {
        const now = await ran();
        if (now !== before) progress();
        before = now;
      }
      await run;
      t.diagnostic(`ran in ${((Date.now() - start) / 1000).toFixed(1)} s`);

      const cells = await page.evaluate(() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
        .map((c, i) => ({ i, type: c.cell_type, outputs: c.outputs ?? [], count: c.execution_count, source: [c.source].flat().join('') })));
      const text = o => [o.text ?? o.traceback ?? ''].flat().join('');
      for (const c of cells.filter(c => c.type === 'code' && c.source.trim())) {
        assert.ok(c.count, `cell ${c.i} did not run`);
        const bad = c.outputs.find(o => o.output_type === 'error' || (o.name === 'stderr' && /\bexit status \d|\bpanic: /.test(text(o))));
        assert.ok(!bad, `cell ${c.i} failed:\n${bad && text(bad)}`);
      }
      const html = o => [o.data?.['text/html'] ?? ''].flat().join('');
      const drawn = cells.filter(c => c.outputs.some(o => /class="dpb-(figure|widget)"/.test(html(o))));
      assert.ok(drawn.length > 0, 'the notebook draws no figure');

      let figures = 0;
      for (const c of drawn) {
        await page.evaluate(i => {
          const { content } = window.jupyterapp.shell.currentWidget;
          content.activeCellIndex = i;
          return content.scrollToItem(i, 'center');
        }, c.i);
        const cell = page.locator(`.jp-NotebookPanel .jp-Cell[data-windowed-list-index="${c.i}"]`);
        await cell.locator(pictures).first().waitFor({ state: 'attached' });
        for (const figure of await cell.locator(pictures).all()) {
          await checkLive(page, figure);
          figures++;
        }
      }
      t.diagnostic(`${figures} figures are live in JupyterLab`);

      await page.evaluate(() => window.jupyterapp.commands.execute('docmanager:save'));
      await promisify(execFile)(path.join(root, 'docker', 'run'), ['python', path.join(here, 'run.py'), '--export-only', '--out',
        path.join(scratch, 'pages'), path.join(lab.directory, `${name}.ipynb`)], { env: { ...process.env, SCALE: 'smoke' } });
      pageOf.set(name, { address: pathToFileURL(path.join(scratch, 'pages', `${name}.html`)).href, figures });
    });
  });

  test(`${name} as a page is live offline`, async t => {
    assert.ok(pageOf.has(name), 'there is no page: the notebook did not run');
    const { address, figures } = pageOf.get(name);
    await withPage(onlyFiles, { offline: true }, async page => {
      const complaints = [];
      page.on('pageerror', e => complaints.push(e.message));
      await page.goto(address);
      const all = await page.locator(pictures).all();
      assert.equal(all.length, figures);
      for (const figure of all) await checkLive(page, figure);
      await page.setViewportSize({ width: 390, height: 1000 });
      for (const figure of all) await checkNarrow(figure);
      assert.deepEqual(complaints, [], 'errors on the page');
      t.diagnostic(`${figures} figures are live offline`);
    });
  });

  test(`${name} as a page without scripts shows its static pictures`, async t => {
    assert.ok(pageOf.has(name), 'there is no page: the notebook did not run');
    const { address, figures } = pageOf.get(name);
    await withPage(onlyFiles, { offline: true, javaScriptEnabled: false }, async page => {
      await page.goto(address);
      const all = await page.locator(pictures).all();
      assert.equal(all.length, figures);
      for (const figure of all) await checkStatic(figure);
      t.diagnostic(`${figures} static pictures are shown`);
    });
  });
}

for (const file of saved) {
  const name = path.basename(file, '.ipynb');

  test(`what is to be clicked in ${name}, as it is committed`, async t => {
    const pages = path.join(scratch, 'committed');
    await promisify(execFile)(path.join(root, 'docker', 'run'), ['python', path.join(here, 'run.py'), '--export-only', '--out', pages, file]);
    const address = pathToFileURL(path.join(pages, `${name}.html`)).href;
    await withPage(onlyFiles, { offline: true }, async page => {
      const complaints = [];
      page.on('pageerror', e => complaints.push(e.message));
      await page.goto(address);
      const widgets = await page.locator('.dpb-widget').all();
      assert.ok(widgets.length > 0, 'the page has lost them');
      for (const widget of widgets) await checkLive(page, widget);
      assert.deepEqual(complaints, [], 'errors on the page');
      t.diagnostic(`${widgets.length} are live offline`);
    });
    await withPage(onlyFiles, { offline: true, javaScriptEnabled: false }, async page => {
      await page.goto(address);
      for (const widget of await page.locator('.dpb-widget').all()) await checkStatic(widget);
    });
  });
}

// The lessons whose pages compute. Their cells run again with other values, and natively.
const computing = named.length ? [] : [path.join(here, 'testdata', 'compute.ipynb'), ...lessons].filter(file => fs.readFileSync(file, 'utf8').includes('// control: '));

// Cells that draw formulas by math.Exp and math.Log, or sums by gonum's floats. These differ in the
// last bits between processors; what is drawn of them, seven digits, does not.
// Of the game that is the densities of the two worlds, not the rounds in its frames.
const formulas = { 'p00b-game': /"numbers":"\w+/, 'p00b-success': /"numbers":"[\w ]+/, 'p00b-walk': /"numbers":"[\w ]+/, 'cell-21': /"numbers":"[\w ]+/,
  'c18b': /"numbers":"[\w ]+/ };

// another is a value for a control: short runs of 16 trials, and else the middle of the range.
function another({ name, min, max, whole }) {
  if (name === 'trials') return Math.min(16, max);
  if (/^(rounds|horizon|runs|games)$/.test(name)) return Math.max(16, min);
  const middle = min > 0 ? Math.sqrt(min * max) : (min + max) / 2;
  return whole ? Math.round(middle) : Number(middle.toPrecision(3));
}

const output = text => text.split('\n').filter(line => line && !line.startsWith('\x1e{"progress"'));

// rerun sets the controls of a cell to other values, presses Run, and returns what the program has
// said, the program's arguments, and after how many seconds it was ready, and had ended.
async function rerun(page, form, set = another) {
  const args = [];
  for (const field of await form.locator('input[type=number]').all()) {
    const control = await field.evaluate(e => ({
      name: e.parentElement.firstChild.textContent, min: Number(e.min), max: Number(e.max), whole: e.step === '1',
    }));
    const value = set(control);
    if (value !== undefined) await field.fill(String(value));
    args.push(`${control.name}=${await field.inputValue()}`);
  }
  const start = Date.now();
  await form.evaluate(e => e.requestSubmit());
  while (await form.getAttribute('data-state') === 'running') {
    progress();
    await sleep(20);
  }
  const seconds = (Date.now() - start) / 1000;
  const said = await form.locator('output').innerText();
  assert.equal(await form.getAttribute('data-state'), 'done', `${args}: ${said}`);
  return { args, seconds, ready: Number(await form.getAttribute('data-ready')) / 1000, lines: output((await form.evaluate(e => e.lines)).join('\n')) };
}

const exported = path.join(root, 'build', 'browser'); // beside the programs, which are kept
let exporting;
const pagesThatCompute = () => exporting ??= promisify(execFile)(path.join(root, 'docker', 'run'),
  ['python', path.join(here, 'run.py'), '--export-only', '--out', exported, ...computing]);

for (const file of computing) {
  const name = path.basename(file, '.ipynb');

  test(`${name} computes on its page, offline, what it computes natively`, async t => {
    const native = path.join(scratch, `native-${name}`);
    await watched(async () => {
      await pagesThatCompute();
      progress();
      await promisify(execFile)('go', ['build', '-tags=page', '-buildvcs=false', '-o', native, path.join(root, 'build', 'pages', name, 'main.go')], { cwd: root });
    });
    await withPage(onlyFiles, { offline: true }, async page => {
      const complaints = [];
      page.on('pageerror', e => complaints.push(e.message));
      await page.goto(pathToFileURL(path.join(exported, `${name}.html`)).href);
      assert.deepEqual(complaints, [], 'errors on the page');
      const forms = await page.locator('form.dpb-rerun').all();
      assert.ok(forms.length >= 3, `${forms.length} cells compute, want three`);
      const size = await page.locator('#dpb-program').evaluate(e => e.textContent.length * 3 / 4 / 1e6);
      t.diagnostic(`the program has ${size.toFixed(2)} MB`);
      assert.ok(size < 2, `the program has ${size.toFixed(2)} MB, want less than 2`);
      for (const form of forms) {
        const element = await form.evaluate(e => e.closest('.jp-Cell').id), id = element.replace('cell-id=', '');
        const cell = page.locator(`[id="${element}"]`);
        const before = await cell.locator('.dpb-figure').evaluateAll(list => list.map(e => e.id));
        const { args, seconds, ready, lines } = await rerun(page, form);

        const again = cell.locator('.dpb-again');
        for (const figure of await again.locator('.dpb-figure').all()) {
          for (; await figure.getAttribute('data-dpb-live') !== '1'; await sleep(20));
          assert.ok(!before.includes(await figure.getAttribute('id')), `${id}: the figure is the notebook's`);
        }
        for (const shown of await cell.locator('.jp-Cell-outputWrapper').all()) assert.equal(await shown.isVisible(), false, `${id}: the notebook's figure is still there`);
        const want = output((await promisify(execFile)(native, [id, ...args], { maxBuffer: 1 << 28 })).stdout);
        const drawn = list => list.map(line => id in formulas ? line.replace(formulas[id], '') : line).join('\n');
        assert.ok(drawn(lines) === drawn(want), `${id} ${args}: other numbers than natively`);
        t.diagnostic(`${id} ${args.join(' ')}: ready in ${ready.toFixed(2)} s, done in ${seconds.toFixed(1)} s`);

        await form.getByRole('button', { name: "Notebook's figure" }).click();
        assert.equal(await again.isVisible(), false);
        assert.deepEqual(await cell.locator('.jp-Cell-outputWrapper .dpb-figure').evaluateAll(list => list.map(e => e.id)), before);
      }
      assert.deepEqual(complaints, [], 'errors on the page');
    });
  });
}

test('a run on a page shows its progress, is stopped and goes again', { skip: !computing.length }, async t => {
  await watched(pagesThatCompute);
  await withPage(onlyFiles, { offline: true }, async page => {
    await page.goto(pathToFileURL(path.join(exported, 'compute.html')).href);
    const form = cell => page.locator(`[id="cell-id=${cell}"] form.dpb-rerun`);
    const linear = form('linear'), said = linear.locator('output');
    for (const [cell, what] of [['arms', 'K-armed'], ['linear', 'LinUCB']]) {
      const { seconds, ready } = await rerun(page, form(cell), () => undefined); // the first has the program unpacked
      t.diagnostic(`a million rounds, ${what}: ready in ${ready.toFixed(2)} s, done in ${seconds.toFixed(1)} s`);
    }
    await linear.locator('input[type=number]').fill('10000000');
    await linear.getByRole('button', { name: 'Run' }).click();
    while (!(await linear.locator('progress').evaluate(e => e.value > 0 && e.value < 1))) {
      assert.equal(await linear.getAttribute('data-state'), 'running');
      await sleep(20);
    }
    assert.match(await said.innerText(), /^[\d.]+ s, trial 1 of 1$/);
    const [worker] = page.workers();
    const start = Date.now(), gone = worker.waitForEvent('close');
    await linear.getByRole('button', { name: 'Stop' }).click();
    await gone;
    t.diagnostic(`stopped in ${((Date.now() - start) / 1000).toFixed(2)} s`);
    assert.equal(await said.innerText(), 'stopped');
    assert.deepEqual(page.workers(), []);
    await rerun(page, linear, () => 1000);
    const race = form('race');
    await rerun(page, race);
    await checkLive(page, page.locator('[id="cell-id=race"] .dpb-again .dpb-figure'));
    await race.locator('input[type=number]').first().fill('99'); // beyond its range
    await race.getByRole('button', { name: 'Run' }).click();
    assert.equal(await race.getAttribute('data-state'), 'done', 'a value beyond the range is taken');
  });
});

// checkStatic checks that the figure shows its picture and nothing else.
async function checkStatic(figure) {
  const name = await figure.getAttribute('id');
  assert.equal(await figure.getAttribute('data-dpb-live'), null, `figure ${name} is live although scripts are off`);
  const image = figure.locator('img.dpb-static');
  await image.scrollIntoViewIfNeeded();
  assert.ok(await image.isVisible(), `figure ${name}: its picture is hidden`);
  assert.ok(await image.evaluate(e => e.complete && e.naturalWidth > 0), `figure ${name}: its picture is broken`);
  assert.ok((await image.getAttribute('alt'))?.trim(), `figure ${name}: its picture has no description`);
}

// The checks themselves, on figures that are broken in one way each, and what is to be said of them.
const broken = {
  'is not live': '',
  'no canvas': '<script>f.dataset.dpbLive = 1; i.style.display = "none"</script>',
  'a canvas is blank': '<canvas></canvas><script>f.dataset.dpbLive = 1; i.style.display = "none"</script>',
  'the static picture is still there': '<canvas></canvas><script>f.dataset.dpbLive = 1</script>',
  'no tooltip appears on hover': `<canvas></canvas><script>f.dataset.dpbLive = 1; i.style.display = "none";
    f.querySelector('canvas').getContext('2d').fillRect(5, 5, 50, 50)</script>`,
};
test('a broken figure is found out', async t => {
  for (const [what, inside] of Object.entries(broken)) {
    await t.test(what, () => withPage(onlyFiles, {}, async page => {
      await page.setContent(`<div class="dpb-figure" id="dpb-broken"><img class="dpb-static" alt="x" src="data:image/svg+xml;base64,AA==" width="9" height="9">
        <script>var f = document.getElementById('dpb-broken'), i = f.querySelector('img')</script><div class="dpb-live">-${inside}</div></div>`);
      const figure = page.locator('.dpb-figure');
      await assert.rejects(checkLive(page, figure, what, [[3, 2]]), e => e.message.includes(what));
      if (what === 'is not live') await assert.rejects(checkStatic(figure), /its picture is broken/);
    }));
  }
});

const clickable = notebooks.some(file => path.basename(file) === 'graph.ipynb');

test('what is read out of a graph is of what it shows', { skip: !clickable }, async () => {
  assert.ok(pageOf.has('graph'), 'there is no page: the notebook did not run');
  await withPage(onlyFiles, { offline: true }, async page => {
    await page.goto(pageOf.get('graph').address);
    const said = widget => widget.locator('.dpb-live svg').getAttribute('aria-label');
    const [clicked, again, stepped] = await page.locator('.dpb-widget').all();
    await stepped.locator('svg').waitFor();
    assert.equal(await clicked.getAttribute('id'), await again.getAttribute('id'));
    await clicked.locator('[data-edge]').first().press('Enter');
    assert.deepEqual(await Promise.all([clicked, again].map(w => w.locator('[data-edge]').first().getAttribute('aria-pressed'))), ['false', 'true']);
    assert.doesNotMatch(await said(clicked), /Selected/, 'the selection at the start');
    const last = await said(stepped);
    await stepped.locator('input').press('Home');
    assert.match(await said(stepped), /Accepted: none\. Rejected: none\.$/);
    await stepped.locator('input').press('End');
    assert.equal(await said(stepped), last);
    assert.match(last, /Accepted: a–<img src=x onerror=alert\(1\)> \(4\), .*Rejected: .*\(0\.5\)/);
  });
});

// What keeps a graph from working, and what is to be said of it.
const brokenGraph = {
  'edge 0 is nowhere to be clicked': () => document.head.appendChild(document.createElement('style')).append('[data-edge] * { pointer-events: none !important }'),
  'a click does not select edge 0': () => document.addEventListener('click', e => { if (e.target.closest('[data-edge]')) e.stopPropagation(); }, true),
  'the status is of another set': () => new MutationObserver(list => {
    for (const { target } of list) if (target.textContent.startsWith('dependent')) target.textContent = 'independent, 3 of rank 3';
  }).observe(document.querySelector('[role=status]'), { childList: true, subtree: true }),
  'the key Enter does not reach edge 0': () => document.addEventListener('keydown', e => e.stopPropagation(), true),
};
test('a broken graph is found out', { skip: !clickable }, async t => {
  assert.ok(pageOf.has('graph'), 'there is no page: the notebook did not run');
  for (const [what, breaking] of Object.entries(brokenGraph)) {
    await t.test(what, () => withPage(onlyFiles, { offline: true }, async page => {
      await page.goto(pageOf.get('graph').address);
      const widget = page.locator('.dpb-widget').first();
      await widget.locator('[data-edge]').first().waitFor();
      await page.evaluate(breaking);
      await assert.rejects(checkLive(page, widget, what), e => e.message.includes(what));
    }));
  }
});

test('a request to another machine is found out', async () => {
  await assert.rejects(withPage(loopback, {}, async page => {
    await page.setContent('<img src="http://example.org/x.png">', { waitUntil: 'load' });
  }), /beyond what is allowed/);
});
