"""AdaP-UCB of DP-NCB: the first arm of its first episode, when the first reward changes."""

import numpy as np

from samples import absent, collect

absent("tqdm", "matplotlib")
from algorithms import AdaPUCB as program

play = program.adap_ucb_single.py_func  # the function that numba compiles
script = []
program.sample_reward = lambda mean, kind: script.pop(0)


def release(world):
    script[:] = [float(world), 0.5, 0.0]
    return play(np.array([0.5, 0.5]), 2, 3, 3.1, 0)[2]


collect(release)
