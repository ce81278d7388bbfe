#!/usr/bin/env python3
"""Attack one bundle: attack.py BUNDLE SPECDIR [--algebra] [--no-self] [--json]

Reads public/tables.json, the spec and the raw data; builds the whole joint table of all variables (nothing shared with the tool) and asks
HiGHS what each unsafe hidden cell, group, difference or rival's amount can be."""
import csv, itertools, json, math, os, re, sys, time, tomllib
from collections import defaultdict
import numpy as np
import highspy

INF = float("inf")
EPS = 1e-6

# ---------------------------------------------------------------- conditions

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|(<>|!=|<=|>=|=|<|>|\(|\)|,)|(\"[^\"]+\"|[A-Za-z_]\w*))")


def parse_condition(text):
    toks, at = [], 0
    while at < len(text.rstrip()):
        m = TOKEN.match(text, at)
        if not m:
            raise ValueError(f"cannot read condition {text!r}")
        s, n, o, w = m.groups()
        toks.append(("lit", s[1:-1].replace("''", "'")) if s is not None else ("lit", float(n)) if n is not None else ("op", o) if o else ("word", w))
        at = m.end()
    pos = 0

    def peek():
        return toks[pos] if pos < len(toks) else ("end", "")

    def word(w):
        return peek()[0] == "word" and peek()[1].upper() == w

    def take():
        nonlocal pos
        pos += 1
        return toks[pos - 1]

    def either():
        parts = [both()]
        while word("OR"):
            take()
            parts.append(both())
        return parts[0] if len(parts) == 1 else ("or", parts)

    def both():
        parts = [single()]
        while word("AND"):
            take()
            parts.append(single())
        return parts[0] if len(parts) == 1 else ("and", parts)

    def single():
        if word("NOT"):
            take()
            return ("not", [single()])
        if peek() == ("op", "("):
            take()
            x = either()
            assert take() == ("op", ")")
            return x
        col = take()[1].strip('"')
        neg = False
        if word("NOT"):
            take()
            neg = True
        if word("IN"):
            take()
            assert take() == ("op", "(")
            lits = []
            while True:
                lits.append(take()[1])
                if take() == ("op", ")"):
                    break
            return ("leaf", col, "notin" if neg else "in", tuple(lits))
        op = take()[1]
        return ("leaf", col, "<>" if op == "!=" else op, take()[1])

    ast = either()
    assert pos == len(toks), text
    return ast


def leaves(ast):
    return [ast] if ast[0] == "leaf" else [l for p in ast[1] for l in leaves(p)]


def leaf_true(leaf, value):
    _, _, op, lit = leaf
    if value is None:
        return False

    def conv(l):
        return float(value) if isinstance(l, float) else str(value)
    if op == "in":
        return any(conv(l) == l for l in lit)
    if op == "notin":
        return all(conv(l) != l for l in lit)
    v = conv(lit)
    return {"=": v == lit, "<>": v != lit, "<": v < lit, "<=": v <= lit, ">": v > lit, ">=": v >= lit}[op]


def ast_eval(ast, truth):
    if ast[0] == "leaf":
        return truth(ast)
    parts = [ast_eval(p, truth) for p in ast[1]]
    if ast[0] == "not":
        return ~parts[0]
    out = parts[0]
    for p in parts[1:]:
        out = out & p if ast[0] == "and" else out | p
    return out


# ---------------------------------------------------------------- spec

def tree_paths(tree, above=()):
    for label, below in tree.items():
        if isinstance(below, dict):
            yield from tree_paths(below, (label,) + above)
        else:
            for v in below:
                yield (v, label) + above


def labels_of(hier, value):
    """All labels of a value in one hierarchy, itself first."""
    v = str(value)
    if not hier:
        return [v]
    if "tree" in hier:
        for path in tree_paths(hier["tree"]):
            if path[0] == v:
                return list(path)
        return [v]
    if "prefix" in hier:
        return [v] + [v[:k] for k in hier["prefix"]]
    if "width" in hier or "widths" in hier:
        out = [v]
        for w in hier.get("widths") or [hier["width"]]:
            s = int(float(v)) // w * w
            out.append(f"{s}-{s + w - 1}" if w > 1 else str(s))
        return out
    if "bands" in hier:
        bands = hier["bands"]
        bands = bands if isinstance(bands[0], list) else [bands]
        out = [v]
        for b in bands:
            x = int(float(v))
            k = sum(x >= e for e in b)
            out.append(f"under {b[0]}" if k == 0 else f"{b[-1]} or over" if k == len(b) else f"{b[k - 1]}-{b[k] - 1}" if b[k] - 1 > b[k - 1] else f"{b[k-1]}")
        return out
    raise ValueError(f"hierarchy {hier}")


class Spec:
    def __init__(self, folder):
        path = folder if folder.endswith(".toml") else os.path.join(folder, "outward.toml")
        self.folder = os.path.dirname(path)
        with open(path, "rb") as f:
            self.s = tomllib.load(f)
        self.vars = {v["name"]: v for v in self.s.get("variables", [])}
        self.data = {"": self.read(self.s["data"]["path"])}
        self.on = {}
        for l in self.s.get("linked", []):
            self.data[l["name"]] = self.read(l["data"]["path"])
            self.on[l["name"]] = l["on"]
        self.tables = {t["name"]: t for t in self.s["tables"]}
        pol = self.s.get("policy", {})
        tier = pol.get("tier", "medium")
        cells = {"low": 0, "medium": 2, "high": 4}[tier]
        self.coalition = 0 if tier == "low" else 1
        self.limits = (cells, 4 if tier == "high" else 2)
        self.mag = {"threshold": 3, "dominance": {"n": 1, "k": 75}, "p": 10}
        if "tables" in pol:
            t = pol["tables"]
            self.limits = (t["categories"][0].get("cells", 0), t["categories"][0].get("margins", 0))
            self.coalition = t.get("coalition")
            self.mag = t.get("magnitude", {})
        self.margin = self.s.get("protection", {}).get("margin", 1)

    def read(self, name):
        with open(os.path.join(self.folder, name)) as f:
            rows = list(csv.reader(f))
        return [{h: (v if v.strip() else None) for h, v in zip(rows[0], r)} for r in rows[1:]]

    def columns(self, var):
        return self.vars.get(var, {}).get("columns") or [var]

    def file_of(self, var):
        return (self.vars.get(var, {}).get("from") or [""])[0]

    def file_of_column(self, col):
        return next(f for f, rows in self.data.items() if rows and col in rows[0])

    def labels(self, var, value):
        v = self.vars.get(var, {})
        out = set()
        for h in [v.get("hierarchy")] + v.get("more_hierarchies", []):
            out |= set(labels_of(h, value))
        return out


