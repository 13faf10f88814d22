"""The parts of the site that need no browser (site.test.mjs has the rest)."""

from pathlib import Path

import nbformat.v4 as v4

import site_pages as site


def test_broken_links_are_found(tmp_path):
    (tmp_path / "api").mkdir()
    (tmp_path / "index.html").write_text('<h2 id="a b">x</h2><a href="api/x.html#f">1</a><a href="#a%20b">2</a><a href="https://example.org/y">3</a>'
                                         '<a href="api/none.html">4</a><a href="api/x.html#none">5</a><img src="none.svg"><form action="no.html">')
    (tmp_path / "api" / "x.html").write_text('<p id="f"><a href="../index.html">1</a><a href="../none">2</a><a href="#">3</a>')
    assert site.broken(tmp_path) == ["api/x.html: ../none", "index.html: api/none.html", "index.html: api/x.html#none", "index.html: none.svg",
                                     "index.html: no.html"]


def notebook(text):
    return v4.new_notebook(cells=[v4.new_markdown_cell(text)])


def test_notebooks_are_ordered_by_their_own_links():
    nbs = {"00": notebook("# A\n\nnext: [b](02.ipynb)"), "01": notebook("# C"), "02": notebook("# B\n\nnext: [c](01.ipynb) →"), "03": notebook("# D")}
    assert site.ways(nbs) == ["00", "02", "01", "03"]
    assert site.ways({"00": nbs["02"], "01": notebook("next: [a](00.ipynb)")}) == ["00", "01"]


def test_the_first_picture_is_found():
    html = ('<img class="dpb-static" alt="two bars" src="data:image/svg+xml,%3Csvg\n  xmlns=%22x%22%3E%3C/svg%3E">')
    nb = v4.new_notebook(cells=[v4.new_code_cell("x", outputs=[v4.new_output("display_data", {"text/html": html})])])
    svg, alt = site.picture(nb)
    assert " ".join(svg.split()) == '<svg xmlns="x"></svg>' and alt == "two bars"
    assert site.picture(notebook("none")) is None


def test_links_to_notebooks_beyond_the_site_leave_it(tmp_path):
    page = tmp_path / "a.html"
    page.write_text('<head></head><main>\n<a href="b.html#s">b</a><a href="c.html">c</a></main>')
    site.adorn(page, notebook("x"), others=[Path("b.ipynb")], runs="", before=("", "prev", ""), after=("c", "next", "C →"))
    text = page.read_text()
    assert 'href="https://nbviewer.org/github/dpbandits/dpbandits/blob/main/notebooks/b.ipynb#s"' in text
    assert '<a href="c.html" rel="next">C →</a>' in text and 'rel="prev"' not in text
    assert "Edit this cell" not in text


def test_a_notebook_that_runs_can_be_edited(tmp_path):
    page = tmp_path / "a.html"
    page.write_text(f'<head><meta content="{site.export.POLICY}"></head><main>\n</main>')
    cells = [v4.new_code_cell("a := '</script>'", id="c1"), v4.new_markdown_cell("text", id="m1")]
    there = site.runs_at(site.run.ROOT / "notebooks" / "evidence" / "a.ipynb", lite=tmp_path)
    assert there == "lite/notebooks/index.html?path=evidence/a.ipynb"
    site.adorn(page, v4.new_notebook(cells=cells), others=[], runs=there, before=("", "prev", ""), after=("", "next", ""))
    text = page.read_text()
    assert f'<a href="{there}">Try it now</a>' in text
    assert f"{site.export.POLICY} 'self'" in text
    assert """("lite/", [{"id": "c1", "source": "a := '<\\/script>'"}]);""" in text
