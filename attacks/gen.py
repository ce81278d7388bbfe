#!/usr/bin/env python3
"""Seeded generator of random families of tables. gen.py KIND SEED DIR writes outward.toml and the data files into DIR."""
import os, random, sys

KINDS = ["ring", "hierarchy", "condition", "answers", "linked", "sums", "dominated", "weights", "given", "follows", "lone", "coarse", "bigring", "sparsering"]


def q(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return str(v)
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(q(x) for x in v) + "]"
    if isinstance(v, dict):
        return "{ " + ", ".join(f"{q(str(k)) if not str(k).isidentifier() else k} = {q(x)}" for k, x in v.items()) + " }"
    raise TypeError(v)


def section(name, fields, many=True):
    head = f"[[{name}]]" if many else f"[{name}]"
    return head + "\n" + "".join(f"{k} = {q(v)}\n" for k, v in fields.items() if v is not None)


class Family:
    def __init__(self, rng):
        self.r = rng
        self.variables, self.tables, self.linked, self.files = [], [], [], {}
        self.policy = {"name": "gss-tables"}
        self.protection = {"method": "suppress"}
        if rng.random() < 0.2:
            self.policy["tier"] = "high"
        if rng.random() < 0.15:
            self.protection["margin"] = 2
        if rng.random() < 0.3:
            self.protection["cost"] = "one"

    def csv(self, name, header, rows):
        self.files[name] = "\n".join(",".join(str(x) for x in row) for row in [header] + rows) + "\n"

    def table(self, variables, **more):
        key = (tuple(variables), tuple(sorted((k, repr(v)) for k, v in more.items())))
        if any(t[0] == key for t in self.tables):
            return
        self.tables.append((key, {"name": f"t{len(self.tables) + 1}", "variables": list(variables), **more}))

    def write(self, folder, data):
        os.makedirs(folder, exist_ok=True)
        text = section("data", {"path": data}, False) + section("policy", self.policy, False)
        text += section("protection", self.protection, False)
        for l in self.linked:
            text += section("linked", l)
        for v in self.variables:
            text += section("variables", v)
        for _, t in self.tables:
            text += section("tables", t)
        with open(os.path.join(folder, "outward.toml"), "w") as f:
            f.write(text)
        for name, body in self.files.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(body)


def profile(r, k):
    """Chances of k values, more or less skewed."""
    s = r.choice([0.3, 0.8, 1.5])
    w = [(i + 1) ** -s * r.uniform(0.5, 1.5) for i in range(k)]
    r.shuffle(w)
    return w


class Draw:
    """Records with some dependence between columns."""

    def __init__(self, r, domains):
        self.r, self.d = r, domains
        self.classes = r.randint(1, 3)
        self.cw = profile(r, self.classes)
        self.w = [[profile(r, len(v)) for v in domains] for _ in range(self.classes)]

    def record(self):
        c = self.r.choices(range(self.classes), self.cw)[0]
        return [self.r.choices(v, w)[0] for v, w in zip(self.d, self.w[c])]


def ring(f):
    r = f.r
    nv = 3 if r.random() < 0.7 else 4
    names = "abcd"[:nv]
    if r.random() < 0.6:
        sizes, n = [r.randint(2, 4) for _ in names], r.randint(10, 120)
    else:
        top = 12 if nv == 3 else 7
        sizes, n = [r.randint(min(6, top), top) for _ in names], r.randint(60, 300)
    doms = [[f"{x}{i + 1}" for i in range(k)] for x, k in zip(names, sizes)]
    d = Draw(r, doms)
    f.csv("people.csv", list(names), [d.record() for _ in range(n)])
    f.variables += [{"name": x, "role": "key"} for x in names]
    if nv == 3:
        edges = [("a", "b"), ("b", "c"), ("a", "c")]
    else:
        edges = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]
        if r.random() < 0.4:
            edges[r.randrange(4)] = r.choice([("a", "c"), ("b", "d")])
    for e in edges:
        more = {}
        if r.random() < 0.08:
            more["without_total"] = [r.choice(e)]
        f.table(e, **more)
    return "people.csv"


