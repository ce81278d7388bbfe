#!/usr/bin/env python3
"""Holds the attacker against listing every table of whole numbers, on tiny families with figures hidden at random.
The lists below are made from the raw values and conditions by code of their own."""
import tempfile, itertools, json, os, random, shutil, sys
import numpy as np
import attack

ROOT = os.path.join(tempfile.gettempdir(), "outward-attacks-brute")


def dim(var, values, several=False, groups=None, pairs=False):
    nodes = []
    if pairs:
        nodes = [dict(label=f"{a} and {b}", level=0, finest=True) for a, b in itertools.combinations(values, 2)]
        return dict(variable=var + " in pairs", label=var, kind="fact", several=True, nodes=nodes)
    for g, vs in (groups or {}).items():
        nodes.append(dict(label=g, level=1))
    nodes += [dict(label=v, level=0, finest=True) for v in values]
    nodes.append(dict(label="Total", level=2, total=True))
    d = dict(variable=var, label=var, kind="fact", nodes=nodes)
    if several:
        d["several"] = True
    else:
        at = {n["label"]: k for k, n in enumerate(nodes)}
        d["sums"] = [[at["Total"], [at[v] for v in values]]]
    return d


def inside(node, dimension, answers, groups):
    """Whether who has these answers is in a node: by hand."""
    label = node["label"]
    if node.get("total"):
        return bool(answers)
    if " and " in label:
        return set(label.split(" and ")) <= answers
    if groups and label in groups:
        return bool(answers & set(groups[label]))
    return label in answers


def write(folder, toml, files, tables):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/out/public")
    open(folder + "/outward.toml", "w").write(toml)
    for n, t in files.items():
        open(folder + "/" + n, "w").write(t)
    json.dump({"tables": tables}, open(folder + "/out/public/tables.json", "w"))


def enumerate_counts(kinds, shown):
    """All vectors of counts of kinds (each a frozenset of figures) that fit shown: figure -> value."""
    merged = sorted(set(kinds), key=lambda k: (len(k), sorted(k)))
    merged = [k for k in merged if k]
    left = dict(shown)
    last = {f: max((i for i, k in enumerate(merged) if f in k), default=-1) for f in shown}
    out = []
    counts = [0] * len(merged)

    def go(i):
        if len(out) > 200000:
            raise OverflowError
        if i == len(merged):
            out.append(list(counts))
            return
        mine = [f for f in merged[i] if f in left]
        if not mine:
            raise ValueError("unbounded")
        room = min(left[f] for f in mine)
        for c in range(room + 1):
            for f in mine:
                left[f] -= c
            if all(left[f] == 0 for f in mine if last[f] == i):
                counts[i] = c
                go(i + 1)
            for f in mine:
                left[f] += c
        counts[i] = 0
    if any(v and last[f] < 0 for f, v in shown.items()):
        raise ValueError
    go(0)
    return merged, out


def compare(folder, what, intervals):
    a = attack.Attack(folder + "/out", folder, seconds=60)
    cells = a.j.cells
    a.run()
    n = 0
    claims = {}
    for f in a.found:
        claims.setdefault(f["cell"], set()).add(f["what"])
    for c in cells:
        if c["shown"] is not None:
            continue
        lo, hi = intervals[c["t"], c["i"]]
        got = a.s.ends(c["v"])
        assert hi - lo > 3 or (got[0], got[1]) == (lo, hi), (what, c["name"], "listed", (lo, hi), "attacker", got)
        assert got[0] <= lo and got[1] >= hi, (what, c["name"], (lo, hi), got)
        # what is called exact or tight is, and nothing else
        z, m = c["true"], a.spec.margin
        lim = a.spec.limits[0 if c["inner"] else 1]
        if 1 <= z <= lim and a.j.linkmask is None:
            bad = hi < z + m or lo > max(0, z - m)
            word = "exact" if lo == hi else "tight"
            same = [x["name"] for x in cells if x["v"].tobytes() == c["v"].tobytes()]
            said = any(word in claims.get(s, ()) for s in same)
            assert bad == said, (what, c["name"], (lo, hi), z, claims)
        n += 1
    # groups and differences, by listing
    return n, a


