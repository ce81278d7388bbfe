#!/usr/bin/env python3
"""run.py --bin PATH [--kind K[,K..]|all] [--seeds A..B] [--jobs N]

Makes random families with `table`, runs `verify`, and attacks what was written. Prints every family with something to tell, and a summary by kind.
Exit code 1 if anything leaks, fails its own verification or could not be attacked."""
import argparse, collections, json, os, re, sys, tempfile
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import families
from releases import Options, attack_family

LEAKS = {"shown": ["shown"], "exact": ["exact"], "tight": ["tight"], "group": ["group", "group-cell"], "diff": ["difference", "difference-hidden"],
         "rival": ["rival"], "exist": ["exact-exist", "tight-exist", "group-exist", "lone-exist"], "self": ["exact-self", "group-self", "difference-self"]}
COLUMNS = ["families", "released", "refused", "other", "fails", "untold", *LEAKS, "hidden", "unsafe", "unsettled", "unattacked", "CPU s"]
LEGEND = """released: all releases of a family written; other: an error or out of time; fails, untold: what `verify` says of what was written.
shown to self: families in which something of the kind follows (attacks/README.md). hidden, unsafe: cells. CPU s: `table` and `verify`."""


def leaks_of(result):
    found = collections.Counter(f["what"] for f in result["found"])
    return {name: n for name, kinds in LEAKS.items() if (n := sum(found[k] for k in kinds))}


def is_bad(result):
    return bool(result["found"]) or result["verify"] == "FAILS" or "not_attacked" in result or result["outcome"] == "bug"


def line_of(result):
    text = f"{result['kind']} {result['seed']}: {result['outcome']}"
    if "why" in result:
        text += f" ({result['why']})"
    if result["verify"] != "holds":
        text += f", verify {result['verify']} ({result['verify_why']})"
    if "not_attacked" in result:
        text += f", NOT ATTACKED {result['not_attacked']}"
    text += "".join(f", {name} {n}" for name, n in leaks_of(result).items())
    return text + "".join(f", {name} {result['stats'][name]}" for name in ["unsafe", "atoms", "unsettled"] if result["stats"].get(name))


def add_up(results):
    sums = collections.Counter(families=len(results))
    for r in results:
        sums[r["outcome"] if r["outcome"] in ("released", "refused") else "other"] += 1
        sums["fails"] += r["verify"] == "FAILS"
        sums["untold"] += r["verify"] not in ("FAILS", "holds")
        sums["unattacked"] += "not_attacked" in r
        for name in leaks_of(r):
            sums[name] += 1
        for name in ["hidden", "unsafe", "unsettled"]:
            sums[name] += r["stats"].get(name, 0)
        sums["CPU s"] += r["table_cpu"] + r["verify_cpu"]
    sums["CPU s"] = round(sums["CPU s"], 1)
    return sums


def print_summary(results):
    by_kind = collections.defaultdict(list)
    for r in results:
        by_kind[r["kind"]].append(r)
    rows = [(kind, add_up(some)) for kind, some in by_kind.items()] + [("all", add_up(results))]
    print("\n" + "kind".ljust(11) + " ".join(n.rjust(max(6, len(n))) for n in COLUMNS))
    for kind, sums in rows:
        print(kind.ljust(11) + " ".join(str(sums[n]).rjust(max(6, len(n))) for n in COLUMNS))
    print(LEGEND)
    reasons = collections.Counter((r["outcome"], re.sub(r"\d[\d,.]*", "…", r["why"])) for r in results if "why" in r)
    for (outcome, why), n in reasons.most_common():
        print(f"{outcome} {n}: {why}")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, help="the binary of Outward")
    ap.add_argument("--kind", default="all", help="kinds, with commas: " + ", ".join(families.KINDS))
    ap.add_argument("--seeds", default="0..40")
    ap.add_argument("--jobs", type=int, default=1, help="families at once")
    ap.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "outward-attacks"), help="where families are written")
    ap.add_argument("--log", help="write one JSON line for each family to this file")
    ap.add_argument("--no-self", action="store_true", help="leave out attackers who are counted themselves")
    ap.add_argument("--no-earlier", action="store_true", help="do not tell `table` of earlier releases, to see what leaks then")
    ap.add_argument("--seconds", type=float, default=60, help="for the attack on one family")
    ap.add_argument("--quiet", action="store_true", help="print only families with something to tell")
    args = ap.parse_args()
    options = Options(os.path.abspath(args.bin), args.dir, not args.no_self, not args.no_earlier, args.seconds)
    first, end = map(int, args.seeds.split(".."))
    tasks = [(kind, seed) for kind in (families.KINDS if args.kind == "all" else args.kind.split(",")) for seed in range(first, end)]
    results = []
    log = open(args.log, "w") if args.log else None
    with ProcessPoolExecutor(args.jobs) as pool:
        for result in pool.map(attack_family, *zip(*tasks), repeat(options)):
            results.append(result)
            if log:
                print(json.dumps(result), file=log, flush=True)
            if not args.quiet or is_bad(result) or result["outcome"] not in ("released", "refused"):
                print(line_of(result), flush=True)
    print_summary(results)
    sys.exit(1 if any(map(is_bad, results)) else 0)


if __name__ == "__main__":
    main()
