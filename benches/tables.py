"""Tables: secondary suppression, rings of tables, controlled rounding, and fourteen layouts from ten million records.

usage: tables.py BIN_FOLDER WORK_FOLDER [--out docs/BENCHMARKS.md] [--collisions 2420000]

DuckDB runs beside the tabulation. The peers of suppression (sdcTable, GaussSuppression) are R packages that are not to be
had from the registries of this benchmark: their figures in brackets are those given with the tables, from another machine,
and only a yardstick.
"""

import json
import random
import shutil
from pathlib import Path

from measure import THREADS, arguments, best, duckdb, machine, measured, write_section

HERE = Path(__file__).parent.parent
SHARED = HERE.parent / "shared" / "data" / "tables"
FACTORS = ", ".join(f"factor_{i}" for i in range(1, 7))
FAMILIES = [
    ("s10x10", "8 cells, sum 90, 0.18 s by HITAS", ""),
    ("s50x50", "127 cells, sum 1,092, 1.75 s by HITAS; 143 in 2.1 s by GaussSuppression", "127 cells, 0.15 s"),
    ("s200x200", "1,821 cells, sum 20,700, 29.1 s by HITAS; GaussSuppression none in 330 s", "1,821 cells, 3 s"),
    ("s20x20x20", "717 cells, sum 9,209, 39.8 s by GaussSuppression; HITAS none in 280 s", "717 cells, 4 s"),
    # Two hierarchies on one variable that do not nest. The peer counts all that is hidden: the unsafe cells are taken off here.
    ("sosial_linked_2", "1,094 cells, 20 s by GaussSuppression 1.2.3", "1,094 cells, 20 s"),
    ("sosial_linked_10", "446 cells, 22 s by GaussSuppression 1.2.3", "446 cells, 22 s"),
]
# Three two-way tables in a ring: how many values the variables have, how many records, and the target.
RINGS = [((20, 10, 10), 900, "2 s"), ((40, 24, 24), 7800, "60 s"), ((50, 30, 20), 9000, "")]


def suppression(outward, work, lines):
    for name, peers, target in FAMILIES:
        data = SHARED / f"{name}.jj.gz"
        if not data.exists():
            continue
        run = best(3, lambda: measured([
            outward, "table", "--jj", data, "--suppress", "--out", work / f"{name}.jj", "--threads", "1",
            "--format", "json", "--quiet"]))
        found = json.loads(run["printed"])
        what = (f"`{name}`: {found['published_cells']:,} cells, {found['primary']:,} unsafe → {found['secondary']:,} secondary, "
                f"sum {found['secondary_value']:,.0f}; {found['recoverable']} recoverable, {found['too_tight']} too tight")
        lines.append((what, f"{run['cpu']:.2f}", target, peers))


def ring(folder, sizes, records):
    """Records of three columns that depend on each other a little, and a spec that shows every two of them together."""
    rng = random.Random(f"{sizes} {records}")
    kinds = [[[rng.random() ** 2 + 0.05 for _ in range(size)] for size in sizes] for _ in range(3)]

    def drawn(weights):
        left = rng.random() * sum(weights)
        for at, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return at
        return len(weights) - 1

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with (folder / "people.csv").open("w") as file:
        file.write("a,b,c\n")
        for _ in range(records):
            kind = kinds[int(rng.random() * len(kinds))]
            file.write(",".join(f"{name}{drawn(weights):02}" for name, weights in zip("abc", kind)) + "\n")
    spec = '[data]\npath = "people.csv"\n[policy]\nname = "gss-tables"\n[protection]\nmethod = "suppress"\n'
    spec += "".join(f'[[variables]]\nname = "{name}"\nrole = "key"\n' for name in "abc")
    spec += "".join(f'[[tables]]\nname = "{one} by {other}"\nvariables = ["{one}", "{other}"]\n' for one, other in ("ab", "bc", "ac"))
    (folder / "outward.toml").write_text(spec)


