"""Private-GLM: whether the warm-up estimate moves in a round, when that user's contexts shrink."""

import numpy as np

from samples import collect

from glmbanditexp.algorithms.private_rs_glinucb import Private_RS_GLinUCB

SLOPE = np.exp(-5) / (1 + np.exp(-5)) ** 2  # of the logistic function at 5


def release(world):
    arms = (1, 0.3)[world] * np.eye(5)
    learner = Private_RS_GLinUCB(
        arms, 1 / SLOPE, 4.0, 1.0, 5.0, "Logistic", 64, 0.02, 2.0, 0.02,
        rng=np.random.default_rng(np.random.randint(2**31)), save_privacy_search_log="never",
    )
    before = learner.theta_hat_w
    learner.play_arm()
    learner.update(1.0, 0.0, arms)
    return np.linalg.norm(learner.theta_hat_w - before)


collect(release)
