"""The joint table of all variables of all releases: published cells as sets of atoms (K1, M4)."""
import itertools
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from .atoms import LinkedAtoms, PlainAtoms
from .axes import make_axes
from .bundle import Spec, Table, read_release
from .conditions import evaluate

MOST_ATOMS = 400_000


@dataclass(eq=False)
class Cell:
    table: Table
    number: int  # in its table
    nodes: tuple
    mask: np.ndarray  # over all atoms
    shown: float | None
    name: str
    # filled in by the attack on the cell's measure
    atoms: np.ndarray = field(default=None)  # over the atoms of the attacker's system
    true: float = None
    by_contributor: np.ndarray = field(default=None)  # of a sum
    far: float = 0  # how far the bounds of a sum must be from it
    rules: list = field(default_factory=list)  # that call it unsafe

    @property
    def interior(self):
        return all(d.nodes[n].get("finest") for d, n in zip(self.table.dimensions, self.nodes))

    @property
    def key(self):
        """Two cells that stand for the same atoms are one number (K1)."""
        return self.atoms.tobytes()


class Joint:
    """Tables of one or more releases of the same data, over one set of atoms. An earlier release is more tables."""

    def __init__(self, releases, most=MOST_ATOMS):
        self.specs, self.tables = [], []
        for k, (bundle, spec) in enumerate(releases):
            self.specs.append(Spec(spec))
            self.tables += read_release(bundle, self.specs[-1], k + 1)
        first = self.specs[0]
        self.records = first.records
        if any(s.records != self.records for s in self.specs):
            raise ValueError("releases of different data are not attacked together")
        self.axes = make_axes(self.tables, self.records)
        self.axis_of = {c: a for a in self.axes for c in a.columns}
        if any(t.unit for t in self.tables) or any(a.file for a in self.axes):
            by_linked = any(t.unit == "" and self.reads_linked(t) for t in self.tables)
            self.atoms = LinkedAtoms(self.axes, self.records, first.linked_on, by_linked, most)
        else:
            self.atoms = PlainAtoms(self.axes, self.records, most)
        self.linked = self.atoms.linked
        self.cells = [c for t in self.tables for c in self.cells_of(t)]

    @staticmethod
    def reads_linked(table):
        return any(d.file for d in table.dimensions) or any(file for (file, _), _ in table.comparisons())

    def node_mask(self, unit, dimension, node):
        axis = self.axis_of[dimension.columns[0]]
        return self.atoms.spread(unit, axis, axis.node_mask(dimension, node))

    def cells_of(self, t):
        base = self.atoms.of_unit(t.unit).copy()
        if t.condition:
            def mask_of(leaf):
                column = (t.spec.file_of_column(leaf[1]), leaf[1])
                axis = self.axis_of[column]
                return self.atoms.spread(t.unit, axis, axis.condition_mask(column, leaf))
            base &= evaluate(t.condition, mask_of)
        masks = [[self.node_mask(t.unit, d, k) for k in range(len(d.nodes))] for d in t.dimensions]
        release = f"release {t.release}, " if len(self.specs) > 1 else ""
        for number, nodes in enumerate(itertools.product(*[range(len(d.nodes)) for d in t.dimensions])):
            mask = base.copy()
            for by_node, node in zip(masks, nodes):
                mask &= by_node[node]
            figure = t.figures[number]
            words = ", ".join(f"{d.variable} {d.nodes[n]['label']}" for d, n in zip(t.dimensions, nodes))
            shown = None if isinstance(figure, str) else figure / t.scale
            yield Cell(t, number, nodes, mask, shown, f"{release}{t.name}[{number}]: {words}")

    def counted(self):
        """The true number of records of each atom."""
        return self.atoms.counted(next((t.asked["given"] for t in self.tables if "given" in t.asked), None))

    def contributions(self, of, contributor):
        """contributor -> their amounts by atom (K7); without a column of contributors every record is one"""
        amounts = defaultdict(lambda: np.zeros(self.atoms.count))
        for k, r in enumerate(self.records[""]):
            if r[of] is not None:
                amounts[r[contributor] if contributor else f"record {k + 1}"][self.atoms.place(r)] += float(r[of])
        return amounts

    def listed_values(self):
        """Masks over atoms that have at least one record: all there is of a value that is listed only because it occurs (K9)."""
        masks = []
        for t in self.tables:
            if "given" in t.asked:
                continue
            for d in t.dimensions:
                if d.only or d.in_pairs or d.listed_values():
                    continue
                for k, node in enumerate(d.nodes):
                    if node.get("finest"):
                        masks.append(self.node_mask(d.file, d, k) & self.atoms.of_unit(d.file))
        return masks
