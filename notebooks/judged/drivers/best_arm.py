"""AdaP-TT of DP-BAI: its first private means, when the first reward changes."""

from samples import collect

from algorithms.adapTT import AdaPTopTwo


class Over(Exception):
    """Ends the run."""


class Bandit:
    """Has the rewards of a list, then ends the run."""

    def __init__(self, rewards):
        self.rewards = rewards

    def pull(self, arm):
        if not self.rewards:
            raise Over
        return self.rewards.pop(0)


def release(world):
    learner = AdaPTopTwo({"K": 2, "beta": 0.5, "eps": 1.0, "delta": 0.1})
    try:
        learner.run(Bandit([float(world), 0.0]))
    except Over:
        pass
    return learner.values


collect(release)
