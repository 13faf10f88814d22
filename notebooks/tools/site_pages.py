#!/usr/bin/env python3
"""Makes the site: a folder of pages that works from a disk, without a server and without a network.

    site_pages.py [--out build/site] [--lite build/lite] notebook...

The pages of the notebooks are those of export.py, with the outputs that the notebooks have; nothing is executed. The
reference, the leaderboard and the scorecard come from Go (notebooks/tools/reference). Added are what links them: an
index with a picture of each notebook, a search, and on each notebook's page the way to the previous and the next one.
The run fails on a link that leads nowhere.

With --lite, the site holds what `make lite` made: its notebooks run, and each cell of a page can be changed and run in
its place, if a server hands the pages out.
"""

import base64
import html
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup

import export
import run

# Both modes have a contrast of at least 4.5 for text.
STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #595959; --paper: #fff; --box: #f4f5f7; --edge: #d5d8dd; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #b0b0b0; --paper: #181818; --box: #24262a; --edge: #3c4046; --link: #8ab4f8; }
}
.dpb-site { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--box); border-bottom: 1px solid var(--edge);
  padding: .5rem 1rem; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: center; }
.dpb-site a, .dpb-ways a { color: var(--link); padding: .2rem 0; }
.dpb-site form { margin: 0 0 0 auto; display: flex; gap: .4rem; }
.dpb-site input, .dpb-site button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 4px;
  padding: .1rem .5rem; max-width: 11rem; }
.dpb-ways { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; display: flex; flex-wrap: wrap; gap: .5rem 2rem;
  justify-content: space-between; }
