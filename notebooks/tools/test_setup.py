"""The set-up, in an empty checkout with stand-ins for Go, Python, Node and npm."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = "bash cat chmod cp cut dirname flock id mkdir mv perl rm sha256sum shasum sleep touch uname".split()

STAND_INS = {
    "go": """
        case "$*" in
        "env GOVERSION") [ -z "$GO_REFUSES" ] && echo "go${GO_IS:-1.26.0}" ;;
        version) echo "go version go${GO_IS:-1.26.0} linux/amd64" ;;
        install*) touch .tools/bin/gopls ;;
        esac""",
    "python3": """
        case "$*" in
        *version_info*) echo "${PYTHON_IS:-3.11}" ;;
        *ensurepip*) [ -z "$PYTHON_BARE" ] ;;
        "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
        "-m venv .peers") mkdir -p .peers/bin && cp "$0" .peers/bin/python ;;
        *requirements-peers.txt) echo installed >>peers.log ;;
        esac""",
    "node": 'echo "v${NODE_IS:-18.19.1}"',
    "npm": """
        echo start >>npm.log
        until [ -f go-on ]; do sleep 0.05; done
        mkdir -p docker/node_modules/echarts/dist && touch docker/node_modules/echarts/dist/echarts.min.js
        echo end >>npm.log""",
}


class Checkout:
    """A checkout that holds docker/ and nothing else, on a machine that has no more than the stand-ins."""

    def __init__(self, root, lacks=()):
        self.root, self.bin = root / "checkout", root / "bin"
        self.bin.mkdir()
        for name in TOOLS:
            if (program := shutil.which(name)) and name not in lacks:
                (self.bin / name).symlink_to(program)
        for name, script in STAND_INS.items():
            if name not in lacks:
                (self.bin / name).write_text(f"#!{shutil.which('sh')}\n{script}\n")
                (self.bin / name).chmod(0o755)
        shutil.copytree(ROOT / "docker", self.root / "docker", ignore=shutil.ignore_patterns("node_modules"))
        (self.root / "go.mod").touch()
        (self.root / "go.sum").touch()

    def let_npm_end(self):
        (self.root / "go-on").touch()

    def start(self, *steps, **env):
        return subprocess.Popen([shutil.which("bash"), str(self.root / "docker" / "setup"), *steps], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env={"PATH": str(self.bin), "HOME": str(self.root), **env})

    def run(self, *steps, **env):
        self.let_npm_end()
        p = self.start(*steps, **env)
        said, _ = p.communicate(timeout=600)
        return p.returncode, said


def test_all_that_is_missing_is_named_before_anything_is_installed(tmp_path):
    checkout = Checkout(tmp_path, lacks=["go", "python3", "node", "npm"])
    status, said = checkout.run("kernel", "data", CHROMIUM="")
    assert status == 2
    assert [line.split(":")[1].strip() for line in said.splitlines()] == [
        "Go is not installed", "python3 is not installed", "Node is not installed", said.splitlines()[-1].split(":")[1].strip()]
    assert not (checkout.root / ".tools").exists() and not (checkout.root / ".venv").exists()


@pytest.mark.parametrize("step, env, said", [
    ("go", {"GO_IS": "1.19.8", "GO_REFUSES": "1"}, "is go1.19.8 linux/amd64, and Go 1.26 or newer is wanted"),
    ("go", {"GO_IS": "1.24.4", "GO_REFUSES": "1"}, "run make with GOTOOLCHAIN=go1.26.0+auto"),
    ("go", {"GO_IS": "1.25.9"}, "run make with GOTOOLCHAIN=go1.26.0+auto"),
    ("python", {"PYTHON_IS": "3.10"}, "python3 is Python 3.10: Python 3.11 or newer is wanted"),
    ("python", {"PYTHON_BARE": "1"}, "Python 3.11 has no venv (Debian, Ubuntu: sudo apt install python3-venv)"),
    ("python", {"PYTHON": "python9"}, "python9 is not installed"),
    ("node", {"NODE_IS": "18.18.2"}, "is Node 18.18.2: Node 18.19 or newer with npm is wanted"),
    ("chromium", {"CHROMIUM": "no-such-browser"}, "CHROMIUM=no-such-browser is no program"),
    ("data", {"DPBANDITS_DATA": "data"}, "DPBANDITS_DATA=data is not an absolute path"),
    ("coffee", {}, "no set-up step is called coffee"),
])
def test_what_does_not_do_is_named(step, env, said, tmp_path):
    status, output = Checkout(tmp_path).run(step, **env)
    assert status == 2 and said in output


@pytest.mark.parametrize("version", ["1.26.0", "1.26rc1", "1.30.2", "2.0"])
def test_a_go_that_is_new_enough_will_do(version, tmp_path):
    assert Checkout(tmp_path).run("go", GO_IS=version) == (0, "")


def test_a_second_set_up_installs_nothing(tmp_path):
    checkout = Checkout(tmp_path)
    status, said = checkout.run("kernel")
    assert status == 0 and said.count("dpbandits: ") == 4
    assert checkout.run("kernel") == (0, "")


@pytest.mark.parametrize("lacks", ["nothing", "flock"])
def test_two_set_ups_take_turns(lacks, tmp_path):
    checkout = Checkout(tmp_path, lacks=[lacks])
    log = checkout.root / "npm.log"
    try:
        first = checkout.start("node")
        end = time.monotonic() + 600
        while not log.exists() and time.monotonic() < end:
            time.sleep(0.05)
        second = checkout.start("node")
        said = second.stdout.readline()
    finally:
        checkout.let_npm_end()
    assert "installing" in first.communicate(timeout=600)[0] and first.returncode == 0
    assert said == "dpbandits: another set-up is at work in this checkout: waiting for it\n"
    assert second.communicate(timeout=600)[0] == "" and second.returncode == 0
    assert log.read_text() == "start\nend\n", "npm ran twice"


@pytest.mark.parametrize("before", ["nothing", "wide open"])
def test_only_the_user_reaches_the_tokens(before, tmp_path):
    checkout = Checkout(tmp_path)
    runtime = checkout.root / ".jupyter" / "runtime"
    if before == "wide open":
        assert checkout.run("kernel")[0] == 0
        runtime.chmod(0o777)
        runtime.parent.chmod(0o777)
    old = os.umask(0)
    try:
        assert checkout.run("kernel")[0] == 0
    finally:
        os.umask(old)
    assert [oct(d.stat().st_mode & 0o777) for d in (runtime.parent, runtime)] == ["0o700", "0o700"]


def test_what_the_tests_compare_with_is_apart(tmp_path):
    checkout = Checkout(tmp_path)
    for _ in range(2):
        status, output = checkout.run("peers")
        assert status == 0, output
    assert (checkout.root / ".peers" / "stamp").exists() and not (checkout.root / ".venv").exists()
    assert (checkout.root / "peers.log").read_text() == "installed\n"
    with open(checkout.root / "docker" / "requirements-peers.txt", "a") as pins:
        pins.write("# renewed\n")
    assert checkout.run("peers")[0] == 0
    assert (checkout.root / "peers.log").read_text() == "installed\n" * 2
