#!/usr/bin/env python3
"""Executes notebooks through the GoNB kernel and exports them as pages that work offline.

Run it through make, or with the environment of docker/env.sh:

    run.py [--out build] [--in-place] [--export-only] [--timeout SECONDS] notebook...

Each notebook gives <out>/<name>.ipynb, with its outputs, and <out>/<name>.html; <out>/index.html lists them.
--in-place also writes the outputs into the notebook itself, without what differs between machines.

GoNB reports an error for a cell that does not compile; a cell that panics or exits with a status is fine by it, and only
says so on stderr. Both fail here, and so does a run that makes no progress: it is killed with all its processes.
A cell tagged raises-exception may fail.
"""

import argparse
import atexit
import html
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import export

ROOT = Path(os.environ.get("DPBANDITS_ROOT", Path(__file__).resolve().parents[2]))

ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# What GoNB and the Go runtime leave on stderr when a cell's process ends badly.
FAILURE = re.compile(r"^.*(?:\bexit status \d+|\bpanic: |\bfatal error: |^signal: ).*$", re.MULTILINE)

PATIENCE = 600  # seconds that a loaded machine gets for what takes a moment


class Failure(Exception):
    """A notebook did not run to its end as it should."""


def stderr_of(cell):
    text = "".join(o.text for o in cell.get("outputs", []) if o.output_type == "stream" and o.name == "stderr")
    return ANSI.sub("", text)


def say(*words):
    print(*words, flush=True)


