"""Notebook to page: one HTML file that holds all it needs and asks no network for anything.

The charting library is inlined once a page that has figures, the formulas are typeset by KaTeX here and now (so they
show without scripts too), images are embedded, and a content security policy says that nothing else may load.
"""

import base64
import html
import json
import os
import re
import subprocess
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from jinja2 import pass_context
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

HERE = Path(__file__).resolve().parent
ROOT = Path(os.environ.get("DPBANDITS_ROOT", HERE.parents[1]))
MODULES = ROOT / "docker" / "node_modules"

POLICY = "default-src 'unsafe-inline' 'unsafe-eval' data: blob:"


class Failure(Exception):
    """A notebook cannot become a page."""


class Formulas:
    """Collects formulas while the page is made and typesets them all at once at its end."""

    mark = re.compile("\ue000(\\d+)\ue001")

    def __init__(self):
        self.list = []

    def add(self, tex, display):
        self.list.append({"tex": tex, "display": display})
        return f"\ue000{len(self.list) - 1}\ue001"

    def tex(self, text):
        """The text with the formulas as they were written."""
        return self.mark.sub(lambda m: self.list[int(m[1])]["tex"], text)

    def typeset(self, page):
        if not self.list:
            return page
        done = subprocess.run(["node", str(HERE / "typeset.js")], input=json.dumps(self.list), text=True,
                              capture_output=True, check=False)
        if done.returncode:
            raise Failure(f"the formulas could not be typeset:\n{done.stderr}")
        made = json.loads(done.stdout)
        for formula, result in zip(self.list, made):
            if isinstance(result, dict):
                raise Failure(f"a formula is wrong: {result['error']}\n    {formula['tex']}")
        return self.mark.sub(lambda m: made[int(m[1])], page)


class Renderer(IPythonRenderer):
    """Markdown to HTML, with the formulas left to Formulas and headings anchored as JupyterLab does it."""

    def __init__(self, formulas, **options):
        super().__init__(**options)
        self.formulas = formulas

    def block_math(self, text):
        return self.formulas.add(text, True)

    def inline_math(self, text):
        return self.formulas.add(text, False)

    def latex_environment(self, name, body):
        return self.formulas.add(f"\\begin{{{name}}}{body}\\end{{{name}}}", True)

    def block_html(self, html):
        """A block of HTML as it is: parsed by itself, a tag that a later block closes would be closed in it."""
        return super().block_html(html) if "<img" in html else f"{html}\n"

    def link(self, text, url, title=None):
        """A link to another notebook goes to its page; all pages lie in one folder."""
        return super().link(text, re.sub(r"^(?:evidence/|\.\./)?([\w.-]+)\.ipynb(?=#|$)", r"\1.html", url), title)

    def heading(self, text, level, **attrs):
        plain = self.formulas.tex(BeautifulSoup(text, "html.parser").get_text())
        anchor = html.escape(plain.replace(" ", "-"))
        return f'<h{level} id="{anchor}">{text}<a class="anchor-link" href="#{anchor}">¶</a></h{level}>\n'


class Exporter(HTMLExporter):
    def __init__(self, formulas, template):
        place = str(HERE / "template")
        super().__init__(extra_template_basedirs=[place], extra_template_paths=[place], template_name=template, embed_images=True)
        self.formulas = formulas

    @pass_context
    def markdown2html(self, context, source):
        cell = context.get("cell", {})
        path = context.get("resources", {}).get("metadata", {}).get("path", "")
        renderer = Renderer(self.formulas, escape=False, attachments=cell.get("attachments", {}), embed_images=True,
                            path=path)
        return MarkdownWithMath(renderer=renderer).render(source)


def title_of(nb, otherwise):
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            if m := re.search(r"^#\s+(.+?)\s*#*\s*$", cell.source, re.MULTILINE):
                return m[1].replace("`", "").replace("$", "").replace("*", "")
    return otherwise


def summary_of(nb):
    """The first paragraph, as plain text."""
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            for part in re.split(r"\n\s*\n", cell.source):
                if part.strip() and not re.match(r"\s*(#|\$\$|[-*>|])", part):
                    part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part)
                    return re.sub(r"[`*$]", "", " ".join(part.split()))
    return ""


def library():
    """The charting library in a script, with the module systems that a page might have hidden from it."""
    path = Path(os.environ.get("DPBANDITS_ECHARTS") or MODULES / "echarts" / "dist" / "echarts.min.js")
    text = path.read_text(encoding="utf-8").replace("</script", "<\\/script")
    return f"<script>(function (define, module, exports) {{\n{text}\n}}).call(window);</script>\n"


def formula_style():
    """KaTeX's style with its fonts inside."""
    dist = MODULES / "katex" / "dist"

    def font(m):
        data = base64.b64encode((dist / "fonts" / f"{m[1]}.woff2").read_bytes()).decode()
        return f'src:url(data:font/woff2;base64,{data}) format("woff2")'

    css = (dist / "katex.min.css").read_text(encoding="utf-8")
    css = re.sub(r"src:url\(fonts/([\w-]+)\.woff2\)[^;}]*", font, css)
    return f"<style>{css}</style>\n"


