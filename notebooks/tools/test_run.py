"""The runner and the exporter, on the small notebooks of testdata/."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import export  # noqa: E402
import run  # noqa: E402

DATA = HERE / "testdata"


def runner(*arguments, scale="smoke"):
    return subprocess.run([sys.executable, str(HERE / "run.py"), *map(str, arguments)], text=True, capture_output=True,
                          env={**os.environ, "SCALE": scale}, timeout=3600)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    out = tmp_path_factory.mktemp("good")
    return runner("--out", out, DATA / "good.ipynb", DATA / "figure.ipynb"), out


def test_a_good_notebook_passes(good):
    done, out = good
    assert done.returncode == 0, done.stdout + done.stderr
    assert "good [ 1/1]" in done.stdout
    assert done.stdout.rstrip().endswith("notebooks: 2 of 2 ok")
    cell = nbformat.read(out / "good.ipynb", 4).cells[1]
    assert {o.name: o.text for o in cell.outputs} == {"stdout": "fine smoke\n", "stderr": "a warning is no failure\n"}


@pytest.mark.parametrize("name, reason", [
    ("panic", "panic: runtime error: invalid memory address"),
    ("exit", "exit status 3"),
    ("compile", "cannot use 1 (untyped int constant) as string value"),
    ("failing-test", "exit status 1"),
])
def test_a_bad_notebook_fails(name, reason, tmp_path):
    done = runner("--out", tmp_path, DATA / f"{name}.ipynb")
    assert done.returncode == 1
    assert reason in done.stdout
    assert f"failed: {name}" in done.stdout
    assert not (tmp_path / f"{name}.html").exists()
    assert (tmp_path / f"{name}.failed.ipynb").exists()


def test_a_bad_notebook_does_not_hide_the_others(tmp_path):
    done = runner("--out", tmp_path, DATA / "exit.ipynb", DATA / "good.ipynb")
    assert done.returncode == 1
    assert "notebooks: 1 of 2 ok, failed: exit" in done.stdout
    assert (tmp_path / "good.html").exists()


@pytest.mark.parametrize("how", ["out of time", "terminated"])
def test_a_run_that_does_not_end_is_killed_with_its_processes(how, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    # A loaded machine may take more than a few seconds to start the cell: then it gets more.
    for seconds in [4, 60, 600] if how == "out of time" else [600]:
        p = subprocess.Popen([sys.executable, str(HERE / "run.py"), "--timeout", str(seconds), "--out", str(tmp_path), str(DATA / "sleep.ipynb")],
                             text=True, stdout=subprocess.PIPE, env={**os.environ, "SCALE": "smoke", "TMPDIR": str(scratch)})
        try:
            wait(lambda: runs(scratch) or p.poll() is not None, "the cell does not run")
            ran = runs(scratch)
            if how == "terminated":
                p.terminate()
            said, _ = p.communicate(timeout=3600)
        finally:
            p.kill()
        if how == "out of time":
            assert p.returncode == 1 and "notebooks: out of time" in said
        else:
            assert p.returncode == 128 + 15
        wait(lambda: not of(scratch), "processes are left")
        assert not list(scratch.iterdir()), "what the kernel wrote is still there"
        if ran:
            break
    assert ran, "the cell never ran"


def test_figures_share_their_code_in_a_saved_notebook():
    def cell(*codes):
        code = "".join(f'<script class="dpb-code" data-name="{c}">\nvar {c};\n</script>\n' for c in codes)
        html = f'<div class="dpb-figure">\n{code}<script>\ncall();\n</script>\n</div>\n'
        return nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("display_data", data={"text/html": html})])

    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("x"), cell("a"), cell("b"), cell("a"), cell("b", "a")])
    texts = [c.outputs[0].data["text/html"] for c in run.share(nb).cells[1:]]
    assert [sorted(re.findall("var (.);", t)) for t in texts] == [["a"], ["b"], [], []]
    assert all("call();" in t and t.count("<script") == t.count("</script>") for t in texts)


def test_a_saved_picture_links_to_a_live_one_and_a_page_does_not(tmp_path):
    picture = '<div class="dpb-figure">\n<img class="dpb-static" alt="a line">\n<div class="dpb-live"></div>\n</div>\n'
    cell = nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("display_data", data={"text/html": picture * 2})])
    nb = run.link(nbformat.v4.new_notebook(cells=[cell]), "03-x.ipynb")
    links = BeautifulSoup(nb.cells[0].outputs[0].data["text/html"], "html.parser").select(".dpb-figure > a")
    assert [a["href"] for a in links] == [run.VIEWER + "03-x.ipynb"] * 2
    export.page(nb, tmp_path / "page.html", tmp_path)
    assert "nbviewer" not in (tmp_path / "page.html").read_text()


def test_a_run_that_makes_progress_goes_on(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(run.time, "monotonic", lambda: now[0])
    waits = []

    class Event:
        def wait(self, seconds):
            waits.append(seconds)
            now[0] += seconds
            if len(waits) == 1:
                now[0] -= 3
                dog.progress()
                now[0] += 3
            return False

    dog = run.Watchdog.__new__(run.Watchdog)
    dog.seconds, dog.over, dog.expire = 10, Event(), lambda: waits.append("killed")
    dog.progress()
    dog.watch()
    assert waits == [10, 7, "killed"]


def test_a_kernel_that_does_not_start_is_reported(tmp_path):
    kernels = tmp_path / "kernels" / "gonb"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text(json.dumps({
        "argv": ["sh", "-c", 'echo "no such thing" >>"$TMPDIR/kernel.log"; exit 1', "{connection_file}"], "display_name": "x", "language": "go"}))
    done = subprocess.run([sys.executable, str(HERE / "run.py"), "--out", str(tmp_path / "out"), str(DATA / "good.ipynb")], text=True,
                          capture_output=True, env={**os.environ, "SCALE": "smoke", "JUPYTER_DATA_DIR": str(tmp_path)}, timeout=3600)
    assert done.returncode == 1
    assert "the kernel died" in done.stdout and "no such thing" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def wait(holds, otherwise, seconds=600):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)


def of(scratch):
    """The processes whose command line names the directory, which is where GoNB puts the programs of the cells."""
    return [line for line in processes() if f"{scratch}/dpbandits-" in line]


def runs(scratch):
    """Whether a cell's program is running there, and not just its compiler or linker."""
    return any("gonb_" in line.split(" ")[0] for line in of(scratch))


