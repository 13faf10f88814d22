"""Compares pkg/lasso with scikit-learn's Lasso.

    docker/setup peers
    .peers/bin/python notebooks/tools/peer_lasso.py             # objectives and coefficients
    .peers/bin/python notebooks/tools/peer_lasso.py --bench     # times of a bandit, and of refits

--spoil changes a coefficient a little, so that the comparison has to fail.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.linalg import blas
from sklearn.linear_model import Lasso
from sklearn.linear_model import _cd_fast

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-6
KINDS = ["independent", "fewer rows than columns", "equal columns", "zero columns", "y = 0", "all equal", "correlated",
         "different scales", "one row", "signs"]


def problem(seed):
    """A random regression problem; most kinds are degenerate."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    n, d = int(rng.integers(2, 80)), int(rng.integers(1, 40))
    if kind == "fewer rows than columns":
        n, d = int(rng.integers(2, 20)), int(rng.integers(30, 100))
    if kind == "one row":
        n = 1
    x = rng.standard_normal((n, d))
    if kind == "equal columns":
        x = x[:, np.arange(d) // 3]
    elif kind == "zero columns":
        x[:, ::2] = 0
    elif kind == "all equal":
        x[:] = 2
    elif kind == "correlated":
        x = 0.3 * x + rng.standard_normal((n, 1))
    elif kind == "different scales":
        x *= 10.0 ** (np.arange(d) % 5 - 2)
    elif kind == "signs":
        x = np.sign(x)
    theta = np.zeros(d)
    theta[:5] = rng.standard_normal(min(d, 5))
    y = x @ theta + 0.5 * rng.standard_normal(n)
    if kind == "y = 0":
        y[:] = 0
    most = np.abs(x.T @ y).max() / n
    return kind, x, y, most * 10 ** (-2 * rng.random()) if most > 0 else 0.1


def ours(questions):
    """The answers of pkg/lasso."""
    lines = "\n".join(json.dumps(q) for q in questions)
    done = subprocess.run(["go", "run", "./notebooks/tools/lasso"], cwd=ROOT, input=lines, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"go run ./notebooks/tools/lasso: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def objective(x, y, w, alpha):
    r = y - x @ w
    return r @ r / (2 * len(y)) + alpha * np.abs(w).sum()


def unique(x, y, w, alpha):
    """Whether the solution is unique: the columns of |x_j'r| = n alpha are independent, by far."""
    tight = np.abs(x.T @ (y - x @ w)) > len(y) * alpha * (1 - 1e-4)
    if not tight.any():
        return True
    some = x[:, tight] / np.linalg.norm(x[:, tight], axis=0)
    return tight.sum() <= len(y) and np.linalg.svd(some, compute_uv=False).min() > 0.05


def compare(count, spoil):
    problems = [problem(seed) for seed in range(count)]
    answers = ours([{"x": x.tolist(), "y": y.tolist(), "alpha": alpha, "tolerance": 1e-13} for _, x, y, alpha in problems])
    if spoil:
        answers[0]["w"][0] += 1e-3
    wrong, uniques, worst = [], 0, [0.0, 0.0]
    for seed, ((kind, x, y, alpha), answer) in enumerate(zip(problems, answers, strict=True)):
        w = np.array(answer["w"])
        peer = Lasso(alpha=alpha, fit_intercept=False, tol=1e-14, max_iter=1_000_000).fit(x, y).coef_
        a, b = objective(x, y, w, alpha), objective(x, y, peer, alpha)
        scale = max(y @ y / (2 * len(y)), 1e-300)
        worst[0] = max(worst[0], abs(a - b) / scale)
        if abs(a - b) > TOLERANCE * scale:
            wrong.append(f"problem {seed}, {kind}: objective {a}, scikit-learn {b}")
        if answer["gap"] > 1e-9:
            wrong.append(f"problem {seed}, {kind}: duality gap {answer['gap']}")
        if unique(x, y, w, alpha):
            uniques += 1
            size = max(1.0, np.abs(peer).max())
            worst[1] = max(worst[1], np.abs(w - peer).max() / size)
            if np.abs(w - peer).max() > TOLERANCE * size:
                wrong.append(f"problem {seed}, {kind}: coefficients differ by {np.abs(w - peer).max()}")
    print(f"{count} problems, {uniques} with a unique solution; objectives differ by {worst[0]:.2g} of |y|^2/2n at most, "
          f"unique coefficients by {worst[1]:.2g}")
    for line in wrong:
        print(line)
    return not wrong


def growing(x, y, n, timed, fit):
    """Seconds and processor seconds of fit(k), the mean of k rows for the last timed k."""
    for k in range(n + 1, len(y) + 1):
        if k == len(y) - timed + 1:
            began, busy = time.perf_counter(), time.process_time()
        fit(k)
    return np.array([time.perf_counter() - began, time.process_time() - busy]) / timed


def bench(d, n, seed, tol, alpha):
    """Times of a refit after a row was added, ours and scikit-learn's in three ways, and the number of coefficients.

    Each has the sums of the first n rows, and all rows in memory, and starts from the last fit. The first 20 refits
    are not timed. Ours is Solver.Add and Solver.Fit. `rows` is Lasso.fit on all rows. `precompute` adds the row to X'X in place by BLAS,
    and is Lasso.fit with that. `inner loop` does so for X'y too, and calls the compiled coordinate descent that
    Lasso.fit calls, without the checks and copies around it. All stop at a duality gap of tol |y|^2/2.
    """
    steps, timed = 120, 100
    rng = np.random.default_rng(seed)
    x = np.asfortranarray(rng.standard_normal((n + steps, d)))
    y = x[:, 0] - x[:, 1] + 0.5 * (x[:, 2] + x[:, 3] - x[:, 4]) + 0.3 * rng.standard_normal(n + steps)
    mine = ours([{"x": x.tolist(), "y": y.tolist(), "alpha": alpha, "tolerance": tol, "refits": True, "start": n, "timed": timed}])[0]
    times = {"pkg/lasso": np.array([mine["seconds"], mine["cpu"]])}
    wanted = objective(x, y, np.array(mine["w"]), alpha)

    def check(w):
        if abs(wanted - objective(x, y, w, alpha)) > tol * (y @ y) / len(y):
            sys.exit("the fits differ")

    for how in ("rows", "precompute"):
        gram = np.asfortranarray(x[:n].T @ x[:n])
        model = Lasso(alpha=alpha, fit_intercept=False, warm_start=True, tol=tol / 2, max_iter=1_000_000)
        model.fit(x[:n], y[:n])
        if how == "precompute":
            model.precompute = gram.T  # its rows are contiguous, as Lasso.fit wants them

        def fit(k, how=how, gram=gram, model=model):
            if how == "precompute":
                blas.dger(1, x[k - 1], x[k - 1], a=gram, overwrite_a=1)
            model.fit(x[:k], y[:k])

        times[f"Lasso.fit, {how}"] = growing(x, y, n, timed, fit)
        check(model.coef_)
    gram, xy = np.asfortranarray(x[:n].T @ x[:n]), x[:n].T @ y[:n]
    w = np.zeros(d)

    def descend(k):
        blas.dger(1, x[k - 1], x[k - 1], a=gram, overwrite_a=1)
        xy[:] += y[k - 1] * x[k - 1]
        _cd_fast.enet_coordinate_descent_gram(w, k * alpha, 0.0, gram.T, xy, y[:k], 1_000_000, tol / 2, np.random.RandomState(1))

    times["its inner loop on X'X"] = growing(x, y, n, timed, descend)
    check(w)
    return times, np.count_nonzero(mine["w"])


def spread(values):
    """Median and range."""
    return f"{np.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def refits(repeats):
    """Prints a table of refits, the median of some repeats, each with rows of its own."""
    for d, n, alpha in ((100, 1000, 0.01), (1000, 1000, 0.05), (1000, 1000, 0.01), (1000, 3000, 0.005)):
        for tol in (1e-4, 1e-9):
            runs = [bench(d, n, 1 + k, tol, alpha) for k in range(repeats)]
            active = [count for _, count in runs]
            print(f"d={d} n={n} alpha={alpha} tolerance={tol:g}: {min(active)} to {max(active)} coefficients")
            for how in runs[0][0]:
                wall, cpu = (np.array([times[how][i] for times, _ in runs]) * 1e6 for i in (0, 1))
                ratio = np.array([times[how][1] / times["pkg/lasso"][1] for times, _ in runs])
                print(f"  {how}: {spread(cpu)} us of processor time, {spread(wall)} us in all; {spread(ratio)} times ours", flush=True)


def bandit(d, arms, rounds):
    """Seconds of a run of the thresholded LASSO bandit: ours, and as it is written with scikit-learn."""
    rng, scale = np.random.default_rng(1), 0.02
    theta = np.zeros(d)
    theta[:5] = rng.choice([-1, 1], 5) * rng.uniform(0.5, 1, 5)
    theta /= np.linalg.norm(theta)
    xs, ys, w, some, regret, began = [], [], np.zeros(d), np.array([], int), 0.0, time.perf_counter()
    for t in range(1, rounds + 1):
        x = rng.standard_normal((arms, d))
        means = x @ theta
        a = int(np.argmax(x @ w)) if len(some) else int(rng.integers(arms))
        regret += means.max() - means[a]
        xs.append(x[a])
        ys.append(means[a] + 0.3 * rng.standard_normal())
        alpha = scale * np.sqrt(2 * np.log(max(t, 2)) * np.log(d) / t)
        fit = Lasso(alpha=alpha, fit_intercept=False).fit(xs, ys).coef_
        some = np.flatnonzero(np.abs(fit) > 4 * alpha)
        some = some[np.abs(fit[some]) > 4 * alpha * np.sqrt(len(some))]
        w = np.zeros(d)
        if len(some):
            w[some] = np.linalg.lstsq(np.array(xs)[:, some], ys, rcond=None)[0]
    theirs = time.perf_counter() - began
    mine = ours([{"rounds": rounds, "dim": d, "arms": arms, "tolerance": 1e-4}])[0]
    print(f"thresholded LASSO bandit, d={d} K={arms} T={rounds} tolerance=1e-4: {mine['seconds'] * 1e3:.1f} ms (regret {mine['regret']:.0f}); "
          f"with scikit-learn {theirs * 1e3:.0f} ms (regret {regret:.0f}), {theirs / mine['seconds']:.0f} times")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--spoil", action="store_true")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if not options.bench:
        sys.exit(0 if compare(options.count, options.spoil) else 1)
    bandit(200, 2, 300)
    refits(options.repeats)


if __name__ == "__main__":
    main()
