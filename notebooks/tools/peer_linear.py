"""Plays linear bandits in numpy, for pkg/learner to compare with.

    docker/setup peers
    go test -run '^$' -bench Peers ./pkg/learner

Five learners by their published formulas, as a script for a paper has them: each round computes the widths of all arms
at once and draws its noise in a call or two, and each new release has its Gram matrix inverted. What all have in common
is LinUCB with the width of Proposition 4 of Shariff and Sheffet (2018). They differ in the sums that it reads:

- exact ones (Abbasi-Yadkori, Pal and Szepesvari 2011);
- those of noisy messages, a message a round (Zheng et al. 2020) or a batch of them after a shuffler (Chowdhury and
  Zhou 2022);
- those of a shuffled batch's bits (Cheu, Joseph, Mao and Peng 2022);
- those of a binary tree (Shariff and Sheffet 2018).

A line of the input is a JSON object. {"learner": name, "x": contexts, "theta": the parameter, "seed": number, ...}
begins a trial; the names of the other numbers, the public constants of a run, are those of the classes below.
{"rounds": n} plays n more rounds of it. The answer is a line with the seconds that the rounds took, by the clock, and
the regret of the trial so far.
"""

import json
import sys
import time

import numpy as np


class LinUCB:
    """LinUCB over exact sums, in contexts of norm 1 at most and rewards in [0, 1]."""

    def __init__(self, d, rng, horizon, epochs=1, ridge=1.0, **_):
        self.rng, self.horizon, self.d = rng, horizon, d
        self.log = 2 * np.log(2 * horizon) + 2 * np.log(epochs)  # 2 ln(2/alpha), alpha = 1/horizon
        self.gram, self.vector = np.zeros((self.d, self.d)), np.zeros(self.d)
        self.eye, self.t = np.eye(self.d), 0
        self.learn(ridge, ridge, ridge, ridge, 0.0)

    def learn(self, shift, least, low, high, off, gram=None, vector=None):
        """Computes the confidence set from sums, whose noise and shift have eigenvalues in [low, high]."""
        v = (self.gram if gram is None else gram) + shift * self.eye
        self.inverse = np.linalg.inv(v)
        self.theta = self.inverse @ (self.vector if vector is None else vector)
        log_det = np.linalg.slogdet(v)[1] - self.d * np.log(least)
        self.beta = 0.5 * np.sqrt(max(0.0, self.log + log_det)) + np.sqrt(high) + off / np.sqrt(low)

    def select(self, x):
        widths = np.sqrt(np.einsum("ij,ij->i", x @ self.inverse, x))
        return int(np.argmax(x @ self.theta + self.beta * widths))

    def update(self, x, y):
        self.gram += np.outer(x, x)
        self.vector += y * x
        self.learn(1.0, 1.0, 1.0, 1.0, 0.0)


class LDP(LinUCB):
    """LDP LinUCB: a message is x x' and y x under symmetric Gaussian noise of a standard deviation sd."""

    batch = 1

    def __init__(self, d, rng, horizon, sd, **_):
        self.sd, self.waiting = sd, []
        tail = np.log(horizon * horizon)  # ln(T/alpha)
        self.matrix = sd * (2 * np.sqrt(d) + 2 * np.sqrt(np.log(8) + tail))
        self.off = sd * (np.sqrt(d) + np.sqrt(2 * (np.log(4) + tail)))
        super().__init__(d, rng, horizon, epochs=horizon.bit_length())
        self.regularise(1)

    def regularise(self, n):
        """Learns from the sum of n messages. The width's regulariser is fixed while n keeps its binary length."""
        root = np.sqrt(n)
        least = 1 + self.matrix * np.sqrt(1 << (n.bit_length() - 1))
        self.learn(1 + 2 * self.matrix * root, least, 1 + self.matrix * root, 1 + 3 * self.matrix * root, self.off * root)

    def message(self, x, y):
        z = self.rng.normal(0, self.sd, (self.d, self.d))
        return np.outer(x, x) + (z + z.T) / np.sqrt(2), y * x + self.rng.normal(0, self.sd, self.d)

    def update(self, x, y):
        self.t += 1
        gram, vector = self.message(x, y)
        self.gram += gram
        self.vector += vector
        self.regularise(self.t)


class Amplified(LDP):
    """LDP LinUCB whose messages wait for a shuffler, to come to the server in batches."""

    def __init__(self, d, rng, batch, **constants):
        self.batch = batch
        super().__init__(d, rng, **constants)

    def update(self, x, y):
        self.t += 1
        self.waiting.append(self.message(x, y))
        if len(self.waiting) < self.batch:
            return
        for i in self.rng.permutation(self.batch):
            gram, vector = self.waiting[i]
            self.gram += gram
            self.vector += vector
        self.waiting = []
        self.regularise(self.t)