class Dim:
    """A dimension of a published table with its nodes as labels."""

    def __init__(self, spec, table, d):
        self.pairs = d["variable"].endswith(" in pairs")
        self.var = d["variable"][: -len(" in pairs")] if self.pairs else d["variable"]
        self.several = d.get("several", False)
        self.kind = d["kind"]
        self.nodes = d["nodes"]
        self.sums = d.get("sums", [])
        self.only = "only" in table and self.var in table["only"]
        self.finest = {n["label"] for n in self.nodes if n.get("finest")}
        self.spec = spec
        self.cache = {}

    def value_nodes(self, value):
        """Which nodes a single value is in; for pairs, in which it is one half."""
        if value not in self.cache:
            if value is None:
                labels = set() if len(self.spec.columns(self.var)) > 1 else {"Missing"}
            else:
                labels = self.spec.labels(self.var, value)
            if self.pairs:
                out = tuple(bool(labels & set(n["label"].split(" and "))) for n in self.nodes)
            else:
                here = bool(labels & self.finest)
                out = tuple(here if n.get("total") else (n["label"] in labels and (here or not self.only)) for n in self.nodes)
            self.cache[value] = out
        return self.cache[value]

    def set_nodes(self, values):
        if len(self.spec.columns(self.var)) > 1:
            values = [v for v in values if v is not None]
        if self.pairs:
            labels = set().union(*[self.spec.labels(self.var, v) for v in values]) if values else set()
            one = [set(n["label"].split(" and ")) <= labels if not n.get("total") else None for n in self.nodes]
            return tuple(any(x for x in one if x) if o is None else o for o in one)
        out = [False] * len(self.nodes)
        for v in values:
            out = [a or b for a, b in zip(out, self.value_nodes(v))]
        return tuple(out)


# ---------------------------------------------------------------- the joint table

class TooLarge(Exception):
    pass


