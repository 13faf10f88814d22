"""LDP-LinUCB of LinBanditPrivate.py: one user's message, when her arm and reward change."""

from types import SimpleNamespace

import numpy as np

from samples import collect

import LinBanditPrivate as program

# Two arms of the script's set: a unit vector of four numbers, and a one.
ARMS = np.array([[1.0, 0, 0, 0, 1], [-1.0, 0, 0, 0, 1]])


def release(world):
    environment = SimpleNamespace(X=ARMS, epsilon=1, delta=0.1, BatchSize=20)
    device = program.LDPLinUCB(environment, 20000, {})
    device.update(0, world, 1.0)
    # Where the two messages differ: the Gram matrix by 2, twice, and the vector by 2.
    return device.Gram[0, 4], device.B[0]


collect(release)
