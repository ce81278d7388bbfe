"""Records: the recoding search, local suppression, swapping, microaggregation, PRAM, and a release of ten million records.

usage: microdata.py BIN_FOLDER WORK_FOLDER [--out docs/BENCHMARKS.md] [--rows 10000000]

DuckDB runs beside the release. The other peers (ARX, sdcMicro) are not to be had from the registries of this benchmark: the
figures in brackets are those given with the targets, from another machine, and only a yardstick.
"""

import gzip
import json
import shutil
import tomllib
from pathlib import Path

from measure import THREADS, arguments, best, duckdb, machine, measured, write_section

HERE = Path(__file__).parent.parent
SHARED = HERE.parent / "shared" / "data"
KEYS = "sex,age,race,marital,education,country,workclass"
RECODED = ["age", "ethnic_group", "industry", "economic_activity", "religion"]
KEPT = ["sex", "age", "region", "ethnic_group", "religion", "economic_activity", "industry", "marital_status", "health"]


def adult(outward, work, lines):
    """The best recoding of Adult at three limits on suppression."""
    data = SHARED / "adult" / "arx_adult_30162.csv.gz"
    if not data.exists():
        return
    folder = work / "adult"
    folder.mkdir(exist_ok=True)
    names = gzip.open(data, "rt").readline().strip().split(";")
    spec = f'[data]\npath = "{data.resolve()}"\ndelimiter = "semicolon"\n\n[policy]\nk = 5\nforbid = []\n'
    for name in names:
        with gzip.open(SHARED / "adult" / f"adult_hierarchy_{name}.csv.gz", "rb") as source:
            (folder / f"{name}.csv").write_bytes(source.read())
        spec += f'\n[[variables]]\nname = "{name}"\nrole = "key"\nhierarchy = {{ file = "{name}.csv" }}\n'
    (folder / "adult.toml").write_text(spec)
    example = outward.parent / "examples" / "search"
    alone = json_lines(example, SHARED / "adult", "--repeat", "5")
    for limit, loss, arx in (("0", 0.63554, 0.11), ("0.05", 0.26963, 0.98), ("1", 0.22770, 2.68)):
        run = best(3, lambda: measured([
            outward, "plan", folder / "adult.toml", "--suppression-limit", limit, "--only-best", "--threads", "1",
            "--format", "json", "--quiet"]))
        found = json.loads(run["printed"])["best"]
        searched = next(answer for answer in alone if answer["limit"] == float(limit))
        what = f"Adult, 9 keys, k = 5, at most {float(limit):.0%} suppressed: loss {found['loss']:.5f} (ARX {loss:.5f})"
        lines.append((f"{what}; search alone", searched["cpu_seconds"], f"{arx / 10:.3f} (ARX {arx})"))
        lines.append(("the same, whole process: reading 30,162 records and nine hierarchies included", run["cpu"], ""))


def suppression(outward, work, lines):
    data = SHARED / "keys_10k.csv.gz"
    if not data.exists():
        return
    run = best(3, lambda: measured([
        outward, "suppress", data, "--keys", KEYS, "--k", "3", "--out", work / "suppressed.csv", "--threads", str(THREADS),
        "--format", "json", "--quiet"]))
    found = json.loads(run["printed"])
    what = (f"local suppression, 10,000 × 7 keys, k = 3, wildcard: {found['suppressed_cells']:,} cells (sdcMicro 5,567), "
            f"at least {found['lower_bound']:,.0f} under the same rule")
    lines.append((what, run["cpu"], "0.5 (sdcMicro 34)"))
    own = best(3, lambda: measured([
        outward, "suppress", data, "--keys", KEYS, "--k", "3", "--own", "--out", work / "suppressed.csv", "--threads",
        str(THREADS), "--format", "json", "--quiet"]))
    found = json.loads(own["printed"])
    lines.append((f"the same with every rare record losing values itself (`--own`): {found['suppressed_cells']:,} cells, "
                  f"at least {found['lower_bound']:,.0f}", own["cpu"], ""))
    many = measured([outward.parent / "examples" / "suppress", data, "1000000", "--threads", str(THREADS)])
    found = json.loads(many["printed"])
    lines.append((f"the same, 1 million rows resampled from it, without reading: {found['suppressed_cells']:,} cells of "
                  f"{found['below_k']:,} rare records, at least {found['lower_bound']:,.0f}; {many['wall']:.1f} s elapsed",
                  found["cpu_seconds"], "60 s elapsed"))


def json_lines(*command):
    return [json.loads(line) for line in measured(list(command))["printed"].splitlines()]