"""

PLAIN = """
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
main a { color: var(--link); }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.2rem; } h3 { margin-top: 1.8rem; font-size: 1.05rem; }
pre { background: var(--box); border: 1px solid var(--edge); border-radius: 4px; padding: .6rem .8rem; overflow-x: auto; font-size: .875rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--link); }
.names { columns: 18rem; padding-left: 1.2rem; font-size: .9rem; } .level2 { margin-left: 1.2rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: 1.2rem; list-style: none; padding: 0; }
.cards li { border: 1px solid var(--edge); border-radius: 8px; padding: .8rem; background: var(--box); }
.cards img { width: 100%; aspect-ratio: 16 / 10; object-fit: contain; background: var(--paper); border-radius: 4px; }
.cards p { margin: .4rem 0; font-size: .9rem; color: var(--soft); }
.found li { margin: .6rem 0; } .found small { color: var(--soft); }
.scroll { overflow-x: auto; }
.now { font-size: 1.15rem; } .now a { font-weight: 600; }
"""

# JupyterLab's theme is paler than that in places, and does not underline links.
NOTEBOOK = """
:root { --jp-mirror-editor-comment-color: #336b6b; --jp-mirror-editor-number-color: #066f06; --jp-mirror-editor-operator-color: #8f1fd1;
  --jp-mirror-editor-error-color: #c00; --jp-cell-prompt-not-active-opacity: 1; --jp-cell-inprompt-font-color: #2c5f91; --jp-cell-outprompt-font-color: #a8431f; }
@media (prefers-color-scheme: dark) {
  :root { --jp-mirror-editor-comment-color: #8fc7c7; --jp-mirror-editor-number-color: #7ed07e; --jp-mirror-editor-operator-color: #d6a3ff;
    --jp-mirror-editor-error-color: #ff8a80; --jp-cell-inprompt-font-color: #8ab4f8; --jp-cell-outprompt-font-color: #f0a080; }
}
.jp-RenderedHTMLCommon a:link { text-decoration: underline; }
.dpb-edit { font: 15px system-ui, sans-serif; display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; margin: .3rem 0; }
.dpb-edit textarea { flex-basis: 100%; box-sizing: border-box; font: 13px/1.4 ui-monospace, monospace; tab-size: 4; white-space: pre; color: var(--ink);
  background: var(--paper); border: 1px solid var(--soft); border-radius: 4px; padding: .4rem .6rem; resize: vertical; }
.dpb-edit button { font: inherit; color: var(--ink); background: var(--box); border: 1px solid var(--soft); border-radius: 4px; padding: 0 .6rem; }
.dpb-edit button:disabled { opacity: .55; }
.dpb-edit output { color: var(--soft); }
.dpb-again pre.dpb-error { color: var(--jp-mirror-editor-error-color); }
"""

# Without a mouse, one scrolls with the keys, and only what has the focus.
SCROLL = """
(function () {
  function mark() {
    document.querySelectorAll("pre, table, .katex-display, .scroll, .highlight, .jp-OutputArea-output, .jp-RenderedHTMLCommon, [style*=overflow]").forEach(function (e) {
      var over = /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth;
      if (over && !e.hasAttribute("tabindex")) e.tabIndex = 0;
    });
  }
  addEventListener("load", mark);
  addEventListener("resize", mark);
})();
"""

# What the search page does. Every word has to be there; a hit in the name counts most.
SEARCH = """
(function () {
  var q = new URLSearchParams(location.search).get("q") || "", words = q.toLowerCase().split(/\\s+/).filter(Boolean);
  document.querySelectorAll("input[name=q]").forEach(function (i) { i.value = q; });
  var hits = !words.length ? [] : dpbIndex.map(function (e) {
    var name = e[0].toLowerCase(), text = e[2].toLowerCase(), score = 0;
    for (var i = 0; i < words.length; i++) {
      var w = words[i], s = name.split(/[. ]/).indexOf(w) >= 0 ? 4 : name.indexOf(w) >= 0 ? 2 : text.indexOf(w) >= 0 ? 1 : 0;
      if (!s) return null;
      score += s;
    }
    return [score, e];
  }).filter(Boolean).sort(function (a, b) { return b[0] - a[0]; });
  var list = document.getElementById("found");
  document.getElementById("count").textContent = !words.length ? "Type what you look for." :
    hits.length + (hits.length === 1 ? " place" : " places") + " with " + q + (hits.length > 100 ? ", the first 100 of them:" : "");
  hits.slice(0, 100).forEach(function (h) {
    var li = document.createElement("li"), a = document.createElement("a"), s = document.createElement("small");
    a.href = h[1][1];
    a.textContent = h[1][0];
    s.textContent = h[1][2].length > 220 ? h[1][2].slice(0, 220) + " …" : h[1][2];
    li.append(a, document.createElement("br"), s);
    list.append(li);
  });
})();
"""


def bar(up="", runs=""):
    """What stands on top of each page; up leads to the site's root, and runs is the address of a notebook that runs."""
    runs = f'<a href="{up}{runs}">Try it now</a> ' if runs else ""
    return (f'<nav class="dpb-site" aria-label="Site"><a href="{up}index.html">dpbandits</a> {runs}<a href="{up}leaderboard.html">Leaderboard</a> '
            f'<a href="{up}scorecard.html">Scorecard</a> '
            f'<a href="{up}api.html">Reference</a><form action="{up}search.html" role="search">'
            '<input type="search" name="q" aria-label="Search the site" placeholder="Search"><button>Search</button></form></nav>\n')


def runs_at(path, lite):
    """Where a notebook runs, if the site holds that."""
    return f"lite/notebooks/index.html?path={urllib.parse.quote(run.below(path))}" if lite else ""


def framed(title, body, up="", head="", runs=""):
    """A page of the site."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} · dpbandits</title>
<style>{STYLE}{PLAIN}</style>
<script>{SCROLL}</script>
{head}</head>
<body>
{bar(up, runs)}<main>
<h1>{html.escape(title)}</h1>
{body}
</main>
</body>
</html>
"""


def ways(nbs):
    """The notebooks in the order in which their own links "next:" lead from the first one."""
    following = {}
    for name, nb in nbs.items():
        text = "\n".join(c.source for c in nb.cells[:3] if c.cell_type == "markdown")
        if m := re.search(r"next: \[[^\]]*\]\(([\w.-]+)\.ipynb", text):
            following[name] = m[1]
    order, at = [], next(iter(nbs), None)
    while at in nbs and at not in order:
        order.append(at)
        at = following.get(at)
    return order + [name for name in nbs if name not in order]


def picture(nb):
    """The first static picture among the outputs, as SVG and its description."""
    for cell in nb.cells:
        for o in cell.get("outputs", []):
            image = BeautifulSoup(o.get("data", {}).get("text/html", ""), "html.parser").find("img", class_="dpb-static")
            if image is None:
                continue
            head, data = image["src"].split(",", 1)
            data = re.sub(r"\s*\n\s*", "\n", data)
            svg = base64.b64decode(data).decode() if head.endswith("base64") else urllib.parse.unquote(data)
            return svg, image["alt"]
    return None


def adorn(path, nb, before, after, others, runs):
    """Puts the site's bar on top of a notebook's page, and what is before and after it below.

    Links to the others, notebooks that are not on the site, go to where they can be read. If the notebook runs on the
    site, its cells can be changed on the page.
    """
    text = path.read_text(encoding="utf-8")
    for other in others:
        text = text.replace(f'href="{other.stem}.html', f'href="{run.VIEWER}{run.below(other)}')
    for place in ["<main>\n", "</main>", "</head>", *[export.POLICY] * bool(runs)]:
        if text.count(place) != 1:
            raise export.Failure(f"{path.name} has the place {place.strip()} {text.count(place)} times, want once")
    links = "".join(f'<a href="{name}.html" rel="{rel}">{html.escape(words)}</a>' for name, rel, words in (before, after) if name)
    text = text.replace("<main>\n", bar(runs=runs) + "<main>\n")
    if runs:
        cells = [{"id": c.id, "source": c.source} for c in nb.cells if c.cell_type == "code"]
        text = text.replace(export.POLICY, f"{export.POLICY} 'self'")
        text = text.replace("</main>", f"</main>\n{export.script('edit.js', 'lite/', cells)}")
    text = text.replace("</main>", f'</main>\n<nav class="dpb-ways" aria-label="Notebooks">{links}</nav>')
    path.write_text(text.replace("</head>", f"<style>{STYLE}{NOTEBOOK}</style><script>{SCROLL}</script></head>"), encoding="utf-8")


class Page(HTMLParser):
    """The anchors of a page, and where it links to."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = {"", "top"}, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get("id") or "")
        for key in ("href", "src", "action"):
            if attrs.get(key):
                self.links.append(attrs[key])


def ours(directory):
    """The pages of the site, without those of Jupyter."""
    return [path for path in sorted(directory.rglob("*.html")) if path.relative_to(directory).parts[0] != "lite"]


def broken(directory):
    """The links of all pages that lead to no file or to no anchor."""
    pages = {path.resolve(): Page(path) for path in ours(directory)}
    found = []
    for path, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme:
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            anchor = urllib.parse.unquote(url.fragment)
            if not target.is_file() or target in pages and anchor not in pages[target].ids:
                found.append(f"{path.relative_to(directory.resolve())}: {link}")
    return found


def make(out, notebooks, lite=None):
    shutil.rmtree(out, ignore_errors=True)
    if lite:
        shutil.copytree(lite, out / "lite")
    (out / "api").mkdir(parents=True)
    (out / "pictures").mkdir()
    go = subprocess.Popen(["go", "run", "./notebooks/tools/reference"], cwd=run.ROOT, stdout=subprocess.PIPE, text=True)
    index, cards = [], []
    nbs = {path.stem: run.share(nbformat.read(path, as_version=4)) for path in notebooks}
    runs = {path.stem: runs_at(path, lite) for path in notebooks}
    order = ways(nbs)
    folder = run.ROOT / "notebooks"
    others = [path for path in [*folder.glob("*.ipynb"), *folder.glob("evidence/*.ipynb")] if path.stem not in nbs]
    titles = {name: export.title_of(nb, name) for name, nb in nbs.items()}
    for i, name in enumerate(order):
        nb, page = nbs[name], out / f"{name}.html"
        shown = picture(nb)
        export.page(nb, page, notebooks[0].resolve().parent)
        before, after = (order[k] if 0 <= k < len(order) else "" for k in (i - 1, i + 1))
        adorn(page, nb, others=others, runs=runs[name], before=(before, "prev", "← " + titles.get(before, "")), after=(after, "next", titles.get(after, "") + " →"))
        image = ""
        if shown:
            (out / "pictures" / f"{name}.svg").write_text(shown[0], encoding="utf-8")
            image = f'<img src="pictures/{name}.svg" alt="{html.escape(shown[1])}" loading="lazy">'
        summary = export.summary_of(nb)
        cards.append(f'<li>{image}<a href="{name}.html">{html.escape(titles[name])}</a><p>{html.escape(summary)}</p></li>')
        index.append([titles[name], f"{name}.html", summary])
        for anchor, inside in re.findall(r'<h[23] id="([^"]*)">(.*?)<a class="anchor-link"', page.read_text(encoding="utf-8")):
            text = " ".join(BeautifulSoup(re.sub(r"<math.*?</math>", "", inside), "html.parser").get_text().split())
            index.append([text, f"{name}.html#{urllib.parse.quote(html.unescape(anchor))}", f"section of {titles[name]}"])
    made = json.load(go.stdout)
    if go.wait():
        raise export.Failure("the reference could not be made")
    packages, first = [], runs[order[0]]
    for p in made:
        up = "../" * p["path"].count("/")
        body = f'<div class="scroll">{p["body"]}</div>' if p["live"] else p["body"]
        (out / p["path"]).write_text(framed(p["title"], body, up, export.library() if p["live"] else "", first), encoding="utf-8")
        index.append([p["title"], p["path"], p["summary"]])
        index += [[e["name"], f"{p['path']}#{e['anchor']}", e["text"]] for e in p["entries"]]
        if up:
            packages.append(f'<li><a href="{p["path"]}">{html.escape(p["title"])}</a>: {html.escape(p["summary"])}</li>')
    (out / "api.html").write_text(framed("Reference", f"<ul>{''.join(packages)}</ul>", runs=first), encoding="utf-8")
    (out / "search.js").write_text("var dpbIndex = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n", encoding="utf-8")
    (out / "search.html").write_text(framed("Search", '<p id="count" role="status"></p><ul id="found" class="found"></ul>\n'
                                            f'<script src="search.js"></script><script>{SEARCH}</script>', runs=first), encoding="utf-8")
    now = (f'<p class="now"><a href="{first}">Try it now</a>: Go\'s compiler runs in your browser, nothing is installed. '
           "Or open a notebook below: every cell has <em>Edit this cell</em>.</p>") if first else ""
    (out / "index.html").write_text(framed("Differentially private bandits", (
        "<p>Notebooks that tell, rerun and question papers on bandits with differential privacy. Each page works offline.</p>"
        f'{now}<ol class="cards">{"".join(cards)}</ol>'), runs=first), encoding="utf-8")


def main(arguments=None):
    p = run.parser(__doc__, run.ROOT / "build" / "site")
    p.add_argument("--lite", type=Path, help="the folder that make lite made")
    a = p.parse_args(arguments)
    try:
        make(a.out, a.notebooks, a.lite)
        if bad := broken(a.out):
            raise export.Failure("links that lead nowhere:\n  " + "\n  ".join(bad))
    except export.Failure as e:
        print(f"site: {e}", file=sys.stderr)
        return 1
    print(f"site: {len(ours(a.out))} pages, no broken link: {a.out / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