def plain(rng, seed, kind):
    folder = f"{ROOT}/{kind}{seed}"
    A, B, C = ["a1", "a2"], ["b1", "b2"], ["c1", "c2", "c3"][: rng.randint(2, 3)]
    groups = None
    if kind == "answers":
        F = ["f1", "f2", "f3"]
        cols = {"x1": F + [""], "x2": F + [""], "b": B}
        tomlvars = '[[variables]]\nname="fac"\ncolumns=["x1","x2"]\n[[variables]]\nname="b"\n[[variables]]\nname="main"\ncolumns=["x1"]\n'
        layout = [(["fac", "b"], None, False), (["b"], None, False)]
        if rng.random() < 0.5:
            layout.append((["fac"], None, True))
        if rng.random() < 0.4:
            layout.append((["fac"], ("x1", "=", "f1"), False))
        dims = {"fac": lambda p: dim("fac", F, True, pairs=p), "b": lambda p: dim("b", B)}
        answers = {"fac": lambda r: {r["x1"], r["x2"]} - {""}, "b": lambda r: {r["b"]}}
        seenvals = True
    else:
        cols = {"a": A, "b": B, "c": C}
        tomlvars = "".join(f'[[variables]]\nname="{x}"\n' for x in "abc")
        layout = [(["a", "b"], None, False), (["b", "c"], None, False), (["a", "c"], None, False)]
        if kind == "condition":
            layout = [(["a", "b"], None, False), (["a"], ("c", "=", "c1"), False), (["b"], ("c", "<>", "c2"), False), (["a", "b"], ("s", "=", "F"), False)]
            cols["s"] = ["F", "M"]
        dims = {"a": lambda p: dim("a", A), "b": lambda p: dim("b", B), "c": lambda p: dim("c", C)}
        answers = {x: (lambda x: lambda r: {r[x]})(x) for x in "abc"}
    n = rng.randint(5, 9 if kind != "answers" else 7)
    names = list(cols)
    # every value occurs, so that the domain is known
    while True:
        rows = [{c: rng.choice(v) for c, v in cols.items()} for _ in range(n)]
        if all({r[c] for r in rows} >= set(v) - {""} for c, v in cols.items()) or kind == "answers" and all(any(f in (r["x1"], r["x2"]) for r in rows) for f in F) and {r["b"] for r in rows} == set(B):
            break
    toml = '[data]\npath="p.csv"\n' + tomlvars
    tables, figs = [], []
    alltrue = lambda r, c: True if c is None else (r[c[0]] == c[2]) == (c[1] == "=")
    for k, (vs, cond, pairs) in enumerate(layout):
        ds = [dims[v](pairs and v == "fac") for v in vs]
        toml += f'[[tables]]\nname="t{k}"\nvariables={json.dumps(vs)}\n'
        if cond:
            toml += f'where="{cond[0]} {cond[1]} \'{cond[2]}\'"\n'
        if pairs:
            toml += 'pairs="fac"\n'
        combos = list(itertools.product(*[d["nodes"] for d in ds]))
        is_in = lambda r, combo, cond=cond, vs=vs: alltrue(r, cond) and all(inside(nd, None, answers[v](r), groups) for nd, v in zip(combo, vs))
        vals = [sum(is_in(r, combo) for r in rows) for combo in combos]
        hide = rng.uniform(0.2, 0.8)
        fig = [v if all(nd.get("total") for nd in combo) or rng.random() > hide else "[c]" for v, combo in zip(vals, combos)]
        tables.append(dict(name=f"t{k}", measure="count", scale=1, dimensions=ds, figures=fig))
        figs += [((k, i), is_in, combo, f) for i, (combo, f) in enumerate(zip(combos, fig))]
    csvtext = ",".join(names) + "\n" + "".join(",".join(r[c] for c in names) + "\n" for r in rows)
    write(folder, toml, {"p.csv": csvtext}, tables)
    kinds = []
    for tup in itertools.product(*cols.values()):
        r = dict(zip(names, tup))
        kinds.append(frozenset(key for key, is_in, combo, _ in figs if is_in(r, combo)))
    shown = {key: f for key, _, _, f in figs if f != "[c]"}
    try:
        merged, sols = enumerate_counts(kinds, shown)
    except (OverflowError, ValueError):
        return 0, 0
    intervals = {}
    for key, _, _, f in figs:
        if f == "[c]":
            at = [i for i, k in enumerate(merged) if key in k]
            v = [sum(s[i] for i in at) for s in sols]
            intervals[key] = (min(v), max(v))
    # bounds of listed combinations can be used for groups and differences too
    n, a = compare(folder, f"{kind} {seed}", intervals)
    sets = {key: {i for i, k in enumerate(merged) if key in k} for key, *_ in figs}
    value = lambda s, key: sum(s[i] for i in sets[key])
    for f in a.found:
        if f["what"] in ("group", "difference", "difference-hidden"):
            k1 = next((c["t"], c["i"]) for c in a.j.cells if c["name"] == (f["of"] if "of" in f else f["cell"]))
            k2 = next((c["t"], c["i"]) for c in a.j.cells if c["name"] == (f["cell"] if "of" in f else f["less"]))
            assert len({value(s, k1) - value(s, k2) for s in sols}) == 1, (kind, seed, f)
    # who knows that every listed value occurs, and who is counted: both ways
    rowof = {}
    for tup in itertools.product(*cols.values()):
        r = dict(zip(names, tup))
        rowof[frozenset(key for key, is_in, combo, _ in figs if is_in(r, combo))] = 1
    at = {k: i for i, k in enumerate(merged)}
    mine = {at[k] for r in rows if (k := frozenset(key for key, is_in, combo, _ in figs if is_in(r, combo)))}
    listed = []
    for v in {v for vs, _, _ in layout for v in vs}:
        for x in {x for r in rows for x in answers[v](r)}:
            ks = {at[frozenset(key for key, is_in, combo, _ in figs if is_in(r, combo))] for tup in itertools.product(*cols.values())
                  if x in answers[v](r := dict(zip(names, tup)))}
            if kind != "condition":
                listed.append(ks)
    sols_e = [s for s in sols if all(sum(s[i] for i in ks) for ks in listed)]
    bad = {f["cell"] for f in a.found if f["what"] in ("exact", "tight")}
    seen = set()
    for c in a.j.cells:
        z = c["true"]
        if c["shown"] is not None or not 1 <= z <= 2 or c["v"].tobytes() in seen:
            continue
        seen.add(c["v"].tobytes())
        if c["name"] in bad:
            continue
        key = (c["t"], c["i"])
        if kind != "condition":
            want = len({value(s, key) for s in sols_e}) == 1
            said = any(f["what"] == "exact-exist" and f["cell"] == c["name"] for f in a.found)
            assert want == said, (kind, seed, "exist", c["name"], want)
        want = any(len({value(s, key) for s in sols if s[m] >= 1}) == 1 for m in mine if not (m in sets[key] and z == 1))
        said = any(f["what"] == "exact-self" and f["cell"] == c["name"] for f in a.found)
        assert want == said, (kind, seed, "self", c["name"], want)
    return n, len(a.found)


