"""A family of tables: its spec and data files, and records that are drawn with some dependence between columns."""
import os


def to_toml(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return str(v)
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(to_toml(x) for x in v) + "]"
    if isinstance(v, dict):
        return "{ " + ", ".join(f"{to_toml(str(k)) if not str(k).isidentifier() else k} = {to_toml(x)}" for k, x in v.items()) + " }"
    raise TypeError(v)


def section(name, fields, many=True):
    head = f"[[{name}]]" if many else f"[{name}]"
    return head + "\n" + "".join(f"{k} = {to_toml(v)}\n" for k, v in fields.items() if v is not None)


class Family:
    """Tables of one release, or of several of the same data: `next_release` ends a release."""

    def __init__(self, rng):
        self.r = rng
        self.variables, self.tables, self.linked, self.files = [], [], [], {}
        self.earlier = []
        self.policy = {"name": "gss-tables"}
        self.protection = {"method": "suppress"}
        if rng.random() < 0.2:
            self.policy["tier"] = "high"
        if rng.random() < 0.15:
            self.protection["margin"] = 2
        if rng.random() < 0.3:
            self.protection["cost"] = "one"

    def csv(self, name, header, rows):
        self.files[name] = "\n".join(",".join(str(x) for x in row) for row in [header] + rows) + "\n"

    def table(self, variables, **more):
        key = (tuple(variables), tuple(sorted((k, repr(v)) for k, v in more.items())))
        if any(t[0] == key for t in self.tables):
            return
        self.tables.append((key, {"name": f"t{len(self.tables) + 1}", "variables": list(variables), **more}))

    def next_release(self):
        self.earlier.append(self.tables)
        self.tables = []

    def spec(self, data, tables):
        text = section("data", {"path": data}, False) + section("policy", self.policy, False)
        text += section("protection", self.protection, False)
        for link in self.linked:
            text += section("linked", link)
        for v in self.variables:
            text += section("variables", v)
        for _, t in tables:
            text += section("tables", t)
        return text

    def write(self, folder, data):
        """Writes data and specs. Returns the folder of every release's spec, the earliest first."""
        os.makedirs(folder, exist_ok=True)
        for name, body in self.files.items():
            write_text(os.path.join(folder, name), body)
        if not self.earlier:
            write_text(os.path.join(folder, "outward.toml"), self.spec(data, self.tables))
            return [folder]
        folders = []
        for k, tables in enumerate(self.earlier + [self.tables]):
            folders.append(os.path.join(folder, f"release{k + 1}"))
            os.makedirs(folders[-1], exist_ok=True)
            write_text(os.path.join(folders[-1], "outward.toml"), self.spec(os.path.join("..", data), tables))
        return folders


def write_text(path, text):
    with open(path, "w") as f:
        f.write(text)


def profile(r, k):
    """Chances of k values, more or less skewed."""
    s = r.choice([0.3, 0.8, 1.5])
    w = [(i + 1) ** -s * r.uniform(0.5, 1.5) for i in range(k)]
    r.shuffle(w)
    return w


class Draw:
    """Records with some dependence between columns."""

    def __init__(self, r, domains):
        self.r, self.d = r, domains
        self.classes = r.randint(1, 3)
        self.cw = profile(r, self.classes)
        self.w = [[profile(r, len(v)) for v in domains] for _ in range(self.classes)]

    def record(self):
        c = self.r.choices(range(self.classes), self.cw)[0]
        return [self.r.choices(v, w)[0] for v, w in zip(self.d, self.w[c])]
