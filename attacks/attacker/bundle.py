"""Reads a release as an outsider has it: figures from `public/tables.json` (K1), hierarchies, conditions and policy from the spec (K3, K4, K8),
and the raw data, from which the attacker's answers are judged."""
import csv, json, os, tomllib

from .conditions import leaves, parse_condition


def tree_paths(tree, above=()):
    """Every value of a hierarchy with the groups above it, the value first."""
    for label, below in tree.items():
        if isinstance(below, dict):
            yield from tree_paths(below, (label,) + above)
        else:
            for value in below:
                yield (value, label) + above


def band_label(edges, number):
    k = sum(number >= edge for edge in edges)
    if k == 0:
        return f"under {edges[0]}"
    if k == len(edges):
        return f"{edges[-1]} or over"
    low, high = edges[k - 1], edges[k] - 1
    return f"{low}-{high}" if high > low else f"{low}"


def labels_of(hierarchy, value):
    """All labels of a value in one hierarchy, itself first (K4)."""
    v = str(value)
    if not hierarchy:
        return [v]
    if "tree" in hierarchy:
        return next((list(path) for path in tree_paths(hierarchy["tree"]) if path[0] == v), [v])
    if "prefix" in hierarchy:
        return [v] + [v[:k] for k in hierarchy["prefix"]]
    if "width" in hierarchy or "widths" in hierarchy:
        out = [v]
        for width in hierarchy.get("widths") or [hierarchy["width"]]:
            start = int(float(v)) // width * width
            out.append(f"{start}-{start + width - 1}" if width > 1 else str(start))
        return out
    if "bands" in hierarchy:
        bands = hierarchy["bands"]
        bands = bands if isinstance(bands[0], list) else [bands]
        return [v] + [band_label(edges, int(float(v))) for edges in bands]
    raise ValueError(f"hierarchy {hierarchy}")


class Spec:
    """A spec with its data. Files are named as in the spec; `[data]` is the file ""."""

    def __init__(self, path):
        path = path if path.endswith(".toml") else os.path.join(path, "outward.toml")
        self.folder = os.path.dirname(path)
        with open(path, "rb") as f:
            self.toml = tomllib.load(f)
        self.variables = {v["name"]: v for v in self.toml.get("variables", [])}
        self.records = {"": self.read(self.toml["data"]["path"])}
        self.linked_on = {}
        for link in self.toml.get("linked", []):
            self.records[link["name"]] = self.read(link["data"]["path"])
            self.linked_on[link["name"]] = link["on"]
        self.tables = {t["name"]: t for t in self.toml["tables"]}
        self.margin = self.toml.get("protection", {}).get("margin", 1)
        self.read_policy(self.toml.get("policy", {}))

    def read_policy(self, policy):
        """Limits of interior and marginal counts, the coalition of groups, the rules of sums (K8)."""
        tier = policy.get("tier", "medium")
        self.limits = ({"low": 0, "medium": 2, "high": 4}[tier], 4 if tier == "high" else 2)
        self.coalition = 0 if tier == "low" else 1
        self.magnitude = {"threshold": 3, "dominance": {"n": 1, "k": 75}, "p": 10}
        if "tables" in policy:
            rules = policy["tables"]
            first = rules["categories"][0]
            self.limits = (first.get("cells", 0), first.get("margins", 0))
            self.coalition = rules.get("coalition")
            self.magnitude = rules.get("magnitude", {})

    def read(self, name):
        with open(os.path.join(self.folder, name)) as f:
            rows = list(csv.reader(f))
        return [{h: (v if v.strip() else None) for h, v in zip(rows[0], r)} for r in rows[1:]]

    def columns(self, variable):
        return self.variables.get(variable, {}).get("columns") or [variable]

    def file_of(self, variable):
        return (self.variables.get(variable, {}).get("from") or [""])[0]

    def file_of_column(self, column):
        return next(f for f, rows in self.records.items() if rows and column in rows[0])

    def hierarchies(self, variable):
        v = self.variables.get(variable, {})
        return [v.get("hierarchy")] + v.get("more_hierarchies", [])

    def labels(self, variable, value):
        return set().union(*[labels_of(h, value) for h in self.hierarchies(variable)])

    def weights(self):
        named = [v["name"] for v in self.variables.values() if v.get("role") == "weight"]
        return {float(r[name]) for name in named for r in self.records[""]}


class Dimension:
    """A dimension of a published table, with its nodes as labels."""

    def __init__(self, spec, asked, d):
        self.in_pairs = d["variable"].endswith(" in pairs")
        self.variable = d["variable"][: -len(" in pairs")] if self.in_pairs else d["variable"]
        self.several = d.get("several", False)
        self.kind = d["kind"]
        self.nodes = d["nodes"]
        self.sums = d.get("sums", [])
        self.only = self.variable in asked.get("only", {})
        self.finest = {n["label"] for n in self.nodes if n.get("finest")}
        self.spec = spec
        self.file = spec.file_of(self.variable)
        self.columns = [(self.file, c) for c in spec.columns(self.variable)]
        self.hierarchies = [h for h in spec.hierarchies(self.variable) if h]
        self.cache = {}

    def listed_values(self):
        """The values that a hierarchy lists, whether they occur or not."""
        return {path[0] for h in self.hierarchies if "tree" in h for path in tree_paths(h["tree"])}

    def nodes_of_value(self, value):
        """Which nodes a single value is in; for pairs, in which it is one half."""
        if value not in self.cache:
            if value is None:
                labels = set() if len(self.columns) > 1 else {"Missing"}
            else:
                labels = self.spec.labels(self.variable, value)
            if self.in_pairs:
                self.cache[value] = tuple(bool(labels & set(n["label"].split(" and "))) for n in self.nodes)
            else:
                here = bool(labels & self.finest)
                self.cache[value] = tuple(here if n.get("total") else (n["label"] in labels and (here or not self.only)) for n in self.nodes)
        return self.cache[value]

    def nodes_of_answers(self, values):
        """Which nodes a record with these answers is in."""
        if len(self.columns) > 1:
            values = [v for v in values if v is not None]
        if self.in_pairs:
            labels = set().union(*[self.spec.labels(self.variable, v) for v in values]) if values else set()
            halves = [None if n.get("total") else set(n["label"].split(" and ")) <= labels for n in self.nodes]
            return tuple(any(halves) if inside is None else inside for inside in halves)
        out = [False] * len(self.nodes)
        for v in values:
            out = [a or b for a, b in zip(out, self.nodes_of_value(v))]
        return tuple(out)


class Table:
    """A published table beside what the spec asks of it."""

    def __init__(self, spec, release, published):
        self.spec, self.release = spec, release
        self.name = published["name"]
        self.asked = spec.tables[self.name]
        self.unit = self.asked.get("unit", "")
        self.condition = parse_condition(self.asked["where"]) if "where" in self.asked else None
        self.dimensions = [Dimension(spec, self.asked, d) for d in published["dimensions"]]
        self.figures, self.scale = published["figures"], published["scale"]
        self.measure, self.of = published["measure"], published.get("of")
        self.weighted = published.get("weighted", False)

    def comparisons(self):
        """The comparisons of the condition, each with its column."""
        found = leaves(self.condition) if self.condition else []
        return [((self.spec.file_of_column(leaf[1]), leaf[1]), leaf) for leaf in found]


def read_release(bundle, spec, release):
    with open(os.path.join(bundle, "public", "tables.json")) as f:
        return [Table(spec, release, t) for t in json.load(f)["tables"]]
