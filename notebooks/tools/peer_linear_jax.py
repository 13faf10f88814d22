"""Plays the learners of peer_linear.py compiled by JAX, many trials at once on one core, for pkg/learner to compare with.

    docker/setup peers
    go test -run '^$' -bench Peers/.*/jax ./pkg/learner

It speaks peer_linear.py's protocol, and takes the public constants of a run from its classes. The trials that it plays
at once, its lanes ("lanes" of the first line, 64 if it says nothing), have the same arms and parameter, and rewards and
noise of their own; its answers are the seconds of one lane and the mean of their regrets. What it does is what XLA likes: lanes are the last axis of all arrays, so
that a number of each lane is a register; a symmetric matrix is its lower half; as the arms stay, all scores of all
lanes are two products of matrices; small matrices are inverted by a written-out Cholesky decomposition.
"""

import json
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX counts the cores

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

import peer_linear

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_default_prng_impl", "rbg")  # the faster one here

WRITTEN_OUT = 8  # dimensions, at most


def at(i, j):
    """The place of an entry of a symmetric matrix in its lower half, row by row."""
    return max(i, j) * (max(i, j) + 1) // 2 + min(i, j)


def halves(d):
    """Returns the rows and columns of a lower half, and the places in it of a whole matrix."""
    rows, columns = np.tril_indices(d)
    return rows, columns, np.array([[at(i, j) for j in range(d)] for i in range(d)])


def invert(half, d):
    """Returns the inverses of symmetric matrices and the logarithms of their determinants. half is (d(d+1)/2, lanes)."""
    if d > WRITTEN_OUT:
        rows, columns, whole = halves(d)
        lower = jnp.linalg.cholesky(jnp.moveaxis(half[whole], -1, 0))
        inverse = lax.linalg.triangular_solve(lower, jnp.broadcast_to(jnp.eye(d), lower.shape), left_side=True, lower=True)
        inverse = jnp.moveaxis(jnp.swapaxes(inverse, -1, -2) @ inverse, 0, -1)
        return inverse[rows, columns], 2 * jnp.log(jnp.diagonal(lower, axis1=-2, axis2=-1)).sum(axis=-1)
    lower, log_det = {}, 0.0
    for i in range(d):
        for j in range(i + 1):
            s = half[at(i, j)] - sum(lower[i, k] * lower[j, k] for k in range(j))
            if i == j:
                lower[i, i] = jnp.sqrt(s)
                log_det += jnp.log(s)
            else:
                lower[i, j] = s / lower[j, j]
    columns = {}  # of the decomposition's inverse
    for c in range(d):
        for i in range(c, d):
            columns[i, c] = ((1.0 if i == c else 0.0) - sum(lower[i, k] * columns[k, c] for k in range(c, i))) / lower[i, i]
    return jnp.stack([sum(columns[k, i] * columns[k, j] for k in range(i, d)) for i in range(d) for j in range(i + 1)]), log_det


def learn(half, vector, shift, least, low, high, off, log):
    """Computes the confidence set as peer_linear.LinUCB.learn does: inverse, theta, width beta."""
    d = len(vector)
    rows, columns, whole = halves(d)
    inverse, log_det = invert(half + shift * jnp.array(rows == columns, float)[:, None], d)
    log_det -= d * jnp.log(least)
    return {"inverse": inverse, "theta": (inverse[whole] * vector).sum(axis=1),
            "beta": 0.5 * jnp.sqrt(jnp.maximum(0.0, log + log_det)) + jnp.sqrt(high) + off / jnp.sqrt(low)}


def regularise(half, vector, n, c):
    root = jnp.sqrt(n.astype(float))
    high = 2.0 ** jnp.floor(jnp.log2(n.astype(float)))
    return learn(half, vector, 1 + 2 * c["matrix"] * root, 1 + c["matrix"] * jnp.sqrt(high), 1 + c["matrix"] * root,
                 1 + 3 * c["matrix"] * root, c["off"] * root, c["log"])