class Joint:
    """Columns (atoms of all units), cells as masks over them, the truth, and rows that hold besides."""

    def __init__(self, bundle, specdir, most=400000):
        self.spec = spec = Spec(specdir)
        with open(os.path.join(bundle, "public", "tables.json")) as f:
            self.tables = json.load(f)["tables"]
        for t in self.tables:
            t["spec"] = spec.tables[t["name"]]
            t["dims"] = [Dim(spec, t["spec"], d) for d in t["dimensions"]]
            t["ast"] = parse_condition(t["spec"]["where"]) if "where" in t["spec"] else None
            t["u"] = t["spec"].get("unit", "")
        self.linkname = next(iter(spec.on), None)
        self.most = most
        self.make_groups()
        self.make_columns()
        self.make_cells()

    # groups of columns, with their parts
    def make_groups(self):
        spec = self.spec
        colfile, colvars = {}, defaultdict(set)
        dims_of = defaultdict(list)
        leafs_of = defaultdict(list)
        parent = {}

        def find(c):
            while parent[c] != c:
                c = parent[c]
            return c
        for t in self.tables:
            for d in t["dims"]:
                f = spec.file_of(d.var)
                cols = [(f, c) for c in spec.columns(d.var)]
                for c in cols:
                    parent.setdefault(c, c)
                    dims_of[c].append(d)
                for c in cols[1:]:
                    parent[find(c)] = find(cols[0])
            if t["ast"]:
                for l in leaves(t["ast"]):
                    c = (spec.file_of_column(l[1]), l[1])
                    parent.setdefault(c, c)
                    if l not in leafs_of[c]:
                        leafs_of[c].append(l)
        self.leafs_of, self.dims_of = leafs_of, dims_of
        # the domain of each column, merged by what tables and conditions can tell
        self.part_of, colparts = {}, {}
        for c in parent:
            f, name = c
            dims = dims_of[c]
            several = any(len(spec.columns(d.var)) > 1 for d in dims)
            near = [name] if not several else [x for d in dims for x in spec.columns(d.var)]
            seen = {r[n] for r in spec.data[f] for n in near}
            dom = {v for v in seen if v is not None}
            lits = [x for l in leafs_of[c] for x in (l[3] if isinstance(l[3], tuple) else (l[3],))]
            numeric = any(isinstance(x, float) for x in lits)
            hiers = [h for d in dims for h in [spec.vars.get(d.var, {}).get("hierarchy")] + spec.vars.get(d.var, {}).get("more_hierarchies", []) if h]
            if numeric or any("widths" in h or "width" in h or "bands" in h for h in hiers):
                ints = [int(float(v)) for v in dom] + [int(x) for x in lits]
                dom |= {str(i) for i in range(min(ints) - 40, max(ints) + 41)}
            for h in hiers:
                if "tree" in h:
                    dom |= {p[0] for p in tree_paths(h["tree"])}
            dom |= {str(x) for x in lits if not isinstance(x, float)}
            if not dims and not numeric:
                dom.add("\0other")
            if several or None in seen:
                dom.add(None)
            # a value that a table with all values does not list is nobody's
            for d in dims:
                if not d.only and not d.pairs:
                    dom = {v for v in dom if any(d.value_nodes(v)) or v is None and len(spec.columns(d.var)) > 1}
            sigs = {}
            self.part_of[c] = {}
            for v in sorted(dom, key=lambda v: (v is None, str(v))):
                sig = (v is None, tuple(d.value_nodes(v) for d in dims), tuple(leaf_true(l, v) for l in leafs_of[c]))
                sigs.setdefault(sig, v)
                self.part_of[c][v] = sigs[sig]
            colparts[c] = list(sigs.values())
        groups = defaultdict(list)
        for c in parent:
            groups[find(c)].append(c)
        self.groups = []
        for cols in groups.values():
            cols.sort()
            dims = []
            for c in cols:
                dims += [d for d in dims_of[c] if d not in dims]
            size = math.prod(len(colparts[c]) for c in cols)
            if size > 200000:
                raise TooLarge(f"{size} tuples of {cols}")
            sigs, index, parts = {}, {}, []
            for tup in itertools.product(*[colparts[c] for c in cols]):
                val = dict(zip(cols, tup))
                nodes = {id(d): d.set_nodes([val[(cols[0][0], n)] for n in spec.columns(d.var)]) for d in dims}
                truth = {(c, l): leaf_true(l, val[c]) for c in cols for l in leafs_of[c]}
                sig = (tuple(nodes.values()), tuple(truth.values()))
                if sig not in sigs:
                    sigs[sig] = len(parts)
                    parts.append((tup, nodes, truth))
                index[tup] = sigs[sig]
            self.groups.append(dict(file=cols[0][0], cols=cols, parts=parts, index=index))

    def part(self, g, record):
        return g["index"][tuple(self.part_of[c][record[c[1]]] for c in g["cols"])]

    def node_mask(self, g, d, node):
        return np.array([p[1][id(d)][node] for p in g["parts"]], bool)

    def make_columns(self):
        spec = self.spec
        own = [g for g in self.groups if g["file"] == ""]
        link = [g for g in self.groups if g["file"] != ""]
        self.extra = []  # (columns, coefficients, lower, upper)
        units = {t["u"] for t in self.tables}
        shape = [len(g["parts"]) for g in own]
        n = math.prod(shape)
        grid = np.indices(shape).reshape(len(shape), -1) if shape else np.zeros((0, 1), int)
        for k, g in enumerate(own):
            g["axis"] = grid[k]
        if units == {""} and not link:
            if n > self.most:
                raise TooLarge(f"{n} atoms")
            self.n = n
            self.unit_mask = {"": np.ones(n, bool)}
            self.bring = {"": lambda a: a}
            self.record_column = lambda r: int(np.ravel_multi_index([self.part(g, r) for g in own], shape)) if shape else 0
            self.linkmask = None
            return
        # linked: parents with the set S of linked parts, and linked records of each part
        name = self.linkname
        lshape = [len(g["parts"]) for g in link]
        ln = math.prod(lshape)
        lgrid = np.indices(lshape).reshape(len(lshape), -1) if lshape else np.zeros((0, 1), int)
        for k, g in enumerate(link):
            g["axis"] = lgrid[k]
        have = defaultdict(list)
        for r in spec.data[name]:
            have[tuple(r[c] for c in spec.on[name])].append(r)
        need = any(t["u"] == "" and (any(spec.file_of(d.var) for d in t["dims"]) or (t["ast"] and any(spec.file_of_column(l[1]) for l in leaves(t["ast"])))) for t in self.tables)
        self.everyone = all(have.get(tuple(r[c] for c in spec.on[name])) for r in spec.data[""])
        if need:
            sets = [s for s in range(1 << ln) if s or not self.everyone]
        else:
            sets = ["some"] if self.everyone else ["some", 0]
        cols, zat = [], {}
        for p in range(n):
            for s in sets:
                cols.append(("x", p, s, None))
        for p in range(n):
            for s in sets:
                ls = [] if s == 0 else range(ln) if s == "some" else [l for l in range(ln) if s >> l & 1]
                for l in ls:
                    zat[p, s, l] = len(cols)
                    cols.append(("z", p, s, l))
        if len(cols) > self.most:
            raise TooLarge(f"{len(cols)} atoms")
        self.n = len(cols)
        self.cols = cols
        isx = np.array([c[0] == "x" for c in cols])
        pidx = np.array([c[1] for c in cols])
        lidx = np.array([c[3] if c[3] is not None else 0 for c in cols])
        self.unit_mask = {"": isx, name: ~isx}
        sset = np.array([[(c[2] == "some" or (c[2] >> l & 1)) and c[2] != 0 for l in range(ln)] for c in cols], bool).reshape(len(cols), ln)
        self.pidx, self.lidx, self.sset, self.isx = pidx, lidx, sset, isx
        big = 4 * len(spec.data[name]) + 50
        xat = {(c[1], c[2]): k for k, c in enumerate(cols) if c[0] == "x"}
        for (p, s), k in xat.items():
            ls = [l for l in range(ln) if (p, s, l) in zat]
            if s == "some":
                self.extra.append(([zat[p, s, l] for l in ls] + [k], [1] * len(ls) + [-1], 0, INF))
                self.extra.append(([zat[p, s, l] for l in ls] + [k], [1] * len(ls) + [-big], -INF, 0))
            else:
                for l in ls:
                    self.extra.append(([zat[p, s, l], k], [1, -1], 0, INF))
                    self.extra.append(([zat[p, s, l], k], [1, -big], -INF, 0))
        truth = np.zeros(self.n)
        for r in spec.data[""]:
            p = int(np.ravel_multi_index([self.part(g, r) for g in own], shape)) if shape else 0
            lp = [int(np.ravel_multi_index([self.part(g, c) for g in link], lshape)) if lshape else 0 for c in have[tuple(r[c] for c in spec.on[name])]]
            s = sum(1 << l for l in set(lp))
            if not need:
                s = "some" if lp else 0
            truth[xat[p, s]] += 1
            for l in lp:
                truth[zat[p, s, l]] += 1
        self.link_truth = truth
        self.linkmask = True

    def group_value(self, t, g, perpart):
        """A truth per part of a group, as a mask over the columns, for the unit of the table."""
        if self.linkmask is None:
            return perpart[g["axis"]]
        if g["file"] == "":
            return perpart[g["axis"]][self.pidx]
        perl = perpart[g["axis"]]
        if t["u"] == "":
            return (self.sset & perl[None, :]).any(axis=1)
        return perl[self.lidx]

    def make_cells(self):
        spec = self.spec
        self.cells = []
        cellcols = {}
        for ti, t in enumerate(self.tables):
            base = self.unit_mask[t["u"]].copy()
            if t["ast"]:
                def truth(leaf):
                    c = (spec.file_of_column(leaf[1]), leaf[1])
                    g = next(g for g in self.groups if c in g["cols"])
                    return self.group_value(t, g, np.array([p[2][c, leaf] for p in g["parts"]], bool))
                base &= ast_eval(t["ast"], truth)
            masks = []
            for d in t["dims"]:
                c = (spec.file_of(d.var), spec.columns(d.var)[0])
                g = next(g for g in self.groups if c in g["cols"])
                masks.append([self.group_value(t, g, self.node_mask(g, d, k)) for k in range(len(d.nodes))])
            for ci, combo in enumerate(itertools.product(*[range(len(d.nodes)) for d in t["dims"]])):
                m = base.copy()
                for k, node in enumerate(combo):
                    m &= masks[k][node]
                fig = t["figures"][ci]
                self.cells.append(dict(t=ti, i=ci, nodes=combo, mask=m, shown=None if isinstance(fig, str) else fig / t["scale"],
                                       figure=fig, measure=t["measure"], of=t.get("of"), weighted=t.get("weighted", False), unit=t["u"],
                                       inner=all(d.nodes[x].get("finest") for d, x in zip(t["dims"], combo)),
                                       name=f"{t['name']}[{ci}]: " + ", ".join(f"{d.var} {d.nodes[x]['label']}" for d, x in zip(t["dims"], combo))))

    # what is true, per family
    def truth_counts(self):
        if self.linkmask is not None:
            return self.link_truth
        x = np.zeros(self.n)
        given = next((t["spec"]["given"] for t in self.tables if "given" in t["spec"]), None)
        for r in self.spec.data[""]:
            x[self.record_column(r)] += float(r[given]) if given else 1
        return x

    def contributions(self, of, contributor):
        """contributor -> amounts per column"""
        out = defaultdict(lambda: np.zeros(self.n))
        for k, r in enumerate(self.spec.data[""]):
            if r[of] is None:
                continue
            out[r[contributor] if contributor else f"record {k + 1}"][self.record_column(r)] += float(r[of])
        return out

    def existence(self):
        """Masks over columns that hold at least one record: values that are rows only because someone has them."""
        rows = []
        for t in self.tables:
            if "given" in t["spec"]:
                continue
            for d in t["dims"]:
                v = self.spec.vars.get(d.var, {})
                listed = set()
                for h in [v.get("hierarchy")] + v.get("more_hierarchies", []):
                    if h and "tree" in h:
                        listed |= {p[0] for p in tree_paths(h["tree"])}
                c = (self.spec.file_of(d.var), self.spec.columns(d.var)[0])
                g = next(g for g in self.groups if c in g["cols"])
                if "only" in t["spec"] and d.var in t["spec"]["only"] or d.pairs:
                    continue
                for k, node in enumerate(d.nodes):
                    if node.get("finest") and node["label"] not in listed:
                        # finest may be a group (levels): someone is in it unless a hierarchy lists it
                        if listed:
                            continue
                        fake = {"u": ""} if c[0] == "" else {"u": self.linkname}
                        m = self.group_value(fake, g, self.node_mask(g, d, k)) & self.unit_mask[fake["u"]]
                        rows.append((m, f"{d.var} {node['label']}"))
        return rows


