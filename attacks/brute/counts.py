"""Counts of a handful of people: rings, conditions, several answers, and several releases of the same people."""
import itertools, json
from dataclasses import dataclass, field

from attacker import Attack

from .listing import HIDDEN, ROOT, NotListed, compare_intervals, dimension, is_in, list_tables, write_release


@dataclass
class Variable:
    """A variable of a spec: the columns it reads, and the groups its nodes are, if it has groups."""

    values: list
    columns: list
    toml: str = ""
    groups: dict | None = None

    def answers(self, record):
        return {record[c] for c in self.columns} - {""}


@dataclass
class Asked:
    """A table to publish. A condition is (column, = or <>, value)."""

    variables: list
    condition: tuple | None = None
    in_pairs: bool = False
    release: int = 1
    toml: str = ""

    def meets(self, record):
        return self.condition is None or (record[self.condition[0]] == self.condition[2]) == (self.condition[1] == "=")


@dataclass
class Tiny:
    """What a kind of tiny family is made of."""

    columns: dict
    variables: dict
    asked: list
    most_people: int = 9
    lists_values: bool = True  # whether every value that a table lists occurs by what the tables themselves say


def ring(rng):
    values = {"a": ["a1", "a2"], "b": ["b1", "b2"], "c": ["c1", "c2", "c3"][: rng.randint(2, 3)]}
    variables = {x: Variable(v, [x]) for x, v in values.items()}
    return Tiny(values, variables, [Asked(["a", "b"]), Asked(["b", "c"]), Asked(["a", "c"])])


def condition(rng):
    tiny = ring(rng)
    tiny.columns["s"] = ["F", "M"]
    tiny.asked = [Asked(["a", "b"]), Asked(["a"], ("c", "=", "c1")), Asked(["b"], ("c", "<>", "c2")), Asked(["a", "b"], ("s", "=", "F"))]
    tiny.lists_values = False
    return tiny


def answers(rng):
    given, places = ["f1", "f2", "f3"], ["b1", "b2"]
    columns = {"x1": given + [""], "x2": given + [""], "b": places}
    variables = {"fac": Variable(given, ["x1", "x2"], 'columns=["x1","x2"]\n'), "b": Variable(places, ["b"]), "main": Variable(given, ["x1"], 'columns=["x1"]\n')}
    asked = [Asked(["fac", "b"]), Asked(["b"])]
    if rng.random() < 0.5:
        asked.append(Asked(["fac"], in_pairs=True))
    if rng.random() < 0.4:
        asked.append(Asked(["fac"], ("x1", "=", "f1")))
    return Tiny(columns, variables, asked, most_people=7)


def earlier(rng):
    """Two or three releases: bands of a number that are cut elsewhere, a condition, or the same table coarser."""
    ages, places = ["10", "11", "12", "13"], ["b1", "b2"]
    columns = {"age": ages, "b": places, "s": ["F", "M"]}
    variables = {"b": Variable(places, ["b"])}
    for edge in [11, 12, 13]:
        groups = {f"under {edge}": [a for a in ages if int(a) < edge], f"{edge} or over": [a for a in ages if int(a) >= edge]}
        variables[f"from{edge}"] = Variable(ages, ["age"], f'columns=["age"]\nhierarchy={{bands=[{edge}]}}\n', groups)
    cuts = rng.sample(["from11", "from12", "from13"], 2)
    later = [Asked([cuts[1], "b"]), Asked([cuts[0], "b"], ("s", "=", "F")), Asked(["b"]), Asked([cuts[1]])]
    asked = [Asked([cuts[0], "b"])] + rng.sample(later, rng.randint(1, 2))
    for k, t in enumerate(asked):
        t.release = k + 1
    return Tiny(columns, variables, asked)


