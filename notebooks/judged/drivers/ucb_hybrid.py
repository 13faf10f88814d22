"""DP-UCB of private-bandits: how far its sum goes in rewards 5 to 8, when the fifth changes."""

from samples import collect

from private_bandits.solvers.private.dp_ucb import DPUCBSolver


def release(world):
    solver = DPUCBSolver(1, 1.0)
    solver.step(None, None)
    sums = []
    for t in range(1, 9):
        solver.step(float(world) if t == 5 else 0.0, 0)
        sums.append(t * solver.estimates[0])
    # From the sum after 4 on, each of these three has one draw of noise of its own.
    return sums[4] - sums[3], sums[5] - sums[3], sums[7] - sums[3]


collect(release)
