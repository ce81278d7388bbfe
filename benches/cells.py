"""Counting cells: Outward beside DuckDB on the same generated census, in one run, on CPU time.

usage: cells.py BIN_FOLDER WORK_FOLDER [--rows 1000000,10000000,100000000] [--out docs/BENCHMARKS.md]

Every figure is the CPU time (user and system) of a whole process, so that a noisy machine disturbs it little; peak memory
is that of the process. DuckDB's figures leave out its start. 100 million rows are ten links to the file of 10 million: the
same cells ten times as often, which is what the memory line asks for.
"""

import itertools
import json
import os

from measure import THREADS, arguments, best, duckdb, machine, measured, write_section

KEYS = "region sex age ethnic_group industry economic_activity religion country_of_birth".split()


def tables_sql(source):
    sets = [s for size in (2, 3, 4) for s in itertools.combinations(KEYS, size)]
    grouping = ", ".join("(" + ", ".join(s) + ")" for s in sets)
    return (
        "SELECT count(*), sum(CASE WHEN n = 1 THEN 1 ELSE 0 END) FROM "
        f"(SELECT grouping({', '.join(KEYS)}) AS g, count(*) AS n FROM read_parquet('{source}') "
        f"GROUP BY GROUPING SETS ({grouping}))"
    )


def make_data(outward, work, rows):
    """The file (or folder of links) with this many rows."""
    if rows <= 10_000_000:
        path = work / f"census_{rows}.parquet"
        if not path.exists():
            made = measured([outward, "generate", "census", "--rows", str(rows), "--seed", "1", "--out", path])
            (work / f"generated_{rows}.json").write_text(json.dumps({k: made[k] for k in ("cpu", "wall", "peak")}))
        return path, str(path)
    folder = work / f"census_{rows}"
    folder.mkdir(exist_ok=True)
    part, _ = make_data(outward, work, 10_000_000)
    for copy in range(rows // 10_000_000):
        link = folder / f"part_{copy:03}.parquet"
        if not link.exists():
            os.link(part, link)
    return folder, f"{folder}/*.parquet"


def main():
    args = arguments(rows="1000000,10000000,100000000")
    outward, count_cells = args.bin / "outward", args.bin / "examples" / "count_cells"
    keys = ",".join(KEYS)
    lines, peaks = [], {}
    version = duckdb("SELECT 1")["version"]
    for rows in [int(r) for r in args.rows.split(",")]:
        path, glob = make_data(outward, args.work, rows)
        times = 3 if rows <= 10_000_000 else 1
        group = best(times, lambda: duckdb(
            f"SELECT count(*), sum(CASE WHEN n = 1 THEN 1 ELSE 0 END) FROM (SELECT count(*) AS n FROM read_parquet('{glob}') GROUP BY {keys})"))
        ours = best(times, lambda: measured([count_cells, path, keys, str(THREADS)]))
        whole = best(times, lambda: measured(
            [outward, "assess", path, "--keys", keys, "--threads", str(THREADS), "--format", "json", "--quiet"]))
        cells = json.loads(ours["printed"])
        assert [str(cells["cells"]), str(cells["uniques"])] == group["first"], (cells, group["first"])
        assessed = json.loads(whole["printed"])
        assert assessed["cells"] == cells["cells"] and len(assessed["tables"]) == 155
        peaks[rows] = (ours["peak"], whole["peak"])
        lines.append((rows, "GROUP BY over 8 keys", "DuckDB", group["cpu"], 1.0, group["peak"]))
        lines.append((rows, "finest cells over 8 keys", "Outward", ours["cpu"], ours["cpu"] / group["cpu"], ours["peak"]))
        lines.append((rows, "`assess`: cells, 154 tables, drivers, findings", "Outward", whole["cpu"], whole["cpu"] / group["cpu"], whole["peak"]))
        if rows <= 10_000_000:
            cube = duckdb(tables_sql(glob))
            assert cube["first"] == [
                str(sum(t["cells"] for t in assessed["tables"][:-1])),
                str(sum(t["uniques"] for t in assessed["tables"][:-1])),
            ], "DuckDB and Outward disagree on the 154 tables"
            lines.append((rows, "the 154 tables (GROUPING SETS)", "DuckDB", cube["cpu"], cube["cpu"] / group["cpu"], cube["peak"]))
            summarize = best(2, lambda: duckdb(f"SUMMARIZE SELECT * FROM read_parquet('{glob}')"))
            spec = args.work / "init.toml"
            init = best(2, lambda: measured([outward, "init", path, "--out", spec, "--force", "--threads", str(THREADS), "--quiet"]))
            lines.append((rows, "SUMMARIZE", "DuckDB", summarize["cpu"], 1.0, summarize["peak"]))
            lines.append((rows, "`init`", "Outward", init["cpu"], init["cpu"] / summarize["cpu"], init["peak"]))
            made = json.loads((args.work / f"generated_{rows}.json").read_text())
            lines.append((rows, f"`generate census` ({made['wall']:.1f} s on the clock)", "Outward", made["cpu"], None, made["peak"]))
        print(*lines[-9:], sep="\n", flush=True)
    write_section(args.out, "cells", render(lines, peaks, version))


def render(lines, peaks, version):
    text = [
        "## Counting cells",
        "",
        "Generated census data in Parquet, 25 columns, zstd; 8 keys: " + ", ".join(KEYS) + ".",
        f"Machine: {machine()}. Two threads. Peer: DuckDB {version} from PyPI, in the same run.",
        "CPU seconds of the process: the best of three runs, of two for SUMMARIZE and `init`, of one for the 154 tables and at",
        "100 million rows. The ratio is to DuckDB's single GROUP BY, for `init` to its SUMMARIZE. The run stops where the two",
        "disagree on the number of cells and uniques of the full key or, up to 10 million rows, of the 154 tables.",
        "The 100 million rows are the file of 10 million ten times over: the same cells, ten times the records, nobody alone.",
        "Files that are there already are used again; the rows for `generate` are then from the run that made them.",
        "",
        "| rows | what | who | CPU s | ratio | peak MiB |",
        "|---:|---|---|---:|---:|---:|",
    ]
    for rows, what, who, cpu, ratio, peak in lines:
        ratio = "" if ratio is None else f"{ratio:.2f}"
        text.append(f"| {rows:,} | {what} | {who} | {cpu:.2f} | {ratio} | {peak:,.0f} |")
    big, base = 100_000_000, 10_000_000
    if big in peaks and base in peaks:
        text += ["", f"Memory at 100 million rows is {peaks[big][1] / peaks[base][1]:.2f} times that at 10 million."]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    main()
