"""CascadeUCB1 and CascadeKL-UCB, from the algorithm box and the text of Kveton, Szepesvari, Wen and
Ashkan (2015), for TestCascadeGolden. An item that nobody has looked at comes first, in place of a
round that shows the attraction of all; logarithms are of 2 at least, and of 1 at least in ln ln t."""
from math import inf, log, sqrt

W, K, ROUNDS = [0.2, 0.05, 0.3, 0.1, 0.25, 0.05, 0.15, 0.1, 0.3, 0.05], 3, 3000


def kl(p, q):
    return (p * log(p / q) if p > 0 else 0) + ((1 - p) * log((1 - p) / (1 - q)) if p < 1 else 0)


def ucb1(t, mean, looks):
    return mean + sqrt(1.5 * log(max(t, 2)) / looks)


def klucb(t, mean, looks):
    budget = (log(t) + 3 * log(max(1, log(t)))) / looks
    low, high = mean, 1.0
    for _ in range(60):
        q = (low + high) / 2
        if q < 1 and kl(mean, q) <= budget:
            low = q
        else:
            high = q
    return low


def lists(index):
    state, looks, clicks = 2015, [0] * len(W), [0] * len(W)
    for t in range(1, ROUNDS + 1):
        attracts = []
        for w in W:
            state = (6364136223846793005 * state + 1442695040888963407) % 2**64
            attracts.append((state >> 11) / 2**53 < w)
        u = [index(t, c / n, n) if n else inf for c, n in zip(clicks, looks)]
        shown = sorted(range(len(W)), key=lambda e: (-u[e], e))[:K]
        yield shown
        for e in shown:
            looks[e] += 1
            if attracts[e]:
                clicks[e] += 1
                break


if __name__ == "__main__":
    for index in (ucb1, klucb):
        total = 0
        for shown in lists(index):
            for e in shown:
                total = (total * 31 + e + 1) % 2**64
        print(index.__name__, shown, total)
