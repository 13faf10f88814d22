"""Serves a bandit learner in Python to dpbandits. README.md has an example, PROTOCOL.md the lines."""

import base64
import json
import operator
import os
import sys
import traceback
from types import SimpleNamespace


def serve(bandit, name=None, claim=None, packed=False):
    """Answers the lines of standard input with objects of a class, until there are no more."""
    out = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)  # what is printed, by Python or below it, is no answer
    sys.stdout = sys.stderr
    server, encode = _Server(bandit, name or bandit.__name__, claim, packed), json.JSONEncoder(separators=(",", ":")).encode
    for line in open(0, encoding="utf-8"):
        try:
            answer = server.answer(json.loads(line))
        except Exception as error:
            traceback.print_exc()
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
            warm_up = hasattr(self.bandit, "warm_up")
            return dict(protocol=1, name=self.name, claim=claim, contexts=form, warm_up=warm_up)
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
            if "contexts" in ask:
                self.x = ask["contexts"]
            elif "packed" in ask:
                numbers = memoryview(base64.b64decode(ask["packed"]))
                self.x = numbers.cast("d", (len(numbers) // 8 // self.problem.dim, self.problem.dim))
            arms = self.run.select(self.x)
            try:
                answer["arms"] = [operator.index(arms)]
            except TypeError:
                answer["arms"] = [operator.index(a) for a in arms]
        return answer