def processes():
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            pass


def test_outputs_in_place_hold_no_path_and_no_time(tmp_path):
    nb = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "gonb", "display_name": "x"}, "widgets": {}})
    nb.cells = [nbformat.v4.new_code_cell('%noautoget\n%%\nfmt.Println(os.Getenv("DPBANDITS_ROOT") + "/pkg")\n'
                                          'fmt.Println(os.Getenv("GONB_TMP_DIR") + "/main.go")', metadata={"execution": {"iopub.status.busy": "now"}})]
    path = tmp_path / "paths.ipynb"
    nbformat.write(nb, path)
    done = runner("--in-place", "--out", tmp_path / "out", path)
    assert done.returncode == 0, done.stdout
    text = path.read_text()
    assert str(run.ROOT) not in text
    assert text.endswith("}\n")
    back = nbformat.read(path, 4)
    assert back.cells[0].outputs[0].text == "pkg\ngonb/main.go\n"
    assert back.cells[0].metadata == {}
    assert set(back.metadata) == {"kernelspec", "language_info"} and "version" not in back.metadata.language_info


def test_the_scale_is_one_of_three():
    done = runner("--out", "/nonexistent", DATA / "good.ipynb", scale="huge")
    assert done.returncode == 2 and "SCALE=huge is none of smoke, lecture, paper" in done.stderr


def test_a_page_needs_nothing_else(good):
    _, out = good
    for name in "good", "figure", "index":
        text = (out / f"{name}.html").read_text()
        assert export.fetched(text) == []
        soup = BeautifulSoup(text, "html.parser")
        assert not soup.select("script[src], link[href]")
        if name != "index":
            assert soup.select_one("meta[http-equiv=Content-Security-Policy]")["content"] == export.POLICY


def test_the_library_is_on_a_page_once_and_only_with_figures(good):
    _, out = good
    head = export.library()
    assert (out / "figure.html").read_text().count(head) == 1
    assert head not in (out / "good.html").read_text()


def test_formulas_are_typeset(good):
    _, out = good
    soup = BeautifulSoup((out / "good.html").read_text(), "html.parser")
    assert len(soup.select(".katex")) == 3 and len(soup.select(".katex-display")) == 1
    assert "$" not in soup.select_one("main").get_text()
    assert not re.search("[\ue000\ue001]", soup.decode())


