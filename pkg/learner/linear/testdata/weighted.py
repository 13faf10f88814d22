"""Writes weighted.csv: information-weighted regression over batches without noise, by numpy and scipy.

It shares no code with the package. The weights come from a symmetric root, where the package has a
triangular one; what is compared is the same for both. "fixed" solves the equation of the root's
fixed point by scipy, without the package's iteration.
"""

import math
import pathlib

import numpy
import scipy.linalg
import scipy.optimize

THETA = numpy.array([0.5, -0.3, 0.7])
PROBES = numpy.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.3, -0.5, 0.2]])
LONGEST = math.sqrt(3)


def data(count):
    """Contexts of which the third number is short, and rewards, by a linear congruential generator."""
    state, out = 1, []
    for _ in range(4 * count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(2 * (state >> 11) / 2**53 - 1)
    u = numpy.array(out).reshape(count, 4)
    x = numpy.column_stack([0.8 * u[:, 0], 0.24 * u[:, 0] + 0.2 * u[:, 1], 0.05 * u[:, 0] + 0.03 * u[:, 2]])
    return x, x @ THETA + 0.1 * u[:, 3]


def batches(horizon):
    """What is known after each batch: theta, and the widths of the probes."""
    x, y = data(horizon)
    most = int(math.log2(horizon / 12 + 1))
    union = math.log(3 * most * horizon)

    def ridge(n):  # the root of kappa
        return (math.sqrt(3) + math.sqrt(2 * union)) / 8 / math.sqrt(n)

    n, at = 12, 0
    reach = LONGEST
    u = reach * numpy.eye(3)
    for _ in range(most):
        rows, rewards, kappa = x[at : at + n], y[at : at + n], ridge(n) ** 2
        z = rows @ u
        z /= numpy.maximum(1, numpy.linalg.norm(z, axis=1, keepdims=True) / LONGEST)
        h, b = rows.T @ z / n, z.T @ rewards / n
        theta = numpy.linalg.solve(h.T + kappa * u, b)
        spread = u @ h
        power = numpy.linalg.matrix_power((spread + spread.T) / 2, 32)  # bounds the norm, as the package does
        norm = min(3, numpy.linalg.norm(power) ** (1 / 32))
        beta = (math.sqrt(3) + math.sqrt(2 * norm * union)) / math.sqrt(n) + kappa * reach
        yield [*theta, *(beta * numpy.linalg.norm(numpy.linalg.solve(h + kappa * u, PROBES.T), axis=0))]
        at, n = at + n, 2 * n
        c = h @ numpy.linalg.inv(u)
        reach = 1 / ridge(n)
        u = scipy.linalg.inv(scipy.linalg.sqrtm((c + c.T) / 2 + numpy.eye(3) / reach**2))


def fixed(count):
    """The P with P^-1 = mean of w x x^T, w = min(1, sqrt(3)/|x|_P)."""
    x, _ = data(count)
    lower = numpy.tril_indices(3)

    def factor(v):
        l = numpy.zeros((3, 3))
        l[lower] = v
        return l

    def off(v):
        l = factor(v)
        w = numpy.minimum(1, LONGEST / numpy.linalg.norm(x @ l, axis=1))
        return (l.T @ (x.T * w @ x / count) @ l - numpy.eye(3))[lower]

    start = numpy.linalg.cholesky(numpy.linalg.inv(x.T @ x / count))[lower]
    best = scipy.optimize.root(off, start, tol=1e-12)
    assert best.success and numpy.abs(off(best.x)).max() < 1e-9, best
    l = factor(best.x)
    return (l @ l.T)[lower]


if __name__ == "__main__":
    rows = [["batch", *v] for v in batches(4000)] + [["fixed", *fixed(50)]]
    text = "".join(",".join([row[0], *(f"{v:.10g}" for v in row[1:])]) + "\n" for row in rows)
    pathlib.Path(__file__).with_suffix(".csv").write_text(text)
