"""Writes accountants.csv, the values of dp-accounting that TestAgainstAnotherAccountant compares.

    python -m venv ../peer && ../peer/bin/pip install dp-accounting==0.6.0
    ../peer/bin/python pkg/privacy/account/testdata/accountants.py > pkg/privacy/account/testdata/accountants.csv

A row is a case, a delta, lower and upper values of epsilon at that delta, an epsilon, and lower and
upper values of delta at that epsilon. The lower values are dp-accounting's optimistic estimates,
the upper ones its pessimistic estimates. The cases have the names that the test gives to events.
"""
import math
from importlib.metadata import version

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as peer
from scipy import stats

SPACING = 1e-4


def gaussian(mu, k=1, h=SPACING):
    return lambda up: peer.from_gaussian_mechanism(
        1 / mu, pessimistic_estimate=up, value_discretization_interval=h).self_compose(k)


def laplace(epsilon, k=1, h=SPACING):
    return lambda up: peer.from_laplace_mechanism(
        1 / epsilon, pessimistic_estimate=up, value_discretization_interval=h).self_compose(k)


def discrete_gaussian(sensitivity, sigma, k=1, h=SPACING):
    return lambda up: peer.from_discrete_gaussian_mechanism(
        sigma, sensitivity=sensitivity, pessimistic_estimate=up,
        value_discretization_interval=h).self_compose(k)


def discrete_laplace(sensitivity, scale, k=1, h=SPACING):
    return lambda up: peer.from_discrete_laplace_mechanism(
        1 / scale, sensitivity=sensitivity, pessimistic_estimate=up,
        value_discretization_interval=h).self_compose(k)


def response(epsilon, choices, k=1, h=SPACING):
    return lambda up: peer.from_randomized_response(
        choices / (math.exp(epsilon) + choices - 1), choices, pessimistic_estimate=up,
        value_discretization_interval=h).self_compose(k)


def masses(p, q, k=1, h=SPACING, symmetric=False):
    """The pair of two laws, given as arrays: P in the place that dp-accounting calls upper."""
    logs = [{i: math.log(v) for i, v in enumerate(side) if v > 0} for side in (q, p)]
    return lambda up: peer.from_two_probability_mass_functions(
        *logs, pessimistic_estimate=up, value_discretization_interval=h,
        symmetric=symmetric).self_compose(k)


def approximate(epsilon, delta, k=1, h=SPACING):
    high = (1 - delta) / (1 + math.exp(-epsilon))
    low = (1 - delta) / (1 + math.exp(epsilon))
    return masses([delta, high, low, 0], [0, low, high, delta], k, h, True)


def binomial(trials, p, moved, k=1, h=SPACING):
    law = stats.binom.pmf(np.arange(trials + 1), trials, p)
    zeros = np.zeros(moved)
    return masses(np.concatenate([law, zeros]), np.concatenate([zeros, law]), k, h)


def bounded_range(epsilon, k=1, h=SPACING, cells=20000):
    """The pair of Dong, Durfee and Rogers for a range of epsilon, gathered in cells of the loss."""
    at = np.linspace(-epsilon, epsilon, cells + 1)
    half, all_ = np.exp(at / 2), 2 * math.sinh(epsilon / 2)
    p = (half[1:] - half[:-1]) / all_
    return masses(p, p[::-1], k, h, True)


def both(*parts):
    def of(up):
        first, *rest = [part(up) for part in parts]
        for one in rest:
            first = first.compose(one)
        return first
    return of


