import random
from dpbandits_external import serve

class Greedy:
    def __init__(self, problem, horizon, seed, noise_seed):
        self.rng = random.Random(seed)
        self.plays, self.sums = [0] * problem.arms, [0.0] * problem.arms

    def select(self, x):                  # x: a row of numbers for each arm; None without contexts
        if 0 in self.plays:
            return self.plays.index(0)
        if self.rng.random() < 0.1:
            return self.rng.randrange(len(self.plays))
        return max(range(len(self.plays)), key=lambda a: self.sums[a] / self.plays[a])

    def update(self, arms, rewards):      # two lists, of as many elements as the problem has slots
        self.plays[arms[0]] += 1
        self.sums[arms[0]] += rewards[0]

serve(Greedy, name="greedy")