def dark_style(exporter):
    """JupyterLab's dark theme, which the page wears where the reader prefers dark pages."""
    return exporter.environment.loader.get_source(exporter.environment, "static/theme-dark.css")[0]


def computes(nb, name):
    """The scripts of a page whose reader can run cells again (charts/pages), or nothing."""
    cells = [{"id": c.id, "cell_type": c.cell_type, "source": c.source} for c in nb.cells if c.cell_type == "code"]
    if not any("// control:" in c["source"] for c in cells):
        return ""
    goroot, made = (subprocess.run(["go", *command], cwd=ROOT, text=True, input=json.dumps({"cells": cells}),
                                   stdout=subprocess.PIPE, check=False)
                    for command in (["env", "GOROOT"], ["run", "./charts/pages", name]))
    if made.returncode:
        raise Failure("what the page computes does not compile")
    made = json.loads(made.stdout)
    program = base64.b64encode(Path(made["program"]).read_bytes()).decode()
    worker = (Path(goroot.stdout.strip()) / "lib" / "wasm" / "wasm_exec.js").read_text(encoding="utf-8")
    return f'<script type="application/octet-stream" id="dpb-program">{program}</script>\n' + script("rerun.js", made["cells"], worker)


def script(name, *arguments):
    """A script of this folder, called with the arguments."""
    shared, text = ((HERE / f).read_text(encoding="utf-8").strip() for f in ("show.js", name))
    values = ", ".join(json.dumps(x).replace("</", "<\\/") for x in arguments)
    return f"<script>\n(function () {{\n{shared}\n{text}({values});\n}})();\n</script>\n"


def fetched(page):
    """What the page would fetch from elsewhere; scripts may name a host, but the policy stops them."""
    soup = BeautifulSoup(page, "html.parser")
    found = []
    for tag in soup.find_all(True):
        if tag.name == "a":
            continue
        for key in ("src", "href", "data", "poster", "srcset"):
            value = tag.get(key) if key != "data" or tag.name == "object" else tag.get("data")
            if value and not re.match(r"(data:|blob:|#)", value.strip()):
                found.append(f"<{tag.name} {key}={value[:80]}>")
    for tag in soup.find_all("style"):
        found += re.findall(r"url\(\s*['\"]?(?!data:|#)([^)'\"]{1,80})|@import\s[^;]{1,80}", tag.get_text())
    return [x for x in found if x]


def page(nb, out, directory, template="page", head="", live=True):
    """Writes the page of the notebook; directory is where its images are looked for. The template's head gets more.
    One that is not live has no scripts."""
    nb = nbformat.from_dict(nb)
    title = title_of(nb, out.stem)
    nb.metadata["title"] = title
    formulas = Formulas()
    for cell in nb.cells:
        for o in cell.get("outputs", []):
            if "text/html" in o.get("data", {}):  # this page is the live one (run.py, link)
                o.data["text/html"] = re.sub(r'<a class="dpb-link".*?</a>\n', "", o.data["text/html"])
    exporter = Exporter(formulas, template)
    text, _ = exporter.from_notebook_node(nb, {"metadata": {"path": str(directory), "name": out.stem}})
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{head}'
    scripts = computes(nb, out.stem) if live else ""
    if live and "dpb-figure" in text or scripts:
        head += library()
    if formulas.list:
        head += formula_style()
        text = formulas.typeset(text)
    for place in ("<!--dpb-head-->", "<!--dpb-dark-->"):
        if text.count(place) != 1:
            raise Failure(f"nbconvert's template has changed: the place {place} is gone")
    text = text.replace("<!--dpb-dark-->", dark_style(exporter))
    if bad := fetched(text):
        raise Failure("the page would ask for " + ", ".join(bad[:5]))
    text = text.replace("<!--dpb-head-->", head)
    before, end, after = text.rpartition("</body>")
    text = before + scripts + end + after
    out.write_text(text, encoding="utf-8")


def index(directory):
    """Writes index.html, which lists the notebooks of the directory that have a page."""
    rows = []
    for path in sorted(directory.glob("*.ipynb")):
        if path.name.endswith(".failed.ipynb") or not path.with_suffix(".html").exists():
            continue
        nb = nbformat.read(path, as_version=4)
        rows.append(f'<li><a href="{html.escape(path.stem)}.html">{html.escape(title_of(nb, path.stem))}</a>'
                    f' <small>(<a href="{html.escape(path.name)}" download>notebook</a>)</small>'
                    f"<p>{html.escape(summary_of(nb))}</p></li>")
    (directory / "index.html").write_text(f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>dpbandits: the notebooks</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff; }}
li {{ margin: 1.2rem 0; }} p {{ margin: .2rem 0; }} small {{ color: #555; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #181818; }} a {{ color: #8ab4f8; }} small {{ color: #aaa; }} }}
</style>
</head>
<body>
<h1>dpbandits</h1>
<p>Differentially private bandits, notebook by notebook. Each page works offline.</p>
<ol>
{chr(10).join(rows)}
</ol>
</body>
</html>
""", encoding="utf-8")