def hierarchy(f):
    r = f.r
    groups = r.randint(2, 3)
    tree, avals = {}, []
    for g in range(groups):
        vals = [f"a{g + 1}{i}" for i in range(r.randint(1 if groups > 2 else 2, 3))]
        avals += vals
        tree[f"A{g + 1}"] = vals
    if groups == 3 and r.random() < 0.5:
        tree = {"A12": {"A1": tree["A1"], "A2": tree["A2"]}, "A3x": {"A3": tree["A3"]} if r.random() < 0.5 else tree["A3"]}
    lo = 10
    ages = list(range(lo, lo + r.choice([8, 12, 20, 30])))
    cvals = [p + str(i) for p in ["X", "Y", "Z"][: r.randint(2, 3)] for i in range(r.randint(1, 3))]
    doms = [avals, ages, cvals, ["d1", "d2", "d3"][: r.randint(2, 3)]]
    d = Draw(r, doms)
    f.csv("people.csv", ["a", "age", "c", "d"], [d.record() for _ in range(r.choice([r.randint(10, 60), r.randint(30, 250)]))])
    use = []

    def var(name, column, hier, levels, **more):
        f.variables.append({"name": name, "role": "key", "columns": [column] if column != name else None, "hierarchy": hier, **more})
        use.append((name, column, levels))

    depth = 2 if any(isinstance(v, dict) for v in tree.values()) else 1
    var("a", "a", {"tree": tree}, depth)
    if r.random() < 0.5:
        vals = avals[:]
        r.shuffle(vals)
        k = r.randint(1, len(vals) - 1)
        var("a2", "a", {"tree": {"P": vals[:k], "Q": vals[k:]}}, 1)
    w = r.choice([[5, 10], [5], [4, 8], [10]])
    var("age", "age", {"widths": w}, len(w), type="integer")
    if r.random() < 0.7:
        edges = sorted(r.sample(range(lo + 1, lo + len(ages)), r.randint(1, 3)))
        var("age2", "age", {"bands": edges}, 1, type="integer")
    if r.random() < 0.4:
        w2 = r.choice([[3], [6], [3, 6], [7]])
        var("age3", "age", {"widths": w2}, len(w2), type="integer")
    var("c", "c", {"prefix": [1]}, 1)
    var("d", "d", None, 0)
    for _ in range(r.randint(2, 4)):
        k = r.choices([1, 2, 3], [2, 7, 1])[0]
        pick, seen = [], set()
        for u in r.sample(use, len(use)):
            if u[1] not in seen and len(pick) < k:
                pick.append(u)
                seen.add(u[1])
        levels, only = {}, {}
        for name, column, top in pick:
            if top:
                fine = 0 if column != "age" and r.random() < 0.5 else r.randint(1 if column == "age" else 0, top)
                levels[name] = [l for l in range(fine, top + 1) if l == fine or r.random() < 0.6]
            elif name == "d" and len(doms[3]) == 3 and r.random() < 0.15:
                only[name] = ["d1", "d2"]
        more = {}
        if levels:
            more["levels"] = levels
        if only:
            more["only"] = only
        f.table([p[0] for p in pick], **more)
    if len(f.tables) < 2:
        f.table(["d"])
    return "people.csv"


def condition(f):
    r = f.r
    k = [r.randint(2, 4) for _ in range(3)]
    doms = [[f"{x}{i + 1}" for i in range(m)] for x, m in zip("abc", k)] + [["F", "M", "X"][: r.randint(2, 3)], list(range(10, 80))]
    d = Draw(r, doms)
    f.csv("people.csv", ["a", "b", "c", "sex", "score"], [d.record() for _ in range(r.choice([r.randint(8, 50), r.randint(20, 120), r.randint(60, 250)]))])
    f.variables += [{"name": x, "role": "key"} for x in "abc"] + [{"name": "score", "type": "integer"}]
    t = r.choice([20, 30, 40])

    def one():
        v = r.choice("abc")
        i = "abc".index(v)
        x = r.choice(doms[i])
        some = "(" + ", ".join(f"'{y}'" for y in r.sample(doms[i], max(1, len(doms[i]) - 1))) + ")"
        return r.choice([f"{v} = '{x}'", f"{v} <> '{x}'", f"{v} IN {some}", "sex = 'F'", "sex = 'F'", "sex <> 'M'",
                         f"score < {t}", f"score < {t + 20}", f"score >= {t}"])

    def cond():
        x = one()
        if r.random() < 0.35:
            x = f"{x} {r.choice(['AND', 'AND', 'OR'])} {one()}"
        return x

    conds = [cond() for _ in range(r.randint(2, 3))]
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("a",), ("b",)]
    main = r.choice(pairs[:3])
    if r.random() < 0.8:
        f.table(main)
    for c in conds:
        f.table(main if r.random() < 0.6 else r.choice(pairs), where=c)
    if r.random() < 0.4:
        f.table(r.choice(pairs))
    return "people.csv"


