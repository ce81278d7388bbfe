"""An attacker who is counted (K7, P5): what P1, P2 and P3 ask, with at least one record at the attacker's own atom.

Whoever is alone in a count or a difference knows it, and need not be kept from it."""
import time

import numpy as np

from .system import EPS


def goals_of(own, safe, groups, differences):
    """(what, cell, expression, value, more words) for the record at one atom."""
    for c in safe:
        if not (c.atoms[own] and c.true == 1):
            yield "exact-self", c, c.atoms, c.true, {}
    for total, z, outside, others in groups:
        yield "group-self", z, outside, others, {"of": total.name, "true": [z.true, total.true]}
    for outer, inner, rest, value in differences:
        if not (rest[own] and value == 1):
            yield "difference-self", outer, rest, value, {"less": inner.name}


def attack_with_own_record(problem, findings, safe, groups, differences):
    system = problem.system
    for own in np.flatnonzero(problem.truth > 0):
        if time.time() > findings.deadline:
            findings.notes.append("out of time before every record attacked")
            return
        goals = list(goals_of(own, safe, groups, differences))
        # most goals are settled by witnesses that have this record too
        witnesses = np.array([w for w in system.witnesses if w[own] >= 1 - EPS])
        values = witnesses @ np.array([goal[2] for goal in goals]).reshape(len(goals), system.count).T
        undecided = [goal for goal, low, high in zip(goals, values.min(axis=0), values.max(axis=0)) if low == high]
        if not undecided:
            continue
        lower = np.zeros(system.count)
        lower[own] = 1
        theirs = system.with_lower(lower)
        for what, c, expr, value, more in undecided:
            if theirs.is_known(expr, value) and not findings.has(what, c, more.get("of")):
                findings.say(what, c, **{"true": value, **more})
        system.learn_from(theirs)
        findings.count_solves(theirs)