def written(outward, folder):
    """The tables of a spec, protected, audited, written and verified."""
    shutil.rmtree(folder / "bundle", ignore_errors=True)
    run = measured([outward, "table", folder / "outward.toml", "--redesigns", "0", "--out", folder / "bundle", "--threads", "1",
                    "--format", "json", "--quiet"])
    answer = json.loads(run["printed"])
    tables = answer["tables"]
    count = {what: sum(table[what] for table in tables) for what in ("published_cells", "primary", "secondary", "recoverable", "too_tight")}
    return {**run, **count, "tables": len(tables), "written": answer["written"]}


def told(run):
    state = "written and verified" if run["written"] else "not written"
    return (f"{run['published_cells']:,} cells, {run['primary']:,} unsafe → {run['secondary']:,} secondary; {run['recoverable']} recoverable, "
            f"{run['too_tight']} too tight; {state}")


def rings(outward, work, lines):
    for sizes, records, target in RINGS:
        name = " × ".join(map(str, sizes))
        folder = work / f"ring-{'x'.join(map(str, sizes))}"
        ring(folder, sizes, records)
        run = best(2, lambda: written(outward, folder))
        lines.append((f"ring of three two-way tables, {name}: {told(run)}", f"{run['cpu']:.2f}", target, ""))


def layouts(outward, work, lines):
    """The fourteen layouts of the example, protected and audited."""
    example, folder = HERE / "examples" / "road-casualties", work / "road-audited"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    measured([outward, "generate", "road", "--rows", "20000", "--seed", "1", "--out", folder / "road.csv", "--quiet"])
    for file in ("outward.toml", "countries.csv", "speed-factors.csv"):
        shutil.copy(example / file, folder / file)
    run = best(2, lambda: written(outward, folder))
    lines.append((f"fourteen layouts of 20,000 collisions, protected and audited: {told(run)}", f"{run['cpu']:.2f}", "2.5 s", ""))


def rounding(folder, lines):
    """Tables of Poisson counts: base, mean, seed, and how many parts each level of each variable has."""
    made = [("nested 3-D table", ["5", "2", "1", "8,56", "4", "3"], "optimum, 3 s"),
            ("census family: areas in five levels, age, sex", ["5", "2", "1", "12,10,10,10", "5,4", "2"], "feasible, 60 s")]
    for name, shape, target in made:
        run = measured([folder / "examples" / "rounding", *shape])
        lines.append((f"controlled rounding, {name}: {run['printed'].strip().rsplit(',', 1)[0]}", f"{run['cpu']:.2f}", target, ""))


def peer(data):
    """The finest cells of the fourteen layouts; what several need is made once."""
    c, v, k = (f"read_parquet('{data / f'road_{name}.parquet'}')" for name in ("collisions", "vehicles", "casualties"))
    answers = f"unnest([{FACTORS}])"
    speed = "f in ('306 Exceeding speed limit', '307 Travelling too fast for conditions')"
    return f"""
create temp table vf as select distinct collision_index, vehicle_reference, f from
  (select collision_index, vehicle_reference, {answers} f from {v}) where f is not null;
create temp table kf as select distinct collision_index, vehicle_reference, casualty_reference, f from
  (select collision_index, vehicle_reference, casualty_reference, {answers} f from {k}) where f is not null;
create temp table cf as select distinct collision_index, f from
  (select collision_index, f from vf union all select collision_index, f from kf);
create temp table t1 as select f, severity, count(*) n from cf join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t2 as select f, severity, count(*) n from cf join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t3 as select f, road_class, count(*) n from cf join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t4 as select f, severity, count(*) n from kf join {k} using (collision_index, vehicle_reference, casualty_reference)
  where casualty_class = 'Pedestrian' group by all;
create temp table t5 as select f, vehicle_type, count(*) n from vf join {v} using (collision_index, vehicle_reference)
  join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t6 as select a.f f, b.f g, count(*) n from vf a join vf b using (collision_index, vehicle_reference)
  join {c} using (collision_index) where police_attended = 'Yes' and a.f < b.f group by all;
create temp table t7 as select f, k.severity, count(*) n from cf join {k} k using (collision_index) join {c} c using (collision_index)
  where police_attended = 'Yes' group by all;
create temp table t8 as select severity, count(*) n from (select collision_index from cf where {speed} group by 1 having count(*) = 2)
  join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t9 as select vehicle_type, count(*) n from
  (select collision_index, vehicle_reference from vf where {speed} group by all having count(*) = 2)
  join {v} using (collision_index, vehicle_reference) join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t10 as select f, fast, count(*) n from vf join
  (select collision_index, vehicle_reference, bool_or({speed}) fast from vf group by all) using (collision_index, vehicle_reference)
  join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t11 as select police_attended, severity, count(*) n from {c} group by all;
create temp table t12 as select f, region = 'Wales' w, count(*) n from cf join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t13 as select f, region, count(*) n from cf join {c} using (collision_index) where police_attended = 'Yes' group by all;
create temp table t14 as select vehicle_type, manoeuvre, count(*) n from vf join {v} using (collision_index, vehicle_reference)
  join {c} using (collision_index) where f = '405 Failed to look properly' and number_of_vehicles = 2 group by all;
select n from t1 where f = '306 Exceeding speed limit' and severity = 'Slight';
"""