def pull(x, squares, rewards, confidence, key):
    """Plays the arms of the greatest indices, a lane each, and returns them and their rewards, 0 or 1."""
    scores = x @ confidence["theta"] + confidence["beta"] * jnp.sqrt(squares @ confidence["inverse"])
    arms = jnp.argmax(scores, axis=0)
    return arms, (random.uniform(key, arms.shape) < rewards[arms]).astype(float)


def noise(key, c, d, lanes):
    """Symmetric Gaussian noise of the lower half of a matrix and of a vector, stacked."""
    rows, columns, _ = halves(d)
    scale = jnp.concatenate([jnp.where(jnp.array(rows == columns), jnp.sqrt(2.0), 1.0), jnp.ones(d)])
    return c["sd"] * scale[:, None] * random.normal(key, (len(rows) + d, lanes))


def update_exact(s, c, x, outer, arms, y, key):
    """LinUCB over exact sums, by a rank-one update."""
    d = x.shape[1]
    rows, columns, whole = halves(d)
    row = x[arms].T
    moved = (s["set"]["inverse"][whole] * row).sum(axis=1)
    w = 1 + (moved * row).sum(axis=0)
    inverse = s["set"]["inverse"] - moved[rows] * moved[columns] / w
    vector, log_det = s["vector"] + y * row, s["log_det"] + jnp.log(w)
    theta = (inverse[whole] * vector).sum(axis=1)
    beta = 0.5 * jnp.sqrt(jnp.maximum(0.0, c["log"] + log_det)) + 1
    return s | {"set": {"inverse": inverse, "theta": theta, "beta": beta}, "vector": vector, "log_det": log_det}


def update_local(s, c, x, outer, arms, y, key):
    """Messages under Gaussian noise, which a batch adds up before the server learns."""
    d = x.shape[1]
    n = outer.shape[1]
    s = s | {"waiting": s["waiting"] + jnp.concatenate([outer[arms].T, y * x[arms].T]) + noise(key, c, d, len(arms)), "t": s["t"] + 1}

    def collect(s):
        sums = s["sums"] + s["waiting"]
        return s | {"sums": sums, "waiting": jnp.zeros_like(sums), "set": regularise(sums[:n], sums[n:], s["t"], c)}

    return lax.cond(s["t"] % c["batch"] == 0, collect, lambda s: s, s)


