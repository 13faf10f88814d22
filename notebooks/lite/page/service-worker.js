// JupyterLite's service worker, and before it this: a page comes from the network, and without one
// from the cache, whatever notebook its address names.
"use strict";

self.addEventListener("fetch", event => {
  if (event.request.mode !== "navigate") return;
  event.stopImmediatePropagation();
  event.respondWith(fetch(event.request).catch(async e => {
    const kept = await caches.match(event.request, {ignoreSearch: true});
    if (kept) return kept;
    throw e;
  }));
});

importScripts("jupyterlite-service-worker.js");
