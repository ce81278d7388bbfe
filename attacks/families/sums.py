"""Sums with contributors (P4)."""
from .family import Draw


def rules_of_sums(magnitude):
    """A policy of its own whose sums follow these rules."""
    return {"coalition": 1, "categories": [{"name": "m", "cells": 2, "margins": 2}], "cases": [{"category": "m"}], "magnitude": magnitude}


def sums(f):
    r = f.r
    doms = [[f"{x}{i + 1}" for i in range(k)] for x, k in zip("tpk", [r.randint(2, 5), r.randint(2, 5), r.randint(2, 3)])]
    d = Draw(r, doms)
    rows = []
    for i in range(r.randint(6, 40)):
        scale = r.lognormvariate(3, r.choice([1.0, 1.8]))
        home = d.record()
        for _ in range(r.choice([1, 1, 2, 3, 5])):
            rec = home if r.random() < 0.5 else d.record()
            rows.append(rec + [max(1, round(scale * r.uniform(0.3, 2))), f"firm{i + 1}"])
    f.csv("firms.csv", ["trade", "place", "kind", "amount", "firm"], rows)
    f.variables += [{"name": x, "role": "key"} for x in ["trade", "place", "kind"]] + [{"name": "amount", "type": "number"}, {"name": "firm"}]
    f.policy = {"name": "gss-tables"}
    f.protection.pop("margin", None)
    mag = r.choice([None, None, {"p": 10}, {"p": 20}, {"p": 10, "threshold": 3}, {"dominance": {"n": 1, "k": 75}, "p": 15}])
    if mag:
        f.policy["tables"] = rules_of_sums(mag)
    s = dict(measure="sum", of="amount", contributor="firm")
    f.table(("trade", "place"), **s)
    if r.random() < 0.5:
        f.table(("place", "kind"), **s)
        if r.random() < 0.5:
            f.table(("trade", "kind"), **s)
    return "firms.csv"


def dominated(f):
    """Sums of which few firms have most, each firm in one or two cells."""
    r = f.r
    T, P = [f"t{i + 1}" for i in range(r.randint(3, 5))], [f"p{i + 1}" for i in range(r.randint(3, 5))]
    rows, k = [], 0
    for t in T:
        for p in P:
            for _ in range(r.choice([0, 1, 2, 2, 3, 4, 6])):
                k += 1
                rows.append([t, p, max(1, round(r.lognormvariate(4, 2))), f"firm{k}"])
                if r.random() < 0.15:
                    rows.append([r.choice(T), r.choice(P), max(1, round(r.lognormvariate(3, 1))), f"firm{k}"])
    f.csv("firms.csv", ["trade", "place", "amount", "firm"], rows)
    f.variables += [{"name": x, "role": "key"} for x in ["trade", "place"]] + [{"name": "amount", "type": "number"}, {"name": "firm"}]
    f.policy = {"name": "gss-tables"}
    f.protection.pop("margin", None)
    if r.random() < 0.6:
        f.policy["tables"] = rules_of_sums({"p": r.choice([10, 15, 20])})
    f.table(("trade", "place"), measure="sum", of="amount", contributor="firm")
    return "firms.csv"
