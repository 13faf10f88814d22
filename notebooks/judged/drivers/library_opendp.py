"""OpenDP's Laplace measurement behind a UCB, when the first reward changes. It has no seed."""

import opendp.prelude as dp

from samples import collect

from ucb import play

dp.enable_features("contrib")
space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
measurements = {pulls: dp.m.make_laplace(*space, scale=1 / pulls) for pulls in (1, 2, 4, 8)}


def release(world):
    return play(lambda t: float(world) if t == 0 else 0.0, lambda mean, pulls: measurements[pulls](mean))


collect(release)
