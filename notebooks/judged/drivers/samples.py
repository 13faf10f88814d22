"""Collects what a program releases in two worlds, for package judged.

A driver imports this file first. It is run as

    python3 driver.py CLONE RUNS SEED

CLONE is a checkout of the program that is judged; its folder is where Python looks for modules
first. `collect` then calls the driver's function RUNS times in each of the two worlds, and writes
all the numbers that it returns to standard output: little-endian doubles, world 0 first. Whatever
the program prints goes to standard error.
"""

import os
import sys

import numpy as np

clone, runs, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sys.path.insert(0, clone)

_output = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)


def collect(release, reseed=lambda generator: None):
    """Writes release(world) of all runs. NumPy's global generator is seeded once in each world.

    reseed is given a generator for the program's own one, if it has one.
    """
    for world in 0, 1:
        np.random.seed(2 * seed + world)
        reseed(np.random.default_rng([seed, world]))
        rows = [np.ravel(release(world)).astype(float) for _ in range(runs)]
        write(np.array(rows))


def write(rows):
    """Writes the rows of one world: a row is what one run released."""
    _output.write(np.ascontiguousarray(rows, dtype="<f8").tobytes())
    _output.flush()


class Spy:
    """Stands for a module, such as numpy, with some of its names replaced."""

    def __init__(self, module, **replaced):
        self._module = module
        self.__dict__.update(replaced)

    def __getattr__(self, name):
        return getattr(self._module, name)


def absent(*names):
    """Puts an empty module in the place of each that only draws or shows progress."""
    import types

    for name in names:
        module = types.ModuleType(name)
        module.tqdm = module.trange = lambda rounds, **_: rounds
        module.pyplot = module
        sys.modules[name] = module
        sys.modules[name + ".pyplot"] = module
