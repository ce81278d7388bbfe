"""Samples and populations: special uniques, wildcard counting, population models, birthdays.

usage: population.py BIN_FOLDER WORK_FOLDER [--out docs/BENCHMARKS.md]

The peers of these methods are R packages that no registry of this benchmark has, so the CPU seconds given for them are those of
an earlier measurement on another machine, and are only a yardstick.
"""

import json
from pathlib import Path

from measure import THREADS, arguments, best, machine, measured, write_section

SEVEN = "sex,age,ethnic_group,marital_status,country_of_birth,occupation,industry"
ADULT = "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class"
TWELVE = SEVEN + ",religion,region,economic_activity,health,hours"


def main():
    args = arguments()
    outward, suda, wildcards = (args.bin / name for name in ("outward", "examples/suda", "examples/wildcards"))
    lines = []

    def census(rows):
        path = args.work / f"census_{rows}.csv"
        if not path.exists():
            measured([outward, "generate", "census", "--rows", str(rows), "--seed", "1", "--out", path])
        return path

    def special(rows, keys, *more):
        run = lambda: measured([suda, census(rows), keys, *map(str, more)])
        found = min((json.loads(run()["printed"]) for _ in range(3)), key=lambda result: result["cpu_seconds"])
        return found

    seven = special(1_000_000, SEVEN)
    lines.append(("special uniques, 1 million × 7 keys, all sizes", seven["cpu_seconds"], "0.35 (sdcMicro 3.5)"))
    twelve = special(100_000, TWELVE)
    lines.append(("special uniques, 100,000 × 12 keys, all sizes", twelve["cpu_seconds"], "5"))
    adult = Path(__file__).parent.parent.parent / "shared" / "data" / "adult" / "arx_adult_30162.csv.gz"
    if adult.exists():
        run = lambda: json.loads(measured([suda, adult, ADULT, "--separator", ";"])["printed"])
        nine = min((run() for _ in range(3)), key=lambda result: result["cpu_seconds"])
        lines.append(("special uniques, Adult, 30,162 × 9 keys, all sizes", nine["cpu_seconds"], "0.05"))
    models = json.loads(measured([args.bin / "examples" / "uniqueness"])["printed"])
    lines.append((f"Pitman, Zayatz and SNB together, {models['sizes']:,} class sizes, {models['records']:,} records", models["seconds"], "0.01"))
    wild = min((json.loads(measured([wildcards])["printed"]) for _ in range(3)), key=lambda result: result["total_cpu_seconds"])
    lines.append(("counting with wildcards, 1 million × 7 keys, 1 % missing", wild["total_cpu_seconds"], "1 (sdcMicro without missing values 1.8)"))
    law = best(3, lambda: measured([outward, "birthdays", "distribution", "--people", "10000", "--format", "json", "--quiet"]))
    lines.append(("exact law of unique birthdays, 10,000 people (whole process)", law["cpu"], "0.1"))
    whole = best(3, lambda: measured([
        outward, "assess", census(1_000_000), "--keys", SEVEN, "--suda", "--sampling-fraction", "0.02", "--threads", str(THREADS),
        "--format", "json", "--quiet"]))
    plain = best(3, lambda: measured([
        outward, "assess", census(1_000_000), "--keys", SEVEN, "--threads", str(THREADS), "--format", "json", "--quiet"]))
    lines.append(("`assess` of 1 million × 7 keys from CSV", plain["cpu"], ""))
    lines.append(("the same with `--suda --sampling-fraction` (models included)", whole["cpu"], ""))
    text = [
        "## Samples and populations",
        "",
        f"Machine: {machine()}. CPU seconds, best of three. Generated census. The figures in brackets are sdcMicro's CPU seconds as given",
        "with the targets, from another run on another machine.",
        "",
        "| what | CPU s | target |",
        "|---|---:|---:|",
    ]
    text += [f"| {what} | {cpu:.3f} | {target} |" for what, cpu, target in lines]
    write_section(args.out, "population", "\n".join(text))


if __name__ == "__main__":
    main()