def answers(f):
    r = f.r
    m = 2 if r.random() < 0.75 else 3
    vals = [f"f{i + 1}" for i in range(r.randint(3, 4))]
    cols = [f"x{i + 1}" for i in range(m)]
    doms = [vals] + [vals + [""] * r.randint(1, 4) for _ in range(m - 1)] + [["A", "B", "C"][: r.randint(2, 3)], ["no", "yes"]]
    if r.random() < 0.3:
        doms[0] = vals + [""]
    d = Draw(r, doms)
    f.csv("people.csv", cols + ["road", "night"], [d.record() for _ in range(r.choice([r.randint(8, 40), r.randint(20, 120)]))])
    hier = None
    if len(vals) == 4 and r.random() < 0.5:
        hier = {"tree": {"G1": vals[:2], "G2": vals[2:]}}
    f.variables += [{"name": "fac", "columns": cols, "role": "sensitive", "hierarchy": hier}, {"name": "road", "role": "key"}, {"name": "night", "role": "key"}]
    if r.random() < 0.35:
        f.variables.append({"name": "main", "columns": ["x1"], "role": "key"})
    opts = [("fac", "road"), ("fac", "night"), ("road", "night"), ("fac",), ("road",)]
    if len(f.variables) == 4:
        opts += [("main",), ("main", "road")]
    for o in r.sample(opts, r.randint(2, 3)):
        more = {}
        if "fac" in o and hier and r.random() < 0.5:
            more["levels"] = {"fac": r.choice([[0], [1], [0, 1]])}
        f.table(o, **more)
    if r.random() < 0.5:
        f.table(r.choice([("fac",), ("fac", "road"), ("fac", "night")]), pairs="fac")
    if not any("fac" in t["variables"] for _, t in f.tables):
        f.table(("fac", "road"))
    return "people.csv"


def linked(f):
    r = f.r
    roads = ["A", "B", "C", "D"][: r.randint(2, 4)]
    sev = ["fatal", "serious", "slight"][: r.randint(2, 3)]
    sex = ["F", "M", "X"][: r.randint(2, 3)]
    d = Draw(r, [roads, sev])
    e = Draw(r, [sex])
    lonely = r.random() < 0.3
    par, chi = [], []
    for i in range(r.randint(10, 90)):
        par.append([i] + d.record())
        for _ in range(max(0 if lonely else 1, r.choice([0, 1, 1, 1, 2, 3]))):
            chi.append([i] + e.record())
    f.csv("collisions.csv", ["id", "road", "severity"], par)
    f.csv("casualties.csv", ["id", "sex"], chi)
    f.linked.append({"name": "casualties", "data": {"path": "casualties.csv"}, "on": ["id"]})
    f.variables += [{"name": "road", "role": "key"}, {"name": "severity", "role": "key"}, {"name": "sex", "role": "key", "from": ["casualties"]}]
    both = r.choice([("road", "severity"), ("road",), ("severity", "road")])
    f.table(both)
    f.table(both if r.random() < 0.7 else ("road", "severity"), unit="casualties")
    if r.random() < 0.6:
        f.table(r.choice([("road", "sex"), ("sex",), ("severity", "sex")]), unit="casualties")
    if r.random() < 0.35:
        f.table(r.choice([("road", "sex"), ("sex",)]))
    if r.random() < 0.2:
        c = f"severity <> '{sev[0]}'"
        f.table(("road",), where=c, **({"unit": "casualties"} if r.random() < 0.5 else {}))
    return "collisions.csv"


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
        f.policy["tables"] = {"coalition": 1, "categories": [{"name": "m", "cells": 2, "margins": 2}], "cases": [{"category": "m"}], "magnitude": mag}
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
        f.policy["tables"] = {"coalition": 1, "categories": [{"name": "m", "cells": 2, "margins": 2}], "cases": [{"category": "m"}], "magnitude": {"p": r.choice([10, 15, 20])}}
    f.table(("trade", "place"), measure="sum", of="amount", contributor="firm")
    return "firms.csv"


