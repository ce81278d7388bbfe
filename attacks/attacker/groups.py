"""Groups (P2): the people of a row are told to be all in one category."""


def rows_of(cells):
    """Every total that a dimension adds up, with the cells of its categories."""
    by_place = {(id(c.table), c.nodes): c for c in cells}
    for total in cells:
        t = total.table
        if t.spec.coalition is None:
            continue
        for k, d in enumerate(t.dimensions):
            if d.several or d.in_pairs or d.kind == "geography":
                continue
            for whole, parts in d.sums:
                if total.nodes[k] == whole and len(parts) >= 2:
                    yield total, [by_place[id(t), total.nodes[:k] + (p,) + total.nodes[k + 1:]] for p in parts]


def leaves_room(total, category):
    """Whether somebody of the total could be outside the category at all."""
    return bool((total.mask & ~category.mask).any())


def nearly_in_one_category(cells):
    """(total, category) where all of a total but a coalition are in one category."""
    return [(total, z) for total, row in rows_of(cells) if 2 <= total.true <= 50 for z in row
            if z.true >= 2 and total.true - z.true <= total.table.spec.coalition and leaves_room(total, z)]


def rows_of_one_person(cells):
    return [(total, z) for total, row in rows_of(cells) if total.true == 1 for z in row if z.true == 1 and leaves_room(total, z)]


def attack_groups(problem, findings, unsafe):
    """Tells whose answer follows. Returns the groups that are safe, as (total, category, what is outside it, how many that is)."""
    system, safe, seen = problem.system, [], set()
    for total, z in nearly_in_one_category(problem.cells):
        key = (total.mask.tobytes(), z.mask.tobytes())
        if key in seen:
            continue
        seen.add(key)
        outside, others = total.atoms - z.atoms, total.true - z.true
        if system.is_known(outside, others):
            findings.say("group", z, of=total.name, true=[z.true, total.true])
        else:
            safe.append((total, z, outside, others))
        if z.shown is None and z not in unsafe and system.is_known(z.atoms, z.true):
            findings.say("group-cell", z, of=total.name, true=[z.true, total.true])
    findings.stats["groups"] = len(seen)
    return safe
