"""An attacker of released tables that shares no code with Outward: the lines K, P and M are those of docs/methods/attacker.md.

`bundle` reads releases, `conditions` their conditions; `axes`, `atoms` and `joint` make the joint table of all variables, `problem` and `system` what is known
of it; `counts`, `groups`, `differences`, `listed`, `own_record` and `contributors` are the attacks."""
import time
from collections import defaultdict

from .axes import TooLarge
from .contributors import attack_sums
from .counts import attack_counts
from .joint import Joint


class Findings:
    """What was found, in the order of finding, with figures of the search."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.found, self.notes, self.stats = [], [], defaultdict(int)

    def say(self, what, cell, **more):
        self.found.append(dict(what=what, cell=cell.name, **more))

    def has(self, what, cell, of):
        return any(f["what"] == what and f["cell"] == cell.name and f.get("of") == of for f in self.found)

    def count_solves(self, system):
        self.stats["lps"] += system.lps
        self.stats["mips"] += system.mips
        self.stats["unsettled"] += system.undecided


class Attack:
    """Attacks releases of the same data together: `releases` are pairs of a bundle and the spec it was made by."""

    def __init__(self, releases, own_record=True, seconds=100):
        self.start = time.time()
        self.joint = Joint(releases)
        self.findings = Findings(self.start + seconds)
        self.own_record = own_record
        self.problems = []
        self.found, self.notes, self.stats = self.findings.found, self.findings.notes, self.findings.stats

    def run(self):
        cells = self.joint.cells
        counts = [c for c in cells if c.table.measure in ("count", "estimate")]
        if counts:
            self.problems.append(attack_counts(self.joint, counts, self.findings, self.own_record))
        for of in sorted({c.table.of for c in cells if c.table.measure == "sum"}):
            self.problems.append(attack_sums(self.joint, [c for c in cells if c.table.measure == "sum" and c.table.of == of], of, self.findings))
        if any(c.table.measure == "mean" for c in cells):
            self.notes.append("means are not attacked")
        self.stats["seconds"] = round(time.time() - self.start, 2)
        return self

    def problem_of(self, name):
        """The problem and the cell of a name."""
        return next((p, c) for p in self.problems for c in p.cells if c.name == name)

    def proof(self, name):
        problem, cell = self.problem_of(name)
        return problem.proof(cell)
