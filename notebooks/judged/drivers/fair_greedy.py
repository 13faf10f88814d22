"""Private-Fair-Greedy: all nodes that the first of four records is in, when it changes."""

import numpy as np

from samples import absent, collect

absent("tqdm")
from policies import BinaryMechanism

RECORDS = np.sqrt(0.5) * np.array([[1, 1], [1, -1]])


def release(world):
    tree = BinaryMechanism(epsilon=15, delta=0.1, d=1, T=4, L_tilde=1, alpha_regression=0.1)
    tree.define_noise("gaussian")
    first, none = np.outer(RECORDS[world], RECORDS[world]), np.zeros((2, 2))
    sums = [tree.update_sum(record) for record in (first, none, none.copy(), none.copy())]
    return [sums[t - 1][0, 1] for t in (1, 2, 4)]


collect(release)
