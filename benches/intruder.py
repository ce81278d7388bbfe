"""Record linkage beside Splink, and an attack by exact keys beside DuckDB's join, in one run on the same files.

usage: intruder.py BIN_FOLDER WORK_FOLDER [--out docs/BENCHMARKS.md] [--people 1000000] [--records 10000000]

Linkage has the same comparisons, rules and training on both sides. The large file is a generated census of 7 in 10 of the people asked for.
The rest are copies of some of them with errors: every field is mistyped in 12 % and missing in 4 % of the copies. Splink's figures leave out
its start; its peak memory is that of the process.

The attack is on a generated census; the intruder's file has every tenth person of it.
"""

import csv
import gzip
import json
import os
import random
import sys
from pathlib import Path

from measure import THREADS, arguments, best, duckdb, machine, measured, write_section

FIELDS = ["first_name", "last_name", "date_of_birth", "sex", "postcode", "email"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
THRESHOLD = 0.95

# Where F1 is looked at besides.
PROBABILITIES = [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]

# Splink stops looking at random pairs for u when it has seen enough at each level. So it looks at all of them.
ALL_PAIRS = {"min_count_per_level": None, "num_chunks": 1}

KEYS = "region sex age ethnic_group industry economic_activity religion country_of_birth".split()

# The release is the census as it is. It is read in the same form on both sides, and all that an attack says is asked for.
SPEC = """title = "Census"
[data]
path = "{data}"
[policy]
name = "baseline"
k = 1
[[variables]]
name = "person_id"
role = "identifier"
{variables}[[scenarios]]
name = "everything"
response_knowledge = true
truth = "person_id"
file = {{ path = "{people}" }}
"""

# What is compared, as Splink's library has it, and how it is trained: rules for the prior with their recall, rules for EM.
TASKS = {
    "people": {
        "comparisons": """[cl.NameComparison("first_name"), cl.NameComparison("last_name"),
            cl.DateOfBirthComparison("date_of_birth", input_is_string=True), cl.ExactMatch("sex"),
            cl.PostcodeComparison("postcode"), cl.ExactMatch("email")]""",
        "rules": [["first_name", "last_name", "sex"], ["postcode"], ["date_of_birth", "first_name"], ["date_of_birth", "last_name"], ["email"]],
        "deterministic": [["first_name", "last_name", "date_of_birth"], ["email"]],
        "recall": 0.9,
        "runs": [["first_name", "last_name"], ["date_of_birth", "sex"]],
        # Of 1,000,000 some three share a postcode, and which program ranks better is up to chance.
        "random_pairs": 10_000_000,
    },
    "febrl3": {
        "comparisons": """[cl.NameComparison("given_name"), cl.NameComparison("surname"),
            cl.DateOfBirthComparison("date_of_birth", input_is_string=True, datetime_format="%Y%m%d"),
            cl.DamerauLevenshteinAtThresholds("soc_sec_id", [1, 2]),
            cl.ExactMatch("street_number").configure(term_frequency_adjustments=True),
            cl.DamerauLevenshteinAtThresholds("postcode", [1, 2]).configure(term_frequency_adjustments=True)]""",
        "rules": [["soc_sec_id"], ["given_name"], ["surname"], ["date_of_birth"], ["postcode"]],
        "deterministic": [["soc_sec_id"], ["given_name", "surname", "date_of_birth"]],
        "recall": 0.9,
        "runs": [["date_of_birth"], ["postcode"]],
        "random_pairs": 1_000_000,
    },
    "fake_1000": {
        "comparisons": """[cl.NameComparison("first_name"), cl.NameComparison("surname"),
            cl.DateOfBirthComparison("dob", input_is_string=True),
            cl.ExactMatch("city").configure(term_frequency_adjustments=True), cl.EmailComparison("email")]""",
        "rules": [["first_name", "city"], ["surname"], ["dob"], ["email"]],
        "deterministic": [["first_name", "surname", "dob"], ["email"]],
        "recall": 0.7,
        "runs": [["first_name", "surname"], ["dob"]],
        "random_pairs": 1_000_000,
    },
}

SPLINK = '''
import json, logging, resource, sys, time, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import duckdb, splink
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on
task, path, model, threads, threshold = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5])
sampling, probabilities = json.loads(sys.argv[6]), json.loads(sys.argv[7])
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
before, started = cpu(), time.monotonic()
con = duckdb.connect()
con.execute(f"SET threads = {threads}")
con.execute("CREATE TABLE people AS SELECT * FROM read_csv(?, all_varchar = true)", [path])
db = DuckDBAPI(connection=con)
rules = [block_on(*rule) for rule in task["rules"]]
settings = SettingsCreator(link_type="dedupe_only", unique_id_column_name="row", comparisons=eval(task["comparisons"]),
    blocking_rules_to_generate_predictions=rules, retain_matching_columns=False, max_iterations=100)
linker = Linker(db.register("people"), settings)
linker.misc.save_model_to_json(model, overwrite=True)
train = linker.training
train.estimate_probability_two_random_records_match([block_on(*rule) for rule in task["deterministic"]], recall=task["recall"])
train.estimate_u_using_random_sampling(max_pairs=task["random_pairs"], seed=1, **sampling)
for rule in task["runs"]:
    train.estimate_parameters_using_expectation_maximisation(block_on(*rule))
pairs = linker.inference.predict(threshold_match_probability=threshold)
clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(pairs, threshold_match_probability=threshold)
count, correct = con.execute(f"""SELECT count(*), count(*) FILTER (a.truth = b.truth) FROM {pairs.physical_name} p
    JOIN people a ON a.row = p.row_l JOIN people b ON b.row = p.row_r""").fetchall()[0]
true = con.execute("SELECT sum(n * (n - 1) / 2) FROM (SELECT count(*) n FROM people GROUP BY truth)").fetchall()[0][0]
timed = {"cpu": cpu() - before, "wall": time.monotonic() - started}
con.execute(f"COPY (SELECT row_l AS left_row, row_r AS right_row, match_weight FROM {pairs.physical_name}) TO '{sys.argv[8]}' (HEADER)").fetchall()
best = None
if probabilities:
    pairs = linker.inference.predict(threshold_match_probability=0.001)
    best = 0
    for least in probabilities:
        n, right = con.execute(f"""SELECT count(*), count(*) FILTER (a.truth = b.truth) FROM {pairs.physical_name} p
            JOIN people a ON a.row = p.row_l JOIN people b ON b.row = p.row_r WHERE match_probability >= {least}""").fetchall()[0]
        best = max(best, 2 * right / (n + true))
print(json.dumps({**timed, "pairs": count, "version": splink.__version__, "best": best,
    "precision": correct / count, "recall": correct / true, "f1": 2 * correct / (count + true)}))
'''


def mistyped(text, draw):
    """One slip of the pen: a letter or digit replaced, left out, doubled, or exchanged with the next."""
    if not text:
        return text
    at = draw.randrange(len(text))
    other = draw.choice("0123456789" if text[at].isdigit() else LETTERS)
    kind = draw.randrange(4)
    if kind == 3 and at + 1 < len(text):
        return text[:at] + text[at + 1] + text[at] + text[at + 2:]
    return text[:at] + [other, "", text[at] * 2, other][kind] + text[at + 1:]


def people(outward, work, count):
    """A file of so many records, three in ten of them copies with errors."""
    path = work / f"people_{count}.csv"
    if path.exists():
        return path
    census, draw = work / f"people_{count}_census.csv", random.Random(1)
    originals = count * 7 // 10
    measured([outward, "generate", "census", "--rows", str(originals), "--seed", "7", "--out", census])
    with census.open(newline="") as file:
        rows = [[*(row[field] for field in FIELDS), row["person_id"]] for row in csv.DictReader(file)]
    for row in draw.sample(rows, count - originals):
        fields = [("" if draw.random() < 0.04 else mistyped(field, draw) if draw.random() < 0.12 else field) for field in row[:-1]]
        rows.append([*fields, row[-1]])
    draw.shuffle(rows)
    write(path, [*FIELDS, "truth"], rows)
    census.unlink()
    return path


def write(path, header, rows):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", *header])
        writer.writerows([at + 1, *row] for at, row in enumerate(rows))


def public(name, work, truth):
    """A public file, its values without blanks around them, and the truth as a column; None where it is not there."""
    folder = os.environ.get("OUTWARD_REAL_DATA") or Path(__file__).parent.parent.parent / "shared" / "data"
    source = Path(folder) / f"{name}.csv.gz"
    if not source.exists():
        return None
    with gzip.open(source, "rt", newline="") as file:
        header, *rows = [[value.strip() for value in row] for row in csv.reader(file)]
    path = work / f"{name}.csv"
    write(path, [*header, "truth"], [[*row, truth(dict(zip(header, row)))] for row in rows])
    return path


def equal(columns):
    return " AND ".join(f'l."{column}" = r."{column}"' for column in columns)


def compare(outward, task, path, work, times):
    """The best of some runs of each, by CPU time: ours, then Splink's. Small files are also held against the truth at other thresholds, and Splink
    is run again with u from all pairs."""
    model = work / "linkage_model.json"
    command = [outward, "link", path, "--model", model, "--train", "--truth", "truth", "--out", work / "pairs.csv", "--recall", str(task["recall"])]
    for option, rules in (("--deterministic", task["deterministic"]), ("--train-on", task["runs"])):
        for rule in rules:
            command += [option, equal(rule)]
    command += ["--random-pairs", str(task["random_pairs"]), "--threshold", str(THRESHOLD), "--threads", str(THREADS), "--format", "json", "--quiet"]
    def theirs(sampling):
        probabilities = PROBABILITIES if times > 1 else []
        settings = [str(THREADS), str(THRESHOLD), json.dumps(sampling), json.dumps(probabilities), str(work / "splink_pairs.csv")]
        result = measured([sys.executable, "-c", SPLINK, json.dumps(task), str(path), str(model), *settings], quiet=False)
        return {**result, **json.loads([line for line in result["printed"].splitlines() if line.startswith("{")][-1])}

    peers = [best(times, lambda: theirs(sampling)) for sampling in ([{}, ALL_PAIRS] if times > 1 else [{}])]
    ours = best(times, lambda: measured(command, quiet=False))
    ours |= json.loads(ours["printed"])
    ours["best"] = max(at["f1"] for at in ours["thresholds"] if at["probability"] in PROBABILITIES)
    return [ours, *peers]


def right_of_most_probable(work, path):
    """Of the most probable pairs, as many of one as of the other, how many are right: thresholds, which neither chose, have no part in it."""
    files = [work / "pairs.csv", work / "splink_pairs.csv"]
    count = min(int(duckdb(f"SELECT count(*) FROM read_csv('{file}')")["first"][0]) for file in files)
    people = f"read_csv('{path}', types = {{'row': 'BIGINT'}})"
    first = "(SELECT left_row, right_row FROM read_csv('{file}') ORDER BY match_weight DESC, left_row, right_row LIMIT {count})"
    right = [
        duckdb(
            f"SELECT count(*) FILTER (a.truth = b.truth) FROM {first.format(file=file, count=count)} p "
            f"JOIN {people} a ON a.row = p.left_row JOIN {people} b ON b.row = p.right_row"
        )
        for file in files
    ]
    return count, [int(one["first"][0]) for one in right]


def attack(outward, work, records):
    """The attack by exact keys and DuckDB's join of the same two files. Both count pairs that agree, and people whose own record is among them."""
    data, people = work / f"census_{records}.parquet", work / f"census_{records}_tenth.parquet"
    if not data.exists():
        measured([outward, "generate", "census", "--rows", str(records), "--seed", "1", "--out", data])
    if not people.exists():
        tenth = f"SELECT person_id, {', '.join(KEYS)} FROM read_parquet('{data}') WHERE hash(person_id) % 10 = 0"
        duckdb(f"COPY ({tenth}) TO '{people}' (FORMAT parquet, COMPRESSION zstd)")
    spec = work / "attack.toml"
    variables = "".join(f'[[variables]]\nname = "{key}"\nrole = "key"\n' for key in KEYS)
    spec.write_text(SPEC.format(data=data.name, people=people.name, variables=variables))
    join = (
        f"SELECT count(*), sum(1 / n), sum(own) FROM (SELECT count(*) AS n, max(CAST(r.person_id = p.person_id AS INT)) AS own "
        f"FROM read_parquet('{people}') p JOIN read_parquet('{data}') r USING ({', '.join(KEYS)}) GROUP BY p.person_id)"
    )
    theirs = best(3, lambda: duckdb(join))
    pairs = best(3, lambda: duckdb(f"SELECT count(*) FROM read_parquet('{people}') p JOIN read_parquet('{data}') r USING ({', '.join(KEYS)})"))
    command = [outward, "attack", spec, "--scenario", "everything", "--authorised-by", "the benchmark", "--threads", str(THREADS)]
    ours = best(3, lambda: measured([*command, "--format", "json", "--quiet"]))
    card = json.loads(ours["printed"])
    looked_for, expected, own = theirs["first"]
    assert [card["claims"], card["targets"]] == [int(looked_for), int(own)], (card["claims"], card["targets"], theirs["first"])
    assert abs(card["expected"] - float(expected)) < 1e-6 * float(expected), (card["expected"], expected)
    return card, ours, theirs, pairs


def main():
    args = arguments(people="1000000", records="10000000", only="large,public,attack")
    outward = args.bin / "outward"
    parts = {"large": lambda: large(outward, args.work, int(args.people)), "public": lambda: small(outward, args.work),
        "attack": lambda: exact_keys(outward, args.work, int(args.records))}
    for name in args.only.split(","):
        write_section(args.out, f"intruder, {name}", "\n".join(parts[name]()))


def exact_keys(outward, work, records):
    card, ours, theirs, pairs = attack(outward, work, records)
    rows = [
        ("join alone, pairs counted", "DuckDB", pairs),
        ("join, candidates and own record of each person", "DuckDB", theirs),
        ("`attack`: claims, score card, control, what helped", "Outward", ours),
    ]
    return [
        "### An attack by exact keys",
        "",
        f"{card['people']:,} people, each with an identifier, looked for among {records:,} records of a generated census by {len(KEYS)} keys ({', '.join(KEYS)}),",
        f"both read from Parquet: {card['claims']:,} claims, {card['correct']:,} of them right, {card['expected']:,.0f} expected. DuckDB {theirs['version']}, {THREADS} threads. The run",
        "stops where the two disagree on the people who fit a record or on the claims expected to be right. Best of three runs. The ratio is to the join alone.",
        "",
        "| what | who | CPU s | ratio | MiB |",
        "|---|---|---:|---:|---:|",
        *(f"| {what} | {who} | {run['cpu']:.2f} | {run['cpu'] / pairs['cpu']:.2f} | {run['peak']:,.0f} |" for what, who, run in rows),
    ]


def large(outward, work, count):
    path = people(outward, work, count)
    ours, theirs = compare(outward, TASKS["people"], path, work, 1)
    most, (ours["right"], theirs["right"]) = right_of_most_probable(work, path)
    row = "| {who} | {cpu:.1f} | {wall:.1f} | {peak:.0f} | {pairs:,} | {precision:.4f} | {recall:.4f} | {right:,} |"
    return [
        "## Intruder and linkage",
        "",
        f"Machine: {machine()}. Linkage is compared with Splink {theirs['version']} on DuckDB, {THREADS} threads, from CSV to clusters, training included. Both have the",
        f"same comparisons, blocking rules and training rules, {TASKS['people']['random_pairs']:,} random pairs and threshold {THRESHOLD}; the model is the file that Splink writes.",
        "CPU and wall seconds, peak memory in MiB. Splink's start is not counted. The machine is shared: wall time is noisy.",
        "",
        "### Duplicates in a large file",
        "",
        f"{count:,} generated people, three in ten of them copies with errors. E-mail addresses are made from names, so they are compared as a whole: levels that",
        "compare parts of them would count the name twice. Probabilities of the two differ a little, so a threshold is not the same for both. The last column is",
        f"without one: of the {most:,} most probable pairs of each, those that are right.",
        "",
        "| who | CPU s | wall s | MiB | pairs | precision | recall | right of as many |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *(row.format(who=who, **run) for who, run in (("Outward", ours), ("Splink", theirs))),
    ]


def small(outward, work):
    files = [
        ("febrl3, 5,000 records", "febrl3", public("febrl3", work, lambda row: row["rec_id"].split("-")[1])),
        ("fake_1000, 1,000 records", "fake_1000", public("fake_1000", work, lambda row: row["cluster"])),
    ]
    row = "| {words} | {who} | {cpu:.1f} | {peak:.0f} | {pairs:,} | {precision:.4f} | {recall:.4f} | {f1:.4f} | {best:.4f} |"
    rows = []
    for words, name, path in files:
        if path is not None:
            runs = zip(("Outward", "Splink", "Splink, all pairs"), compare(outward, TASKS[name], path, work, 3))
            rows += [row.format(**{**run, "words": words, "who": who}) for who, run in runs]
    return [
        "### Public files with a truth",
        "",
        f"Best of three runs. F1 is that at {THRESHOLD}; *best* is the best of {len(PROBABILITIES)} thresholds. Of {TASKS['febrl3']['random_pairs']:,} random pairs for u",
        "Splink stops looking when it has seen 100 at each level; *all pairs* is Splink with all of them, as Outward looks at. Outward then takes the matches out.",
        "",
        "| data | who | CPU s | MiB | pairs | precision | recall | F1 | best |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
        *rows,
    ]


if __name__ == "__main__":
    main()
