#!/usr/bin/env python3
"""Makes the editions of the lessons: for a student, for a teacher, as slides, for paper, for nbgrader.

Run it through make, or with the environment of docker/env.sh:

    lessons.py [--out build/lessons] notebook...

Each lesson gives <out>/student/<name>.ipynb, without solutions and without what its exercises printed;
<out>/teacher/<name>.ipynb and .html, whole, with a sheet in front; <out>/slides/<name>.html; <out>/print/<name>.html,
the student's lesson on pages of A4; <out>/nbgrader/source/<name>/<name>.ipynb, the student's lesson as an assignment of
nbgrader, whose course is <out>/nbgrader. The outputs are those that the notebook has. No page needs the network, and the one
for paper needs no scripts.
"""

import copy
import re
import sys

import nbformat
from bs4 import BeautifulSoup

import export
import run

ANSWERS = ("Solution", "Wrong answers")  # what is folded for the teacher alone
FOLDED = re.compile(r"<details>\s*<summary>([^<]*)</summary>(.*?)</details>\s*", re.DOTALL)
EXERCISE = re.compile(r"\*\*(Exercise \d+)[^*]*\*\*\s*(.+)", re.DOTALL)
BLOCKS = re.compile(r"\n\s*\n")
CODE_LINES = 6  # that a slide has at most
LABEL = 3       # words of what is a label in bold, such as "Claim.", and no sentence
POINTS = 2      # for an exercise


def is_exercise(cell):
    return cell.cell_type == "code" and "exercises.Check(" in cell.source


def folded(cell):
    return cell.metadata.get("jupyter", {}).get("source_hidden", False)


def figures(cell):
    """The outputs of a cell that are drawn."""
    return [o for o in cell.get("outputs", []) if "dpb-static" in o.get("data", {}).get("text/html", "")]


def student(nb):
    """The lesson without answers: they are neither in its text nor in what was printed."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = FOLDED.sub(lambda m: "" if m[1] in ANSWERS else m[0], cell.source).strip()
        elif is_exercise(cell):
            cell.outputs, cell.execution_count = [], None
    nb.cells = [c for c in nb.cells if c.source]
    return nb


def sections(nb):
    """The sections of a lesson, each as its heading and its cells. What is before the first has the title."""
    found = [(export.title_of(nb, ""), [])]
    for cell in nb.cells:
        heading = re.match(r"##\s+(.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading:
            found.append((heading[1], []))
        found[-1][1].append(cell)
    return found


def words(cell):
    return len(BeautifulSoup(re.sub(r"<pre>.*?</pre>", "", cell.source, flags=re.DOTALL), "html.parser").get_text().split())


def minutes(cells):
    """How long a lecturer takes: 150 words a minute, one and a half a figure, one for open code, four an exercise."""
    text = sum(words(c) for c in cells if c.cell_type == "markdown") / 150
    code = [c for c in cells if c.cell_type == "code"]
    return text + sum(1.5 * len(figures(c)) + 4 * is_exercise(c) + (not folded(c) and not is_exercise(c)) for c in code)


def stated(block, letters=260):
    """What a paragraph states that begins in bold: the bold sentence, or after a bold label its first sentences."""
    m = re.match(r"(?:#[^\n]*\n+)?(\*\*(.+?)\*\*)", block, re.DOTALL)
    if not m or m[2].startswith(("What to notice", "Exercise")):
        return ""
    return m[1] if len(m[2].split()) > LABEL else sentences(block[m.start(1):], letters)


def claim(cells):
    """The first thing that a section states in bold."""
    for cell in cells:
        if cell.cell_type == "markdown":
            for block in BLOCKS.split(FOLDED.sub("", cell.source)):
                if text := stated(block.strip()):
                    return text
    return ""


def sheet(nb):
    """The teacher's sheet: minutes and claim of each section, and the marks."""
    rows, marks = [], []
    for heading, cells in sections(nb):
        text = claim(cells).replace("**", "").replace("|", "\\|")
        rows.append(f"| {heading} | {minutes(cells):.0f} | {text} |")
        for cell in cells:
            for block in BLOCKS.split(cell.source if cell.cell_type == "markdown" else ""):
                if m := EXERCISE.match(block):
                    task = sentences(" ".join(m[2].split()), 160).replace("|", "\\|")
                    marks.append(f"| {m[1]} | {task} | {POINTS} |")
    total = sum(minutes(cells) for _, cells in sections(nb))
    return "\n".join([
        f"## For the teacher: {total:.0f} minutes", "",
        "Read out what a section states *before* its figure is shown, and ask who believes it, and why.", "",
        "| section | minutes | what it states |", "|---|---|---|", *rows, "",
        "| exercise | task | marks |", "|---|---|---|", *marks, "",
        f"Half the marks of an exercise are for a wrong answer with a reason. In all: {POINTS * len(marks)}."])


def teacher(nb):
    nb = copy.deepcopy(nb)
    nb.cells.insert(1, nbformat.v4.new_markdown_cell(sheet(nb), id="teacher"))
    return nb


def sentences(text, letters=420):
    """The first sentences of a text, as many as fit a slide."""
    kept = ""
    for s in re.split(r"(?<=[.?!)])\s+(?=[A-Z*$`(])", text.strip()):
        if kept and len(kept) + len(s) > letters:
            break
        kept += s + " "
    return kept.strip()


