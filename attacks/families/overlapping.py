"""Conditions that overlap in several columns, with missing values, ranges, columns that no table shows and two hierarchies of one column (K3, M2)."""
from attacker.conditions import evaluate, holds, parse_condition

from .family import Draw


def drawn(r):
    """Columns with their values, and records. A missing value is empty."""
    domains = {x: [f"{x}{i}" for i in range(r.randint(2, 4))] for x in "abc"}
    domains["age"] = list(range(10, 10 + r.choice([6, 12, 30])))
    domains["sex"] = ["F", "M"]
    d = Draw(r, list(domains.values()))
    share = r.choice([0, 0, 0.1, 0.3])
    missing = {x for x in domains if r.random() < 0.4}
    rows = [["" if x in missing and r.random() < share else v for x, v in zip(domains, d.record())]
            for _ in range(r.choice([r.randint(3, 12), r.randint(10, 50), r.randint(40, 200)]))]
    return domains, rows


def compared(r, domains, ages):
    """A comparison of one column, often with a value that no record has."""
    x = r.choices(["a", "b", "c", "sex", "age"], [2, 3, 2, 2, 3])[0]
    if x == "age":
        t = r.choice([ages[0] - 1, ages[0] + 1, r.choice(ages), ages[-1], ages[-1] + 1])
        return r.choice([f"age < {t}", f"age >= {t}", f"age >= {t}", f"age BETWEEN {t - 3} AND {t + 1}", f"age = {t}", "age IS NOT NULL"])
    v = r.choice(domains[x])
    some = "(" + ", ".join(f"'{y}'" for y in r.sample(domains[x], max(1, len(domains[x]) - 1))) + ")"
    return r.choice([f"{x} = '{v}'", f"{x} = '{v}'", f"{x} <> '{v}'", f"{x} IN {some}", f"{x} NOT IN {some}", f"{x} IS NULL", f"{x} IS NOT NULL"])


def combined(r, domains, ages):
    parts = [compared(r, domains, ages) for _ in range(r.choices([1, 2, 3], [3, 5, 2])[0])]
    parts = [f"NOT ({p})" if r.random() < 0.12 else p for p in parts]
    text = parts[0]
    for p in parts[1:]:
        text = f"({text}) {r.choice(['AND', 'OR', 'OR'])} ({p})"
    return text


def met_by_some(r, domains, rows):
    """A condition that some record meets."""
    while True:
        text = combined(r, domains, domains["age"])
        tree = parse_condition(text)
        for row in rows:
            record = dict(zip(domains, (v if v != "" else None for v in row)))
            if evaluate(tree, lambda leaf: holds(leaf, record[leaf[1]])):
                return text


def overlapping(f):
    r = f.r
    domains, rows = drawn(r)
    f.csv("people.csv", list(domains), rows)
    half = r.sample(domains["a"], len(domains["a"]))
    cut = r.randint(1, len(half) - 1)
    groups = {"P": half[:cut], "Q": half[cut:]}
    edges = sorted(r.sample(domains["age"][1:], r.randint(1, 2)))
    moved = sorted({min(e + r.choice([0, 1, 2]), domains["age"][-1]) for e in edges})
    f.variables += [{"name": "a", "role": "key", "hierarchy": {"tree": {"A1": domains["a"][:1], "A2": domains["a"][1:]}} if r.random() < 0.4 else None},
                    {"name": "a2", "columns": ["a"], "role": "key", "hierarchy": {"tree": groups}},
                    {"name": "b", "role": "key"}, {"name": "c", "role": "key"}, {"name": "sex", "role": "key"},
                    {"name": "age", "role": "key", "type": "integer", "hierarchy": {"bands": edges}},
                    {"name": "age2", "columns": ["age"], "role": "key", "type": "integer", "hierarchy": {"bands": moved}}]
    conditions = [met_by_some(r, domains, rows) for _ in range(r.randint(1, 3))]
    pairs = [("a", "b"), ("b", "c"), ("a2", "c"), ("age", "b"), ("age2", "b"), ("b",), ("a",), ("a2",), ("age",), ("sex", "b"), ("c",)]
    main = r.choice(pairs)

    def show(variables, **more):
        levels = {x: [1] if x != "a" or r.random() < 0.5 else [0] for x in variables if x in ("a2", "age", "age2")}
        f.table(variables, **({"levels": levels} if levels else {}), **more)

    if r.random() < 0.7:
        show(main)
    for c in conditions:
        show(main if r.random() < 0.65 else r.choice(pairs), where=c)
    if r.random() < 0.3:
        show(r.choice(pairs))
    return "people.csv"
