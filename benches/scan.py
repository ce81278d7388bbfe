"""Scan: identifiers in text, the scanner alone and the command on files, beside regular expressions in DuckDB that look for shapes only.

usage: scan.py BIN_FOLDER WORK_FOLDER [--rows 1000000] [--out docs/BENCHMARKS.md]
"""

import json

from measure import arguments, best, duckdb, machine, measured, write_section

# The shapes of NHS numbers, telephone numbers, e-mail addresses, postcodes and dates. They check no digit, area or word beside a date.
SHAPES = [
    r"\d{3}[ -]?\d{3}[ -]?\d{4}",
    r"(\+44|0)[0-9 ]{9,12}",
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    r"[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}",
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}",
]


def main():
    args = arguments(rows="1000000")
    outward, alone = args.bin / "outward", args.bin / "examples" / "scan"
    rates = json.loads(best(3, lambda: measured([alone]))["printed"])
    stem = args.work / f"cohort_{args.rows}.parquet"
    letters = args.work / f"cohort_{args.rows}_admissions.parquet"
    people = args.work / f"cohort_{args.rows}_participants.parquet"
    if not letters.exists():
        measured([outward, "generate", "biobank", "--rows", args.rows, "--seed", "1", "--out", stem])
    text = duckdb(f"SELECT sum(strlen(letter)), count(letter) FROM '{letters}'")["first"]
    megabytes, count = int(text[0]) / 1e6, int(text[1])
    scan = [outward, "scan", letters, "--columns", "letter", "--format", "json", "--quiet", "--threads", "1"]
    plain = best(3, lambda: measured(scan))
    named = best(3, lambda: measured([*scan, "--names", people, "--name-columns", "first_name,last_name"]))
    found = {kind["kind"]: kind["found"] for kind in json.loads(plain["printed"])["files"][0]["columns"][0]["found"]}
    shapes = " + ".join(f"(regexp_matches(letter, '{shape}'))::int" for shape in SHAPES)
    theirs = best(3, lambda: duckdb(f"SELECT sum({shapes}) FROM '{letters}'"))
    mega = lambda rate: f"{rates[rate] / 1e6:,.0f}"
    lines = [
        "## Scan",
        "",
        f"Machine: {machine()}. Best of three runs. Peer: DuckDB {theirs['version']}, in the same run, two threads.",
        "",
        f"The scanner alone, on one core, in MB of text a second (target 200). Notes and letters are {rates['texts']:,} texts of the generated cohort, of which",
        "over half hold an identifier; sentences have numbers and dates and hold none.",
        "",
        "| text | known names | MB a second |",
        "|---|---:|---:|",
        f"| sentences | 0 | {mega('prose')} |",
        f"| notes and letters | 0 | {mega('per_second')} |",
        f"| notes and letters, dates of a range of years | 0 | {mega('with_births')} |",
        f"| notes and letters | {rates['names']:,} | {mega('with_names')} |",
        f"| notes and letters | {rates['names'] + 1_000_000:,} | {mega('with_a_million_names')} |",
        "",
        f"`scan` on {count:,} letters ({megabytes:,.0f} MB) in a Parquet column, one thread. DuckDB looks for the shapes of five kinds by regular expressions; it checks no",
        "digit, no area and no word beside a date, and says neither where they stand nor whose they are.",
        "",
        "| what | who | CPU s | peak MiB |",
        "|---|---|---:|---:|",
        f"| five shapes | DuckDB | {theirs['cpu']:.2f} | {theirs['peak']:,.0f} |",
        f"| `scan`: {sum(found.values()):,} identifiers | Outward | {plain['cpu']:.2f} | {plain['peak']:,.0f} |",
        f"| `scan --names` with {int(args.rows):,} participants | Outward | {named['cpu']:.2f} | {named['peak']:,.0f} |",
    ]
    write_section(args.out, "scan", "\n".join(lines))


if __name__ == "__main__":
    main()
