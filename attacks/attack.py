#!/usr/bin/env python3
"""Attack one release, or several of the same data: attack.py BUNDLE SPEC [BUNDLE SPEC ...] [--proof] [--no-self] [--json]

Reads public/tables.json, the spec and the raw data, and asks what each unsafe hidden cell, group, difference or rival's amount can be.
Exit code 1 if something follows that must not."""
import argparse, json, sys

from attacker import Attack


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("releases", nargs="+", metavar="BUNDLE SPEC", help="a bundle and the spec it was made by, or the folder of that spec")
    ap.add_argument("--proof", action="store_true", help="show which published figures bound a cell")
    ap.add_argument("--no-self", action="store_true", help="leave out attackers who are counted themselves")
    ap.add_argument("--json", action="store_true")
    args = ap.parse_args()
    if len(args.releases) % 2:
        ap.error("give a spec for every bundle")
    attack = Attack(list(zip(args.releases[::2], args.releases[1::2])), not args.no_self, 600).run()
    if args.json:
        print(json.dumps(dict(found=attack.found, stats=attack.stats, notes=attack.notes)))
    else:
        for f in attack.found:
            print(f)
            if args.proof and f["what"] in ("exact", "tight"):
                print(attack.proof(f["cell"]))
        print(dict(attack.stats), attack.notes)
    sys.exit(1 if attack.found else 0)


if __name__ == "__main__":
    main()
