#!/usr/bin/env python3
"""Compares the outputs of a notebook that a page has run with those of the kernel.

    compare.py page.ipynb kernel.ipynb evidence/name.ipynb

The last argument is where the notebook lies below notebooks/. Prints a line for each cell that differs, and nothing if
none does; status 1 if one does that is not listed below.
"""

import sys
from pathlib import Path

import nbformat

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import run  # noqa: E402

# Cells whose output depends on the machine, with what it depends on.
DIFFER = {
    ("00b-continual", "p00b-cost"): "memory",
    ("00b-floats", "p00b-discrete"): "the system's randomness",
    ("00b-floats", "b72"): "the system's randomness",
    ("01-losses", "l01-time"): "time",
    ("03-sums", "0ed15546"): "the system's randomness",
}


def shown(cell):
    """What a reader sees: pictures in their order, and what was written, by stream."""
    pictures, text = [], {}
    for o in cell.get("outputs", []):
        if o.output_type == "stream":
            text[o.name] = text.get(o.name, "") + run.ANSI.sub("", o.text)
        elif o.output_type == "error":
            text["error"] = o.evalue
        else:
            pictures.append(dict(o.data))
    return pictures, text


def main(page, kernel, place):
    a = run.link(run.share(run.scrub(nbformat.read(page, as_version=4))), place.as_posix())
    b = nbformat.read(kernel, as_version=4)
    theirs = {c.id: c for c in b.cells}
    status = count = 0
    for c in a.cells:
        if c.cell_type != "code":
            continue
        count += 1
        x, y = shown(c), shown(theirs[c.id])
        if x == y:
            continue
        reason = DIFFER.get((kernel.stem, c.id))
        status |= reason is None
        print(f"{kernel.stem}, cell {c.id}: {f'differs in {reason}' if reason else 'DIFFERS'}")
        if reason is None:
            for name in sorted({*x[1], *y[1]}):
                if x[1].get(name) != y[1].get(name):
                    print(f"  {name} in the page:   {x[1].get(name)!r:.1500}\n  {name} of the kernel: {y[1].get(name)!r:.1500}")
            if x[0] != y[0]:
                print(f"  {len(x[0])} pictures in the page, {len(y[0])} of the kernel")
                for p, q in zip(x[0], y[0]):
                    p, q = p.get("text/html", str(p)), q.get("text/html", str(q))
                    at = next((i for i, (u, v) in enumerate(zip(p, q)) if u != v), min(len(p), len(q)))
                    if p != q:
                        print(f"  at letter {at}: {p[max(0, at - 60):at + 100]!r}\n           and: {q[max(0, at - 60):at + 100]!r}")
    print(f"{kernel.stem}: {count} cells compared", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