def methods(folder, lines):
    (swap,) = json_lines(folder / "examples" / "swap")
    lines.append((f"swapping, {swap['persons']:,} persons in {swap['households']:,} households, three levels of geography",
                  swap["cpu_seconds"], "2 (sdcMicro 10.5)"))
    perturbed = json_lines(folder / "examples" / "perturb")
    mdav = max(run["cpu_seconds"] for run in perturbed if run["method"] == "mdav")
    lines.append(("MDAV microaggregation, 100,000 × 4, k = 3, the slowest of three kinds of data", mdav, "3 (sdcMicro 49.8)"))
    (pram,) = [run for run in perturbed if run["method"] == "pram"]
    lines.append(("PRAM, 1 million × 4", pram["cpu_seconds"], "1 (sdcMicro 27)"))


def release(outward, work, rows, lines):
    """Drops and recodes of a census, and DuckDB's COPY of the same projection."""
    data = work / f"census_{rows}.parquet"
    if not data.exists():
        measured([outward, "generate", "census", "--rows", str(rows), "--seed", "1", "--out", data])
    example = HERE / "examples" / "census-teaching-file"
    spec = tomllib.loads((example / "outward.toml").read_text())
    trees = {v["name"]: v["hierarchy"]["tree"] for v in spec["variables"] if "tree" in v.get("hierarchy", {})}
    text = [f'[data]\npath = "{data.resolve()}"\n\n[policy]\nk = 1\nforbid = []\n']
    dropped = [v["name"] for v in spec["variables"] if v["name"] not in KEPT]
    for name in KEPT + dropped:
        role = "key" if name in RECODED else "plain"
        hierarchy = ""
        if name == "age":
            hierarchy = "\nhierarchy = { bands = [16, 25, 35, 45, 55, 65, 75] }"
        elif name in RECODED:
            groups = ", ".join(f"{json.dumps(group)} = {json.dumps(values)}" for group, values in trees[name].items())
            hierarchy = f"\nhierarchy = {{ tree = {{ {groups} }} }}"
        text.append(f'[[variables]]\nname = "{name}"\nrole = "{role}"{hierarchy}\n')
    text.append(f'[[steps]]\ndo = "drop"\nvariables = {json.dumps(dropped)}\n')
    text += [f'[[steps]]\ndo = "recode"\nvariable = "{name}"\nlevel = 1\n' for name in RECODED]
    toml = work / "recode_and_drop.toml"
    toml.write_text("\n".join(text))
    bundle = work / "bundle"

    def protect():
        shutil.rmtree(bundle, ignore_errors=True)
        return measured([outward, "protect", toml, "--out", bundle, "--threads", str(THREADS), "--quiet"])

    ours = best(2, protect)
    edges = [16, 25, 35, 45, 55, 65, 75]
    bands = "".join(f" WHEN age < {edge} THEN '{label}'" for edge, label in zip(
        edges, ["under 16"] + [f"{a}-{b - 1}" for a, b in zip(edges, edges[1:])]))
    quoted = lambda value: "'" + value.replace("'", "''") + "'"

    def expression(name):
        if name == "age":
            return f"CASE{bands} WHEN age IS NULL THEN NULL ELSE '75 or over' END AS age"
        if name in trees and name in RECODED:
            cases = "".join(f" WHEN {name} IN ({', '.join(map(quoted, values))}) THEN {quoted(group)}" for group, values in trees[name].items())
            return f"CASE{cases} END AS {name}"
        return name

    target = work / "duckdb.parquet"
    sql = f"COPY (SELECT {', '.join(map(expression, KEPT))} FROM '{data}') TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
    theirs = best(2, lambda: duckdb(sql))
    shutil.rmtree(bundle, ignore_errors=True)
    target.unlink(missing_ok=True)
    ratio = ours["cpu"] / theirs["cpu"]
    lines.append((f"DuckDB {theirs['version']} COPY of the projection of {rows:,} records to Parquet", theirs["cpu"], ""))
    lines.append((f"`protect` of the same recodes and drops, {ratio:.2f} × that; {ours['peak']:.0f} MiB at most", ours["cpu"],
                  f"{1.5 * theirs['cpu']:.2f} (1.5 ×)"))


def main():
    args = arguments(rows=10_000_000)
    outward = args.bin / "outward"
    lines = []
    adult(outward, args.work, lines)
    suppression(outward, args.work, lines)
    methods(args.bin, lines)
    release(outward, args.work, int(args.rows), lines)
    text = [
        "## Records",
        "",
        f"Machine: {machine()}. CPU seconds, best of three (of two for the release, one for 1 million rows of suppression). DuckDB ran in",
        "the same run; figures of ARX and sdcMicro are those given with the targets, from another machine.",
        "",
        "| what | CPU s | target |",
        "|---|---:|---:|",
    ]
    text += [f"| {what} | {cpu:.3f} | {target} |" for what, cpu, target in lines]
    write_section(args.out, "microdata", "\n".join(text))


if __name__ == "__main__":
    main()
