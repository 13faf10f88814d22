"""diffprivlib's Laplace mechanism behind a UCB, when the first reward changes."""

import numpy as np

from samples import absent, collect

absent("diffprivlib.models", "diffprivlib.tools")  # which want an older scikit-learn
from diffprivlib.mechanisms import Laplace

from ucb import play

generator = np.random.default_rng()


def noisy(mean, pulls):
    mechanism = Laplace(epsilon=1, sensitivity=1 / pulls, random_state=int(generator.integers(2**31)))
    return mechanism.randomise(mean)


def release(world):
    return play(lambda t: float(world) if t == 0 else 0.0, noisy)


def reseed(own):
    global generator
    generator = own


collect(release, reseed)
