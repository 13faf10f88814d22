"""Plays the learners of peer_linear.py compiled by numba, for pkg/learner to compare with.

    docker/setup peers
    go test -run '^$' -bench Peers/.*/numba ./pkg/learner

It speaks peer_linear.py's protocol, takes the public constants of a run from its classes, and does what they do as a
compiler likes it: loops over arrays that are there already, arms side by side in the inner loop, a Cholesky
decomposition in place of an inversion, a rank-one update where the sums are exact, half of a symmetric matrix's noise,
and a tree that adds a new node to the sum of those above it. All arms are scored in every round. "x" may be several
decision sets, which the rounds show in turn.
"""

import json
import sys
import time

import numpy as np
from numba import njit

import peer_linear

jit = njit(fastmath=True)


@jit
def learn(gram, vector, shift, least, low, high, off, log, lower, inverse, theta):
    """Computes the confidence set as peer_linear.LinUCB.learn does, and returns its width beta."""
    d = len(vector)
    log_det = -d * np.log(least)
    for i in range(d):
        for j in range(i + 1):
            s = gram[i, j]
            if i == j:
                s += shift
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = np.sqrt(s)
                log_det += np.log(s)
            else:
                lower[i, j] = s / lower[j, j]
    for c in range(d):  # the columns of the decomposition's inverse, over it
        for i in range(c, d):
            s = 1.0 if i == c else 0.0
            for k in range(c, i):
                s -= lower[i, k] * inverse[k, c]
            inverse[i, c] = s / lower[i, i]
    for i in range(d):
        for j in range(i + 1):
            s = 0.0
            for k in range(i, d):
                s += inverse[k, i] * inverse[k, j]
            lower[i, j] = s
    for i in range(d):
        for j in range(i + 1):
            inverse[i, j] = inverse[j, i] = lower[i, j]
    for i in range(d):
        s = 0.0
        for j in range(d):
            s += inverse[i, j] * vector[j]
        theta[i] = s
    return 0.5 * np.sqrt(max(0.0, log + log_det)) + np.sqrt(high) + off / np.sqrt(low)


@jit
def select(columns, inverse, theta, beta, means, squares):
    """Returns the arm of the greatest index. columns has the arms' contexts as columns."""
    d, arms = columns.shape
    means[:] = 0
    squares[:] = 0
    for i in range(d):
        for a in range(arms):
            means[a] += theta[i] * columns[i, a]
        for j in range(i + 1):
            c = inverse[i, j] if i == j else 2 * inverse[i, j]
            for a in range(arms):
                squares[a] += c * columns[i, a] * columns[j, a]
    for a in range(arms):
        means[a] += beta * np.sqrt(squares[a])
    best = 0
    for a in range(1, arms):
        if means[a] > means[best]:
            best = a
    return best


@jit
def pull(columns, rewards, draw, inverse, theta, beta, means, squares, played):
    """Plays the arm of the greatest index in a decision set, and returns it and its reward, 0 or 1."""
    arm = select(columns, inverse, theta, beta, means, squares)
    played[arm] += 1
    return arm, 1.0 if draw.random() < rewards[arm] else 0.0


@jit
def play_exact(sets, means_of, first, rounds, draw, rng, numbers, log, gram, vector, inverse, theta, played):
    """LinUCB over exact sums. numbers has the width, and the logarithm of the determinant."""
    d, arms = sets.shape[1:]
    means, squares, moved = np.empty(arms), np.empty(arms), np.empty(d)
    for t in range(first, first + rounds):
        shown = t % len(sets)
        columns = sets[shown]
        arm, y = pull(columns, means_of[shown], draw, inverse, theta, numbers[0], means, squares, played[shown])
        w = 1.0
        for i in range(d):
            s = 0.0
            for j in range(d):
                s += inverse[i, j] * columns[j, arm]
            moved[i] = s
            w += s * columns[i, arm]
        for i in range(d):
            for j in range(d):
                inverse[i, j] -= moved[i] * moved[j] / w
            vector[i] += y * columns[i, arm]
        for i in range(d):
            s = 0.0
            for j in range(d):
                s += inverse[i, j] * vector[j]
            theta[i] = s
        numbers[1] += np.log(w)
        numbers[0] = 0.5 * np.sqrt(max(0.0, log + numbers[1])) + 1


