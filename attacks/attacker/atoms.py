"""Atoms of the joint table (M4): one part of every axis. Of linked files: records of `[data]` by the set of what is linked to them, and linked
records (K6, M7). The attacker crosses all variables and needs no blocks (M3), so that it does not share their theorem either."""
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from .axes import TooLarge

INF = float("inf")
MOST_LINKED = 16  # parts of linked records whose sets are listed


@dataclass
class Row:
    """lower <= sum of times * x[at] <= upper"""

    at: list
    times: list
    lower: float
    upper: float


def lay_out(axes, most):
    """Numbers the combinations of parts of some axes."""
    shape = [len(a.parts) for a in axes]
    if math.prod(shape) > most:
        raise TooLarge(f"{math.prod(shape)} atoms")
    grid = np.indices(shape).reshape(len(shape), -1) if shape else np.zeros((0, 1), int)
    for axis, at in zip(axes, grid):
        axis.at = at

    def place(record):
        return int(np.ravel_multi_index([a.part_of(record) for a in axes], shape)) if shape else 0
    return math.prod(shape), place


class PlainAtoms:
    """Combinations of parts, of one file."""

    linked = False

    def __init__(self, axes, records, most):
        self.count, self.place = lay_out(axes, most)
        self.records = records
        self.rows = []

    def of_unit(self, unit):
        return np.ones(self.count, bool)

    def spread(self, unit, axis, by_part):
        """What is known by part of an axis, as a mask over the atoms."""
        return by_part[axis.at]

    def counted(self, given):
        """How many records each atom has; `given` names the column where the data are counts already."""
        x = np.zeros(self.count)
        for r in self.records[""]:
            x[self.place(r)] += float(r[given]) if given else 1
        return x


class LinkedAtoms:
    """Records of `[data]` at p with the set s of parts that are linked to them, and the linked records at (p, s, l).

    Where no table counts records of `[data]` by what is linked to them, it is enough whether something is: s is "some" or 0."""

    linked = True

    def __init__(self, axes, records, linked_on, by_linked, most):
        self.records = records
        (self.file, self.on), = linked_on.items()
        own, link = [a for a in axes if a.file == ""], [a for a in axes if a.file != ""]
        self.own_count, self.place = lay_out(own, most)
        self.link_count, self.link_place = lay_out(link, MOST_LINKED if by_linked else most)
        self.by_linked = by_linked
        self.beside = defaultdict(list)
        for r in records[self.file]:
            self.beside[self.key(r)].append(r)
        self.everyone = all(self.key(r) in self.beside for r in records[""])
        self.list_atoms(most)
        self.rows = self.link_rows()

    def key(self, record):
        return tuple(record[c] for c in self.on)

    def list_atoms(self, most):
        if self.by_linked:
            self.sets = [s for s in range(1 << self.link_count) if s or not self.everyone]
        else:
            self.sets = ["some"] if self.everyone else ["some", 0]
        parents = [(p, s, None) for p in range(self.own_count) for s in self.sets]
        links = [(p, s, l) for p in range(self.own_count) for s in self.sets for l in range(self.link_count) if self.holds(s, l)]
        atoms = parents + links
        if len(atoms) > most:
            raise TooLarge(f"{len(atoms)} atoms")
        self.count = len(atoms)
        self.number = {a: k for k, a in enumerate(atoms)}
        self.is_parent = np.array([l is None for _, _, l in atoms])
        self.own = np.array([p for p, _, _ in atoms])
        self.link = np.array([l or 0 for _, _, l in atoms])
        self.beside_of = np.array([[self.holds(s, l) for l in range(self.link_count)] for _, s, _ in atoms], bool).reshape(len(atoms), self.link_count)

    @staticmethod
    def holds(s, link):
        return s == "some" or bool(s >> link & 1)

    def link_rows(self):
        """There are no fewer linked records than records of `[data]`, and none where there is no such record (M7)."""
        rows = []
        many = 4 * len(self.records[self.file]) + 50
        for p in range(self.own_count):
            for s in self.sets:
                parent = self.number[p, s, None]
                links = [self.number[p, s, l] for l in range(self.link_count) if self.holds(s, l)]
                for at in [links] if s == "some" else [[l] for l in links]:
                    rows.append(Row(at + [parent], [1] * len(at) + [-1], 0, INF))
                    rows.append(Row(at + [parent], [1] * len(at) + [-many], -INF, 0))
        return rows

    def of_unit(self, unit):
        return self.is_parent if unit == "" else ~self.is_parent

    def spread(self, unit, axis, by_part):
        by_place = by_part[axis.at]
        if axis.file == "":
            return by_place[self.own]
        if unit == "":
            return (self.beside_of & by_place[None, :]).any(axis=1)
        return by_place[self.link]

    def counted(self, given):
        x = np.zeros(self.count)
        for r in self.records[""]:
            p = self.place(r)
            links = [self.link_place(other) for other in self.beside.get(self.key(r), [])]
            s = sum(1 << l for l in set(links))
            if not self.by_linked:
                s = "some" if links else 0
            x[self.number[p, s, None]] += 1
            for l in links:
                x[self.number[p, s, l]] += 1
        return x
