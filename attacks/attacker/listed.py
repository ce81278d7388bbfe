"""An attacker who knows that a listed value occurs (K9): what P1 and P2 ask, with at least one record of every listed value."""
import numpy as np

from .groups import rows_of_one_person


def has_all_of(problem, cell, row):
    """Whether nobody with a listed value is outside a cell, as far as tables tell: then there is someone in it (K9)."""
    outside = np.zeros_like(cell.atoms)
    outside[row.at] = 1
    outside[cell.atoms > 0] = 0
    return not outside.any() or problem.system.can_reach(outside, 1, 1) is False


def attack_with_listed_values(problem, findings, safe, groups, floors):
    if not problem.listed:
        return
    system = problem.system.with_rows(problem.listed)
    for c in safe:
        floor = max(floors.get(id(c), 0), 1 if any(has_all_of(problem, c, row) for row in problem.listed) else 0)
        if system.is_known(c.atoms, c.true):
            findings.say("exact-exist", c, true=c.true)
        elif floor < c.true and system.can_reach(c.atoms, -1, max(c.true - 1, floor)) is False:
            findings.say("tight-exist", c, true=c.true)
    for total, z, outside, others in groups:
        if system.is_known(outside, others):
            findings.say("group-exist", z, of=total.name, true=[z.true, total.true])
    # a row of one person: that there is one, and that nobody is elsewhere in it
    for total, z in rows_of_one_person(problem.cells):
        if z.shown is None and system.can_reach(total.atoms - z.atoms, 1, 1) is False and system.can_reach(total.atoms, -1, 0) is False:
            findings.say("lone-exist", z, of=total.name, true=1)
    findings.count_solves(system)