def weights(f):
    r = f.r
    doms = [[f"{x}{i + 1}" for i in range(r.randint(2, 5))] for x in "abc"]
    d = Draw(r, doms)
    w = r.choice([1.5, 2.5, 4, 10])
    f.csv("people.csv", ["a", "b", "c", "w"], [d.record() + [w] for _ in range(r.choice([r.randint(10, 50), r.randint(30, 140)]))])
    f.variables += [{"name": x, "role": "key"} for x in "abc"] + [{"name": "w", "role": "weight"}]
    opts = [("a", "b"), ("b", "c"), ("a", "c"), ("a",), ("b",), ("a", "b", "c")]
    first = r.choice(opts[:3])
    f.table(first)
    f.table(first if r.random() < 0.5 else r.choice(opts), weighted=True)
    if r.random() < 0.6:
        f.table(r.choice(opts))
    if r.random() < 0.5:
        f.table(r.choice(opts), weighted=True)
    return "people.csv"


def given(f):
    r = f.r
    k = r.choice([2, 2, 3])
    names = "abc"[:k]
    doms = [[f"{x}{i + 1}" for i in range(r.randint(2, 6 if k == 2 else 4))] for x in names]
    rows = [[]]
    for v in doms:
        rows = [x + [y] for x in rows for y in v]
    rows = [x + [r.choice([0, 0, 1, 1, 2, 3, 4, 5, 7, 9, 12, 20])] for x in rows]
    f.csv("cells.csv", list(names) + ["n"], rows)
    for x, v in zip(names, doms):
        h = {"tree": {x.upper() + "1": v[:2], x.upper() + "2": v[2:]}} if len(v) >= 4 and r.random() < 0.5 else None
        f.variables.append({"name": x, "role": "key", "hierarchy": h})
    f.table(names, given="n")
    return "cells.csv"


def follows(f):
    """One column follows from another in the data: every village has one diagnosis."""
    r = f.r
    villages = [f"v{i + 1}" for i in range(r.randint(3, 7))]
    diags = [f"d{i + 1}" for i in range(r.randint(2, 3))]
    of = {v: r.choice(diags) for v in villages}
    slip = r.choice([0, 0, 0, 1])
    d = Draw(r, [villages, ["F", "M"], ["x", "y", "z"][: r.randint(2, 3)]])
    rows = [d.record() for _ in range(r.choice([r.randint(10, 50), r.randint(30, 120)]))]
    rows = [[x[0], of[x[0]]] + x[1:] for x in rows]
    for x in rows[:slip]:
        x[1] = r.choice(diags)
    f.csv("people.csv", ["village", "diagnosis", "sex", "job"], rows)
    f.variables += [{"name": x, "role": "key"} for x in ["village", "diagnosis", "sex", "job"]]
    f.table(("village", "diagnosis"))
    for o in r.sample([("village", "sex"), ("diagnosis", "sex"), ("village", "job"), ("sex", "job")], r.randint(0, 2)):
        f.table(o)
    return "people.csv"


def lone(f):
    """Rows that are there because of one or two people."""
    r = f.r
    regions = [f"r{i + 1}" for i in range(r.randint(3, 7))]
    cats = [f"k{i + 1}" for i in range(r.randint(2, 5))]
    rows = []
    d = Draw(r, [cats, ["F", "M"]])
    for x in regions:
        n = r.choice([1, 1, 2, 3, 8, 15, 25])
        rows += [[x] + d.record() for _ in range(n)]
    f.csv("people.csv", ["region", "cat", "sex"], rows)
    f.variables += [{"name": "region", "role": "key"}, {"name": "cat", "role": "sensitive"}, {"name": "sex", "role": "key"}]
    f.table(("region", "cat"))
    for o in r.sample([("region", "sex"), ("cat", "sex"), ("region",)], r.randint(0, 2)):
        f.table(o)
    return "people.csv"


