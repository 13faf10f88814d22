// A static server for tests: the site in a subfolder, and a script in JupyterLab's page if one is wanted.
//
// It counts bytes as a server would send them that compresses text. With dated, it says when a file
// was changed, as any server does, and a browser need not fetch it twice.

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const types = {
  '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.css': 'text/css', '.zst': 'application/zstd',
  '.gz': 'application/gzip', '.svg': 'image/svg+xml', '.woff2': 'font/woff2', '.png': 'image/png',
};

// serve makes a server of a site. What it returns says what was sent; down makes it deaf, inject is
// the script, and reported is called with what the script posts.
export function serve(site, { dated = false } = {}) {
  const sizes = new Map(), by = new Map(); // by file: its size on the wire, and how often it was sent
  const wire = file => {
    if (/\.(gz|zst)$/.test(file)) return fs.statSync(file).size;
    if (!sizes.has(file)) sizes.set(file, gzipSync(fs.readFileSync(file)).length); // not before an answer
    return sizes.get(file);
  };
  const list = () => [...by].map(([file, times]) => [file, times * wire(file)]);
  const sent = {
    by, list,
    get files() { return [...by.values()].reduce((sum, times) => sum + times, 0); },
    get bytes() { return list().reduce((sum, [, bytes]) => sum + bytes, 0); },
    get once() { return [...by.keys()].reduce((sum, file) => sum + wire(file), 0); }, // if nothing were sent twice
  };
  const state = { sent, asked: new Map(), down: false, inject: '', reported: null };
  state.server = http.createServer(async (request, response) => {
    if (state.down) return void request.socket.destroy();
    if (request.method === 'POST') {
      const parts = [];
      for await (const part of request) parts.push(part);
      response.end();
      return void state.reported(Buffer.concat(parts).toString());
    }
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    let file = name.startsWith('/sub/') ? path.join(site, name.slice(5)) : '';
    if (file && fs.existsSync(file) && fs.statSync(file).isDirectory()) file = path.join(file, 'index.html');
    if (!file || !fs.existsSync(file)) return void response.writeHead(404).end();
    const headers = { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' };
    if (dated) {
      headers['last-modified'] = fs.statSync(file).mtime.toUTCString();
      if (request.headers['if-modified-since'] === headers['last-modified']) return void response.writeHead(304, headers).end();
    }
    let data = fs.readFileSync(file);
    if (state.inject && file.endsWith(path.join('lab', 'index.html'))) {
      data = data.toString().replace('</head>', `<script>${state.inject}</script></head>`);
    }
    by.set(file, (by.get(file) ?? 0) + 1);
    state.asked.set(request.headers.host, (state.asked.get(request.headers.host) ?? 0) + 1);
    response.writeHead(200, headers).end(data);
  });
  return state;
}
