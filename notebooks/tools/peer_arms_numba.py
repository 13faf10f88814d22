"""Plays Bernoulli arms compiled by numba, for pkg/learner/arms to compare with.

    docker/setup peers
    go test -run '^$' -bench Peers/.*/numba ./pkg/arms

UCB1 and DP-UCB are those of peer_arms.py, whose protocol this script speaks, and Thompson sampling has a uniform prior
as MABWiser's has. All arms are scored in every round.
"""

import json
import sys
import time

import numpy as np
from numba import njit

jit = njit(fastmath=True)


@jit
def play_ucb1(means, first, rounds, draw, rng, epsilon, counts, sums, totals, nodes, scores, played):
    arms = len(means)
    for t in range(first, first + rounds):
        arm = t - 1
        if t > arms:
            log = 2 * np.log(t)
            for a in range(arms):
                scores[a] = sums[a] / counts[a] + np.sqrt(log / counts[a])
            arm = 0
            for a in range(1, arms):
                if scores[a] > scores[arm]:
                    arm = a
        counts[arm] += 1
        sums[arm] += 1.0 if draw.random() < means[arm] else 0.0
        played[arm] += 1


@jit
def play_thompson(means, first, rounds, draw, rng, epsilon, counts, sums, totals, nodes, scores, played):
    for _ in range(rounds):
        arm, best = 0, -1.0
        for a in range(len(means)):
            s = rng.beta(1 + sums[a], 1 + counts[a] - sums[a])
            if s > best:
                arm, best = a, s
        counts[arm] += 1
        sums[arm] += 1.0 if draw.random() < means[arm] else 0.0
        played[arm] += 1


@jit
def laplace(rng, scale):
    return scale * (rng.standard_exponential() - rng.standard_exponential())


@jit
def play_dpucb(means, first, rounds, draw, rng, epsilon, counts, sums, totals, nodes, scores, played):
    """scores has each arm's noisy mean, 1/sqrt(n) and the factor of the noise's width."""
    arms = len(means)
    for t in range(first, first + rounds):
        arm = t - 1
        if t > arms:
            log = np.log(t)
            width, noise = np.sqrt(2 * log), np.sqrt(8) * (np.log(4) + 4 * log) / epsilon
            arm, best = 0, -np.inf
            for a in range(arms):
                s = scores[3 * a] + width * scores[3 * a + 1] + noise * scores[3 * a + 2]
                if s > best:
                    arm, best = a, s
        counts[arm] += 1
        sums[arm] += 1.0 if draw.random() < means[arm] else 0.0
        played[arm] += 1
        n, level = int(counts[arm]), 0
        while n >> (level + 1) > 0:
            level += 1
        inside, more = n - (1 << level), 0.0
        if inside == 0:
            totals[arm] += sums[arm] + laplace(rng, 2 / epsilon)
            sums[arm] = 0.0
        else:
            node = 0
            while (inside >> node) & 1 == 0:
                node += 1
            nodes[arm, node] = laplace(rng, 2 * level / epsilon)
            more = sums[arm]
            for i in range(node, level):
                if (inside >> i) & 1:
                    more += nodes[arm, i]
        scores[3 * arm] = (totals[arm] + more) / n
        scores[3 * arm + 1] = 1 / np.sqrt(n)
        scores[3 * arm + 2] = (1 if inside == 0 else np.log(n) + 1) / n


LEARNERS = {"UCB1/numba": play_ucb1, "Thompson/numba": play_thompson, "DP-UCB/numba": play_dpucb}


class Trial:
    def __init__(self, name, means, epsilon, seed):
        self.play, self.means, self.epsilon, self.done = LEARNERS[name], np.array(means), float(epsilon), 0
        self.draw, self.rng = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
        arms = len(means)
        self.state = [np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros((arms, 64)), np.zeros(3 * arms)]

    def rounds(self, n):
        """Plays rounds, and returns how often each arm was played."""
        played = np.zeros(len(self.means), dtype=np.int64)
        self.play(self.means, self.done + 1, n, self.draw, self.rng, self.epsilon, *self.state, played)
        self.done += n
        return played


def main():
    trial, regret, compiled = None, 0.0, set()
    for line in sys.stdin:
        asked = json.loads(line)
        if "learner" in asked:
            told = [asked[k] for k in ("learner", "means", "epsilon", "seed")]
            if told[0] not in compiled:  # which is not timed
                Trial(*told).rounds(1)
                compiled.add(told[0])
            trial, regret = Trial(*told), 0.0
            continue
        began = time.perf_counter()
        played = trial.rounds(asked["rounds"])
        seconds = time.perf_counter() - began
        regret += float(played @ (trial.means.max() - trial.means))
        print(json.dumps({"seconds": seconds, "regret": regret}), flush=True)


if __name__ == "__main__":
    main()