class VectorSum(LDP):
    """Shuffle LinUCB by vector sums.

    A number of a message is the count of ones among `levels` bits for an entry of x x' or y x, rounded at random, and
    `bits` bits that are 1 with probability 1/4. The server gets a batch's sum.
    """

    def __init__(self, d, rng, horizon, batch, levels, bits, **_):
        p = 0.25
        self.batch, self.levels, self.bits, self.rows = batch, levels, bits, np.tril_indices(d)
        n = len(self.rows[0])
        diagonal = self.rows[0] == self.rows[1]
        self.low = np.concatenate([np.where(diagonal, 0.0, 0.5), np.ones(d)])  # what makes an entry positive
        self.unit = np.concatenate([np.full(n, levels), np.full(d, levels / 2)])  # levels in a unit
        self.ones = np.zeros(n + d, dtype=np.int64)
        batches = max(1, horizon // batch)
        LinUCB.__init__(self, d, rng, horizon, epochs=batches.bit_length())
        tau = np.sqrt(batch * (bits * (1 - 2 * p) / (2 * np.log((1 - p) / p)) + 0.25))  # sub-Gaussian, in levels
        union = np.log(batches * horizon)
        self.matrix = tau / levels * np.sqrt(2 * d * (np.log(8 * d) + union))
        self.off = 2 * tau / levels * (np.sqrt(d) + np.sqrt(2 * (np.log(4) + union)))
        self.regularise(1)

    def update(self, x, y):
        exact = (np.concatenate([np.outer(x, x)[self.rows], y * x]) + self.low) * self.unit
        whole = np.floor(exact)
        self.ones += (whole + (self.rng.random(len(exact)) < exact - whole)).astype(np.int64)
        self.ones += self.rng.binomial(self.bits, 0.25, len(exact))
        self.t += 1
        if self.t % self.batch:
            return
        total = (self.ones - 0.25 * self.bits * self.batch) / self.unit - self.batch * self.low
        n = len(self.rows[0])
        gram = np.zeros((self.d, self.d))
        gram[self.rows] = total[:n]
        self.gram += gram + np.tril(gram, -1).T
        self.vector += total[n:]
        self.ones[:] = 0
        self.regularise(self.t // self.batch)


class JDP(LinUCB):
    """JDP LinUCB: the sums of rows (x, y) by a binary tree with Gaussian noise of standard deviation sd on its nodes."""

    def __init__(self, d, rng, horizon, sd, **_):
        self.sd = sd
        levels, tail = (horizon - 1).bit_length(), np.log(horizon * horizon)
        self.nodes = np.zeros((levels + 1, d + 1, d + 1))
        self.sums = np.zeros((d + 1, d + 1))
        scale = sd * np.sqrt(levels)
        self.operator = scale * (2 * np.sqrt(d) + 2 * np.sqrt(np.log(8) + tail))
        self.off = scale * (np.sqrt(d) + np.sqrt(2 * (np.log(4) + tail)))
        super().__init__(d, rng, horizon, ridge=2 * self.operator)
        self.release(np.zeros((d + 1, d + 1)))

    def release(self, sums):
        d, s = self.d, self.operator
        self.learn(2 * s, s, s, 3 * s, self.off, sums[:d, :d], sums[d, :d])

    def update(self, x, y):
        row = np.append(x, y)
        self.sums += np.outer(row, row)
        self.t += 1
        z = self.rng.normal(0, self.sd, self.sums.shape)
        level = (self.t & -self.t).bit_length() - 1
        self.nodes[level] = (z + z.T) / np.sqrt(2)
        self.nodes[:level] = 0  # their rows are in the new node
        self.release(self.sums + self.nodes.sum(axis=0))


LEARNERS = {"LinUCB": LinUCB, "LDP": LDP, "JDP": JDP, "shuffle amplified": Amplified, "shuffle vector sum": VectorSum}


def play(learner, x, means, rounds, rng):
    """Plays rounds, and returns how often each arm was played."""
    played = np.zeros(len(means), dtype=np.int64)
    for _ in range(rounds):
        arm = learner.select(x)
        learner.update(x[arm], 1.0 if rng.random() < means[arm] else 0.0)
        played[arm] += 1
    return played


def main():
    learner, x, means, regret, rng = None, None, None, 0.0, None
    for line in sys.stdin:
        asked = json.loads(line)
        if "learner" in asked:
            name, x, theta, seed = (asked.pop(k) for k in ("learner", "x", "theta", "seed"))
            rng, x = np.random.default_rng([seed, 1]), np.array(x)
            learner, means, regret = LEARNERS[name](x.shape[1], np.random.default_rng([seed, 2]), **asked), x @ np.array(theta), 0.0
            continue
        began = time.perf_counter()
        played = play(learner, x, means, asked["rounds"], rng)
        seconds = time.perf_counter() - began
        regret += float(played @ (means.max() - means))
        print(json.dumps({"seconds": seconds, "regret": regret}), flush=True)


if __name__ == "__main__":
    main()
