"""Parts of variables (M1): values that no table and no condition tells apart are one part.

An axis is a set of columns that some variable reads together, such as the two answers of a person. Its parts are the combinations of answers
that the tables can tell apart."""
import itertools, math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from .conditions import holds, literals

MOST_COMBINATIONS = 200_000


class TooLarge(Exception):
    """The joint table has more atoms than the attacker takes on."""


@dataclass
class Part:
    values: tuple
    nodes: dict  # by dimension: which nodes the part is in
    meets: dict  # by column and comparison: whether the part meets it


@dataclass
class Axis:
    file: str
    columns: list
    parts: list
    index: dict  # combination of values -> number of the part
    value_of: dict  # by column: value -> the value that stands for it
    at: np.ndarray = field(default=None)  # the part of each atom, once there are atoms

    def part_of(self, record):
        return self.index[tuple(self.value_of[c][record[c[1]]] for c in self.columns)]

    def node_mask(self, dimension, node):
        return np.array([p.nodes[id(dimension)][node] for p in self.parts], bool)

    def condition_mask(self, column, leaf):
        return np.array([p.meets[column, leaf] for p in self.parts], bool)


def make_axes(tables, records):
    """The axes of a family of tables, in the order in which tables first use them."""
    parent, dimensions, comparisons = {}, defaultdict(list), defaultdict(list)

    def root(c):
        while parent[c] != c:
            c = parent[c]
        return c
    for t in tables:
        for d in t.dimensions:
            for c in d.columns:
                parent.setdefault(c, c)
                dimensions[c].append(d)
            for c in d.columns[1:]:
                parent[root(c)] = root(d.columns[0])
        for c, leaf in t.comparisons():
            parent.setdefault(c, c)
            if leaf not in comparisons[c]:
                comparisons[c].append(leaf)
    value_of = {c: parts_of_column(c, dimensions[c], comparisons[c], records) for c in parent}
    together = defaultdict(list)
    for c in parent:
        together[root(c)].append(c)
    return [make_axis(sorted(columns), dimensions, comparisons, value_of) for columns in together.values()]


def domain(column, dimensions, comparisons, records):
    """Every value that a record could have as far as the attacker knows; what a table would list and does not, nobody has (K1, K4)."""
    file, name = column
    several = any(len(d.columns) > 1 for d in dimensions)
    near = [c for d in dimensions for _, c in d.columns] if several else [name]
    seen = {r[n] for r in records[file] for n in near}
    values = {v for v in seen if v is not None}
    constants = [x for leaf in comparisons for x in literals(leaf)]
    numeric = any(isinstance(x, float) for x in constants)
    hierarchies = [h for d in dimensions for h in d.hierarchies]
    if numeric or any("widths" in h or "width" in h or "bands" in h for h in hierarchies):
        numbers = [int(float(v)) for v in values] + [int(x) for x in constants]
        values |= {str(i) for i in range(min(numbers) - 40, max(numbers) + 41)}
    for d in dimensions:
        values |= d.listed_values()
    values |= {str(x) for x in constants if not isinstance(x, float)}
    if not dimensions and not numeric:
        values.add("\0other")
    if several or not dimensions or None in seen:
        values.add(None)
    for d in dimensions:
        if not d.only and not d.in_pairs:
            values = {v for v in values if any(d.nodes_of_value(v)) or v is None and len(d.columns) > 1}
    return sorted(values, key=lambda v: (v is None, str(v)))


def parts_of_column(column, dimensions, comparisons, records):
    """value -> the first value that no table and no condition tells from it"""
    first, value_of = {}, {}
    for v in domain(column, dimensions, comparisons, records):
        told = (v is None, tuple(d.nodes_of_value(v) for d in dimensions), tuple(holds(leaf, v) for leaf in comparisons))
        value_of[v] = first.setdefault(told, v)
    return value_of


def make_axis(columns, dimensions, comparisons, value_of):
    read_by = []
    for c in columns:
        read_by += [d for d in dimensions[c] if d not in read_by]
    values = [list(dict.fromkeys(value_of[c].values())) for c in columns]
    size = math.prod(len(v) for v in values)
    if size > MOST_COMBINATIONS:
        raise TooLarge(f"{size} combinations of {columns}")
    number, index, parts = {}, {}, []
    for combination in itertools.product(*values):
        value = dict(zip(columns, combination))
        nodes = {id(d): d.nodes_of_answers([value[c] for c in d.columns]) for d in read_by}
        meets = {(c, leaf): holds(leaf, value[c]) for c in columns for leaf in comparisons[c]}
        told = (tuple(nodes.values()), tuple(meets.values()))
        if told not in number:
            number[told] = len(parts)
            parts.append(Part(combination, nodes, meets))
        index[combination] = number[told]
    return Axis(columns[0][0], columns, parts, index, {c: value_of[c] for c in columns})
