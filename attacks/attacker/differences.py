"""Differencing (P3): what a cell of one table has beside a cell of another table inside it."""
from collections import defaultdict

import numpy as np


def nested_pairs(cells):
    """Pairs of cells of one unit, one strictly inside the other by the values that define them, that no one table has both of."""
    one_of, tables = {}, defaultdict(set)
    for c in cells:
        first = one_of.setdefault(c.key, c)
        if c.shown is not None and first.shown is None:
            one_of[c.key] = c
        tables[c.key].add(id(c.table))
    distinct = list(one_of.values())
    if not distinct:
        return
    atoms = np.array([c.atoms for c in distinct], bool)
    size = atoms.sum(axis=1)
    common = atoms.astype(np.float32) @ atoms.astype(np.float32).T
    for a, outer in enumerate(distinct):
        for b in np.flatnonzero((common[a] == size) & (size < size[a]) & (size > 0)):
            inner = distinct[b]
            # that no record is outside may follow from figures; P3 is of cells that lie in others by what they stand for
            if (inner.mask & ~outer.mask).any():
                continue
            # where the inner cell is empty, the difference is the outer cell itself
            if outer.table.unit == inner.table.unit and not tables[outer.key] & tables[inner.key] and inner.true >= 1:
                yield outer, inner


def attack_differences(problem, findings, unsafe, limit):
    """Tells differences of 1 to the limit that follow. Returns those that are safe, as (outer, inner, expression, value)."""
    system, safe = problem.system, []
    pairs = [(outer, inner) for outer, inner in nested_pairs(problem.cells) if 1 <= outer.true - inner.true <= limit]
    findings.stats["differences"] = len(pairs)
    seen = {c.key for c in unsafe}
    for outer, inner in pairs:
        rest, value = outer.atoms - inner.atoms, outer.true - inner.true
        if rest.tobytes() in seen:
            continue
        seen.add(rest.tobytes())
        if system.is_known(rest, value):
            both = outer.shown is not None and inner.shown is not None
            findings.say("difference" if both else "difference-hidden", outer, less=inner.name, true=value)
        else:
            safe.append((outer, inner, rest, value))
    return safe