def slides(nb):
    """The lesson as slides, a cell each: a claim with its formula, a figure, what to notice, an exercise."""
    made, said = [], []

    def slide(source="", outputs=None):
        cell = nbformat.v4.new_markdown_cell(source) if outputs is None else nbformat.v4.new_code_cell(source, outputs=outputs)
        cell.metadata["dpb"] = {"notes": "\n\n".join(said)}
        said.clear()
        made.append(cell)

    for number, cell in enumerate(nb.cells):
        if cell.cell_type == "code":
            for o in figures(cell):
                slide(outputs=[still(o)])
            lines = cell.source.strip().splitlines()
            if not figures(cell) and not folded(cell) and not is_exercise(cell) and len(lines) <= CODE_LINES:
                slide(f"```go\n{cell.source.strip()}\n```")
            continue
        blocks = BLOCKS.split(FOLDED.sub("", cell.source).strip())
        shown = []
        for i, block in enumerate(blocks):
            block = block.strip()
            if number == 0 and i < 2 or re.match(r"##?\s|\$\$", block):
                shown.append(block)
            elif block.startswith(("**What to notice", "**Exercise")):
                shown.append(sentences(block))
            elif text := stated(block):
                shown.append(text)
                said.append(block)
            elif block:
                said.append(block)
        if shown:
            slide("\n\n".join(shown))
    return nbformat.v4.new_notebook(cells=made, metadata=nb.metadata)


def printed(nb):
    """The student's lesson for paper: figures stand still, what is folded lies open, and hints stand at the end."""
    nb, hints = student(nb), []

    def opened(m):
        if m[1] == "Hint":
            hints.append(m[2].strip())
            return ""
        return f'<div class="dpb-box">\n\n**{m[1]}**{m[2]}\n</div>\n\n'

    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = FOLDED.sub(opened, cell.source).strip()
        else:
            shown = [o for o in cell.outputs if "dpb-progress" not in o.get("data", {}).get("text/html", "")]
            cell.outputs = [still(o) if "text/html" in o.get("data", {}) else o for o in shown]
    nb.cells = [c for c in nb.cells if c.cell_type == "code" and (c.outputs or not folded(c)) or c.cell_type == "markdown" and c.source]
    listed = "\n".join(f"{i}. {hint}" for i, hint in enumerate(hints, 1))
    nb.cells.append(nbformat.v4.new_markdown_cell(f"## Hints\n\n{listed}", id="hints"))
    return nb


def assignment(nb):
    """The student's lesson for nbgrader: the answer to an exercise is a cell, and its check one below that has marks."""
    nb, cells = student(nb), []
    for cell in nb.cells:
        if not is_exercise(cell):
            cells.append(cell)
            continue
        answer, check = cell.source.split("\n\n%%\n")
        below = nbformat.v4.new_code_cell(f"%%\n{check}", id=f"{cell.id}-marks")
        cell.source = answer
        mark = {"schema_version": 3, "task": False}
        cell.metadata["nbgrader"] = {**mark, "grade_id": cell.id, "grade": False, "solution": True, "locked": False}
        below.metadata["nbgrader"] = {**mark, "grade_id": below.id, "grade": True, "solution": False, "locked": True, "points": POINTS}
        cells += [cell, below]
    nb.cells = cells
    return nb


# A course of nbgrader. An answer's cell has what the student is to change, and the figures stay: neither is cleared.
# A check that finds an answer wrong says so on the standard error (notebooks/exercise), and its cell gets no marks.
COURSE = """import os

os.environ["DPBANDITS_MARKS"] = "1"

c = get_config()
c.CourseDirectory.course_id = "dpbandits"
c.GenerateAssignment.preprocessors = ["nbgrader.preprocessors." + name for name in (
    "LockCells", "CheckCellMetadata", "ComputeChecksums", "SaveCells", "CheckCellMetadata")]
c.Execute.timeout = 600
"""


def still(output):
    """The static picture of a figure, with its caption and without its scripts."""
    soup = BeautifulSoup(output["data"]["text/html"], "html.parser")
    for tag in soup.find_all("script"):
        tag.decompose()
    for tag in soup.select(".dpb-link, .dpb-live, .dpb-note"):
        tag.decompose()
    return nbformat.v4.new_output("display_data", {"text/html": str(soup)})


def player():
    """The slide player and its style, for a page that holds both."""
    dist = export.MODULES / "reveal.js" / "dist"
    script = (dist / "reveal.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    style = (dist / "reset.css").read_text(encoding="utf-8") + (dist / "reveal.css").read_text(encoding="utf-8")
    return f"<style>{style}</style>\n<script>(function (define, module, exports) {{\n{script}\n}}).call(window);</script>\n"


def make(path, out):
    nb = run.share(nbformat.read(path, as_version=4))
    editions = {"student": student(nb), "teacher": teacher(nb)}
    for name, edition in editions.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        run.write(edition, out / name / path.name)
    export.page(editions["teacher"], out / "teacher" / f"{path.stem}.html", path.resolve().parent)
    course = out / "nbgrader"
    (course / "source" / path.stem).mkdir(parents=True, exist_ok=True)
    run.write(assignment(nb), course / "source" / path.stem / path.name)
    (course / "nbgrader_config.py").write_text(COURSE, encoding="utf-8")
    (out / "slides").mkdir(parents=True, exist_ok=True)
    made = slides(nb)
    export.page(made, out / "slides" / f"{path.stem}.html", path.resolve().parent, template="slides", head=player())
    (out / "print").mkdir(parents=True, exist_ok=True)
    export.page(printed(nb), out / "print" / f"{path.stem}.html", path.resolve().parent, template="print", live=False)
    return len(made.cells)


def main(arguments=None):
    a = run.parser(__doc__, run.ROOT / "build" / "lessons").parse_args(arguments)
    for path in a.notebooks:
        try:
            print(f"{path.stem}: student, teacher, {make(path, a.out)} slides, print, nbgrader", flush=True)
        except export.Failure as e:
            print(f"lessons: {path.stem}: {e}", file=sys.stderr)
            return 1
    print(f"lessons: {a.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