def coarse(f):
    """Several answers beside coarser plain tables."""
    r = f.r
    vals = [f"f{i + 1}" for i in range(r.randint(3, 5))]
    m = 2
    towns = ["A1", "A2", "B1", "B2", "B3"][: r.randint(3, 5)]
    cols = [f"x{i + 1}" for i in range(m)]
    doms = [vals] + [vals + [""] * r.randint(1, 4) for _ in range(m - 1)] + [towns, ["no", "yes"]]
    if r.random() < 0.3:
        doms[0] = vals + [""]
    d = Draw(r, doms)
    f.csv("people.csv", cols + ["town", "night"], [d.record() for _ in range(r.choice([r.randint(12, 40), r.randint(20, 90)]))])
    half = max(1, len(vals) // 2)
    hier = {"tree": {"G1": vals[:half], "G2": vals[half:]}} if r.random() < 0.6 else None
    th = {"prefix": [1]}
    f.variables += [{"name": "fac", "columns": cols, "role": "sensitive", "hierarchy": hier}, {"name": "town", "role": "key", "hierarchy": th}, {"name": "night", "role": "key"},
                    {"name": "main", "columns": ["x1"], "role": "key", "hierarchy": hier}]
    f.table(r.choice([("fac", "town"), ("fac", "night"), ("fac",), ("fac", "town")]))
    opts = [("main",), ("main", "town"), ("main", "night"), ("fac", "town"), ("town", "night"), ("town",)]
    for o in r.sample(opts, r.randint(1, 2)):
        more = {}
        if "town" in o:
            more["levels"] = {"town": r.choice([[1], [1], [0, 1]])}
        if hier and "main" in o:
            more.setdefault("levels", {})["main"] = r.choice([[1], [1], [0]])
        if hier and "fac" in o:
            more.setdefault("levels", {})["fac"] = r.choice([[1], [0]])
        f.table(o, **more)
    return "people.csv"


def bigring(f):
    """Three two-way tables of some 20 x 10 x 10."""
    r = f.r
    sizes = [r.randint(14, 22), r.randint(9, 12), r.randint(9, 12)]
    doms = [[f"{x}{i + 1:02}" for i in range(k)] for x, k in zip("abc", sizes)]
    d = Draw(r, doms)
    f.csv("people.csv", list("abc"), [d.record() for _ in range(r.randint(400, 1500))])
    f.variables += [{"name": x, "role": "key"} for x in "abc"]
    f.policy.pop("tier", None)
    f.protection.pop("margin", None)
    for e in [("a", "b"), ("b", "c"), ("a", "c")]:
        f.table(e)
    return "people.csv"


def sparsering(f):
    """Rings with many zeros: each value of a goes with few of b and c."""
    r = f.r
    sizes = [r.randint(12, 22), r.randint(8, 12), r.randint(8, 12)]
    A, B, C = [[f"{x}{i + 1:02}" for i in range(k)] for x, k in zip("abc", sizes)]
    few = {a: (r.sample(B, r.randint(2, 5)), r.sample(C, r.randint(2, 5))) for a in A}
    wa = profile(r, len(A))
    rows = []
    for _ in range(r.randint(150, 1200)):
        a = r.choices(A, wa)[0]
        b, c = (r.choice(few[a][0]), r.choice(few[a][1])) if r.random() < 0.93 else (r.choice(B), r.choice(C))
        rows.append([a, b, c])
    f.csv("people.csv", list("abc"), rows)
    f.variables += [{"name": x, "role": "key"} for x in "abc"]
    f.policy.pop("tier", None)
    f.protection.pop("margin", None)
    for e in [("a", "b"), ("b", "c"), ("a", "c")]:
        f.table(e)
    return "people.csv"


def make(kind, seed, folder):
    f = Family(random.Random(f"{kind}-{seed}"))
    data = globals()[kind](f)
    f.write(folder, data)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), sys.argv[3])
