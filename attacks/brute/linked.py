"""Three or four records of `[data]` with one or two linked records each (K6, M7)."""
import itertools, json

from attacker import Attack

from .listing import HIDDEN, ROOT, compare_intervals, dimension, write_release

VALUES = {"road": ["A", "B"], "sex": ["F", "M"]}


def count(family, variables, unit, labels):
    """How many of a unit are in a cell. A family is a list of (road, sexes of the linked records)."""
    n = 0
    for road, sexes in family:
        for sex in sexes if unit else [None]:
            have = {"road": {road}, "sex": {sex} if unit else set(sexes)}
            n += all(label == "Total" or label in have[v] for v, label in zip(variables, labels))
    return n


def draw(rng):
    n = rng.randint(3, 4)
    while True:
        roads = [rng.choice(VALUES["road"]) for _ in range(n)]
        sexes = [[rng.choice(VALUES["sex"]) for _ in range(rng.randint(1, 2))] for _ in range(n)]
        if set(roads) == set(VALUES["road"]) and {s for x in sexes for s in x} == set(VALUES["sex"]):
            return list(zip(roads, sexes))


def families_like(family):
    """Every family with as many records of both files, in which each record of `[data]` has a linked one."""
    total = sum(len(sexes) for _, sexes in family)
    kinds = [(road, sexes) for road in VALUES["road"] for m in range(1, total + 1) for sexes in itertools.combinations_with_replacement(VALUES["sex"], m)]
    for other in itertools.combinations_with_replacement(kinds, len(family)):
        if sum(len(sexes) for _, sexes in other) == total:
            yield other


def check_linked(rng, seed):
    """Returns (hidden figures compared, leaks claimed)."""
    folder = f"{ROOT}/linked{seed}"
    family = draw(rng)
    toml = '[data]\npath="p.csv"\n[[linked]]\nname="kids"\ndata={path="k.csv"}\non=["id"]\n[[variables]]\nname="road"\n[[variables]]\nname="sex"\nfrom=["kids"]\n'
    layout = [(["road"], ""), (["road", "sex"], "kids")]
    if rng.random() < 0.6:
        layout.append((["road", "sex"], ""))
    tables, cells = [], []
    for k, (variables, unit) in enumerate(layout):
        toml += f'[[tables]]\nname="t{k}"\nvariables={json.dumps(variables)}\n' + (f'unit="{unit}"\n' if unit else "")
        dimensions = [dimension(v, VALUES[v], several=v == "sex" and not unit) for v in variables]
        figures = []
        for i, nodes in enumerate(itertools.product(*[d["nodes"] for d in dimensions])):
            labels = [n["label"] for n in nodes]
            show = all(x == "Total" for x in labels) or rng.random() > 0.6
            figures.append(count(family, variables, unit, labels) if show else HIDDEN)
            cells.append(((1, f"t{k}", i), (variables, unit, labels), figures[-1]))
        tables.append(dict(name=f"t{k}", measure="count", scale=1, dimensions=dimensions, figures=figures))
    write_release(folder, toml, {"p.csv": "id,road\n" + "".join(f"{i},{road}\n" for i, (road, _) in enumerate(family)),
                                 "k.csv": "id,sex\n" + "".join(f"{i},{s}\n" for i, (_, sexes) in enumerate(family) for s in sexes)}, tables)
    values = {key: set() for key, _, figure in cells if figure == HIDDEN}
    for other in families_like(family):
        if all(figure == HIDDEN or count(other, *cell) == figure for _, cell, figure in cells):
            for key, cell, figure in cells:
                if figure == HIDDEN:
                    values[key].add(count(other, *cell))
    attack = Attack([(folder + "/out", folder)], seconds=60).run()
    return compare_intervals(attack, f"linked {seed}", {key: (min(v), max(v)) for key, v in values.items()}), len(attack.found)
