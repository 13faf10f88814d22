"""Writes weighted.csv: information-weighted regression without noise, by numpy and scipy.

It shares no code with the package. The weights come from the symmetric root U, where the package
has a triangular one; what is compared is the same for both. "lewis" is the minimum of a convex
function, found by scipy without the package's iteration.
"""

import math
import pathlib

import numpy
import scipy.linalg
import scipy.optimize

THETA = numpy.array([0.5, -0.3, 0.7])
PROBES = numpy.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.3, -0.5, 0.2]])


def uniforms(count):
    """The numbers of a linear congruential generator, in [0, 1)."""
    state, out = 1, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append((state >> 11) / 2**53)
    return numpy.array(out)


def data(count, short):
    """Contexts of which the third number is short, and rewards."""
    u = 2 * uniforms(4 * count).reshape(count, 4) - 1
    x = numpy.column_stack([0.8 * u[:, 0], 0.24 * u[:, 0] + 0.2 * u[:, 1], 0.05 * u[:, 0] + short * u[:, 2]])
    return x, x @ THETA + 0.1 * u[:, 3]


def epochs(horizon):
    """What the broadcast says after each epoch: theta, and the widths of the probes."""
    x, y = data(horizon, 0.03)
    d = 3
    bound = math.sqrt(d) + math.sqrt(2 * math.log(math.floor(math.log2(horizon) + 1) * horizon))
    n, at, u = math.ceil(bound**2), 0, numpy.eye(d)
    while n > 0:
        rows, rewards = x[at : at + n], y[at : at + n]
        units = rows @ u
        units /= numpy.linalg.norm(units, axis=1, keepdims=True)
        h, b, kappa = rows.T @ units / n, units.T @ rewards / n, (bound / 4) ** 2 / n
        theta = numpy.linalg.solve(h.T + kappa * u, b)
        widths = 1.25 * bound / math.sqrt(n) * numpy.linalg.norm(numpy.linalg.solve(h + kappa * u, PROBES.T), axis=0)
        yield [*theta, *widths]
        at += n
        n = min(2 * n, horizon - at)
        if n > 0:
            c = h @ numpy.linalg.inv(u)
            u = scipy.linalg.inv(scipy.linalg.sqrtm((c + c.T) / 2 + (bound / 4) ** 2 / n * numpy.eye(d)))


def lewis(count):
    """(C + kappa I)^-1 = S at the minimum of E|S^(1/2) x| - ln det S/2, with kappa = 0."""
    x, _ = data(count, 0.03)
    lower = numpy.tril_indices(3)

    def factor(v):
        l = numpy.zeros((3, 3))
        l[lower] = v
        return l

    def value(v):
        l = factor(v)
        return numpy.linalg.norm(x @ l, axis=1).mean() - numpy.log(numpy.abs(numpy.diag(l))).sum()

    best = scipy.optimize.minimize(value, [1, 0, 1, 0, 0, 10], method="BFGS", options={"gtol": 1e-9, "maxiter": 10000})
    l = factor(best.x)
    return (l @ l.T)[lower]


rows = [["epoch", *v] for v in epochs(4000)] + [["lewis", *lewis(50)]]
text = "".join(",".join([row[0], *(f"{v:.9g}" for v in row[1:])]) + "\n" for row in rows)
pathlib.Path(__file__).with_suffix(".csv").write_text(text)
