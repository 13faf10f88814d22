"""Plays DP-TS-UCB and sequential halving in numpy, for the goldens of gaussian_thompson_test.go and
sequential_halving_test.go. It shares nothing with the package: all trials go round by round at once, and
the draws are made when an arm is chosen, from the paper's description.

    python3 own_draws.py
"""

import math

import numpy as np
from scipy.stats import norm


def first_epoch(phi, variance, horizon, mu):
    """Returns the least length of an arm's first epoch for which the draws are mu-GDP."""
    b = 1
    while math.sqrt(min(phi, horizon - b + 1) / (variance * b)) > mu:
        b += 1
    return b


def mu_of(epsilon, delta):
    """Returns the mu of mu-GDP that is (epsilon, delta)-DP, by bisection of Balle and Wang's formula."""
    if math.isinf(epsilon):
        return math.inf
    low, high = 0.0, 100.0
    for _ in range(200):
        mu = (low + high) / 2
        d = norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)
        low, high = (mu, high) if d <= delta else (low, mu)
    return low


def dp_ts_ucb(means, horizon, alpha, epsilon, trials, rng, draws=None):
    """Returns the regrets of the trials, and the mean pulls of each arm."""
    k, log = len(means), math.log(horizon)
    variance = log**alpha
    phi = draws or math.ceil(math.sqrt(2 * math.pi * math.e) * horizon ** (0.5 * (1 - alpha)) * log ** (0.5 * (3 - alpha)))
    b = first_epoch(phi, variance, horizon, mu_of(epsilon, 1e-5))
    means, all_trials = np.array(means), np.arange(trials)
    n = np.full((trials, k), b)
    mean = rng.binomial(b, means, (trials, k)) / b
    pulls = n.copy()
    new, total = np.zeros((trials, k), int), np.zeros((trials, k))
    left, most = np.full((trials, k), phi), np.full((trials, k), -np.inf)
    for _ in range(horizon - k * b):
        theta = mean + rng.standard_normal((trials, k)) * np.sqrt(variance / n)
        sampling = left > 0
        most = np.where(sampling, np.maximum(most, theta), most)
        theta = np.where(sampling, theta, most)
        left -= sampling
        arm = theta.argmax(1)
        reward = rng.random(trials) < means[arm]
        pulls[all_trials, arm] += 1
        new[all_trials, arm] += 1
        total[all_trials, arm] += reward
        over = all_trials[new[all_trials, arm] == 2 * n[all_trials, arm]]
        at = arm[over]
        n[over, at] *= 2
        mean[over, at] = total[over, at] / n[over, at]
        new[over, at], total[over, at], left[over, at], most[over, at] = 0, 0, phi, -np.inf
    return pulls @ (means.max() - means), pulls.mean(0)


def halving(means, horizon, epsilon, trials, rng):
    """Returns the share of trials whose last arm is not the first, which has the largest mean."""
    means, wrong = np.array(means), 0
    phases = math.ceil(math.log2(len(means)))
    for _ in range(trials):
        left = list(range(len(means)))
        while len(left) > 1:
            n = horizon // (len(left) * phases)
            seen = rng.binomial(n, means[left]) / n
            if not math.isinf(epsilon):
                seen = seen + rng.laplace(0, 1 / (epsilon * n), len(left))
            order = np.argsort(-seen, kind="stable")[: (len(left) + 1) // 2]
            left = [left[i] for i in sorted(order)]
        wrong += left[0] != 0
    return wrong / trials


def halving_of_two(p, q, horizon, epsilon):
    """Returns the probability that the worse of two arms is left, exactly but for rounding."""
    n = horizon // 2
    x = np.arange(n + 1)
    from scipy.stats import binom

    joint = np.outer(binom.pmf(x, n, p), binom.pmf(x, n, q))
    ahead = np.subtract.outer(x, x) * epsilon  # of the better arm, in scales of the noise
    beaten = (2 + np.abs(ahead)) / 4 * np.exp(-np.abs(ahead))  # a difference of two Laplace noises is over |ahead|
    return float((joint * np.where(ahead >= 0, beaten, 1 - beaten)).sum())


if __name__ == "__main__":
    c2 = [0.75, 0.625, 0.5, 0.375, 0.25]
    for alpha, epsilon, horizon in [(1, math.inf, 4000), (1, 1, 4000), (0.5, math.inf, 4000), (0, math.inf, 4000)]:
        regret, pulls = dp_ts_ucb(c2, horizon, alpha, epsilon, 2000, np.random.default_rng(1))
        print("DP-TS-UCB", alpha, epsilon, horizon, f"{regret.mean():.1f} ({regret.std() / math.sqrt(len(regret)):.1f})", pulls.round(1))
    print("halving of two", *(f"{halving_of_two(0.6, 0.5, 400, e):.6f}" for e in (0.05, 0.2, 1)))
    for epsilon in (0.1, 1, math.inf):
        n = 200000
        wrong = halving([0.7, 0.6, 0.55, 0.5, 0.5, 0.4, 0.3], 1200, epsilon, n, np.random.default_rng(2))
        print("halving", epsilon, f"{wrong:.4f} ({math.sqrt(wrong * (1 - wrong) / n):.4f})")