# ---------------------------------------------------------------- solving

class System:
    """x >= 0 with rows; what can an expression be? Witnesses are kept and used again."""

    def __init__(self, n, rows, whole, upper, truth):
        self.n, self.whole, self.upper = n, whole, upper
        self.rows = rows  # (idx, coef, lo, hi)
        self.lower = np.zeros(n)
        self.pool = [truth]
        self.truth = truth
        self.near = None
        self.lps = self.mips = self.undecided = 0
        self.h = self.build(False)
        self.deadline = INF

    def build(self, integer):
        h = highspy.Highs()
        h.setOptionValue("output_flag", False)
        h.setOptionValue("threads", 1)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = self.n, len(self.rows)
        lp.col_cost_ = np.zeros(self.n)
        lp.col_lower_ = self.lower.copy()
        lp.col_upper_ = np.full(self.n, float(self.upper))
        lp.row_lower_ = np.array([r[2] if r[2] > -INF else -highspy.kHighsInf for r in self.rows], float)
        lp.row_upper_ = np.array([r[3] if r[3] < INF else highspy.kHighsInf for r in self.rows], float)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        start = np.cumsum([0] + [len(r[0]) for r in self.rows])
        lp.a_matrix_.start_ = start.astype(np.int32)
        lp.a_matrix_.index_ = np.concatenate([np.asarray(r[0]) for r in self.rows] or [np.zeros(0)]).astype(np.int32)
        lp.a_matrix_.value_ = np.concatenate([np.asarray(r[1]) for r in self.rows] or [np.zeros(0)]).astype(float)
        if integer:
            lp.integrality_ = [highspy.HighsVarType.kInteger] * self.n
        h.passModel(lp)
        return h

    def with_lower(self, lower):
        """The same system where some columns have at least so much."""
        s = System.__new__(System)
        s.__dict__.update(self.__dict__)
        s.lower = lower
        s.near = None
        s.h = s.build(False)
        s.pool = [w for w in self.pool if (w >= lower - EPS).all()]
        s.parent_pool = self.pool
        s.lps = s.mips = s.undecided = 0
        return s

    def with_rows(self, rows):
        s = System.__new__(System)
        s.__dict__.update(self.__dict__)
        s.rows = self.rows + rows
        s.near = None
        s.h = s.build(False)
        s.pool = [w for w in self.pool if all(r[2] - EPS <= np.dot(w[r[0]], r[1]) <= r[3] + EPS for r in rows)]
        s.lps = s.mips = s.undecided = 0
        return s

    def fits(self, x):
        return (x >= self.lower - EPS).all() and all(lo - EPS <= np.dot(x[i], c) <= hi + EPS for i, c, lo, hi in self.rows)

    def keep(self, x):
        if self.whole:
            y = np.round(x)
            if abs(x - y).max(initial=0) > EPS or not self.fits(y):
                return
            x = y
        if len(self.pool) < 400:
            self.pool.append(x)

    def opt(self, expr, sense):
        """The end of an expression by linear programming, and the table that has it."""
        self.lps += 1
        idx = np.flatnonzero(expr).astype(np.int32)
        h = self.h
        h.changeColsCost(len(idx), idx, (-sense * expr[idx]).astype(float))
        h.run()
        st = h.getModelStatus()
        if st != highspy.HighsModelStatus.kOptimal:
            h.clearSolver()
            h.run()
            st = h.getModelStatus()
        h.changeColsCost(len(idx), idx, np.zeros(len(idx)))
        if st == highspy.HighsModelStatus.kOptimal:
            x = np.array(h.getSolution().col_value)
            self.keep(x)
            return float(np.dot(x, expr)), x
        raise RuntimeError(f"LP status {st}")

    def duals(self, expr, sense):
        idx = np.flatnonzero(expr).astype(np.int32)
        self.h.changeColsCost(len(idx), idx, (-sense * expr[idx]).astype(float))
        self.h.clearSolver()
        self.h.run()
        s = self.h.getSolution()
        v = float(np.dot(s.col_value, expr))
        d = [-sense * y for y in s.row_dual]
        self.h.changeColsCost(len(idx), idx, np.zeros(len(idx)))
        return v, d

    def mip(self, expr, sense, limit=10, reach=None):
        """The end in whole numbers, or with reach whether an end that far fits. (value, x) or (None, None) where undecided, (-inf, None) if none."""
        self.mips += 1
        h = self.build(True)
        h.setOptionValue("time_limit", float(limit))
        h.setOptionValue("mip_rel_gap", 0.0)
        h.setOptionValue("mip_abs_gap", 0.5)
        idx = np.flatnonzero(expr).astype(np.int32)
        if reach is None:
            h.changeColsCost(len(idx), idx, (-sense * expr[idx]).astype(float))
        else:
            lo, hi = (reach, highspy.kHighsInf) if sense > 0 else (-highspy.kHighsInf, reach)
            h.addRow(lo, hi, len(idx), idx, expr[idx].astype(float))
        h.run()
        st = h.getModelStatus()
        if st == highspy.HighsModelStatus.kOptimal:
            x = np.round(np.array(h.getSolution().col_value))
            if not self.fits(x):
                self.undecided += 1
                return None, None
            self.keep(x)
            return float(np.dot(x, expr)), x
        if st in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return -INF, None
        self.undecided += 1
        return None, None

    def nearest(self, expr, sense, value):
        """The table nearest to the true one that reaches the value, in reals: False if there is none, None if it is not whole, else True."""
        self.lps += 1
        n, t = self.n, self.truth
        if self.near is None:
            h = highspy.Highs()
            h.setOptionValue("output_flag", False)
            h.setOptionValue("threads", 1)
            lp = highspy.HighsLp()
            lp.num_col_, lp.num_row_ = 2 * n, len(self.rows)
            rng = np.random.default_rng(1)
            lp.col_cost_ = 1 + 1e-3 * rng.random(2 * n)
            lp.col_lower_ = np.zeros(2 * n)
            lp.col_upper_ = np.concatenate([np.maximum(0, self.upper - t), t - self.lower])
            at = [float(np.dot(t[np.asarray(r[0])], r[1])) for r in self.rows]
            inf = highspy.kHighsInf
            lp.row_lower_ = np.array([r[2] - a if r[2] > -INF else -inf for r, a in zip(self.rows, at)], float)
            lp.row_upper_ = np.array([r[3] - a if r[3] < INF else inf for r, a in zip(self.rows, at)], float)
            lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
            lp.a_matrix_.start_ = np.cumsum([0] + [2 * len(r[0]) for r in self.rows]).astype(np.int32)
            lp.a_matrix_.index_ = np.concatenate([np.concatenate([np.asarray(r[0]), np.asarray(r[0]) + n]) for r in self.rows] or [np.zeros(0)]).astype(np.int32)
            lp.a_matrix_.value_ = np.concatenate([np.concatenate([np.asarray(r[1], float), -np.asarray(r[1], float)]) for r in self.rows] or [np.zeros(0)])
            h.passModel(lp)
            self.near = h
        h = self.near
        idx = np.flatnonzero(expr)
        have = float(np.dot(expr, t))
        lo, hi = (value - have, highspy.kHighsInf) if sense > 0 else (-highspy.kHighsInf, value - have)
        h.addRow(lo, hi, 2 * len(idx), np.concatenate([idx, idx + n]).astype(np.int32), np.concatenate([expr[idx], -expr[idx]]).astype(float))
        h.run()
        st = h.getModelStatus()
        if st not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
            h.clearSolver()
            h.run()
            st = h.getModelStatus()
        d = np.array(h.getSolution().col_value)
        k = h.getNumRow() - 1
        h.deleteRows(1, np.array([k], np.int32))
        if st == highspy.HighsModelStatus.kInfeasible:
            return False
        if st != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"LP status {st}")
        x = t + d[:n] - d[n:]
        before = len(self.pool)
        if abs(x - np.round(x)).max(initial=0) > EPS or not self.fits(np.round(x)):
            return None
        self.keep(x)
        return True

    def seen(self, expr):
        v = [float(np.dot(w, expr)) for w in self.pool]
        return (min(v), max(v)) if v else (INF, -INF)

    def reach(self, expr, sense, value):
        """Whether some table that fits has the expression as large (sense 1) or as small (sense -1) as value. None: not settled."""
        if not expr.any():
            return (sense > 0) == (0 >= value) or 0 == value
        lo, hi = self.seen(expr)
        if sense > 0 and hi >= value - EPS or sense < 0 and lo <= value + EPS:
            return True
        if time.time() > self.deadline:
            self.undecided += 1
            return None
        if self.whole:
            got = self.nearest(expr, sense, value)
            if got is not None:
                return got
            v, _ = self.mip(expr, sense, reach=value)
            return None if v is None else v > -INF
        end, x = self.opt(expr, sense)
        if sense > 0 and end < value - 1e-5 or sense < 0 and end > value + 1e-5:
            return False
        return True

    def ends(self, expr):
        lo, _ = self.opt(expr, -1)
        hi, _ = self.opt(expr, 1)
        if self.whole:
            lo, hi = math.ceil(lo - 1e-5), math.floor(hi + 1e-5)
            if hi - lo <= 3:
                a, x = self.mip(expr, -1)
                b, y = self.mip(expr, 1)
                lo, hi = (a if x is not None else lo), (b if y is not None else hi)
        return lo, hi


