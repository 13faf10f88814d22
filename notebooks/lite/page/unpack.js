// Fetches a file of the site, or takes it from the cache of an earlier visit, and unpacks it. A file's
// name has a hash of what is in it, so that a file that was kept is the right one.
"use strict";

importScripts("fzstd.js");

async function packed(url, size, came) {
  let kept = null, response;
  try {
    kept = await caches.open("dpbandits-go");
    response = await kept.match(url);
  } catch (e) { /* a private window may have no cache */ }
  if (!response) {
    response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    if (kept) kept.put(url, response.clone()).catch(() => {}); // no room is no error
  }
  const data = new Uint8Array(size), reader = response.body.getReader();
  let at = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    if (at + value.length <= size) data.set(value, at);
    at += value.length;
    came(value.length);
  }
  if (at !== size) throw new Error(`${url}: ${at} bytes have come, not ${size}`);
  return data;
}

onmessage = async ({data: {path, url, size}}) => {
  try {
    const data = fzstd.decompress(await packed(url, size, came => postMessage({path, came})));
    postMessage({path, data}, [data.buffer]);
  } catch (e) {
    postMessage({path, error: String(e && e.message || e)});
  }
};
