"""One two-way table of small amounts: its ends are whole, so that listing tables of whole numbers finds them."""
import itertools

from attacker import Attack

from .listing import HIDDEN, ROOT, dimension, write_release


def total_of(cells, labels):
    return sum(v for (a, b), v in cells.items() if labels[0] in (a, "Total") and labels[1] in (b, "Total"))


def splits(total, parts):
    """Every way to split a whole number into so many."""
    if parts == 1:
        yield [total]
        return
    for first in range(total + 1):
        for rest in splits(total - first, parts - 1):
            yield [first] + rest


def check_sums(rng, seed):
    """Returns (hidden figures compared, leaks claimed)."""
    folder = f"{ROOT}/sums{seed}"
    A, B = ["a1", "a2"], ["b1", "b2", "b3"][: rng.randint(2, 3)]
    records = [(a, b, rng.choice([1, 1, 2, 3, 6]), f"g{rng.randint(1, 4)}") for a in A for b in B for _ in range(rng.randint(1, 2))]
    toml = '[data]\npath="p.csv"\n[policy.tables]\ncategories=[{name="m"}]\ncases=[{category="m"}]\nmagnitude={p=%d}\n' % rng.choice([10, 50])
    toml += '[[variables]]\nname="a"\n[[variables]]\nname="b"\n[[tables]]\nname="t"\nvariables=["a","b"]\nmeasure="sum"\nof="x"\ncontributor="g"\n'
    dimensions = [dimension("a", A), dimension("b", B)]
    places = [[n["label"] for n in nodes] for nodes in itertools.product(*[d["nodes"] for d in dimensions])]
    cells = [(a, b) for a in A for b in B]
    truth = {k: sum(r[2] for r in records if r[:2] == k) for k in cells}
    figures = [total_of(truth, p) if p == ["Total", "Total"] or rng.random() > 0.5 else HIDDEN for p in places]
    data = "a,b,x,g\n" + "".join(",".join(map(str, r)) + "\n" for r in records)
    write_release(folder, toml, {"p.csv": data}, [dict(name="t", measure="sum", of="x", scale=1, dimensions=dimensions, figures=figures)])
    total = sum(truth.values())
    if total > (32 if len(cells) == 4 else 22):
        return 0, 0
    shown = [(p, f) for p, f in zip(places, figures) if f != HIDDEN]
    tables = [dict(zip(cells, split)) for split in splits(total, len(cells))]
    tables = [t for t in tables if all(total_of(t, p) == f for p, f in shown)]
    attack = Attack([(folder + "/out", folder)], seconds=60).run()
    compared = 0
    firms = sorted({r[3] for r in records})
    own = {g: {k: sum(r[2] for r in records if r[:2] == k and r[3] == g) for k in cells} for g in firms}
    for c, place in zip(attack.joint.cells, places):
        if c.shown is None:
            values = [total_of(t, place) for t in tables]
            got = attack.problems[0].interval(c)
            assert abs(got[0] - min(values)) < 1e-6 and abs(got[1] - max(values)) < 1e-6, (seed, c.name, min(values), max(values), got)
            compared += 1
            if c.far:
                check_rivals(attack, c, place, tables, own, seed)
    return compared, len(attack.found)


def check_rivals(attack, c, place, tables, own, seed):
    """Who comes too near to the largest other contributor is called a rival, and nobody else (P4)."""
    p = c.table.spec.magnitude["p"] / 100
    for g in own:
        values = [total_of(t, place) for t in tables if all(t[k] >= own[g][k] for k in t)]
        others = [amount for f in own if f != g and (amount := total_of(own[f], place))]
        if not others:
            continue
        mine, theirs = total_of(own[g], place), max(others)
        known = max(values) < mine + theirs * (1 + p) - 1e-3 or len(others) == 1 and min(values) > mine + theirs * (1 - p) + 1e-3
        said = any(f["what"] == "rival" and f["attacker"] == g and f["cell"] == c.name for f in attack.found)
        # of cells that are one number only one is attacked
        same = any(x is not c and x.key == c.key for x in attack.joint.cells)
        assert known == said or same, (seed, c.name, g, known, values, theirs, mine)
