#!/usr/bin/env python3
"""test_brute.py [N] holds the attacker against listing every table of whole numbers, on N tiny families of each kind with figures hidden at random."""
import random, sys

from brute.counts import answers, check_counts, condition, earlier, ring
from brute.linked import check_linked
from brute.sums import check_sums

CHECKS = {"sums": check_sums, "linked": check_linked}
for kind in [ring, condition, answers, earlier]:
    CHECKS[kind.__name__] = lambda rng, seed, kind=kind: check_counts(kind, rng, seed)

if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    for name, check in CHECKS.items():
        results = [check(random.Random(f"{name} {seed}"), seed) for seed in range(many)]
        families, cells, found = sum(n > 0 for n, _ in results), sum(n for n, _ in results), sum(f for _, f in results)
        print(f"{name}: {families} families listed in full, {cells} hidden figures the same, {found} leaks claimed, all confirmed", flush=True)
