// Typesets formulas: reads a JSON list of {tex, display} from standard input, writes the JSON list of their HTML.
// A formula that KaTeX cannot read is an {error} in its place.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');

const root = process.env.DPBANDITS_ROOT || path.join(__dirname, '..', '..');
const katex = createRequire(path.join(root, 'docker', 'package.json'))('katex');

const formulas = JSON.parse(fs.readFileSync(0, 'utf8'));
const html = formulas.map(({ tex, display }) => {
  try {
    return katex.renderToString(tex, { displayMode: display, throwOnError: true, strict: 'ignore', trust: false });
  } catch (e) {
    return { error: e.message };
  }
});
process.stdout.write(JSON.stringify(html));