def tabulation(outward, work, collisions, lines):
    data = work / f"road-{collisions}"
    data.mkdir(exist_ok=True)
    if not (data / "road_casualties.parquet").exists():
        measured([outward, "generate", "road", "--rows", collisions, "--out", data / "road.parquet", "--quiet"])
    example = HERE / "examples" / "road-casualties"
    for file in example.glob("*.csv"):
        (data / file.name).write_bytes(file.read_bytes())
    spec = (example / "outward.toml").read_text().replace(".csv\" }\non", ".parquet\" }\non")
    spec = spec.replace('path = "road_collisions.csv"', 'path = "road_collisions.parquet"')
    (data / "outward.toml").write_text(spec.replace('method = "suppress"', 'method = "none"'))
    ours = best(2, lambda: measured([
        outward, "table", data / "outward.toml", "--redesigns", "0", "--threads", str(THREADS), "--format", "json", "--quiet"]))
    tables = json.loads(ours["printed"])["tables"]
    theirs = best(2, lambda: duckdb(peer(data)))
    cells = sum(table["published_cells"] for table in tables)
    records = duckdb(" union all ".join(
        f"select count(*) from read_parquet('{data / f'road_{name}.parquet'}')" for name in ("collisions", "vehicles", "casualties")))
    lines.append((f"fourteen layouts of {collisions} collisions with their vehicles and casualties, finest cells only: DuckDB "
                  f"{theirs['version']}, peak {theirs['peak']:,.0f} MiB", f"{theirs['cpu']:.2f}", "", ""))
    lines.append((f"the same with all subtotals, judged: {len(tables)} tables, {cells:,} cells; peak {ours['peak']:,.0f} MiB",
                  f"{ours['cpu']:.2f}", f"2 × DuckDB: {ours['cpu'] / theirs['cpu']:.2f} ×", ""))
    return records


def main():
    args = arguments(collisions="2420000")
    outward = args.bin / "outward"
    lines = []
    suppression(outward, args.work, lines)
    rings(outward, args.work, lines)
    layouts(outward, args.work, lines)
    rounding(args.bin, lines)
    tabulation(outward, args.work, args.collisions, lines)
    text = f"""## Tables

Machine: {machine()}. CPU seconds of whole processes, reading and audit included; the best of three runs of suppression, of two of
tabulation. Peers in brackets are quoted, from another machine; DuckDB ran in the same run on the same files, two threads.

| what | CPU s | target | peers, quoted |
|---|---:|---|---|
"""
    text += "".join(f"| {what} | {cpu} | {target} | {peers} |\n" for what, cpu, target, peers in lines)
    write_section(args.out, "tables", text)


if __name__ == "__main__":
    main()
