"""Variables with several answers (K5), and linked files (K6)."""
from .family import Draw


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