CASES = {
    "gaussian 1": (gaussian(1), 1e-5),
    "gaussian 0.3": (gaussian(0.3), 1e-2),
    "gaussian 6": (gaussian(6), 1e-10),
    "gaussian 0.1 x 100": (gaussian(0.1, 100, 1e-5), 1e-8),
    "gaussian 0.01 x 10000": (gaussian(0.01, 10000, 2e-6), 1e-6),
    "laplace 1": (laplace(1), 1e-3),
    "laplace 3 x 2": (laplace(3, 2), 1e-5),
    "laplace 0.5 x 40": (laplace(0.5, 40), 1e-10),
    "laplace 0.1 x 200": (laplace(0.1, 200), 1e-6),
    "laplace 0.02 x 5000": (laplace(0.02, 5000), 1e-6),
    "discrete gaussian 1 2 x 10": (discrete_gaussian(1, 2, 10), 1e-5),
    "discrete gaussian 3 1.5": (discrete_gaussian(3, 1.5), 1e-5),
    "discrete gaussian 1 0.6 x 5": (discrete_gaussian(1, 0.6, 5), 1e-3),
    "discrete gaussian 5 10 x 50": (discrete_gaussian(5, 10, 50), 1e-9),
    "discrete gaussian 1 20 x 1000": (discrete_gaussian(1, 20, 1000, 5e-6), 1e-6),
    "discrete laplace 2 1": (discrete_laplace(2, 1), 1e-3),
    "discrete laplace 1 2 x 20": (discrete_laplace(1, 2, 20), 1e-6),
    "discrete laplace 3 2 x 8": (discrete_laplace(3, 2, 8), 1e-4),
    "discrete laplace 1 50 x 4000": (discrete_laplace(1, 50, 4000), 1e-6),
    "response 1 2 x 30": (response(1, 2, 30), 1e-5),
    "response 1 5 x 30": (response(1, 5, 30), 1e-5),
    "response 2 10 x 3": (response(2, 10, 3), 1e-4),
    "response 0.5 100 x 20": (response(0.5, 100, 20), 1e-6),
    "response 0.05 2 x 5000": (response(0.05, 2, 5000, 2e-6), 1e-6),
    "sparse vector 0.5 10": (approximate(0.5, 0, 10), 1e-6),
    "sparse vector 0.05 1000": (approximate(0.05, 0, 1000, 5e-6), 1e-6),
    "exponential 1": (bounded_range(1), 1e-2),
    "exponential 0.2 x 50": (bounded_range(0.2, 50, 1e-5), 1e-6),
    "exponential 0.05 x 2000": (bounded_range(0.05, 2000, 2e-6), 1e-6),
    "approximate 0.5 1e-6": (approximate(0.5, 1e-6), 1e-5),
    "approximate 1 1e-7 x 10": (approximate(1, 1e-7, 10), 1e-5),
    "approximate 0.02 1e-10 x 3000": (approximate(0.02, 1e-10, 3000, 1e-6), 1e-6),
    "binomial pair 400 0.5 1": (binomial(400, 0.5, 1, 1, 1e-6), 1e-5),
    "binomial pair 40 0.3 2": (binomial(40, 0.3, 2), 1e-2),
    "binomial pair 1000 0.3 2 x 5": (binomial(1000, 0.3, 2, 5), 1e-6),
    "binomial pair 10000 0.5 3 x 100": (binomial(10000, 0.5, 3, 100, 1e-5), 1e-6),
    "binomial 400 0.5 1": (binomial(400, 0.5, 1, 1, 1e-6), 1e-5),
    "binomial 10000 0.5 3 x 100": (binomial(10000, 0.5, 3, 100, 1e-5), 1e-6),
    "laplace 0.5 x 10, gaussian 0.7": (both(laplace(0.5, 10), gaussian(0.7)), 1e-5),
    "gaussian 0.3 x 3, discrete laplace 1 3 x 4, response 0.5 2 x 6": (
        both(gaussian(0.3, 3), discrete_laplace(1, 3, 4), response(0.5, 2, 6)), 1e-5),
    "discrete gaussian 1 5 x 20, response 0.2 3 x 100, approximate 0.1 1e-8": (
        both(discrete_gaussian(1, 5, 20), response(0.2, 3, 100), approximate(0.1, 1e-8)), 1e-6),
    "laplace 0.05 x 1000, discrete laplace 1 10 x 200, gaussian 0.5": (
        both(laplace(0.05, 1000), discrete_laplace(1, 10, 200), gaussian(0.5)), 1e-7),
    "approximate 0.1 1e-9 x 100, gaussian 0.5": (
        both(approximate(0.1, 1e-9, 100, 1e-5), gaussian(0.5, 1, 1e-5)), 1e-6),
    "exponential 0.1 x 300, gaussian 1": (
        both(bounded_range(0.1, 300, 1e-5), gaussian(1, 1, 1e-5)), 1e-6),
    "sparse vector 0.1 50, laplace 0.2 x 30": (
        both(approximate(0.1, 0, 50), laplace(0.2, 30)), 1e-5),
    "binomial pair 400 0.5 1 x 20, laplace 0.1 x 20": (
        both(binomial(400, 0.5, 1, 20), laplace(0.1, 20)), 1e-5),
    "5 of: gaussian 0.2": (gaussian(1), 1e-5),
    "3 of: laplace 0.3 x 50": (laplace(0.9, 50), 1e-5),
    "2 of: discrete gaussian 1 2 x 10": (discrete_gaussian(2, 2, 10), 1e-5),
    "3 of: discrete laplace 1 4 x 12": (discrete_laplace(3, 4, 12), 1e-6),
    "4 of: laplace 0.1 x 9, gaussian 0.2": (both(laplace(0.4, 9), gaussian(0.8)), 1e-6),
}

if __name__ == "__main__":
    print(f"# dp-accounting {version('dp-accounting')}, numpy {np.__version__}")
    print("case,delta,epsilon optimistic,epsilon pessimistic,"
          "epsilon,delta optimistic,delta pessimistic")
    for name, (build, delta) in CASES.items():
        low, high = build(False), build(True)
        above = high.get_epsilon_for_delta(delta)
        half = float(f"{above / 2:.3g}")
        row = [delta, low.get_epsilon_for_delta(delta), above, half,
               low.get_delta_for_epsilon(half), high.get_delta_for_epsilon(half)]
        print(",".join([f'"{name}"'] + [f"{v:.10g}" for v in row]), flush=True)
