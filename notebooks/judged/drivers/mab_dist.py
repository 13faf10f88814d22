"""Dist-DP-SE of MABPrivate.py: the sum that secure aggregation shows, when one reward changes.

It is that of the third epoch, where no arm was eliminated before.
"""

from types import SimpleNamespace

from samples import collect

import MABPrivate as program


class Learner(program.BatchSEDistDP):
    """Keeps the sums that its analyser computes."""

    def central_rand(self):
        self.released = super().central_rand()
        return self.released


def release(world):
    learner = Learner(SimpleNamespace(K=2, epsilon=1), 100, {"crs": 1, "delta": 0.1, "dc": 4})
    learner.BatchNo, learner.BatchSize = 3, 4**3
    for t in range(2 * learner.BatchSize):
        learner.update(t, learner.get_arm(t), float(world) if t == 0 else 0.0)
    return learner.released[0]


def reseed(generator):
    program.rng = generator


collect(release, reseed)
