"""Counts of people: hierarchies, conditions, weights, given counts, columns that follow from each other, rows of one person."""
from .family import Draw


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
