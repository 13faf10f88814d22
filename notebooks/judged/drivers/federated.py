"""FedUCB: two packages that an agent sends in a row, when the reward between them changes."""

import importlib.util
import os

import numpy as np

from samples import clone, collect

# The package does not import at this commit: its __init__ names classes that are not there.
spec = importlib.util.spec_from_file_location("agents", os.path.join(clone, "feducb", "agents.py"))
agents = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agents)


def release(world):
    agent = agents.FedUCB(T=1000, m=2, epsilon=0.01, beta=0.01)
    for _ in range(3):
        before, _ = agent.send_params()
    agent.update(np.array([[0.6, 0.8]]), float(world), training=False)
    after, _ = agent.send_params()
    return (after - before)[0]


collect(release)
