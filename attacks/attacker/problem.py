"""What is published of one measure as the attacker's system (M4): a row for every shown cell, and rows for links and listed values."""
import numpy as np

from .atoms import INF, Row
from .system import System


class Problem:
    """Cells of one measure over the atoms that they tell apart, and the system of all tables that fit what is shown.

    Every shown figure is first counted again from the raw data: an attacker who reads a table wrongly proves nothing."""

    def __init__(self, joint, cells, truth, whole, upper, value_of, deadline):
        self.joint, self.cells = joint, cells
        listed = joint.listed_values() if whole else []
        known, self.truth, links, listed = self.reduce(truth, listed)
        rows, self.row_names, seen = [], [], set()
        for c in cells:
            if c.shown is None:
                continue
            published, counted = value_of(c), float(np.dot(c.atoms, self.truth))
            assert abs(counted - published) < 1e-3, f"the attacker reads {c.name} as {counted}, published {published}"
            if c.key in seen or not c.atoms.any():
                continue
            seen.add(c.key)
            rows.append(row_of(c.atoms, counted, counted))
            self.row_names.append(f"{c.name} = {counted:g}")
        self.row_names += [f"link {k}" for k in range(len(links))]
        self.links = links
        self.system = System(known, rows + links, whole, upper, self.truth, deadline)
        assert self.system.fits(self.truth), "the truth does not fit"
        self.listed = [row_of(mask, 1, INF) for mask in listed if mask.any()]

    def reduce(self, truth, listed):
        """Atoms that a shown zero excludes go; atoms that no cell tells apart become one."""
        count = self.joint.atoms.count
        keep = np.ones(count, bool)
        for c in self.cells:
            if c.shown == 0:
                keep &= ~c.mask
        masks = np.array([c.mask for c in self.cells] + listed, bool).reshape(-1, count)
        told = masks.any(axis=0)
        assert truth[~keep & told].sum() == 0, "a shown zero holds somebody"
        if not self.joint.linked:
            keep &= told
        at = np.flatnonzero(keep)
        first, number = merge_alike(masks[:, at]) if not self.joint.linked else (np.arange(len(at)), np.arange(len(at)))
        self.number = np.full(count, -1)
        self.number[at] = number
        for mask, c in zip(masks, self.cells):
            c.atoms = mask[at[first]].astype(float)
        links = []
        for row in self.joint.atoms.rows:
            kept = [(self.number[a], times) for a, times in zip(row.at, row.times) if self.number[a] >= 0]
            if kept:
                links.append(Row([a for a, _ in kept], [times for _, times in kept], row.lower, row.upper))
        listed = [mask[at[first]].astype(float) for mask in masks[len(self.cells):]]
        return len(first), self.sum_up(truth, len(first)), links, listed

    def sum_up(self, amounts, count=None):
        """Amounts by atom of the joint table, as amounts by atom of the system."""
        x = np.zeros(self.system.count if count is None else count)
        at = np.flatnonzero(self.number >= 0)
        np.add.at(x, self.number[at], amounts[at])
        return x

    def interval(self, cell):
        return self.system.feasibility_interval(cell.atoms)

    def proof(self, cell):
        """The published figures that bound a cell, with their multipliers."""
        out = []
        for sense, word in [(-1, "at least"), (1, "at most")]:
            end, multipliers = self.system.dual_proof(cell.atoms, sense)
            terms = [f"{y:+g} ({name})" for y, name in zip(multipliers, self.row_names) if abs(y) > 1e-7]
            out.append(f"  {cell.name} is {word} {end:g} by:\n     " + "\n     ".join(terms))
        return "\n".join(out)


def row_of(atoms, lower, upper):
    at = np.flatnonzero(atoms)
    return Row(at, np.ones(len(at)), lower, upper)


def merge_alike(masks):
    """The first of the atoms that no mask tells apart, and of every atom the number of its first."""
    if masks.shape[1] == 0:
        return np.zeros(0, int), np.zeros(0, int)
    _, first, number = np.unique(np.packbits(masks, axis=0).T, axis=0, return_index=True, return_inverse=True)
    return first, np.asarray(number).reshape(-1)