def sums(rng, seed):
    """One two-way table of small amounts: ends are whole, so that listing whole tables finds them."""
    folder = f"{ROOT}/sums{seed}"
    A, B = ["a1", "a2"], ["b1", "b2", "b3"][: rng.randint(2, 3)]
    rows = [(a, b, rng.choice([1, 1, 2, 3, 6]), f"g{rng.randint(1, 4)}") for a in A for b in B for _ in range(rng.randint(1, 2))]
    toml = '[data]\npath="p.csv"\n[policy.tables]\ncategories=[{name="m"}]\ncases=[{category="m"}]\nmagnitude={p=%d}\n' % rng.choice([10, 50])
    toml += '[[variables]]\nname="a"\n[[variables]]\nname="b"\n[[tables]]\nname="t"\nvariables=["a","b"]\nmeasure="sum"\nof="x"\ncontributor="g"\n'
    ds = [dim("a", A), dim("b", B)]
    combos = [[n["label"] for n in c] for c in itertools.product(*[d["nodes"] for d in ds])]
    of = lambda cells, c: sum(v for (a, b), v in cells.items() if c[0] in (a, "Total") and c[1] in (b, "Total"))
    truth = {(a, b): sum(r[2] for r in rows if r[:2] == (a, b)) for a in A for b in B}
    fig = [of(truth, c) if c == ["Total", "Total"] or rng.random() > 0.5 else "[c]" for c in combos]
    write(folder, toml, {"p.csv": "a,b,x,g\n" + "".join(",".join(map(str, r)) + "\n" for r in rows)}, [dict(name="t", measure="sum", of="x", scale=1, dimensions=ds, figures=fig)])
    total = sum(truth.values())
    keys = list(truth)
    sols = []

    def go(k, left, cur):
        if k == len(keys) - 1:
            cells = dict(zip(keys, cur + [left]))
            if all(f == "[c]" or of(cells, c) == f for c, f in zip(combos, fig)):
                sols.append(cells)
            return
        for v in range(left + 1):
            go(k + 1, left - v, cur + [v])
    if total > (32 if len(keys) == 4 else 22):
        return 0, 0
    go(0, total, [])
    a = attack.Attack(folder + "/out", folder, seconds=60)
    a.run()
    p = a.spec.mag["p"] / 100
    n = 0
    firms = sorted({r[3] for r in rows})
    own = {g: {k: sum(r[2] for r in rows if r[:2] == k and r[3] == g) for k in keys} for g in firms}
    for c, combo in zip(a.j.cells, combos):
        if c["shown"] is not None:
            continue
        v = [of(s, combo) for s in sols]
        got = a.s.ends(c["v"])
        assert abs(got[0] - min(v)) < 1e-6 and abs(got[1] - max(v)) < 1e-6, (seed, c["name"], min(v), max(v), got)
        n += 1
        if not c["far"]:
            continue
        for g in firms:
            fit = [of(s, combo) for s in sols if all(s[k] >= own[g][k] for k in keys)]
            rest = {f: of(own[f], combo) for f in firms if f != g and of(own[f], combo)}
            if not rest:
                continue
            xf, og = max(rest.values()), of(own[g], combo)
            want = max(fit) < og + xf * (1 + p) - 1e-3 or len(rest) == 1 and min(fit) > og + xf * (1 - p) + 1e-3
            said = any(f["what"] == "rival" and f["attacker"] == g and f["cell"] == c["name"] for f in a.found)
            dup = any(x is not c and x["v"].tobytes() == c["v"].tobytes() for x in a.j.cells)
            assert want == said or dup, (seed, c["name"], g, want, fit, xf, og)
    return n, len(a.found)


