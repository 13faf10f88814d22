"""SDP-LinUCB with amplification of LinBanditPrivate.py: a batch's sums, when one user changes."""

from types import SimpleNamespace

import numpy as np

from samples import collect

import LinBanditPrivate as program

# Two arms of the script's set: a unit vector of four numbers, and a one.
ARMS = np.array([[1.0, 0, 0, 0, 1], [-1.0, 0, 0, 0, 1]])


def release(world):
    environment = SimpleNamespace(X=ARMS, epsilon=1, delta=0.1, BatchSize=20)
    learner = program.SDPLinUCBPAmp(environment, 20000, {})
    for t in range(learner.BatchSize):
        learner.update(t, world if t == 0 else 0, 1.0)
    return learner.Gram[0, 4], learner.B[0]


collect(release)
