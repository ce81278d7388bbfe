"""Tables in a ring: every pair of variables is shown, all together never (M3)."""
from .family import Draw, profile


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


def three_tables(f, rows):
    f.csv("people.csv", list("abc"), rows)
    f.variables += [{"name": x, "role": "key"} for x in "abc"]
    f.policy.pop("tier", None)
    f.protection.pop("margin", None)
    for pair in [("a", "b"), ("b", "c"), ("a", "c")]:
        f.table(pair)
    return "people.csv"


def bigring(f):
    """Three two-way tables of some 20 x 10 x 10."""
    r = f.r
    sizes = [r.randint(14, 22), r.randint(9, 12), r.randint(9, 12)]
    doms = [[f"{x}{i + 1:02}" for i in range(k)] for x, k in zip("abc", sizes)]
    d = Draw(r, doms)
    return three_tables(f, [d.record() for _ in range(r.randint(400, 1500))])


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
    return three_tables(f, rows)
