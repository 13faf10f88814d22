"""The editions of a lesson, on one that is made here and on those of the toolkit."""

import nbformat
import nbformat.v4 as v4
import pytest
from bs4 import BeautifulSoup

import lessons
import run

LESSONS = pytest.mark.parametrize("path", sorted((run.ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)

FIGURE = ('<div class="dpb-figure"><img class="dpb-static" alt="two bars" src="data:,"><div class="dpb-live"></div>'
          '<p class="dpb-note">Move it</p><script>draw()</script></div>')


def lesson():
    markdown, code = v4.new_markdown_cell, v4.new_code_cell
    folded = {"jupyter": {"source_hidden": True}}
    return v4.new_notebook(cells=[
        markdown("# Bars\n\nBars are not curves.\n\nTen minutes."),
        code('import "fmt"', metadata=folded),
        markdown("## 1. Two bars\n\n**Two bars are two numbers.** This is said and not shown.\n\n$$a + b$$"),
        code("draw()", outputs=[v4.new_output("display_data", {"text/html": FIGURE})]),
        markdown("**What to notice.** The left one is lower. The right one is higher."),
        code("%%\nfmt.Println(1 + 1)", outputs=[v4.new_output("stream", text="2")]),
        markdown("**Exercise 1.** Add `a` and `b`. Why is it so?"),
        code('func sum() {}\n\n%%\nexercises.Check("sum", sum)', outputs=[v4.new_output("stream", text="not yet. Hint: it is 2")], execution_count=4),
        markdown("<details><summary>Hint</summary>Count.</details>\n<details><summary>Solution</summary><pre><code>a + b\n\nc\n</code></pre></details>\n"
                 "<details><summary>Wrong answers</summary>3 forgets nothing.</details>"),
    ])


def test_a_student_gets_no_answer():
    whole = lesson()
    made = lessons.student(whole)
    text = str(made)
    assert "a + b\\n\\nc" not in text and "forgets" not in text and "it is 2" not in text
    assert "Count." in text and len(made.cells) == len(whole.cells) and "forgets" in str(whole)
    assert [len(c.get("outputs", [])) for c in made.cells] == [0, 0, 0, 1, 0, 1, 0, 0, 0]


@LESSONS
def test_no_answer_of_a_lesson_is_left(path):
    whole = nbformat.read(path, as_version=4)
    made = {c.id: c for c in lessons.student(whole).cells}
    for exercise, below in zip(whole.cells, whole.cells[1:]):
        if lessons.is_exercise(exercise):
            assert not made[exercise.id].outputs
            assert exercise.source.count("\n\n%%\n") == 1  # parts the answer from its check
            assert "<pre>" in below.source and "<pre>" not in made[below.id].source
            assert "Hint" in made[below.id].source


def test_a_teacher_gets_a_sheet():
    sheet = lessons.teacher(lesson()).cells[1].source
    assert "| 1. Two bars | 8 | Two bars are two numbers. |" in sheet  # a figure, two cells of code, an exercise, some words
    assert "| Exercise 1 | Add `a` and `b`. Why is it so? | 2 |" in sheet and "In all: 2." in sheet
    assert "For the teacher: 8 minutes" in sheet


@LESSONS
def test_a_sheet_has_all_exercises(path):
    whole = nbformat.read(path, as_version=4)
    assert lessons.sheet(whole).count("\n| Exercise ") == sum(lessons.is_exercise(c) for c in whole.cells)


@LESSONS
def test_all_figures_stand_still_on_paper(path):
    whole = nbformat.read(path, as_version=4)
    made = lessons.printed(whole)
    assert len(figures_of(made)) == len(figures_of(whole)) > 0
    assert figures_of(made) == figures_of(whole)
    assert "<script" not in str(made) and "<details" not in str(made) and "Wrong answers" not in str(made)
    assert made.cells[-1].source.count("\n") == 1 + sum(lessons.is_exercise(c) for c in whole.cells)  # a hint each


def figures_of(nb):
    """What the pictures of a notebook say, in their order."""
    drawn = [o.data["text/html"] for c in nb.cells if c.cell_type == "code" for o in lessons.figures(c)]
    return [i["alt"] for text in drawn for i in BeautifulSoup(text, "html.parser").find_all("img", class_="dpb-static")]


def test_a_page_for_paper_runs_nothing(tmp_path):
    path = run.ROOT / "notebooks" / "00b-privacy.ipynb"
    whole = run.share(nbformat.read(path, as_version=4))
    lessons.export.page(lessons.printed(whole), tmp_path / "page.html", path.parent, template="print", live=False)
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    assert not page.find_all(["script", "details", "input", "button"])
    assert any("size: A4" in str(style) for style in page.find_all("style"))
    stand = [i["alt"] for i in page.find_all("img", class_="dpb-static") if i["src"].startswith("data:image/svg+xml")]
    assert stand == figures_of(whole)


def test_slides_show_claims_figures_and_short_code():
    made = lessons.slides(lesson())
    shown = [c.source or "figure" for c in made.cells]
    assert shown == ["# Bars\n\nBars are not curves.", "## 1. Two bars\n\n**Two bars are two numbers.**\n\n$$a + b$$", "figure",
                     "**What to notice.** The left one is lower. The right one is higher.", "```go\n%%\nfmt.Println(1 + 1)\n```",
                     "**Exercise 1.** Add `a` and `b`. Why is it so?"]
    assert "This is said" in made.cells[1].metadata.dpb.notes
    still = made.cells[2].outputs[0].data["text/html"]
    assert "two bars" in still and "script" not in still and "Move it" not in still


def test_an_assignment_has_marks():
    made = lessons.assignment(lesson())
    answers = [c for c in made.cells if c.metadata.get("nbgrader", {}).get("solution")]
    marked = [c for c in made.cells if c.metadata.get("nbgrader", {}).get("grade")]
    assert [c.source for c in answers] == ["func sum() {}"] and [c.source for c in marked] == ['%%\nexercises.Check("sum", sum)']
    assert marked[0].metadata.nbgrader.points == 2 and marked[0].metadata.nbgrader.locked
    assert "forgets" not in str(made)


def test_on_paper_nothing_is_folded():
    made = lessons.printed(lesson())
    assert [c.cell_type for c in made.cells] == ["markdown", "markdown", "code", "markdown", "code", "markdown", "code", "markdown"]
    assert made.cells[-1].source == "## Hints\n\n1. Count."
    assert "draw()" not in made.cells[2].outputs[0].data["text/html"] and made.cells[4].outputs[0].text == "2"


def test_a_label_is_followed_by_what_it_labels():
    assert lessons.stated("**Two bars are two numbers.** This is not shown.") == "**Two bars are two numbers.**"
    assert lessons.stated("**Claim.** Bars are numbers. They are two.") == "**Claim.** Bars are numbers. They are two."
    assert lessons.stated("**What to notice.** No.") == "" == lessons.stated("No bold **word** begins it.")


def test_a_slide_is_not_overfull():
    text = " ".join(f"Sentence {i} has so many words that a few of them fill a slide." for i in range(20))
    assert 300 < len(lessons.sentences(text)) <= 420
    assert lessons.sentences("One (of two. Both) are kept.") == "One (of two. Both) are kept."