# ---------------------------------------------------------------- the attack

class Attack:
    def __init__(self, bundle, specdir, self_attack=True, seconds=100):
        self.start = time.time()
        self.deadline = self.start + seconds
        self.j = Joint(bundle, specdir)
        self.spec = self.j.spec
        self.self_attack = self_attack
        self.found = []
        self.notes = []
        self.stats = defaultdict(int)

    def say(self, what, cell, **more):
        self.found.append(dict(what=what, cell=cell if isinstance(cell, str) else cell["name"], **more))

    def run(self):
        j = self.j
        counts = [c for c in j.cells if c["measure"] in ("count", "estimate")]
        if counts:
            self.counts(counts)
        for of in sorted({c["of"] for c in j.cells if c["measure"] == "sum"}):
            self.sums([c for c in j.cells if c["measure"] == "sum" and c["of"] == of], of)
        if any(c["measure"] == "mean" for c in j.cells):
            self.notes.append("means are not attacked")
        self.stats["seconds"] = round(time.time() - self.start, 2)
        return self

    def reduce(self, cells, truth, extra_masks):
        """Columns that a zero excludes go; columns that no cell tells apart become one."""
        j = self.j
        keep = np.ones(j.n, bool)
        for c in cells:
            if c["shown"] == 0:
                keep &= ~c["mask"]
        M = np.array([c["mask"] for c in cells] + [m for m in extra_masks], bool).reshape(-1, j.n)
        inside = M[: len(cells)].any(axis=0)
        if j.linkmask is None:
            keep &= inside | M.any(axis=0)
            at = np.flatnonzero(keep)
            packed = np.packbits(M[:, at], axis=0).T
            _, first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True) if len(at) else (None, np.zeros(0, int), np.zeros(0, int))
            inverse = np.asarray(inverse).reshape(-1)
            self.to = np.full(j.n, -1)
            self.to[at] = inverse
            reps = at[first]
        else:
            at = reps = np.flatnonzero(keep)
            self.to = np.full(j.n, -1)
            self.to[at] = np.arange(len(at))
        n = len(reps)
        assert truth[~keep & M.any(axis=0)].sum() == 0, "a shown zero holds somebody"
        x = np.zeros(n)
        np.add.at(x, self.to[at], truth[at])
        for k, c in enumerate(cells):
            c["v"] = M[k, reps].astype(float)
        masks = [M[len(cells) + k, reps].astype(float) for k in range(len(extra_masks))]
        rows = []
        for i, co, lo, hi in j.extra:
            pairs = [(self.to[a], b) for a, b in zip(i, co) if self.to[a] >= 0]
            if pairs:
                rows.append(([p[0] for p in pairs], [p[1] for p in pairs], lo, hi))
        return n, x, rows, masks

    def system(self, cells, truth, whole, upper, value):
        seen, rows, names = set(), [], []
        exist = self.j.existence() if whole else []
        n, x, extra, masks = self.reduce(cells, truth, [m for m, _ in exist])
        for c in cells:
            if c["shown"] is None:
                continue
            v = value(c)
            have = float(np.dot(c["v"], x))
            assert abs(have - v) < 1e-3, f"the attacker reads {c['name']} as {have}, published {v}"
            key = c["v"].tobytes()
            if key in seen or not c["v"].any():
                continue
            seen.add(key)
            idx = np.flatnonzero(c["v"])
            rows.append((idx, np.ones(len(idx)), have, have))
            names.append(f"{c['name']} = {have:g}")
        self.rownames = names + [f"link {k}" for k in range(len(extra))]
        s = System(n, rows + extra, whole, upper, x)
        s.deadline = self.deadline
        assert s.fits(x), "the truth does not fit"
        existrows = []
        for m in masks:
            idx = np.flatnonzero(m)
            if len(idx):
                existrows.append((idx, np.ones(len(idx)), 1, INF))
        return s, x, existrows

    def groups(self, cells, one=False):
        """(total cell, category cell) of which the total is in one category but for a few."""
        by = {(c["t"], c["nodes"]): c for c in cells}
        out = []
        if self.spec.coalition is None:
            return out
        for c in cells:
            t = self.j.tables[c["t"]]
            for k, d in enumerate(t["dims"]):
                if d.several or d.pairs or d.kind == "geography":
                    continue
                for total, parts in d.sums:
                    if c["nodes"][k] != total or len(parts) < 2:
                        continue
                    n = c["true"]
                    if one and n != 1 or not one and (n < 2 or n > 50):
                        continue
                    for p in parts:
                        z = by[c["t"], c["nodes"][:k] + (p,) + c["nodes"][k + 1:]]
                        if one and z["true"] == 1 and (c["mask"] & ~z["mask"]).any():
                            out.append((c, z))
                        if z["true"] >= 2 and n - z["true"] <= self.spec.coalition and (c["mask"] & ~z["mask"]).any():
                            out.append((c, z))
        return out

    def differences(self, cells, limit_of):
        """Pairs of cells, one strictly inside the other, that no one table has both of."""
        out, done = [], set()
        uniq, where = {}, defaultdict(set)
        for c in cells:
            k = c["v"].tobytes()
            uniq.setdefault(k, c)
            if c["shown"] is not None and uniq[k]["shown"] is None:
                uniq[k] = c
            where[k].add(c["t"])
        items = list(uniq.items())
        if not items:
            return out
        V = np.array([c["v"] for _, c in items], bool)
        size = V.sum(axis=1)
        common = V.astype(np.float32) @ V.astype(np.float32).T
        tr = np.array([c["true"] for _, c in items])
        for a in range(len(items)):
            for b in np.flatnonzero((common[a] == size) & (size < size[a]) & (size > 0)):
                A, B = items[a][1], items[b][1]
                if A["unit"] != B["unit"] or where[items[a][0]] & where[items[b][0]]:
                    continue
                if tr[b] < 1 and True:
                    continue  # the rest is then the cell itself
                if limit_of(A, B):
                    out.append((A, B))
        return out

    def counts(self, cells):
        spec, j = self.spec, self.j
        truth = j.truth_counts()
        weights = {float(r[v["name"]]) for v in spec.vars.values() if v.get("role") == "weight" for r in spec.data[""]}
        if any(c["weighted"] for c in cells) and len(weights) != 1:
            self.notes.append("weights are not constant: weighted tables are not attacked")
            cells = [c for c in cells if not c["weighted"]]
        w = weights.pop() if len(weights) == 1 else 1.0
        value = lambda c: c["shown"] / w if c["weighted"] else c["shown"]
        s, x, exist = self.system(cells, truth, True, 4 * truth.sum() + 50, value)
        self.s = s
        limit = {True: spec.limits[0], False: spec.limits[1]}
        for c in cells:
            c["true"] = round(float(np.dot(c["v"], x)))
        floors = self.floors(cells, x)
        targets, seen = [], {}
        for c in cells:
            if 1 <= c["true"] <= limit[c["inner"]]:
                if c["shown"] is not None:
                    self.say("shown", c, true=c["true"])
                    continue
                k = c["v"].tobytes()
                if k not in seen:
                    seen[k] = c
                    targets.append(c)
        self.stats["atoms"], self.stats["unsafe"] = s.n, len(targets)
        self.stats["hidden"] = sum(c["shown"] is None for c in cells)
        safe = []
        for c in targets:
            z, m, fl = c["true"], spec.margin, floors.get(id(c), 0)
            up = s.reach(c["v"], 1, z + m)
            low = max(z - m, fl, 0)
            down = True if low >= z else s.reach(c["v"], -1, low)
            if up and down:
                safe.append(c)
                continue
            if up is None or down is None:
                self.stats["undecided"] += 1
                if up is not False and down is not False:
                    continue
            lo, hi = s.ends(c["v"])
            self.say("exact" if lo == hi else "tight", c, true=z, interval=[lo, hi], asked=[low, z + m])
        # groups: what a total has outside one category
        groups = []
        gseen = set()
        for n, z in self.groups(cells):
            e = n["v"] - z["v"]
            k = (n["mask"].tobytes(), z["mask"].tobytes())
            if k in gseen:
                continue
            gseen.add(k)
            rest = n["true"] - z["true"]
            if s.reach(e, 1, rest + 1) is False and (rest == 0 or s.reach(e, -1, rest - 1) is False):
                self.say("group", z, of=n["name"], true=[z["true"], n["true"]])
            else:
                groups.append((n, z, e, rest))
            if z["shown"] is None and z not in targets:
                zz = z["true"]
                if s.reach(z["v"], 1, zz + 1) is False and s.reach(z["v"], -1, zz - 1) is False:
                    self.say("group-cell", z, of=n["name"], true=[zz, n["true"]])
        self.stats["groups"] = len(gseen)
        # differences
        top = max(limit.values())
        diffs = self.differences(cells, lambda A, B: 1 <= A["true"] - B["true"] <= top)
        self.stats["differences"] = len(diffs)
        dsafe, dseen = [], set()
        unsafe_keys = set(seen)
        for A, B in diffs:
            e = A["v"] - B["v"]
            k = e.tobytes()
            if k in dseen or k in unsafe_keys:
                continue
            dseen.add(k)
            d = A["true"] - B["true"]
            if s.reach(e, 1, d + 1) is False and s.reach(e, -1, d - 1) is False:
                both = A["shown"] is not None and B["shown"] is not None
                self.say("difference" if both else "difference-hidden", A, less=B["name"], true=d)
            else:
                dsafe.append((A, B, e, d))
        # who knows that listed values occur
        if exist and (safe or groups or dsafe):
            e2 = s.with_rows(exist)
            for c in safe:
                z = c["true"]
                fl = max(floors.get(id(c), 0), 1 if any(c["v"][r[0]].all() for r in exist) else 0)
                up = e2.reach(c["v"], 1, z + 1)
                if up is False and e2.reach(c["v"], -1, z - 1) is False:
                    self.say("exact-exist", c, true=z)
                elif fl < z and e2.reach(c["v"], -1, max(z - 1, fl)) is False:
                    self.say("tight-exist", c, true=z)
            for n, z, e, rest in groups:
                if e2.reach(e, 1, rest + 1) is False and (rest == 0 or e2.reach(e, -1, rest - 1) is False):
                    self.say("group-exist", z, of=n["name"], true=[z["true"], n["true"]])
            # a row with one person: that there is one, and that nobody is elsewhere in it
            for n, z in self.groups(cells, True):
                if z["shown"] is None and e2.reach(n["v"] - z["v"], 1, 1) is False and e2.reach(n["v"], -1, 0) is False:
                    self.say("lone-exist", z, of=n["name"], true=1)
            self.merge(e2)
        # one record knows that it is there
        if self.self_attack and (safe or groups or dsafe):
            for a in np.flatnonzero(x > 0):
                if time.time() > self.deadline:
                    self.notes.append("out of time before every record attacked")
                    break
                lower = np.zeros(s.n)
                lower[a] = 1
                goals = [("exact-self", c, c["v"], c["true"], {}) for c in safe if not (c["v"][a] and c["true"] == 1)]
                goals += [("group-self", z, e, rest, dict(of=n["name"], true=[z["true"], n["true"]])) for n, z, e, rest in groups]
                goals += [("difference-self", A, e, d, dict(less=B["name"])) for A, B, e, d in dsafe if not (e[a] and d == 1)]
                pool = np.array([w for w in s.pool if w[a] >= 1 - EPS])
                G = np.array([g[2] for g in goals]).reshape(len(goals), s.n)
                vals = pool @ G.T
                open_ = [g for g, lo, hi in zip(goals, vals.min(axis=0), vals.max(axis=0)) if lo == hi]
                if not open_:
                    continue
                e3 = s.with_lower(lower)
                for what, c, e, v, more in open_:
                    if e3.reach(e, 1, v + 1) is False and (v == 0 or e3.reach(e, -1, v - 1) is False):
                        if not any(f["what"] == what and f["cell"] == c["name"] and f.get("of") == more.get("of") for f in self.found):
                            self.say(what, c, **{"true": v, **more})
                s.pool += [w for w in e3.pool if not any(w is p for p in s.pool)][: max(0, 400 - len(s.pool))]
                self.merge(e3)
        self.merge(s)

    def merge(self, s):
        self.stats["lps"] += s.lps
        self.stats["mips"] += s.mips
        self.stats["unsettled"] += s.undecided

    def floors(self, cells, x):
        """Linked files: what is known of a cell once it is known which places are not empty (the docs do not ask to go lower)."""
        if self.j.linkmask is None:
            return {}
        place = defaultdict(list)
        for c in cells:
            t = self.j.tables[c["t"]]
            key = (t["spec"].get("where"), tuple(sorted((d.var, d.nodes[k]["label"]) for d, k in zip(t["dims"], c["nodes"]) if not d.nodes[k].get("total"))))
            place[key].append(c)
        rows = []
        paired = set()
        for cs in place.values():
            units = {c["unit"] for c in cs}
            if len(units) > 1 and all(c["true"] > 0 for c in cs):
                for c in cs:
                    idx = np.flatnonzero(c["v"])
                    rows.append((idx, np.ones(len(idx)), 1, INF))
                    paired.add(id(c))
        if not rows:
            return {}
        extra = [r for r in self.s.rows if r[2] == -INF or r[3] == INF]
        f = System(self.s.n, rows + extra, True, self.s.upper, x)
        out = {}
        for c in cells:
            if c["shown"] is None and 1 <= c["true"] <= max(self.spec.limits):
                v, y = f.mip(c["v"], -1)
                out[id(c)] = v if y is not None else (1 if id(c) in paired else 0)
        return out

    # ---- sums

    def rule(self, parts):
        """How far the bounds of a sum must be from it, by the policy; 0 if it is safe. parts: contributions, the largest first."""
        mag, X = self.spec.mag, sum(parts)
        if not parts:
            return 0, []
        far, why = 0, []
        if len(parts) < mag.get("threshold", 0):
            far, why = max(far, 1), why + ["threshold"]
        if "dominance" in mag:
            n, k = mag["dominance"]["n"], mag["dominance"]["k"]
            top = sum(parts[:n])
            if top > k / 100 * X + 1e-9:
                far, why = max(far, 100 / k * top - X), why + ["dominance"]
        if "p" in mag:
            p = mag["p"] / mag.get("q", 100)
            R = X - sum(parts[: 1 + mag.get("coalition", 1)])
            if R < p * parts[0] - 1e-9:
                far, why = max(far, p * parts[0] - R), why + ["p"]
        return far, why

    def sums(self, cells, of):
        spec, j = self.spec, self.j
        contributor = next((j.tables[c["t"]]["spec"].get("contributor") for c in cells), None)
        own = j.contributions(of, contributor)
        total = sum(own.values())
        s, x, _ = self.system(cells, total, False, 10 * total.sum() + 1000, lambda c: c["shown"])
        self.s = s
        red = {}
        for g, o in own.items():
            y = np.zeros(s.n)
            at = np.flatnonzero(o)
            np.add.at(y, self.to[at], o[at])
            red[g] = y
        names = list(red)
        O = np.array([red[g] for g in names])
        targets, seen = [], set()
        for c in cells:
            amounts = O @ c["v"]
            c["by"] = amounts
            c["true"] = float(amounts.sum())
            parts = sorted([a for a in amounts if a > 0], reverse=True)
            c["far"], c["why"] = self.rule(parts)
            if c["far"] > 0:
                if c["shown"] is not None:
                    self.say("shown", c, true=c["true"], why=c["why"])
                elif c["v"].tobytes() not in seen:
                    seen.add(c["v"].tobytes())
                    targets.append(c)
        self.stats["atoms"], self.stats["hidden"] = s.n, sum(c["shown"] is None for c in cells)
        self.stats["unsafe"] += len(targets)
        tol = 1e-4
        for c in targets:
            X = c["true"]
            up = s.reach(c["v"], 1, X + c["far"] - tol)
            low = max(0, X - c["far"])
            down = s.reach(c["v"], -1, low + tol)
            if up is False or down is False:
                lo, hi = s.ends(c["v"])
                self.say("exact" if hi - lo < 1e-3 else "tight", c, true=X, interval=[round(lo, 3), round(hi, 3)], asked=[round(low, 3), round(X + c["far"], 3)], why=c["why"])
        # differences of shown cells
        def few(A, B):
            left = O @ (A["v"] - B["v"])
            return A["shown"] is not None and B["shown"] is not None and 1 <= (left > 0).sum() <= 2
        for A, B in self.differences(cells, few):
            if self.rule(sorted([a for a in O @ (A["v"] - B["v"]) if a > 0], reverse=True))[0] > 0:
                self.say("difference", A, less=B["name"], true=A["true"] - B["true"])
        # every contributor against every other
        if "p" in spec.mag:
            p = spec.mag["p"] / spec.mag.get("q", 100)
            goals = [c for c in targets if (c["by"] > 0).sum() >= 1]
            for gi, g in enumerate(names):
                if time.time() > self.deadline:
                    self.notes.append("out of time before every contributor attacked")
                    break
                sub = None
                for c in goals:
                    others = [k for k in range(len(names)) if k != gi and c["by"][k] > 0]
                    if not others:
                        continue
                    f = max(others, key=lambda k: c["by"][k])
                    xf, og = c["by"][f], c["by"][gi]
                    need = og + xf * (1 + p)
                    pool = [w for w in s.pool if (w >= O[gi] - EPS).all()]
                    have = [float(np.dot(w, c["v"])) for w in pool]
                    ok_up = max(have, default=-INF) >= need - tol
                    sole = len(others) == 1
                    low = og + xf * (1 - p)
                    ok_down = not sole or min(have, default=INF) <= low + tol
                    if ok_up and ok_down:
                        continue
                    if sub is None:
                        sub = s.with_lower(O[gi])
                        sub.pool = pool
                    if not ok_up:
                        ok_up = sub.reach(c["v"], 1, need - tol)
                    if not ok_down:
                        ok_down = sub.reach(c["v"], -1, low + tol)
                    if ok_up is False or ok_down is False:
                        lo, hi = sub.ends(c["v"])
                        a, b = (lo - og if sole else 0), hi - og
                        self.say("rival", c, attacker=str(g), rival=str(names[f]), amount=float(xf), bounds=[round(float(a), 3), round(float(b), 3)],
                                 within=round(float(100 * (max(b - xf, xf - a) if ok_up is False and ok_down is False else b - xf if ok_up is False else xf - a) / xf), 2),
                                 side="both" if ok_up is False and ok_down is False else "above" if ok_up is False else "below",
                                 in_cell=bool(og > 0), contributors=int((c["by"] > 0).sum()))
                    s.pool += [w for w in sub.pool if not any(w is q for q in s.pool)][: max(0, 400 - len(s.pool))]
                if sub is not None:
                    self.merge(sub)
        self.merge(s)

    # ---- words

    def algebra(self, cellname):
        c = next(c for c in self.j.cells if c["name"] == cellname)
        out = []
        for sense, word in [(-1, "at least"), (1, "at most")]:
            v, d = self.s.duals(c["v"], sense)
            terms = [f"{y:+g} ({n})" for y, n in zip(d, self.rownames) if abs(y) > 1e-7]
            out.append(f"  {cellname} is {word} {v:g} by:\n     " + "\n     ".join(terms))
        return "\n".join(out)


def main():
    import argparse
    ap = argparse.ArgumentParser()
    ap.add_argument("bundle")
    ap.add_argument("specdir")
    ap.add_argument("--algebra", action="store_true")
    ap.add_argument("--no-self", action="store_true")
    ap.add_argument("--json", action="store_true")
    a = ap.parse_args()
    k = Attack(a.bundle, a.specdir, not a.no_self, 600).run()
    if a.json:
        print(json.dumps(dict(found=k.found, stats=k.stats, notes=k.notes)))
        return
    for f in k.found:
        print(f)
        if a.algebra and f["what"] in ("exact", "tight"):
            print(k.algebra(f["cell"]))
    print(dict(k.stats), k.notes)


if __name__ == "__main__":
    main()
