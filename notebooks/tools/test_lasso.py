"""pkg/lasso beside scikit-learn, which `docker/setup peers` installs."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def compare(*arguments):
    peer = ROOT / ".peers" / "bin" / "python"
    assert peer.exists(), "docker/setup peers installs scikit-learn"
    done = subprocess.run([str(peer), "notebooks/tools/peer_lasso.py", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def test_scikit_learn_agrees():
    status, said = compare("--count", "200")
    assert status == 0, said
    problems, uniques = int(said.split()[0]), int(said.split()[2])
    assert problems == 200 and uniques >= 100, said


def test_a_wrong_coefficient_is_noticed():
    status, said = compare("--count", "10", "--spoil")
    assert status == 1 and "problem 0, independent: objective" in said and "coefficients differ" in said