@jit
def regularise(n, matrix, off, log, gram, vector, lower, inverse, theta):
    root = np.sqrt(n)
    high = 1
    while 2 * high <= n:
        high *= 2
    return learn(gram, vector, 1 + 2 * matrix * root, 1 + matrix * np.sqrt(high), 1 + matrix * root,
                 1 + 3 * matrix * root, off * root, log, lower, inverse, theta)


@jit
def play_local(sets, means_of, first, rounds, draw, rng, numbers, log, gram, vector, inverse, theta, played,
               sd, matrix, off, batch, waiting, vectors):
    """Messages under Gaussian noise, which a batch adds up before the server learns. numbers has the width and t."""
    d, arms = sets.shape[1:]
    means, squares, lower = np.empty(arms), np.empty(arms), np.empty((d, d))
    for t in range(first, first + rounds):
        shown = t % len(sets)
        columns = sets[shown]
        arm, y = pull(columns, means_of[shown], draw, inverse, theta, numbers[0], means, squares, played[shown])
        for i in range(d):
            for j in range(i):
                waiting[i, j] += columns[i, arm] * columns[j, arm] + sd * rng.standard_normal()
            waiting[i, i] += columns[i, arm] ** 2 + np.sqrt(2) * sd * rng.standard_normal()
            vectors[i] += y * columns[i, arm] + sd * rng.standard_normal()
        numbers[1] += 1
        if numbers[1] % batch == 0:
            for i in range(d):
                for j in range(i + 1):
                    gram[i, j] += waiting[i, j]
                    waiting[i, j] = 0
                vector[i] += vectors[i]
                vectors[i] = 0
            numbers[0] = regularise(numbers[1], matrix, off, log, gram, vector, lower, inverse, theta)


