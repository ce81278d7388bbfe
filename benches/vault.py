"""A cohort of a million: enrolled, given identifiers, and extracted with 50 fields.

usage: vault.py BIN_FOLDER WORK_FOLDER [--people 1000000] [--fields 50] [--out docs/BENCHMARKS.md]

The plain copy beside the extract is `protect` of a file with the same columns under a policy that asks for nothing: it writes and verifies a bundle too.
"""

import os
import random
import shutil

from measure import arguments, best, machine, measured, write_section

KEY = "2b" * 32


def nhs_number(index):
    prefix = 400_000_000 + index
    digits = [int(digit) for digit in str(prefix)]
    check = (11 - sum(digit * weight for digit, weight in zip(digits, range(10, 1, -1))) % 11) % 11
    return f"{prefix}{check}" if check < 10 else ""


def variable(at):
    name = f"f{at}"
    return f'[[variables]]\nname = "{name}"\ntype = "{"integer" if at % 2 else "text"}"\n'


def main():
    args = arguments(people="1000000", fields="50")
    people, fields = int(args.people), int(args.fields)
    args.out = args.out and args.out.absolute()
    outward, folder = (args.bin / "outward").absolute(), args.work.absolute() / "vault"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)
    os.environ.update(OUTWARD_BENCH_KEY=KEY, OUTWARD_ACTOR="ann")
    draw = random.Random(1)
    words = ["never", "seldom", "often", "always", "not known"]
    with open("people.csv", "w") as out:
        out.write("id,nhs_number,name,address,email,phone\n")
        for at in range(people):
            out.write(f"P{at},{nhs_number(at)},Name {at},{at} A Street,p{at}@example.org,07700 {900000 + at % 1000}\n")
    with open("records.csv", "w") as out:
        out.write("id," + ",".join(f"f{at}" for at in range(fields)) + "\n")
        for at in range(people):
            values = [str(draw.randrange(200)) if field % 2 else words[draw.randrange(5)] for field in range(fields)]
            out.write(f"P{at}," + ",".join(values) + "\n")
    variables = "".join(variable(at) for at in range(fields))
    with open("records.toml", "w") as out:
        out.write(f'[data]\npath = "records.csv"\n{variables}')
    with open("people.toml", "w") as out:
        out.write('[people]\ndata = { path = "people.csv" }\nid = "id"\nnhs_number = "nhs_number"\nname = ["name"]\naddress = ["address"]\n'
                  'email = "email"\nphone = "phone"\n')
    with open("tables.toml", "w") as out:
        out.write('[[tables]]\nname = "records"\nspec = "records.toml"\nid = "id"\n')
    with open("air.toml", "w") as out:
        out.write('name = "air"\ntitle = "Air"\nexpires = "2099-12-31"\n[[tables]]\nname = "records"\nfields = '
                  + str([f"f{at}" for at in range(fields)]).replace("'", '"') + "\n")
    vault = [outward, "vault"]
    measured([*vault, "init", "--key-env", "OUTWARD_BENCH_KEY"])
    enrolled = measured([*vault, "enrol", "people.toml", "--quiet"], quiet=False)
    tables = measured([*vault, "enrol", "tables.toml", "--quiet"], quiet=False)
    measured([*vault, "application", "air.toml"])
    (folder / "nothing").mkdir()
    eids = best(3, lambda: measured([*vault, "withdraw", "check", "air", "nothing", "--reason", "bench"]))
    extract = best(2, lambda: measured(
        [*vault, "extract", "air", "--out", "bundle", "--parquet", "--force", "--reason", "bench", "--quiet"], quiet=False))
    # The same columns as a Parquet file, with the identifiers in place of the participants.
    os.rename("bundle/public/data.parquet", "plain.parquet")
    with open("plain.toml", "w") as out:
        plain = variables.replace('type = "text"\n', "").replace('type = "integer"\n', "")
        out.write(f'[data]\npath = "plain.parquet"\n[policy]\nname = "baseline"\nk = 1\n[[variables]]\nname = "eid"\nallow = "a benchmark"\n{plain}')
    copy = best(2, lambda: measured([outward, "protect", "plain.toml", "--out", "plain", "--force", "--quiet"], quiet=False))
    size = sum(os.path.getsize(f"vault/{name}.db") for name in ("identity", "research")) / 2**20
    row = lambda what, run, target: f"| {what} | {run['wall']:.1f} | {run['cpu']:.1f} | {run['peak']:,.0f} | {target} |"
    write_section(args.out, "vault", "\n".join([
        "## Vault",
        "",
        f"Machine: {machine()}. {people:,} participants in two SQLite files of {size:,.0f} MiB together, committed to the disk.",
        "",
        "| what | s | CPU s | peak MiB | target |",
        "|---|---:|---:|---:|---|",
        row("`vault enrol`: identities, sealed field by field", enrolled, "60 s"),
        row(f"`vault enrol`: {fields} fields of each", tables, "none"),
        row("identifiers of an application for all, as `withdraw check` needs them", eids, "2 s"),
        row(f"`vault extract` of {fields} fields into a verified bundle", extract, "2 × the plain copy"),
        row("the plain copy: `protect` of a file with the same columns", copy, ""),
    ]))


if __name__ == "__main__":
    main()
