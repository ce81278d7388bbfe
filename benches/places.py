"""Places: postcodes read per second, and records mapped beside a DuckDB join that does the same.

usage: places.py BIN_FOLDER WORK_FOLDER [--rows 10000000] [--out docs/BENCHMARKS.md]
"""

import json

from measure import THREADS, arguments, best, duckdb, machine, measured, write_section


def main():
    args = arguments(rows="10000000")
    rows = int(args.rows)
    outward, normalise = args.bin / "outward", args.bin / "examples" / "normalise"
    read = json.loads(best(3, lambda: measured([normalise]))["printed"])
    populations, mapping = args.work / "postcodes.csv", args.work / "mapping.csv"
    if not populations.exists():
        measured([outward, "generate", "postcodes", "--rows", "1300000", "--seed", "1", "--out", populations])
    pool = best(3, lambda: measured([
        outward, "places", "pool", populations, "--code", "postcode", "--population", "residents", "--easting", "easting",
        "--northing", "northing", "--threshold", "20000", "--rule", "uk-residual", "--out", mapping, "--format", "json", "--quiet"]))
    study = json.loads(pool["printed"])
    records = args.work / f"records_{rows}.parquet"
    if not records.exists():
        make_records(populations, records, rows)
    lines = []
    for ending in ("parquet", "csv"):
        theirs, ours = args.work / f"theirs.{ending}", args.work / f"ours.{ending}"
        join = best(3, lambda: duckdb(join_sql(records, mapping, theirs, ending)))
        mapped = best(3, lambda: measured([
            outward, "places", "map", records, "--variable", "postcode", "--mapping", mapping, "--out", ours,
            "--threads", str(THREADS), "--format", "json", "--quiet"]))
        same = duckdb(
            f"SELECT (SELECT count(*) FROM '{theirs}'), (SELECT count(*) FROM '{ours}'), "
            f"(SELECT count(*) FROM '{theirs}' t JOIN '{ours}' o USING (id) WHERE t.postcode = o.postcode)")
        assert same["first"] == [str(rows)] * 3, same["first"]
        lines.append((f"join and write {ending}", "DuckDB", join, 1.0))
        lines.append((f"`places map` to {ending}", "Outward", mapped, mapped["cpu"] / join["cpu"]))
        theirs.unlink()
        ours.unlink()
    text = [
        "## Places",
        "",
        f"Machine: {machine()}. Best of three runs. Peer: DuckDB {duckdb('SELECT 1')['version']}, in the same run, two threads.",
        "",
        f"Postcodes read and normalised on one core: {read['per_second'] / 1e6:.0f} million a second (target 20).",
        "",
        f"Headcounts of 1.3 million generated postcodes ({study['codes']:,} outward codes) read from CSV, pooled by four rules and swept over",
        f"thresholds (`places pool`): {pool['cpu']:.2f} CPU s, {pool['peak']:.0f} MiB.",
        "",
        f"{rows:,} records with a whole postcode mapped to the code that may be published, from Parquet (two columns). DuckDB upper-cases the",
        "postcode, takes all but its last three characters and joins the mapping; it does not check that it is one. The run stops where",
        "the two results differ.",
        "",
        "| what | who | CPU s | ratio | peak MiB |",
        "|---|---|---:|---:|---:|",
    ]
    text += [f"| {what} | {who} | {run['cpu']:.2f} | {ratio:.2f} | {run['peak']:,.0f} |" for what, who, run, ratio in lines]
    write_section(args.out, "places", "\n".join(text))


def make_records(populations, records, rows):
    """Records with a postcode of the table each, drawn by a fixed rule."""
    duckdb(
        f"COPY (SELECT r.id, p.postcode FROM (SELECT range AS id, (range * 7919 + range // 1000) % 1300000 AS pick FROM range({rows})) r "
        f"JOIN (SELECT row_number() OVER () - 1 AS n, postcode FROM read_csv('{populations}')) p ON p.n = r.pick ORDER BY r.id) "
        f"TO '{records}' (FORMAT parquet, COMPRESSION zstd)"
    )


def join_sql(records, mapping, out, ending):
    form = "FORMAT parquet, COMPRESSION zstd" if ending == "parquet" else "FORMAT csv, HEADER"
    outward = "trim(left(upper(trim(r.postcode)), length(trim(r.postcode)) - 3))"
    return (
        f"COPY (SELECT r.id, m.published AS postcode FROM read_parquet('{records}') r "
        f"JOIN read_csv('{mapping}', all_varchar = true) m ON m.code = {outward}) TO '{out}' ({form})"
    )


if __name__ == "__main__":
    main()
