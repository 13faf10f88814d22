"""Plays Bernoulli arms in Python, for pkg/learner/arms to compare with.

    docker/setup peers
    go test -run '^$' -bench Peers ./pkg/arms

UCB1 and Thompson sampling are MABWiser's (https://github.com/fidelity/mabwiser), which checks and copies much. There
is no package of private bandits. So DP-UCB is ours, in plain Python, by the formulas of Tossou and Dimitrakakis (2016),
and so is a UCB1 that does nothing but what it must.

A line of the input is a JSON object: {"learner": name, "means": [...], "epsilon": number, "seed": number} begins a
trial, and {"rounds": n} plays n more rounds of it. The answer is a line with the seconds that the rounds took, by the
clock, and the regret of the trial so far.
"""

import json
import math
import random
import sys
import time


class MABWiser:
    """A policy of MABWiser, which is told one reward at a time. It plays each arm once first."""

    def __init__(self, arms, policy, seed):
        from mabwiser.mab import MAB

        self.model, self.unseen, self.rewards = MAB(list(range(arms)), policy, seed=seed), list(range(arms)), []

    def select(self, t):
        return self.unseen[t - 1] if t <= len(self.unseen) else self.model.predict()

    def update(self, t, arm, reward):
        if t > len(self.unseen):
            self.model.partial_fit([arm], [reward])
            return
        self.rewards.append(reward)
        if t == len(self.unseen):
            self.model.fit(self.unseen, self.rewards)


class UCB1:
    """UCB1 of Auer, Cesa-Bianchi and Fischer (2002)."""

    def __init__(self, arms):
        self.counts, self.sums = [0] * arms, [0.0] * arms

    def select(self, t):
        if t <= len(self.counts):
            return t - 1
        log = 2 * math.log(t)
        bounds = [s / n + math.sqrt(log / n) for s, n in zip(self.sums, self.counts)]
        return bounds.index(max(bounds))

    def update(self, t, arm, reward):
        self.counts[arm] += 1
        self.sums[arm] += reward


class DPUCB:
    """DP-UCB over the hybrid mechanism of Chan, Shi and Song (2011), with epsilon/2 for the counter and for the trees.

    At an arm's observation n = 2^j the counter adds up what came since n/2, under noise of scale 2/epsilon. Until the
    next power a binary tree of j levels adds up what comes, under noise of scale 2j/epsilon a node.
    """

    def __init__(self, arms, epsilon, seed):
        self.epsilon, self.draw = epsilon, random.Random(seed)
        self.counts, self.totals, self.sums = [0] * arms, [0.0] * arms, [0.0] * arms
        self.nodes = [[0.0] * 64 for _ in range(arms)]
        self.means, self.widths, self.noises = [0.0] * arms, [0.0] * arms, [0.0] * arms

    def laplace(self, scale):
        return scale * (self.draw.expovariate(1) - self.draw.expovariate(1))

    def select(self, t):
        if t <= len(self.counts):
            return t - 1
        log = math.log(t)
        width, noise = math.sqrt(2 * log), math.sqrt(8) * (math.log(4) + 4 * log) / self.epsilon
        bounds = [m + width * w + noise * v for m, w, v in zip(self.means, self.widths, self.noises)]
        return bounds.index(max(bounds))

    def update(self, t, arm, reward):
        n = self.counts[arm] = self.counts[arm] + 1
        self.sums[arm] += reward
        level = n.bit_length() - 1
        inside, more = n - (1 << level), 0.0
        if inside == 0:
            self.totals[arm] += self.sums[arm] + self.laplace(2 / self.epsilon)
            self.sums[arm] = 0.0
        else:
            nodes, node = self.nodes[arm], (inside & -inside).bit_length() - 1
            nodes[node] = self.laplace(2 * level / self.epsilon)
            more = self.sums[arm]
            while inside:  # the nodes of the prefix
                more += nodes[(inside & -inside).bit_length() - 1]
                inside &= inside - 1
        self.means[arm] = (self.totals[arm] + more) / n
        self.widths[arm] = 1 / math.sqrt(n)
        self.noises[arm] = (1 if n & (n - 1) == 0 else math.log(n) + 1) / n


def learner(name, arms, epsilon, seed):
    if name == "DP-UCB/plain":
        return DPUCB(arms, epsilon, seed)
    if name == "UCB1/plain":
        return UCB1(arms)
    from mabwiser.mab import LearningPolicy

    # alpha = 1 is the bound mean + sqrt(2 ln t/n) of Auer, Cesa-Bianchi and Fischer
    return MABWiser(arms, {"UCB1/MABWiser": LearningPolicy.UCB1(alpha=1),
                           "Thompson/MABWiser": LearningPolicy.ThompsonSampling()}[name], seed)


def play(policy, means, first, rounds, draw):
    """Plays rounds, and returns how often each arm was played."""
    played = [0] * len(means)
    for t in range(first, first + rounds):
        arm = policy.select(t)
        policy.update(t, arm, 1 if draw() < means[arm] else 0)
        played[arm] += 1
    return played


def main():
    policy, means, done, regret, draw = None, [], 0, 0.0, None
    for line in sys.stdin:
        asked = json.loads(line)
        if "learner" in asked:
            means, done, regret = asked["means"], 0, 0.0
            policy = learner(asked["learner"], len(means), asked["epsilon"], asked["seed"])
            draw = random.Random(asked["seed"] + 1_000_000).random
            continue
        began = time.perf_counter()
        played = play(policy, means, done + 1, asked["rounds"], draw)
        seconds = time.perf_counter() - began
        done += asked["rounds"]
        regret += sum(n * (max(means) - m) for n, m in zip(played, means))
        print(json.dumps({"seconds": seconds, "regret": regret}), flush=True)


if __name__ == "__main__":
    main()
