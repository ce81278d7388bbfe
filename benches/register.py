"""A request held against a register of 10,000 earlier tables, and the audit of a log of 100,000 entries.

usage: register.py BIN_FOLDER WORK_FOLDER [--tables 10000] [--columns 200] [--rows 20000] [--out docs/BENCHMARKS.md]

Makes a file of random values, one real release, and more of the same form with the true figures of other pairs of columns, which are written
into the register directly.
"""

import collections
import hashlib
import json
import os
import random
import sqlite3
from pathlib import Path

from measure import arguments, best, machine, measured, write_section

SPEC = """title = "{title}"
[data]
path = "people.csv"
[policy]
name = "gss-tables"
[protection]
method = "suppress"
{variables}[[tables]]
name = "t"
variables = {names}
"""


def spec(title, names):
    variables = "".join(f'[[variables]]\nname = "{name}"\n' for name in names)
    return SPEC.format(title=title, variables=variables, names=json.dumps(names))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def chain(connection, entries):
    """Entries of a log, as the register writes them."""
    number, before = connection.execute("select entries, hash from head").fetchone()
    rows = []
    for _ in range(entries):
        number += 1
        parts = [before, "2026-11-18T12:00:00Z", "ann", "show", f"release {number}", "", "{}"]
        data = number.to_bytes(8, "big") + b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in parts)
        digest = hashlib.sha256(data).hexdigest()
        rows.append((number, *parts[1:7], before, digest))
        before = digest
    connection.executemany("insert into log values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    connection.execute("update head set entries = ?, hash = ?", (number, before))


def main():
    args = arguments(tables="10000", columns="200", rows="20000")
    tables, width, rows = int(args.tables), int(args.columns), int(args.rows)
    args.out = args.out and args.out.absolute()
    outward, folder = (args.bin / "outward").absolute(), args.work / "register"
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    folder = Path.cwd()
    draw = random.Random(1)
    columns = [f"c{at}" for at in range(width)]
    # The first two columns are those of the new table, 31 × 31 with its totals; the others have nine values.
    values = [[f"v{value:02}" for value in range(31 if at < 2 else 9)] for at in range(width)]
    people = [[draw.choice(values[at]) for at in range(width)] for _ in range(rows)]
    text = "\n".join([",".join(columns)] + [",".join(person) for person in people]) + "\n"
    (folder / "people.csv").write_text(text)
    by_column = list(zip(*people))
    (folder / "first.toml").write_text(spec("First", ["c2", "c3"]))
    register = "sqlite:register.db"
    for file in [*folder.glob("register.db*"), *folder.glob("logged.db*")]:
        file.unlink()
    measured([outward, "table", "first.toml", "--out", "first", "--force"])
    measured([outward, "register", "submit", "first", "--register", register, "--actor", "ann"])
    measured([outward, "register", "approve", "1", "--register", register, "--actor", "bob"])
    released = measured([outward, "release", "first", "--register", register, "--actor", "ann", "--format", "json"])
    assert json.loads(released["printed"])["released"]
    # The log of 100,000 entries is in a register of its own, which has all that its log says.
    logged = sqlite3.connect(folder / "logged.db")
    connection = sqlite3.connect(folder / "register.db")
    connection.backup(logged)
    chain(logged, 100_000 - logged.execute("select entries from head").fetchone()[0])
    logged.commit()
    logged.close()
    connection.row_factory = sqlite3.Row
    first = dict(connection.execute("select * from releases").fetchone())
    files = {row["path"]: row["content"] for row in connection.execute("select * from files")}
    table = dict(connection.execute("select * from tables").fetchone())
    published, manifest = json.loads(files["public/tables.json"]), json.loads(first["manifest"])
    pairs = set()
    while len(pairs) < tables - 1:
        pairs.add(tuple(sorted(draw.sample(range(width), 2))))
    for number, (one, other) in enumerate(sorted(pairs), start=2):
        counts = collections.Counter(zip(by_column[one], by_column[other]))
        for (a, b), count in list(counts.items()):
            counts[a, None] += count
            counts[None, b] += count
            counts[None, None] += count
        leads = [bool(dimension["nodes"][0].get("total")) for dimension in published["tables"][0]["dimensions"]]
        listed = lambda at, first: [None, *values[at]] if first else [*values[at], None]
        figures = [counts[a, b] for a in listed(one, leads[0]) for b in listed(other, leads[1])]
        form = json.loads(json.dumps(published))
        form["tables"][0]["figures"] = figures
        for dimension, at in zip(form["tables"][0]["dimensions"], (one, other)):
            dimension.update(variable=columns[at], label=columns[at], size=len(values[at]))
            dimension["source"]["columns"] = [columns[at]]
            if len(values[at]) > 9:
                total = [node for node in dimension["nodes"] if node.get("total")][0]
                single = [node for node in dimension["nodes"] if not node.get("total")][0]
                total["values"] = list(range(1, len(values[at]) + 1))
                nodes = [dict(single, label=label, values=[code + 1]) for code, label in enumerate(values[at])]
                first_is_total = bool(dimension["nodes"][0].get("total"))
                dimension["nodes"] = [total, *nodes] if first_is_total else [*nodes, total]
                here = 0 if first_is_total else len(nodes)
                dimension["sums"] = [[here, [place for place in range(len(nodes) + 1) if place != here]]]
        contents = {"spec.toml": spec(f"Release {number}", [columns[one], columns[other]]), "public/tables.json": json.dumps(form)}
        release = dict(first, id=number, title=f"Release {number}", bundle_hash=f"{number:064}", manifest=json.dumps(manifest))
        connection.execute(f"insert into releases values ({', '.join('?' * len(release))})", tuple(release.values()))
        for path, content in contents.items():
            connection.execute("insert into files values (?, ?, ?, ?)", (number, path, content, sha256(content)))
        row = dict(table, release_id=number, cells=len(figures), hidden=0)
        connection.execute(f"insert into tables values ({', '.join('?' * len(row))})", tuple(row.values()))
        for source in (columns[one], columns[other], "(all records)"):
            connection.execute("insert into table_variables values (1, ?, ?, 0)", (source, number))
    cells = connection.execute("select sum(cells) from tables").fetchone()[0]
    connection.commit()
    connection.close()
    (folder / "new.toml").write_text(spec("New", ["c0", "c1"]))
    check = best(3, lambda: measured([
        outward, "register", "check", "new.toml", "--register", register, "--actor", "ann", "--format", "json", "--quiet"]))
    touched = len(json.loads(check["printed"])["touches"])
    audit = best(3, lambda: measured([outward, "register", "audit", "--register", "sqlite:logged.db", "--format", "json", "--quiet"]))
    entries = json.loads(audit["printed"])["entries"]
    write_section(args.out, "register", "\n".join([
        "## Register",
        "",
        f"Machine: {machine()}. Best of three runs. No peer does this. The register is a SQLite file.",
        "",
        f"A request for a table of 1,024 cells against {tables:,} earlier tables with {cells:,} published cells, of which {touched} share a variable with it.",
        f"`register check` counts these tables again from {rows:,} records of {width} columns.",
        "",
        "| what | CPU s | peak MiB | target |",
        "|---|---:|---:|---|",
        f"| `register check` | {check['cpu']:.2f} | {check['peak']:,.0f} | 10 s, 1,024 MiB |",
        f"| `register audit` of {entries:,} entries | {audit['cpu']:.2f} | {audit['peak']:,.0f} | 1 s |",
    ]))


if __name__ == "__main__":
    main()
