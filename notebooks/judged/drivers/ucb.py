"""A UCB of our own over the noisy means of a library: what drivers of libraries release."""

import numpy as np

ROUNDS = 7


def play(rewards, noisy):
    """Returns the first arm's first noisy mean and the arms of some rounds.

    An arm is played in episodes that double. At the end of one, `noisy(mean, pulls)` replaces the
    arm's estimate by a mean of that episode's rewards alone, so that each reward is used once.
    """
    means, pulls, arms = np.zeros(2), np.zeros(2, dtype=int), []
    first = None
    while len(arms) < ROUNDS:
        with np.errstate(divide="ignore"):
            arm = int(np.argmax(means + np.sqrt(np.log(len(arms) + 2) / pulls)))
        pulls[arm] = max(1, 2 * pulls[arm])
        episode = [rewards(len(arms) + i) for i in range(pulls[arm])]
        arms += [arm] * len(episode)
        means[arm] = noisy(float(np.mean(episode)), int(pulls[arm]))
        first = means[arm] if first is None else first
    return [first, *arms[:ROUNDS]]
