"""A result's tables as CSV and Parquet, opened by pandas, which `docker/setup peers` installs."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

OPEN = """
import sys
import pandas as pd

# CSV has no types: without dtype a column whose numbers happen to be whole is one of integers.
doubles = dict.fromkeys(["mean", "se", "q10", "q50", "q90", "worst"], float)
csv = pd.read_csv(sys.argv[1] + "/sample.csv", comment="#", dtype=doubles)
parquet = pd.read_parquet(sys.argv[1] + "/sample.parquet")
for name, frame in ("CSV", csv), ("Parquet", parquet):
    print(name, *(f"{column}:{kind}" for column, kind in frame.dtypes.items()))
    assert pd.api.types.is_string_dtype(frame["policy"]), frame["policy"].dtype
    assert list(frame["policy"]) == ['Lin, "UCB"'] * 2 + ["größer"] * 2
    assert list(frame["round"]) == [10, 100, 10, 100]
    assert list(frame["worst"].isna()) == [False, False, True, False]
pd.testing.assert_frame_equal(csv, parquet, check_exact=True)
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    go = ["go", "test", "-count=1", "-run", "^TestForPandas$", "./datasets/parquet"]
    done = subprocess.run(go, cwd=ROOT, env={**os.environ, "DPBANDITS_TABLES": str(folder)}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_pandas_reads_the_same_types_and_numbers_from_both(tables):
    peer = ROOT / ".peers" / "bin" / "python"
    assert peer.exists(), "docker/setup peers installs pandas"
    done = subprocess.run([str(peer), "-c", OPEN, str(tables)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        _, policy, *kinds = line.split()
        assert policy in ("policy:str", "policy:object"), line
        numbers = ["mean:float64", "se:float64", "q10:float64", "q50:float64", "q90:float64"]
        assert kinds == ["round:int64", *numbers, "trials:int64", "worst:float64"], line
    assert len(done.stdout.splitlines()) == 2


def test_provenance_travels(tables):
    peer = ROOT / ".peers" / "bin" / "python"
    said = subprocess.run(
        [str(peer), "-c", "import sys, pyarrow.parquet as p; print(p.read_metadata(sys.argv[1]).metadata[b'dpbandits.provenance'].decode())", str(tables / "sample.parquet")],
        capture_output=True, text=True, timeout=600,
    )
    assert "# experiment: sample\n# seed: 1\n" in said.stdout, said.stdout + said.stderr
