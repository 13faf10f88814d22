# Answers at once, with an arm that follows from nothing: what a benchmark of the bridge plays.
import sys

from dpbandits_external import serve


class Quick:
    def __init__(self, problem, horizon, seed, noise_seed):
        pass

    def select(self, x):
        return 0

    def update(self, arms, rewards):
        pass


serve(Quick, packed="packed" in sys.argv)
