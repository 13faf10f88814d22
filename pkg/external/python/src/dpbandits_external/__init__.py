"""Serves a bandit learner in Python to dpbandits. README.md has an example of it."""

import base64
import json
import operator
import os
import sys
from types import SimpleNamespace


def serve(bandit, name=None, claim=None, packed=False):
    """Answers the lines of standard input with objects of a class, until there are no more."""
    asks, out = open(os.dup(0), encoding="utf-8"), open(os.dup(1), "wb", 0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # questions are not for what the class starts,
    os.dup2(2, 1)  # and what is printed, by Python or below it, is no answer
    sys.stdout = sys.stderr
    server = _Server(bandit, name or bandit.__name__, claim, packed)
    encode = json.JSONEncoder(separators=(",", ":")).encode
    for line in asks:
        try:
            answer = server.answer(json.loads(line))
        except Exception as error:
            sys.excepthook(*sys.exc_info())
            answer = {"error": f"{type(error).__name__}: {error}"}
        out.write(encode(answer).encode() + b"\n")


class _Server:
    def __init__(self, bandit, name, claim, packed):
        self.bandit, self.name, self.claim, self.packed = bandit, name, claim, packed

    def answer(self, ask):
        kind, answer = ask["type"], {}
        if kind == "open":
            self.problem, self.horizon = SimpleNamespace(**ask["problem"]), ask["horizon"]
            self.bandit(self.problem, self.horizon, 0, 0)  # raises an error if it cannot play this
            claim = self.claim(self.problem, self.horizon) if callable(self.claim) else self.claim
            form = "packed" if self.packed and sys.byteorder == "little" else "rows"
            answer = dict(protocol=1, name=self.name, claim=claim, contexts=form)
            return answer | {"warm_up": hasattr(self.bandit, "warm_up")}
        if kind == "start":
            self.run = self.bandit(self.problem, self.horizon, ask["seed"], ask["noise_seed"])
            self.x, self.release = None, getattr(self.run, "release", None)
        elif kind == "warm_up":
            self.run.warm_up(ask["rewards"])
        elif "played" in ask:
            self.run.update(ask["played"], ask["rewards"])
            if self.release:
                answer["release"] = [float(x) for x in self.release()]
        if kind == "round":
            self.x = ask.get("contexts", self.x)
            if "packed" in ask:
                data, dim = memoryview(base64.b64decode(ask["packed"])), self.problem.dim
                self.x = data.cast("d", (len(data) // 8 // dim, dim))
            arms = self.run.select(self.x)
            many = hasattr(arms, "__iter__") and getattr(arms, "ndim", 1)
            answer["arms"] = [operator.index(arm) for arm in (arms if many else [arms])]
        return answer