class Watchdog:
    """Ends the run after so many seconds without progress, which is a cell done or a word from a kernel.

    Each kernel is the leader of a process group, which is killed.
    """

    def __init__(self, seconds):
        self.groups = set()
        self.expired = False
        self.seconds = seconds
        self.over = threading.Event()
        self.progress()
        threading.Thread(target=self.watch, daemon=True).start()

    def progress(self):
        self.last = time.monotonic()

    def watch(self):
        while (left := self.last + self.seconds - time.monotonic()) > 0:
            if self.over.wait(min(left, 3600)):
                return
        self.expire()

    def kill(self):
        for group in list(self.groups):
            try:
                os.killpg(group, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass

    def expire(self):
        self.expired = True
        say(f"dpbandits: {self.seconds:g} s without progress, the run is killed")
        self.kill()
        # The client sees its kernel die and ends by itself. If it does not, nothing is left to wait for.
        last = threading.Timer(PATIENCE, lambda: os._exit(1))
        last.daemon = True
        last.start()


class Client(NotebookClient):
    """Runs one notebook, prints each cell's time, stops at the first cell that fails."""

    def __init__(self, nb, label, watchdog, **options):
        super().__init__(nb, record_timing=False, allow_errors=False, timeout=None, startup_timeout=PATIENCE, iopub_timeout=PATIENCE,
                         kernel_name="gonb", coalesce_streams=True, **options)
        self.label, self.watchdog = label, watchdog
        self.total = sum(c.cell_type == "code" and bool(c.source.strip()) for c in nb.cells)
        self.done = 0

    async def async_start_new_kernel(self, **kw):
        await super().async_start_new_kernel(**kw)
        group = getattr(self.km.provisioner, "pgid", None)
        if group and group != os.getpgrp():
            self.watchdog.groups.add(group)
        if self.watchdog.expired:
            self.watchdog.kill()

    def process_message(self, *message):
        self.watchdog.progress()
        return super().process_message(*message)

    async def async_execute_cell(self, cell, cell_index, **kw):
        if cell.cell_type != "code" or not cell.source.strip():
            return await super().async_execute_cell(cell, cell_index, **kw)
        self.done += 1
        start = time.monotonic()
        failed = True
        try:
            result = await super().async_execute_cell(cell, cell_index, **kw)
            bad = FAILURE.search(stderr_of(cell))
            if bad and "raises-exception" not in cell.metadata.get("tags", []):
                raise Failure(f"cell {self.done} ended badly ({bad.group().strip()}):\n{excerpt(cell)}")
            failed = False
            return result
        finally:
            self.watchdog.progress()
            title = next((x for x in cell.source.splitlines() if x.strip() and not x.startswith("%")), "")[:60]
            say(f"  {self.label} [{self.done:2d}/{self.total}] {time.monotonic() - start:6.1f} s"
                f"{'  FAILED' if failed else ''}  {title}")


def excerpt(cell, lines=60):
    text = [*("    " + x for x in cell.source.splitlines()), "  stderr:",
            *("    " + x for x in stderr_of(cell).splitlines()[:lines])]
    return "\n".join(text)


def log(lines=30):
    """The end of the kernel's log, which docker/kernel writes in a batch run."""
    try:
        return ANSI.sub("", "\n".join((Path(os.environ["TMPDIR"]) / "kernel.log").read_text().splitlines()[-lines:]))
    except (OSError, KeyError):
        return ""


def execute(path, watchdog):
    """Runs the notebook at path; returns it with its outputs. A Failure carries the notebook as far as it came."""
    nb = nbformat.read(path, as_version=4)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = Client(nb, path.stem, watchdog, resources={"metadata": {"path": str(path.parent)}})
    error = in_thread(client.execute)
    atexit.unregister(client._cleanup_kernel)  # it is left behind when a kernel does not start
    if error is None:
        return nb
    if isinstance(error, Failure):
        failure = error
    elif isinstance(error, CellExecutionError):
        failure = Failure(f"cell {client.done} failed:\n{ANSI.sub('', str(error))}")
    elif watchdog.expired:
        failure = Failure("no time left")
    else:
        while error.__context__ is not None:  # nbclient stumbles over its own clearing up
            error = error.__context__
        failure = Failure(f"the kernel died: {error}\n{log()}")
    failure.notebook = nb
    raise failure


def in_thread(work):
    """Does the work in a thread of its own, where nbclient leaves the signals alone, and returns what it raised."""
    raised = []

    def target():
        try:
            work()
        except BaseException as e:
            raised.append(e)

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def merge(outputs):
    """Neighbouring pieces of one stream as one: how a program's output is cut differs from run to run."""
    merged = []
    for o in outputs:
        last = merged[-1] if merged else None
        if last is not None and o.output_type == "stream" == last.output_type and o.name == last.name:
            last.text += o.text
        else:
            merged.append(o)
    return merged


def scrub(nb):
    """Takes out what differs from machine to machine and from run to run: paths, times, versions."""
    places = [(str(ROOT) + "/", ""), (str(ROOT), "."), (os.path.realpath(ROOT) + "/", ""), (str(Path.home()), "~")]

    def clean(value):
        if isinstance(value, str):
            for old, new in places:
                value = value.replace(old, new)
            return re.sub(r"/[\w./-]*?/gonb_[0-9a-f]{8}(?=/)", "gonb", value)
        if isinstance(value, list):
            return [clean(x) for x in value]
        if isinstance(value, dict):
            return type(value)((k, clean(v)) for k, v in value.items())
        return value

    for cell in nb.cells:
        for key in ("execution", "ExecuteTime", "scrolled", "collapsed"):
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":
            cell.outputs = [nbformat.from_dict(clean(dict(o))) for o in merge(cell.outputs)]
    nb.metadata = nbformat.from_dict({
        **({"title": nb.metadata["title"]} if "title" in nb.metadata else {}),
        "kernelspec": {"display_name": "Go (gonb)", "language": "go", "name": "gonb"},
        "language_info": {"file_extension": ".go", "mimetype": "text/x-go", "name": "go"},
    })
    return nb


CODE = re.compile(r'<script class="dpb-code" data-name="(\w+)">.*?</script>\n', re.DOTALL)


def share(nb):
    """Leaves the scripts that figures share (charts/render_html.go) in the first figure that has them."""
    seen = set()

    def once(match):
        again = match.group(1) in seen
        seen.add(match.group(1))
        return "" if again else match.group()

    for cell in nb.cells:
        for o in cell.get("outputs", []):
            if "text/html" in o.get("data", {}):
                o.data["text/html"] = CODE.sub(once, o.data["text/html"])
    return nb


def below(path):
    """Where a notebook lies below notebooks/."""
    path = path.resolve()
    return f"evidence/{path.name}" if path.parent.name == "evidence" else path.name


VIEWER = "https://nbviewer.org/github/dpbandits/dpbandits/blob/main/notebooks/"


def link(nb, name):
    """Gives each picture a link to the notebook where scripts run, for sites that show neither scripts nor pictures.

    A picture that is live hides it (charts/js/control.js), and a page has none (export.py).
    """
    place = '<div class="dpb-live"></div>\n'
    there = f'<a class="dpb-link" style="font-size:15px" href="{VIEWER}{html.escape(name)}">The live picture is in this notebook on nbviewer.</a>\n'
    for cell in nb.cells:
        for o in cell.get("outputs", []):
            if "text/html" in o.get("data", {}):
                o.data["text/html"] = o.data["text/html"].replace(place, place + there)
    return nb


def write(nb, path):
    """Writes whole or not at all, and ends with a newline."""
    text = nbformat.writes(nb).rstrip("\n") + "\n"
    part = path.with_name("." + path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def parser(doc, out):
    """The arguments of a program over notebooks: these, and a directory for what it makes."""
    p = argparse.ArgumentParser(description=doc.split("\n")[0])
    p.add_argument("notebooks", nargs="+", type=Path)
    p.add_argument("--out", type=Path, default=out)
    return p


def main(arguments=None):
    p = parser(__doc__, ROOT / "build")
    p.add_argument("--in-place", action="store_true", help="write the outputs into the notebook as well")
    p.add_argument("--export-only", action="store_true", help="export the notebooks with the outputs they have")
    p.add_argument("--timeout", type=float, default=float(os.environ.get("TIMEOUT") or 0),
                   help="seconds without progress (default: 600 at smoke scale, an hour at lecture, three days at paper)")
    a = p.parse_args(arguments)

    scale = os.environ.setdefault("SCALE", "lecture")
    limits = {"smoke": 600, "lecture": 3600, "paper": 3 * 86400}
    if scale not in limits:
        p.error(f"SCALE={scale} is none of {', '.join(limits)}")
    os.environ["DPBANDITS_BATCH"] = "1"  # docker/kernel: no gopls

    a.out.mkdir(parents=True, exist_ok=True)
    # What the kernels leave behind when they are killed goes with this directory.
    scratch = tempfile.mkdtemp(prefix="dpbandits-")
    os.environ["TMPDIR"] = tempfile.tempdir = scratch

    watchdog = Watchdog(a.timeout or limits[scale])

    def stop(number, frame):
        watchdog.kill()
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(128 + number)

    for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(s, stop)

    failed = []
    try:
        for path in a.notebooks:
            watchdog.progress()
            start = time.monotonic()
            try:
                if a.export_only:
                    nb = share(nbformat.read(path, as_version=4))
                else:
                    say(f"{path.stem} at {scale} scale")
                    nb = link(share(scrub(execute(path.resolve(), watchdog))), below(path))
                    if a.in_place:
                        write(nb, path)
                write(nb, a.out / path.name)
                export.page(nb, a.out / f"{path.stem}.html", path.resolve().parent)
                say(f"ok   {path.stem}  {time.monotonic() - start:.1f} s: {a.out / path.stem}.html")
            except (Failure, export.Failure) as e:
                failed.append(path.stem)
                say(f"FAIL {path.stem}  {time.monotonic() - start:.1f} s: {e}")
                if getattr(e, "notebook", None) is not None:
                    write(scrub(e.notebook), a.out / f"{path.stem}.failed.ipynb")
            if watchdog.expired:
                break
        export.index(a.out)
    finally:
        watchdog.over.set()
        watchdog.kill()
        shutil.rmtree(scratch, ignore_errors=True)
    done = len(a.notebooks) - len(failed)
    say(f"notebooks: {done} of {len(a.notebooks)} ok" + (f", failed: {', '.join(failed)}" if failed else ""))
    if watchdog.expired:
        say("notebooks: out of time")
    return 1 if failed or watchdog.expired else 0


if __name__ == "__main__":
    sys.exit(main())
