"""SDP-LinUCB with vector sums of LinBanditPrivate.py: a batch's sums, when one user changes."""

from types import SimpleNamespace

import numpy as np

from samples import collect

import LinBanditPrivate as program

program.d = 5  # which the script sets in its main part
ARMS = np.array([[1.0, 0, 0, 0, 1], [-1.0, 0, 0, 0, 1]])


def release(world):
    environment = SimpleNamespace(X=ARMS, epsilon=0.2, delta=0.1, BatchSize=20)
    learner = program.SDPLinUCBPVec(environment, 20000, {})
    for t in range(learner.BatchSize):
        learner.update(t, world if t == 0 else 0, 1.0)
    vector = learner.A_vector(learner.S_vector(learner.vector_input))
    matrix = learner.A_matrix(learner.S_matrix(learner.matrix_input))
    return matrix[0, 4], vector[0]


collect(release)