@jit
def play_bits(sets, means_of, first, rounds, draw, rng, numbers, log, gram, vector, inverse, theta, played,
              levels, bits, matrix, off, batch, ones):
    """Vector sums of a shuffled batch. numbers has the width and t."""
    d, arms = sets.shape[1:]
    means, squares, lower = np.empty(arms), np.empty(arms), np.empty((d, d))
    for t in range(first, first + rounds):
        shown = t % len(sets)
        columns = sets[shown]
        arm, y = pull(columns, means_of[shown], draw, inverse, theta, numbers[0], means, squares, played[shown])
        at = 0
        for i in range(d):
            for j in range(i + 1):
                shift = 0.0 if i == j else 0.5
                exact = (columns[i, arm] * columns[j, arm] + shift) * levels
                whole = np.floor(exact)
                ones[at] += whole + (1 if rng.random() < exact - whole else 0) + np.random.binomial(bits, 0.25)
                at += 1
        for i in range(d):
            exact = (y * columns[i, arm] + 1) * levels / 2
            whole = np.floor(exact)
            ones[at] += whole + (1 if rng.random() < exact - whole else 0) + np.random.binomial(bits, 0.25)
            at += 1
        numbers[1] += 1
        if numbers[1] % batch == 0:
            at = 0
            for i in range(d):
                for j in range(i + 1):
                    gram[i, j] += (ones[at] - 0.25 * bits * batch) / levels - batch * (0.0 if i == j else 0.5)
                    ones[at] = 0
                    at += 1
            for i in range(d):
                vector[i] += (ones[at] - 0.25 * bits * batch) / (levels / 2) - batch
                ones[at] = 0
                at += 1
            numbers[0] = regularise(numbers[1] // batch, matrix, off, log, gram, vector, lower, inverse, theta)


@jit
def play_tree(sets, means_of, first, rounds, draw, rng, numbers, log, gram, vector, inverse, theta, played,
              sd, operator, off, sums, above):
    """A tree's sums. above[l] has the sum of the nodes at the levels l and higher. numbers has the width and t."""
    d, arms = sets.shape[1:]
    means, squares, lower = np.empty(arms), np.empty(arms), np.empty((d, d))
    for t in range(first, first + rounds):
        shown = t % len(sets)
        columns = sets[shown]
        arm, y = pull(columns, means_of[shown], draw, inverse, theta, numbers[0], means, squares, played[shown])
        numbers[1] += 1
        rest, level = int(numbers[1]), 0
        while rest % 2 == 0:
            rest //= 2
            level += 1
        rest, next_level = rest // 2, level + 1
        while rest > 0 and rest % 2 == 0:
            rest //= 2
            next_level += 1
        if rest == 0:
            next_level = len(above) - 1  # which stays 0
        for i in range(d):
            for j in range(i + 1):
                z = sd * rng.standard_normal() * (np.sqrt(2) if i == j else 1.0)
                above[level, i, j] = above[next_level, i, j] + z
                sums[i, j] += columns[i, arm] * columns[j, arm]
                gram[i, j] = sums[i, j] + above[level, i, j]
            above[level, d, i] = above[next_level, d, i] + sd * rng.standard_normal()
            sums[d, i] += y * columns[i, arm]
            vector[i] = sums[d, i] + above[level, d, i]
        rng.standard_normal()  # the square of the reward has noise, too, and nobody reads it
        numbers[0] = learn(gram, vector, 2 * operator, operator, operator, 3 * operator, off, log, lower, inverse, theta)


@jit
def seed_binomial(seed):
    np.random.seed(seed)


class Trial:
    """A trial of a learner. Its constants are those of peer_linear's learner of the same name."""

    def __init__(self, name, x, rewards, seed, constants):
        d = x.shape[2]
        self.sets, self.rewards, self.first = np.ascontiguousarray(x.transpose(0, 2, 1)), rewards, 0
        self.draw, self.rng = np.random.default_rng([seed, 1]), np.random.default_rng([seed, 2])
        seed_binomial(seed)
        like = peer_linear.LEARNERS[name](d, np.random.default_rng(0), **constants)
        self.state = [np.array([like.beta, 0.0]), like.log, np.zeros((d, d)), np.zeros(d), like.inverse.copy(), np.zeros(d)]
        if name == "LinUCB":
            self.play, self.more = play_exact, []
        elif name == "JDP":
            self.play = play_tree
            self.more = [like.sd, like.operator, like.off, np.zeros((d + 1, d + 1)), np.zeros((len(like.nodes) + 1, d + 1, d + 1))]
        elif name == "shuffle vector sum":
            self.play = play_bits
            self.more = [float(like.levels), int(like.bits), like.matrix, like.off, like.batch, np.zeros(len(like.ones))]
        else:
            self.play = play_local
            self.more = [like.sd, like.matrix, like.off, like.batch, np.zeros((d, d)), np.zeros(d)]

    def rounds(self, n):
        """Plays rounds, and returns how often each arm of each decision set was played."""
        played = np.zeros(self.rewards.shape, dtype=np.int64)
        self.play(self.sets, self.rewards, self.first, n, self.draw, self.rng, *self.state, played, *self.more)
        self.first += n
        return played


def main():
    trial, rewards, regret, compiled = None, None, 0.0, set()
    for line in sys.stdin:
        asked = json.loads(line)
        if "learner" in asked:
            name, x, theta, seed = (asked.pop(k) for k in ("learner", "x", "theta", "seed"))
            x = np.array(x)
            x = x if x.ndim == 3 else x[None]
            rewards, regret = x @ np.array(theta), 0.0
            if name not in compiled:  # which is not timed
                Trial(name, x, rewards, seed, asked).rounds(2 * asked.get("batch", 1))
                compiled.add(name)
            trial = Trial(name, x, rewards, seed, asked)
            continue
        began = time.perf_counter()
        played = trial.rounds(asked["rounds"])
        seconds = time.perf_counter() - began
        regret += float((played * (rewards.max(axis=1, keepdims=True) - rewards)).sum())
        print(json.dumps({"seconds": seconds, "regret": regret}), flush=True)


if __name__ == "__main__":
    main()
