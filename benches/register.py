"""Times a check of new tables against a register of 10,000 earlier tables, and the audit of its log.

    python benches/register.py OUTWARD FOLDER [--tables N] [--columns N]

Makes a file of random values, one real release, and 10,000 more of the same form with the true figures of other pairs of columns, which it
writes into the register directly. Prints CPU seconds and the largest memory of `outward register check` and `outward register audit`.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import resource
import sqlite3
import subprocess

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


def run(outward, folder, *args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([outward, *args], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process.returncode, out, err, seconds, after.ru_maxrss / 1024


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
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("outward")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--tables", type=int, default=10_000)
    arguments.add_argument("--columns", type=int, default=200)
    arguments.add_argument("--rows", type=int, default=20_000)
    asked = arguments.parse_args()
    folder, outward = asked.folder, os.path.abspath(asked.outward)
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    columns = [f"c{at}" for at in range(asked.columns)]
    # The first two columns are those of the new table, 31 × 31 with its totals; the others have nine values.
    values = [[f"v{value:02}" for value in range(31 if at < 2 else 9)] for at in range(asked.columns)]
    people = [[draw.choice(values[at]) for at in range(asked.columns)] for _ in range(asked.rows)]
    text = "\n".join([",".join(columns)] + [",".join(person) for person in people]) + "\n"
    (folder / "people.csv").write_text(text)
    by_column = list(zip(*people))
    (folder / "first.toml").write_text(spec("First", ["c2", "c3"]))
    register = "sqlite:register.db"
    for file in folder.glob("register.db*"):
        file.unlink()
    code, _, err, _, _ = run(outward, folder, "table", "first.toml", "--out", "first", "--force")
    assert code == 0, err
    run(outward, folder, "register", "submit", "first", "--register", register, "--actor", "ann")
    run(outward, folder, "register", "approve", "1", "--register", register, "--actor", "bob")
    code, out, err, _, _ = run(outward, folder, "release", "first", "--register", register, "--actor", "ann")
    assert code == 0, out + err
    connection = sqlite3.connect(folder / "register.db")
    connection.row_factory = sqlite3.Row
    first = dict(connection.execute("select * from releases").fetchone())
    files = {row["path"]: row["content"] for row in connection.execute("select * from files")}
    table = dict(connection.execute("select * from tables").fetchone())
    published, manifest = json.loads(files["public/tables.json"]), json.loads(first["manifest"])
    pairs, shared = set(), 0
    while len(pairs) < asked.tables - 1:
        pairs.add(tuple(sorted(draw.sample(range(asked.columns), 2))))
    for number, (one, other) in enumerate(sorted(pairs), start=2):
        shared += one < 2
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
        for column in (columns[one], columns[other]):
            connection.execute("insert into table_variables values (1, ?, ?, 0)", (column, number))
    cells = connection.execute("select sum(cells) from tables").fetchone()[0]
    chain(connection, 100_000 - connection.execute("select entries from head").fetchone()[0])
    connection.commit()
    connection.close()
    (folder / "new.toml").write_text(spec("New", ["c0", "c1"]))
    code, out, err, seconds, memory = run(
        outward, folder, "register", "check", "new.toml", "--register", register, "--actor", "ann", "--format", "json"
    )
    assert code in (0, 1), err
    touched = len(json.loads(out)["touches"])
    print(f"check of 1,024 cells against {asked.tables} tables of {cells} cells: {seconds:.2f} CPU s, {memory:.0f} MiB, {touched} tables touched")
    code, out, err, seconds, memory = run(outward, folder, "register", "audit", "--register", register, "--format", "json")
    assert code == 0, out + err
    print(f"audit of {json.loads(out)['entries']} entries: {seconds:.2f} CPU s, {memory:.0f} MiB")


if __name__ == "__main__":
    main()
