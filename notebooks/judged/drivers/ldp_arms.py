"""LDP-UCB-B of DPclass.py: the bit that a user sends, when her reward changes."""

import numpy as np

from samples import Spy, absent, collect

absent("matplotlib")
import DPclass as program


def binomial(n, p, size):
    """Returns a number. NumPy 2 refuses to put an array of one number where a number belongs."""
    return np.random.binomial(n, p, size)[0]


program.np = Spy(np, random=Spy(np.random, binomial=binomial))


class Bandit(program.ucb_bandit):
    """Has the reward of its world."""

    def generate_reward(self, mu):
        return float(self.world)


def release(world):
    learner = Bandit(1, 1, [0.5], 1, "Bernoulli")
    learner.world = world
    learner.pull_CTB()
    return 2 * learner.k_reward[0]  # the mean of the sent bit and of a zero that it starts from


collect(release)
