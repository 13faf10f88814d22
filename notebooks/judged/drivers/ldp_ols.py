"""LDP-OLS for generalised linear bandits: the package that a user sends, when all of it changes."""

import os
import sys

import numpy as np

from samples import clone, collect

sys.path.insert(0, os.path.join(clone, "Scheme2"))
from mechanisms.LDP import OLSMechanism

ANGLES = np.radians([-15, 105])
mechanism = OLSMechanism({"env": {"dimension": 2}, "mechanism": {"epsilon": 1, "delta": 0.1}})


def release(world):
    x = np.array([[np.cos(ANGLES[world])], [np.sin(ANGLES[world])]])
    package = mechanism.pack(x, 1.0, None)
    return np.append(package["xx"][np.triu_indices(2)], package["yx"])


collect(release)
