"""Sums (P1, P3, P4, M8): an unsafe sum is bounded no closer than the rule asks, by the public or by any contributor with their own amounts."""
import time

import numpy as np

from .differences import nested_pairs
from .problem import Problem
from .system import EPS, INF

TOLERANCE = 1e-4


def distance_asked(magnitude, amounts):
    """How far the bounds of a sum must be from it, by the rules of the policy, and by which; 0 if it is safe. The largest amount first."""
    total = sum(amounts)
    if not amounts:
        return 0, []
    far, rules = 0, []
    if len(amounts) < magnitude.get("threshold", 0):
        far, rules = max(far, 1), rules + ["threshold"]
    if "dominance" in magnitude:
        n, k = magnitude["dominance"]["n"], magnitude["dominance"]["k"]
        top = sum(amounts[:n])
        if top > k / 100 * total + 1e-9:
            far, rules = max(far, 100 / k * top - total), rules + ["dominance"]
    if "p" in magnitude:
        rest = total - sum(amounts[: 1 + magnitude.get("coalition", 1)])
        if rest < share(magnitude) * amounts[0] - 1e-9:
            far, rules = max(far, share(magnitude) * amounts[0] - rest), rules + ["p"]
    return far, rules


def share(magnitude):
    """p % as a share."""
    return magnitude["p"] / magnitude.get("q", 100)


def largest_first(amounts):
    return sorted([a for a in amounts if a > 0], reverse=True)


def attack_sums(joint, cells, of, findings):
    contributor = next((c.table.asked.get("contributor") for c in cells), None)
    amounts = joint.contributions(of, contributor)
    total = sum(amounts.values())
    problem = Problem(joint, cells, total, False, 10 * total.sum() + 1000, lambda c: c.shown, findings.deadline)
    names = list(amounts)
    own = np.array([problem.sum_up(amounts[name]) for name in names])
    unsafe = unsafe_sums(cells, own, findings)
    findings.stats["atoms"], findings.stats["hidden"] = problem.system.count, sum(c.shown is None for c in cells)
    findings.stats["unsafe"] += len(unsafe)
    attack_unsafe_sums(problem, findings, unsafe)
    attack_differences_of_sums(cells, own, findings)
    attack_rivals(problem, findings, [c for c in unsafe if "p" in c.table.spec.magnitude], names, own)
    findings.count_solves(problem.system)
    return problem


def unsafe_sums(cells, own, findings):
    """Hidden sums that the policy calls unsafe, one of each set of atoms. An unsafe sum that is shown is a finding."""
    unsafe = {}
    for c in cells:
        c.by_contributor = own @ c.atoms
        c.true = float(c.by_contributor.sum())
        c.far, c.rules = distance_asked(c.table.spec.magnitude, largest_first(c.by_contributor))
        if c.far > 0:
            if c.shown is not None:
                findings.say("shown", c, true=c.true, why=c.rules)
            else:
                unsafe.setdefault(c.key, c)
    return list(unsafe.values())


def attack_unsafe_sums(problem, findings, unsafe):
    system = problem.system
    for c in unsafe:
        low, high = max(0, c.true - c.far), c.true + c.far
        up = system.can_reach(c.atoms, 1, high - TOLERANCE)
        down = system.can_reach(c.atoms, -1, low + TOLERANCE)
        if up is False or down is False:
            ends = problem.interval(c)
            findings.say("exact" if ends[1] - ends[0] < 1e-3 else "tight", c, true=c.true, interval=[round(e, 3) for e in ends],
                         asked=[round(low, 3), round(high, 3)], why=c.rules)


def attack_differences_of_sums(cells, own, findings):
    """Differences of two shown sums that one or two contributors make up."""
    for outer, inner in nested_pairs(cells):
        if outer.shown is None or inner.shown is None:
            continue
        left = own @ (outer.atoms - inner.atoms)
        if 1 <= (left > 0).sum() <= 2 and distance_asked(outer.table.spec.magnitude, largest_first(left))[0] > 0:
            findings.say("difference", outer, less=inner.name, true=outer.true - inner.true)


def attack_rivals(problem, findings, unsafe, names, own):
    """Every contributor against the largest other in every unsafe sum."""
    for g in range(len(names)):
        if time.time() > findings.deadline:
            findings.notes.append("out of time before every contributor attacked")
            return
        contributor = Contributor(problem.system, g, own)
        for c in unsafe:
            contributor.attack(c, names, findings)
        if contributor.theirs is not None:
            findings.count_solves(contributor.theirs)


class Contributor:
    """Somebody who knows all amounts of their own, in every cell."""

    def __init__(self, system, number, own):
        self.system, self.number, self.own = system, number, own[number]
        self.theirs = None  # the system with these amounts, once a witness of the public does not settle a cell

    def attack(self, c, names, findings):
        amounts = c.by_contributor
        others = [k for k in range(len(names)) if k != self.number and amounts[k] > 0]
        if not others:
            return
        rival = max(others, key=lambda k: amounts[k])
        theirs, mine = amounts[rival], amounts[self.number]
        p = share(c.table.spec.magnitude)
        high, low = mine + theirs * (1 + p), mine + theirs * (1 - p)
        sole = len(others) == 1
        witnesses = [w for w in self.system.witnesses if (w >= self.own - EPS).all()]
        have = [float(np.dot(w, c.atoms)) for w in witnesses]
        up = max(have, default=-INF) >= high - TOLERANCE
        # only a sole other contributor is bounded from below
        down = not sole or min(have, default=INF) <= low + TOLERANCE
        if up and down:
            return
        if self.theirs is None:
            self.theirs = self.system.with_lower(self.own)
        up = up or self.theirs.can_reach(c.atoms, 1, high - TOLERANCE)
        down = down or self.theirs.can_reach(c.atoms, -1, low + TOLERANCE)
        if up is False or down is False:
            ends = self.theirs.feasibility_interval(c.atoms)
            bounds = (ends[0] - mine if sole else 0), ends[1] - mine
            near = [d for d, ok in [(bounds[1] - theirs, up), (theirs - bounds[0], down)] if ok is False]
            findings.say("rival", c, attacker=str(names[self.number]), rival=str(names[rival]), amount=float(theirs),
                         bounds=[round(float(b), 3) for b in bounds], within=round(float(100 * max(near) / theirs), 2),
                         side="both" if len(near) == 2 else "above" if up is False else "below",
                         in_cell=bool(mine > 0), contributors=int((amounts > 0).sum()))
        self.system.learn_from(self.theirs)
