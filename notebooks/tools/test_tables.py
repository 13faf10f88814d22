"""A result's tables and trials as CSV and Parquet, opened by pandas, which `docker/setup peers` installs."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WRITE = """
import sys
import pandas as pd

frame = pd.DataFrame({
    "who": [7, 8, 7], "age": pd.array([40, 50, 60], dtype="Int16"), "dose": [0.5, 0.25, 1e-300], "cured": [True, False, True],
    "arm": pd.Categorical(["low", "none", "low"]), "p": [0.5, 0.25, 1], "day": pd.to_datetime(["2026-01-01"] * 3),
})
for compression in "snappy", "zstd":
    frame.to_parquet(f"{sys.argv[1]}/{compression}.parquet", compression=compression)
"""

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

csv = pd.read_csv(sys.argv[1] + "/trials.csv", comment="#", dtype={"regret": float})
trials = pd.read_parquet(sys.argv[1] + "/trials.parquet")
print("trials", *(f"{column}:{kind}" for column, kind in trials.dtypes.items()))
pd.testing.assert_frame_equal(csv, trials, check_exact=True)
means = trials.groupby(["policy", "round"], sort=False)["regret"].mean()
pd.testing.assert_series_equal(means.reset_index(drop=True), parquet["mean"], check_names=False)
"""


def peer(program, *arguments):
    python = ROOT / ".peers" / "bin" / "python"
    assert python.exists(), "docker/setup peers installs pandas"
    done = subprocess.run([str(python), "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder of tables, after Go has read what pandas wrote into it."""
    folder = tmp_path_factory.mktemp("tables")
    peer(WRITE, folder)
    go = ["go", "test", "-count=1", "-run", "^TestForPandas$", "./datasets/parquet"]
    done = subprocess.run(go, cwd=ROOT, env={**os.environ, "DPBANDITS_TABLES": str(folder)}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_pandas_reads_the_same_types_and_numbers_from_both(tables):
    *lines, trials = peer(OPEN, tables).splitlines()
    assert trials.split()[1] in ("policy:str", "policy:object")
    assert trials.split()[2:] == ["trial:int64", "round:int64", "regret:float64"]
    assert len(lines) == 2
    for line in lines:
        _, policy, *kinds = line.split()
        assert policy in ("policy:str", "policy:object"), line
        numbers = ["mean:float64", "se:float64", "q10:float64", "q50:float64", "q90:float64"]
        assert kinds == ["round:int64", *numbers, "trials:int64", "worst:float64"], line


def test_provenance_travels(tables):
    said = peer("import sys, pyarrow.parquet as p; print(p.read_metadata(sys.argv[1]).metadata[b'dpbandits.provenance'].decode())", tables / "sample.parquet")
    assert "# experiment: sample\n# seed: 1\n" in said