def test_a_wrong_formula_is_named(tmp_path):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("$\\nosuchthing{x}$")])
    with pytest.raises(export.Failure, match="nosuchthing"):
        export.page(nb, tmp_path / "x.html", tmp_path)


def test_a_page_whose_program_is_wrong_is_refused(tmp_path, capfd):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%%\nx := 1 // control: 5..9\ncharts.Show(x)")])
    with pytest.raises(export.Failure, match="does not compile"):
        export.page(nb, tmp_path / "x.html", tmp_path)
    assert "x starts with 1 in the range 5 to 9" in capfd.readouterr().err


def test_headings_are_anchored_as_in_jupyterlab(tmp_path):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# The *tree*, of `depth` $m$\n\n[there](#The-tree,-of-depth-m)")])
    export.page(nb, tmp_path / "x.html", tmp_path)
    soup = BeautifulSoup((tmp_path / "x.html").read_text(), "html.parser")
    assert soup.h1["id"] == "The-tree,-of-depth-m"
    assert soup.title.get_text() == "The tree, of depth m"


def test_a_link_to_a_notebook_goes_to_its_page(tmp_path):
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("[next](01-next.ipynb), [there](01-next.ipynb#There), [out](https://example.org/x.ipynb)")])
    export.page(nb, tmp_path / "x.html", tmp_path)
    soup = BeautifulSoup((tmp_path / "x.html").read_text(), "html.parser")
    assert [a["href"] for a in soup.main.find_all("a")] == ["01-next.html", "01-next.html#There", "https://example.org/x.ipynb"]


def test_something_fetched_is_found():
    assert export.fetched('<img src="http://example.org/x.png"><script src="x.js"></script><a href="http://example.org">x</a>'
                          '<style>@font-face { src: url(fonts/x.woff) }</style>') == [
        "<img src=http://example.org/x.png>", "<script src=x.js>", "fonts/x.woff"]


def test_the_index_lists_titles(good):
    _, out = good
    soup = BeautifulSoup((out / "index.html").read_text(), "html.parser")
    assert [a.get_text() for a in soup.select("li > a")] == ["A figure made by hand", "A good notebook"]


def test_the_library_is_in_the_lock_file_and_no_address():
    text = (run.ROOT / "docker" / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert packages["node_modules/echarts"]["version"].startswith("5.")
    assert all("integrity" in p for name, p in packages.items() if name)
    assert "resolved" not in text


@pytest.mark.parametrize("arguments, said, status, hinted", [
    (["build", "-o", "x"], "./main.go:3:5: undefined: sets", 1, True),
    (["test", "-c"], "./main.go:3:5: undefined: sets", 1, True),
    (["build", "-o", "x"], "./main.go:3:5: syntax error", 1, False),
    (["build", "-o", "x"], "a warning: undefined: of no matter", 0, False),
    (["run", "."], "./main.go:3:5: undefined: sets", 1, False),
])
def test_an_undefined_name_says_to_run_the_cells_above(arguments, said, status, hinted, tmp_path):
    go = tmp_path / "go"
    go.write_text(f'#!/bin/sh\necho "{said}" >&2\necho "$@"\nexit {status}\n')
    go.chmod(0o755)
    done = subprocess.run([run.ROOT / "docker" / "bin" / "go", *arguments], text=True, capture_output=True, check=False,
                          env={**os.environ, "DPBANDITS_GO": str(go)})
    assert done.returncode == status
    assert said in done.stderr and " ".join(arguments) in done.stdout + done.stderr
    assert ("run the cells above" in done.stderr) == hinted


def test_a_page_follows_the_mode_of_its_reader(tmp_path):
    """The dark theme is there, for those who prefer it, and nothing pins the page to the light one."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A page\n\n| a | b |\n|---|---|\n| 1 | 2 |")])
    export.page(nb, tmp_path / "page.html", tmp_path)
    page = (tmp_path / "page.html").read_text()
    light, dark = (re.search(r"--jp-layout-color0: (\S+);", part)[1] for part in page.split("prefers-color-scheme: dark", 1))
    assert light == "white" and dark.startswith("#1"), (light, dark)
    assert "color-scheme: light dark" in page and "data-jp-theme" not in page[page.index("<body"):]