class Family:
    """People drawn for a kind, and their figures, some of them hidden at random."""

    def __init__(self, rng, tiny):
        self.tiny, self.names = tiny, list(tiny.columns)
        people = rng.randint(5, tiny.most_people)
        # every value occurs, so that the domain is known
        while True:
            self.records = [{c: rng.choice(v) for c, v in tiny.columns.items()} for _ in range(people)]
            if all({x for r in self.records for x in v.answers(r)} >= set(v.values) for name, v in tiny.variables.items() if name != "main") \
                    and all(self.occurs(c) for c in self.conditions_only()):
                break
        self.figures, self.published = [], {}
        for k, t in enumerate(tiny.asked):
            self.publish(rng, f"t{k}", t)

    def conditions_only(self):
        read = {c for v in self.tiny.variables.values() for c in v.columns}
        return [c for c in self.names if c not in read]

    def occurs(self, column):
        return {r[column] for r in self.records} == set(self.tiny.columns[column])

    def publish(self, rng, name, t):
        variables = [self.tiny.variables[v] for v in t.variables]
        dimensions = [dimension(v, x.values, len(x.columns) > 1, t.in_pairs and len(x.columns) > 1, x.groups) for v, x in zip(t.variables, variables)]
        hide, figures = rng.uniform(0.2, 0.8), []
        for number, nodes in enumerate(itertools.product(*[d["nodes"] for d in dimensions])):
            def counts(record, nodes=nodes):
                return t.meets(record) and all(is_in(n, v.answers(record), v.groups) for n, v in zip(nodes, variables))
            grand_total = all(n.get("total") for n in nodes)
            figure = sum(map(counts, self.records)) if grand_total or rng.random() > hide else HIDDEN
            figures.append(figure)
            self.figures.append(((t.release, name, number), counts, figure))
        self.published.setdefault(t.release, []).append((t, dict(name=name, measure="count", scale=1, dimensions=dimensions, figures=figures)))

    def write(self, folder):
        """Writes every release. Returns (bundle, spec) for each."""
        data = ",".join(self.names) + "\n" + "".join(",".join(r[c] for c in self.names) + "\n" for r in self.records)
        releases = []
        for release, published in sorted(self.published.items()):
            toml = '[data]\npath="p.csv"\n' + "".join(f'[[variables]]\nname="{name}"\n{v.toml}' for name, v in self.tiny.variables.items())
            for t, table in published:
                toml += f'[[tables]]\nname="{table["name"]}"\nvariables={json.dumps(t.variables)}\n{t.toml}'
                if t.condition:
                    toml += 'where="{} {} \'{}\'"\n'.format(*t.condition)
                if t.in_pairs:
                    toml += 'pairs="fac"\n'
            here = folder if len(self.published) == 1 else f"{folder}-{release}"
            write_release(here, toml, {"p.csv": data}, [table for _, table in published])
            releases.append((here + "/out", here))
        return releases

    def kind_of(self, record):
        return frozenset(key for key, counts, _ in self.figures if counts(record))

    def possible_records(self):
        return [dict(zip(self.names, values)) for values in itertools.product(*self.tiny.columns.values())]


class Listing:
    """Every table that fits what a family shows."""

    def __init__(self, family):
        self.family = family
        shown = {key: figure for key, _, figure in family.figures if figure != HIDDEN}
        self.kinds, self.tables = list_tables([family.kind_of(r) for r in family.possible_records()], shown)
        self.number = {kind: i for i, kind in enumerate(self.kinds)}
        self.inside = {key: {i for i, kind in enumerate(self.kinds) if key in kind} for key, _, _ in family.figures}

    def value(self, table, key):
        return sum(table[i] for i in self.inside[key])

    def intervals(self):
        out = {}
        for key, _, figure in self.family.figures:
            if figure == HIDDEN:
                values = [self.value(t, key) for t in self.tables]
                out[key] = (min(values), max(values))
        return out

    def with_listed_values(self):
        """The tables in which every value that a table lists occurs (K9)."""
        family = self.family
        listed = []
        for name in {v for t in family.tiny.asked for v in t.variables}:
            variable = family.tiny.variables[name]
            for node in variable.groups or variable.values:
                has = [r for r in family.possible_records() if is_in({"label": node}, variable.answers(r), variable.groups)]
                listed.append({self.number[family.kind_of(r)] for r in has})
        return [t for t in self.tables if all(sum(t[i] for i in kinds) for kinds in listed)]

    def own_kinds(self):
        kinds = [self.family.kind_of(r) for r in self.family.records]
        return {self.number[k] for k in kinds if k}


def check_groups_and_differences(what, attack, listing):
    """What is called a group or a difference has one value in every table that fits."""
    cells = {c.name: (c.table.release, c.table.name, c.number) for c in attack.joint.cells}
    for f in attack.found:
        if f["what"] in ("group", "difference", "difference-hidden"):
            outer, inner = (f["of"], f["cell"]) if "of" in f else (f["cell"], f["less"])
            values = {listing.value(t, cells[outer]) - listing.value(t, cells[inner]) for t in listing.tables}
            assert len(values) == 1, (what, f)


def check_knowing_more(what, attack, listing):
    """Counts that are exact to who knows that listed values occur, or to who is counted: called so, and nothing else."""
    said = {(f["what"], f["cell"]) for f in attack.found}
    listed, own, seen = listing.with_listed_values(), listing.own_kinds(), set()
    for c in attack.joint.cells:
        if c.shown is not None or not 1 <= c.true <= 2 or c.key in seen:
            continue
        seen.add(c.key)
        if {("exact", c.name), ("tight", c.name)} & said:
            continue
        key = (c.table.release, c.table.name, c.number)
        if listing.family.tiny.lists_values:
            known = len({listing.value(t, key) for t in listed}) == 1
            assert known == (("exact-exist", c.name) in said), (what, "listed values", c.name, known)
        others = [k for k in own if not (k in listing.inside[key] and c.true == 1)]
        known = any(len({listing.value(t, key) for t in listing.tables if t[k] >= 1}) == 1 for k in others)
        assert known == (("exact-self", c.name) in said), (what, "own record", c.name, known)


def check_counts(kind, rng, seed):
    """Returns (hidden figures compared, leaks claimed)."""
    what = f"{kind.__name__} {seed}"
    family = Family(rng, kind(rng))
    releases = family.write(f"{ROOT}/{kind.__name__}{seed}")
    try:
        listing = Listing(family)
    except NotListed:
        return 0, 0
    attack = Attack(releases, seconds=60).run()
    compared = compare_intervals(attack, what, listing.intervals())
    check_groups_and_differences(what, attack, listing)
    check_knowing_more(what, attack, listing)
    return compared, len(attack.found)
