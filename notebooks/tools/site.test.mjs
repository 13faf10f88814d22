// The site (notebooks/tools/site_pages.py) in a browser, from its folder and with the network off:
// no error on the console, nothing asked of another machine, no serious finding of axe-core in light
// and dark, no page wider than a telephone, and a search that finds.
//
// The site is made of two notebooks. DPBANDITS_SITE names a folder that `make site` made, to be
// tested in its place, whole. DPBANDITS_SITE_PICTURES names a folder for pictures of each page.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = createRequire(path.join(root, 'docker', 'package.json'));
const { chromium } = modules('playwright-core');
const axe = fs.readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');

const pictures = process.env.DPBANDITS_SITE_PICTURES;
let scratch, site, browser;

before(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'dpbandits-site-'));
  site = process.env.DPBANDITS_SITE;
  if (!site) {
    site = path.join(scratch, 'site');
    execFileSync(path.join(root, 'docker', 'run'), ['python', 'notebooks/tools/site_pages.py', '--out', site, 'notebooks/00-quickstart.ipynb',
      'notebooks/tools/testdata/good.ipynb'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const program = process.env.CHROMIUM || ['chromium', 'chromium-browser', 'google-chrome']
    .map(name => { try { return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(); } catch { return ''; } }).find(Boolean);
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
});

after(async () => {
  await browser?.close();
  fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
});

const address = name => pathToFileURL(path.join(site, name)).href;

// visited opens a page, does the work, and then wants no error and no request to elsewhere.
async function visited(name, options, work) {
  const context = await browser.newContext({ offline: true, ...options });
  try {
    const page = await context.newPage(), wrong = [];
    page.setDefaultTimeout(600_000);
    page.on('console', m => { if (m.type() === 'error') wrong.push(m.text()); });
    page.on('pageerror', e => wrong.push(String(e)));
    page.on('request', r => { if (!/^(file|data|blob):/.test(r.url())) wrong.push(`asks for ${r.url()}`); });
    await page.goto(address(name), { timeout: 600_000 });
    await work(page);
    assert.deepEqual(wrong, [], name);
  } finally {
    await context.close();
  }
}

// serious returns what axe-core finds on a page that keeps somebody from using it.
async function serious(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(v => ['serious', 'critical'].includes(v.impact))
    .map(v => `${v.id}: ${v.help}: ${v.nodes.length} times, as in ${v.nodes.slice(0, 3).map(n => `${n.html.slice(0, 160)} (${n.any.map(a => a.message).join('; ')})`).join(' | ')}`);
}

function pages() {
  const all = fs.readdirSync(site, { recursive: true }).filter(name => name.endsWith('.html')).sort();
  // of the packages one, if the site is not tested whole
  return process.env.DPBANDITS_SITE ? all : all.filter(name => !name.startsWith('api/') || name === 'api/pkg-bandit.html');
}

test('no page has an error, a serious finding or too much width', async t => {
  assert.ok(pages().length >= 7, `${pages()}`);
  for (const name of pages()) {
    await t.test(name, async () => {
      for (const [colorScheme, width] of [['light', 1280], ['dark', 400]]) {
        await visited(name, { colorScheme, viewport: { width, height: 900 } }, async page => {
          const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(over <= 0, `${over} pixels too wide at ${width}`);
          assert.deepEqual(await serious(page), [], `${colorScheme}, ${width} wide`);
          if (pictures) await page.screenshot({ path: path.join(pictures, `${name.replace(/\W+/g, '-')}-${colorScheme}-${width}.png`) });
        });
      }
    });
  }
});

test('what keeps somebody from using a page is found out', () => visited('index.html', {}, async page => {
  await page.evaluate(() => { document.querySelector('main').innerHTML += '<img src="data:,"><p style="color:#bbb;background:#fff">pale</p>'; });
  const found = (await serious(page)).join('\n');
  assert.match(found, /image-alt/);
  assert.match(found, /color-contrast/);
}));

test('the search finds packages, functions and sections', () => visited('index.html', {}, async page => {
  await page.getByRole('searchbox').fill('bandit.Problem.CheckView');
  await page.getByRole('searchbox').press('Enter');
  const first = page.locator('#found a').first();
  assert.equal(await first.textContent(), 'bandit.Problem.CheckView');
  await first.click();
  await page.waitForURL(/api\/pkg-bandit\.html#Problem\.CheckView$/);
  await page.getByRole('searchbox').fill('nothing has this name');
  await page.getByRole('searchbox').press('Enter');
  await page.getByText('0 places').waitFor();
}));

test('the notebooks lead to one another', () => visited('index.html', {}, async page => {
  await page.locator('.cards a').first().click();
  await page.locator('a[rel=next]').click();
  await page.waitForURL(url => url.pathname.endsWith('.html') && !url.pathname.endsWith('/00-quickstart.html'));
  await page.locator('a[rel=prev]').click();
  await page.waitForURL(/00-quickstart\.html$/);
}));

test('slides read in light and dark, with the captions of their figures', async () => {
  const out = path.join(scratch, 'lessons');
  execFileSync(path.join(root, 'docker', 'run'), ['python', 'notebooks/tools/lessons.py', '--out', out, 'notebooks/00-quickstart.ipynb'],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const colorScheme of ['light', 'dark']) {
    const page = await browser.newPage({ colorScheme });
    await page.goto(pathToFileURL(path.join(out, 'slides', '00-quickstart.html')).href);
    const ratio = await page.locator('.dpb-caption').first().evaluate(caption => {
      // the share of light of a colour, as WCAG 2 has it
      const light = colour => {
        const [r, g, b] = colour.match(/[\d.]+/g).map(x => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [low, high] = [getComputedStyle(caption).color, getComputedStyle(document.body).backgroundColor].map(light).sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    });
    assert.ok(ratio >= 4.5, `${colorScheme}: the contrast of a caption is ${ratio.toFixed(1)}, want 4.5`);
    await page.close();
  }
});
