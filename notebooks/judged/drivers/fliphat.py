"""FLIPHAT: an episode's estimate, when one reward of 64 changes its sign.

Contexts are within the bound that the program sets the noise by. All rows but the last pull ten
coordinates up and ten others down, so that the ten that the program keeps are among these. The last
row pulls all of them the same way: it decides which are kept, and it moves those.
"""

import jax
import jax.numpy as jnp
import numpy as np

from samples import runs, seed, write

from SparseBandit.utils import NIHT

# As in the simulations of the paper: dimension, l1 norm of the parameter, sparsity, step, M.
D, L1, SPARSITY, STEP, M = 400, 3.75, 10, 1e-4, 0.16
N, EPSILON, DELTA = 64, 1.0, 0.01

x_max = np.sqrt(2 * np.log(D))
reward_bound = x_max * L1 + np.sqrt(2 * np.log(1 + N))
steps = int(M * np.log(1 + N * L1**2))
signs = np.repeat([1.0, -1.0, 0.0], [SPARSITY, SPARSITY, D - 2 * SPARSITY])
signs = np.repeat([1.0, -1.0, 0.0], [SPARSITY, SPARSITY, D - 2 * SPARSITY])
contexts, rewards = np.outer(np.ones(N), x_max * signs), np.full(N, reward_bound)
contexts[-1] = x_max * np.abs(signs)
unit = STEP / N
pulled = 2 * unit * x_max * reward_bound * (N - 1)  # by the rows that do not change


def release(rewards, key):
    theta = NIHT((contexts, rewards), key, sparsity=SPARSITY, epsilon=EPSILON, delta=DELTA, M=steps,
                 R=reward_bound, B=x_max * L1 + reward_bound, eta=unit, C=L1)
    kept = theta != 0
    return jnp.stack([jnp.sum(kept * signs), jnp.sum(theta - kept * signs * pulled) / unit])


releases = jax.jit(jax.vmap(release, in_axes=(None, 0)))  # compiled once
PART = 500
for world in 0, 1:
    rewards[-1] = (1 - 2 * world) * reward_bound
    keys = jax.random.split(jax.random.PRNGKey(2 * seed + world), -(-runs // PART) * PART)
    parts = [releases(rewards, keys[i : i + PART]) for i in range(0, runs, PART)]
    write(np.concatenate(parts)[:runs])
