"""JDP-LinUCB of LinBanditPrivate.py: two noisy vectors, one round apart, when the reward changes."""

from types import SimpleNamespace

import numpy as np

from samples import Spy, collect

import LinBanditPrivate as program

program.d = 2  # which the script sets in its main part
ARMS = np.array([[1.0, 1], [-1.0, 1]])
seen = []


def inverse(matrix):
    seen.append(matrix)
    return np.linalg.inv(matrix)


program.np = Spy(np, linalg=Spy(np.linalg, inv=inverse))


def noisy_vector(learner, t):
    """Returns what get_arm computes its estimate from, recovered from the indices that it keeps."""
    learner.get_arm(t)
    v = seen.pop()
    widths = learner.cew * np.sqrt(((ARMS @ np.linalg.inv(v)) * ARMS).sum(axis=1))
    return v @ np.linalg.solve(ARMS, learner.mu - widths)


def release(world):
    environment = SimpleNamespace(X=ARMS, epsilon=1, delta=0.1, BatchSize=20)
    learner = program.JDPLinUCB(environment, 20000, {})
    before = noisy_vector(learner, 3)
    learner.update(3, 0, float(world))
    return noisy_vector(learner, 4) - before


collect(release)