def update_bits(s, c, x, outer, arms, y, key):
    """Vector sums of a shuffled batch."""
    n, d = outer.shape[1], x.shape[1]
    round_key, bits_key = random.split(key)
    exact = (jnp.concatenate([outer[arms].T, y * x[arms].T]) + c["low"][:, None]) * c["unit"][:, None]
    whole = jnp.floor(exact)
    ones = whole + (random.uniform(round_key, exact.shape) < exact - whole)
    s = s | {"waiting": s["waiting"] + ones + random.binomial(bits_key, c["bits"], 0.25, exact.shape), "t": s["t"] + 1}

    def collect(s):
        total = (s["waiting"] - 0.25 * c["bits"] * c["batch"]) / c["unit"][:, None] - c["batch"] * c["low"][:, None]
        sums = s["sums"] + total
        return s | {"sums": sums, "waiting": jnp.zeros_like(sums), "set": regularise(sums[:n], sums[n:], s["t"] // c["batch"], c)}

    return lax.cond(s["t"] % c["batch"] == 0, collect, lambda s: s, s)


def update_tree(s, c, x, outer, arms, y, key):
    """A tree's sums. above[l] has the sum of the nodes at the levels l and higher, and the last is 0."""
    n = outer.shape[1]
    t = s["t"] + 1
    zeros = lambda t: lax.population_count((t & -t) - 1)
    level, last = zeros(t), s["above"].shape[0] - 1
    rest = t >> (level + 1)
    higher = jnp.where(rest == 0, last, level + 1 + zeros(rest))
    node = s["above"][higher] + noise(key, c, x.shape[1], len(arms))
    sums = s["sums"] + jnp.concatenate([outer[arms].T, y * x[arms].T])
    seen, o = sums + node, c["operator"]
    return s | {"t": t, "above": s["above"].at[level].set(node), "sums": sums,
                "set": learn(seen[:n], seen[n:], 2 * o, o, o, 3 * o, c["off"], c["log"])}


UPDATES = {"LinUCB": update_exact, "LDP": update_local, "shuffle amplified": update_local, "shuffle vector sum": update_bits,
           "JDP": update_tree}


def play(name, state, constants, x, rewards, rounds):
    """Plays rounds, and returns the state after them and each lane's regret."""
    rows, columns, _ = halves(x.shape[1])
    outer = x[:, rows] * x[:, columns]
    squares = jnp.where(jnp.array(rows == columns), 1.0, 2.0) * outer
    gaps = rewards.max() - rewards

    def one(_, carried):
        s, regret, key = carried
        key, reward_key, noise_key = random.split(key, 3)
        arms, y = pull(x, squares, rewards, s["set"], reward_key)
        return UPDATES[name](s, constants, x, outer, arms, y, noise_key), regret + gaps[arms], key

    s, regret, key = lax.fori_loop(0, rounds, one, (state["s"], jnp.zeros_like(state["s"]["set"]["beta"]), state["key"]))
    return {"s": s, "key": key}, regret


play = jax.jit(play, static_argnums=0)


class Trials:
    """The lanes of a learner. Its constants are those of peer_linear's learner of the same name."""

    def __init__(self, name, x, rewards, seed, count, constants):
        d = x.shape[1]
        rows, columns, _ = halves(d)
        like = peer_linear.LEARNERS[name](d, np.random.default_rng(0), **constants)
        lanes = lambda a: jnp.array(np.repeat(np.asarray(a, float)[..., None], count, axis=-1))
        s = {"set": {"inverse": lanes(like.inverse[rows, columns]), "theta": lanes(np.zeros(d)), "beta": lanes(like.beta)}}
        if name == "LinUCB":
            s |= {"vector": lanes(np.zeros(d)), "log_det": lanes(0.0)}
        else:
            s |= {"sums": lanes(np.zeros(len(rows) + d)), "t": jnp.array(0)}
            s |= {"above": lanes(np.zeros((len(like.nodes) + 1, len(rows) + d)))} if name == "JDP" else {"waiting": s["sums"]}
        kept = ("log", "sd", "matrix", "operator", "off", "batch", "low", "unit", "bits")
        self.constants = {k: jnp.array(getattr(like, k)) for k in kept if hasattr(like, k)}
        self.name, self.x, self.rewards, self.state = name, jnp.array(x), jnp.array(rewards), {"s": s, "key": random.key(seed)}

    def rounds(self, n):
        """Plays rounds, and returns the mean of the lanes' regrets."""
        self.state, regret = play(self.name, self.state, self.constants, self.x, self.rewards, n)
        return float(regret.mean())


def main():
    trials, lanes, regret, compiled = None, 0, 0.0, set()
    for line in sys.stdin:
        asked = json.loads(line)
        if "learner" in asked:
            name, x, theta, seed = (asked.pop(k) for k in ("learner", "x", "theta", "seed"))
            x, lanes, regret = np.array(x), asked.pop("lanes", 64), 0.0
            rewards = x @ np.array(theta)
            if (name, x.shape, lanes) not in compiled:  # which is not timed
                Trials(name, x, rewards, seed, lanes, asked).rounds(1)
                compiled.add((name, x.shape, lanes))
            trials = Trials(name, x, rewards, seed, lanes, asked)
            continue
        began = time.perf_counter()
        regret += trials.rounds(asked["rounds"])
        print(json.dumps({"seconds": (time.perf_counter() - began) / lanes, "regret": regret}), flush=True)


if __name__ == "__main__":
    main()
