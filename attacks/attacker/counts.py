"""Primary counts (P1): of an unsafe hidden count more than one value is possible, as far to either side as `margin` asks.

Groups, differences, listed values and one's own record are asked on the same system."""
from collections import defaultdict

import numpy as np

from .atoms import INF
from .differences import attack_differences
from .groups import attack_groups
from .own_record import attack_with_own_record
from .listed import attack_with_listed_values
from .problem import Problem, row_of
from .system import System


def limit_of(cell):
    return cell.table.spec.limits[0 if cell.interior else 1]


def count_problem(joint, cells, findings):
    """Counts as a system. Estimates are counts where all weights are equal."""
    weights = set().union(*[s.weights() for s in joint.specs])
    if any(c.table.weighted for c in cells) and len(weights) != 1:
        findings.notes.append("weights are not constant: weighted tables are not attacked")
        cells = [c for c in cells if not c.table.weighted]
    weight = weights.pop() if len(weights) == 1 else 1.0
    truth = joint.counted()
    problem = Problem(joint, cells, truth, True, 4 * truth.sum() + 50, lambda c: c.shown / weight if c.table.weighted else c.shown, findings.deadline)
    for c in cells:
        c.true = round(float(np.dot(c.atoms, problem.truth)))
    return problem


def attack_counts(joint, cells, findings, own_record):
    problem = count_problem(joint, cells, findings)
    floors = known_to_be_there(problem)
    unsafe = unsafe_counts(problem.cells, findings)
    findings.stats["atoms"], findings.stats["unsafe"] = problem.system.count, len(unsafe)
    findings.stats["hidden"] = sum(c.shown is None for c in problem.cells)
    safe = attack_unsafe_counts(problem, findings, unsafe, floors)
    groups = attack_groups(problem, findings, unsafe)
    limit = max(max(s.limits) for s in joint.specs)
    differences = attack_differences(problem, findings, unsafe, limit)
    if safe or groups or differences:
        attack_with_listed_values(problem, findings, safe, groups, floors)
        if own_record:
            attack_with_own_record(problem, findings, safe, groups, differences)
    findings.count_solves(problem.system)
    return problem


def unsafe_counts(cells, findings):
    """Hidden counts that the policy calls unsafe, one of each set of atoms. An unsafe count that is shown is a finding."""
    unsafe = {}
    for c in cells:
        if 1 <= c.true <= limit_of(c):
            if c.shown is not None:
                findings.say("shown", c, true=c.true)
            else:
                unsafe.setdefault(c.key, c)
    return list(unsafe.values())


def attack_unsafe_counts(problem, findings, unsafe, floors):
    """Tells counts that have one value (exact) or too few (tight). Returns the others."""
    system, safe = problem.system, []
    for c in unsafe:
        margin = c.table.spec.margin
        low = max(c.true - margin, floors.get(id(c), 0), 0)
        up = system.can_reach(c.atoms, 1, c.true + margin)
        down = low >= c.true or system.can_reach(c.atoms, -1, low)
        if up and down:
            safe.append(c)
            continue
        if up is None or down is None:
            findings.stats["undecided"] += 1
            if up is not False and down is not False:
                continue
        ends = problem.interval(c)
        findings.say("exact" if ends[0] == ends[1] else "tight", c, true=c.true, interval=list(ends), asked=[low, c.true + margin])
    return safe


def known_to_be_there(problem):
    """Linked files: the least a cell can be once it is known which places are not empty (K6). The page does not ask to go lower."""
    if not problem.joint.linked:
        return {}
    places = defaultdict(list)
    for c in problem.cells:
        t = c.table
        labels = [(d.variable, d.nodes[k]["label"]) for d, k in zip(t.dimensions, c.nodes) if not d.nodes[k].get("total")]
        places[t.asked.get("where"), tuple(sorted(labels))].append(c)
    in_both = [c for cs in places.values() if len({c.table.unit for c in cs}) > 1 and all(c.true > 0 for c in cs) for c in cs]
    if not in_both:
        return {}
    rows = [row_of(c.atoms, 1, INF) for c in in_both]
    system = System(problem.system.count, rows + problem.links, True, problem.system.upper, problem.truth, INF)
    floors = {}
    for c in problem.cells:
        if c.shown is None and 1 <= c.true <= max(c.table.spec.limits):
            least = system.whole_bound(c.atoms, -1)
            floors[id(c)] = least if least is not None and least > -INF else 1 if c in in_both else 0
    return floors
