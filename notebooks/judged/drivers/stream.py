"""Frank-Wolfe of DP-Streaming-SCO: the first estimate, when the first reward changes."""

import numpy as np

from samples import absent, collect

absent("matplotlib")
from bandit_algo import OFW_peq1
from utils import Logger

# As in the script's main part, at its defaults and p = 1.
PARAMETERS = {
    "env": {"random_seed": 0, "T": 100, "d": 5, "s": 5, "k": 5, "p": 1, "x_std": 0.05,
            "y_std": 0.05, "test_size": 1000, "test_freq": 100, "lip": 1},
    "prv": {"eps": 1, "delta": 0.01},
    "algo": {"lr_scale": 1, "noise_free": False, "test_flag": False},
    "logger": Logger(),
}


def release(world):
    learner = OFW_peq1(PARAMETERS)
    arm = learner.decide(np.ones((1, 5)), 0)
    learner.update(np.ones((5, 1)), np.array([[0.1 - 0.2 * world]]), 0, arm)
    return learner.theta_hat[:, arm]


collect(release)
