"""LDP-SGD for generalised linear bandits: the package that a user sends, when her reward changes."""

import os
import sys
from types import SimpleNamespace

import numpy as np

from samples import clone, collect

sys.path.insert(0, os.path.join(clone, "Scheme2"))
from mechanisms.RLDP import RSGDLDPMechanism

CONTEXT = np.array([[0.6], [0.8]])
mechanism = RSGDLDPMechanism({
    "env": {"dimension": 2, "n_action": 2, "instance_variance": 1},
    "mechanism": {"epsilon": 1, "delta": 0.1},
})
server = SimpleNamespace(theta=np.zeros((2, 1)), transform=lambda x: 1 / (1 + np.exp(-x)))


def release(world):
    package = mechanism.pack(CONTEXT, float(world), server)
    return np.append(np.ravel(package["gradient"]), package["f_diff"])


collect(release)
