"""LDP-LinUCB of 2020: a user's message, when her context and reward change."""

import numpy as np

from samples import collect

from src.linucb import LinUCB

ANGLES = np.radians([-15, 105])  # which differ most, for this noise


def release(world):
    device = LinUCB(2, epsilon=20, delta=0.1, alpha=0.1, T=1e6)
    device.update_status(1)
    x = np.array([[np.cos(ANGLES[world]), np.sin(ANGLES[world])]], dtype=np.float32)
    matrix, vector, _ = device.construct(x, np.ones(1, dtype=np.float32))
    return matrix[0, 0], matrix[0, 1], matrix[1, 1], vector[0], vector[1]


collect(release)
