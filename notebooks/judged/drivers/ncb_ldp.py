"""LDP-NCB of DP-NCB: the first user's noisy reward, when her reward changes."""

import numpy as np

from samples import absent, collect

absent("tqdm", "matplotlib")
from algorithms import LDPNCB as program

play = program.LDP_NCB_single.py_func  # the function that numba compiles
true_clip, script, sent = program.clip, [], []
program.sample_reward = lambda mean, kind: script.pop(0)


def clip(mean):
    sent.append(mean)
    return true_clip(mean)


program.clip = clip


def release(world):
    script[:], sent[:] = [float(world), 0.0], []
    play(np.array([0.5]), 3.0, 2, 1, 0.2, 3.1, 0)
    return sent[0]  # the mean of one noisy reward


collect(release)
