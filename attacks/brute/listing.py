"""Tiny releases written by hand, and a list of every table of whole numbers that fits one. Nothing here is shared with the attacker."""
import itertools, json, os, shutil, tempfile

ROOT = os.path.join(tempfile.gettempdir(), "outward-attacks-brute")
MOST_TABLES = 200_000
HIDDEN = "[c]"


class NotListed(Exception):
    """Too many tables fit, or any number of people."""


def dimension(variable, values, several=False, in_pairs=False, groups=None):
    """A dimension as `public/tables.json` has it. With groups, these are its finest nodes."""
    if in_pairs:
        nodes = [dict(label=f"{a} and {b}", level=0, finest=True) for a, b in itertools.combinations(values, 2)]
        return dict(variable=variable + " in pairs", label=variable, kind="fact", several=True, nodes=nodes)
    labels = list(groups or values)
    nodes = [dict(label=v, level=0, finest=True) for v in labels] + [dict(label="Total", level=2, total=True)]
    d = dict(variable=variable, label=variable, kind="fact", nodes=nodes)
    if several:
        d["several"] = True
    else:
        d["sums"] = [[len(labels), list(range(len(labels)))]]
    return d


def is_in(node, answers, groups=None):
    """Whether who has these answers is in a node."""
    label = node["label"]
    if node.get("total"):
        return bool(answers)
    if " and " in label:
        return set(label.split(" and ")) <= answers
    if groups:
        return bool(answers & set(groups[label]))
    return label in answers


def write_release(folder, toml, files, tables):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/out/public")
    for name, text in {"outward.toml": toml, **files, "out/public/tables.json": json.dumps({"tables": tables})}.items():
        with open(f"{folder}/{name}", "w") as f:
            f.write(text)


def list_tables(kinds, shown):
    """Every way to count the kinds of records that fits what is shown.

    A kind of record is the set of figures that count it; shown gives figures their values. Returns the kinds and the lists of their counts."""
    kinds = [k for k in sorted(set(kinds), key=lambda k: (len(k), sorted(k))) if k]
    left = dict(shown)
    last = {f: max((i for i, k in enumerate(kinds) if f in k), default=-1) for f in shown}
    out, counts = [], [0] * len(kinds)

    def go(i):
        if len(out) > MOST_TABLES:
            raise NotListed
        if i == len(kinds):
            out.append(list(counts))
            return
        mine = [f for f in kinds[i] if f in left]
        if not mine:
            raise NotListed
        for count in range(min(left[f] for f in mine) + 1):
            for f in mine:
                left[f] -= count
            if all(left[f] == 0 for f in mine if last[f] == i):
                counts[i] = count
                go(i + 1)
            for f in mine:
                left[f] += count
        counts[i] = 0
    if any(value and last[f] < 0 for f, value in shown.items()):
        raise NotListed
    go(0)
    return kinds, out


def compare_intervals(attack, what, intervals):
    """Holds the attacker's feasibility intervals and verdicts of counts against the listed ones. Returns how many hidden figures were compared."""
    problem, = attack.problems
    claims = {}
    for f in attack.found:
        claims.setdefault(f["cell"], set()).add(f["what"])
    compared = 0
    for c in problem.cells:
        if c.shown is not None:
            continue
        low, high = intervals[c.table.release, c.table.name, c.number]
        got = problem.interval(c)
        assert high - low > 3 or got == (low, high), (what, c.name, "listed", (low, high), "attacker", got)
        assert got[0] <= low and got[1] >= high, (what, c.name, (low, high), got)
        # what is called exact or tight is, and nothing else
        margin = c.table.spec.margin
        if 1 <= c.true <= c.table.spec.limits[0 if c.interior else 1] and not attack.joint.linked:
            bad = high < c.true + margin or low > max(0, c.true - margin)
            word = "exact" if low == high else "tight"
            said = any(word in claims.get(x.name, ()) for x in problem.cells if x.key == c.key)
            assert bad == said, (what, c.name, (low, high), c.true, claims)
        compared += 1
    return compared