def linked(rng, seed):
    folder = f"{ROOT}/linked{seed}"
    P, L = ["A", "B"], ["F", "M"]
    npar = rng.randint(3, 4)
    while True:
        par = [rng.choice(P) for _ in range(npar)]
        kids = [[rng.choice(L) for _ in range(rng.randint(1, 2))] for _ in range(npar)]
        if set(par) == set(P) and {k for x in kids for k in x} == set(L):
            break
    total = sum(map(len, kids))
    toml = '[data]\npath="p.csv"\n[[linked]]\nname="kids"\ndata={path="k.csv"}\non=["id"]\n[[variables]]\nname="road"\n[[variables]]\nname="sex"\nfrom=["kids"]\n'
    layout = [(["road"], ""), (["road", "sex"], "kids")]
    if rng.random() < 0.6:
        layout.append((["road", "sex"], ""))
    fam = [(p, k) for p, k in zip(par, kids)]

    def count(family, vs, unit, labels):
        n = 0
        for p, ks in family:
            for k in (ks if unit else [None]):
                have = {"road": {p}, "sex": {k} if unit else set(ks)}
                n += all(l == "Total" and have[v] or l in have[v] for v, l in zip(vs, labels)) and True
        return n
    tables, keys = [], []
    for k, (vs, unit) in enumerate(layout):
        toml += f'[[tables]]\nname="t{k}"\nvariables={json.dumps(vs)}\n' + (f'unit="{unit}"\n' if unit else "")
        ds = [dim(v, {"road": P, "sex": L}[v], several=v == "sex" and not unit) for v in vs]
        combos = [[n["label"] for n in c] for c in itertools.product(*[d["nodes"] for d in ds])]
        fig = []
        for i, c in enumerate(combos):
            v = int(count(fam, vs, unit, c))
            f = v if all(x == "Total" for x in c) or rng.random() > 0.6 else "[c]"
            fig.append(f)
            keys.append(((k, i), vs, unit, c, f))
        tables.append(dict(name=f"t{k}", measure="count", scale=1, dimensions=ds, figures=fig))
    write(folder, toml, {"p.csv": "id,road\n" + "".join(f"{i},{p}\n" for i, p in enumerate(par)),
                         "k.csv": "id,sex\n" + "".join(f"{i},{k}\n" for i, ks in enumerate(kids) for k in ks)}, tables)
    types = [(p, ks) for p in P for m in range(1, total + 1) for ks in itertools.combinations_with_replacement(L, m)]
    intervals = {}
    fits = 0
    for family in itertools.combinations_with_replacement(types, npar):
        if sum(len(k) for _, k in family) != total:
            continue
        if all(f == "[c]" or count(family, vs, unit, c) == f for _, vs, unit, c, f in keys):
            fits += 1
            for key, vs, unit, c, f in keys:
                if f == "[c]":
                    v = int(count(family, vs, unit, c))
                    lo, hi = intervals.get(key, (v, v))
                    intervals[key] = (min(lo, v), max(hi, v))
    n, a = compare(folder, f"linked {seed}", intervals)
    return n, len(a.found)


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for kind in ["sums", "ring", "condition", "answers", "linked"]:
        cells = found = families = 0
        for seed in range(many):
            rng = random.Random(f"{kind} {seed}")
            n, f = sums(rng, seed) if kind == "sums" else linked(rng, seed) if kind == "linked" else plain(rng, seed, kind)
            cells, found, families = cells + n, found + f, families + (n > 0)
        print(f"{kind}: {families} families listed in full, {cells} hidden figures the same, {found} leaks claimed, all confirmed", flush=True)
