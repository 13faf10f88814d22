"""DP-SE of MABPrivate.py: the arms left after the first epoch, when one reward of 1,300 changes."""

from types import SimpleNamespace

from samples import collect

import MABPrivate as program

EPSILON = 1


def release(world):
    environment = SimpleNamespace(K=2, epsilon=EPSILON)
    learner = program.DPSE(environment, 10**4, {"crs": 1, "delta": 0.1, "dc": 2})
    pulls, width = learner.BatchSize, learner.confidence_interval(0)
    # In world 0 the second arm leads by just too little to eliminate the first. In world 1 one
    # of its zeros is a one.
    ones = int(2 * width * pulls) + world
    for t in range(2 * pulls):
        arm = learner.get_arm(t)
        learner.update(t, arm, 1.0 if arm == 1 and t - pulls < ones else 0.0)
    return len(learner.ActiveSet)


def reseed(generator):
    program.rng = generator


collect(release, reseed)
