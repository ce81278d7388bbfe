#!/usr/bin/env python3
"""Writes one random family of tables: gen.py KIND SEED DIR writes the spec and the data files into DIR."""
import sys

import families

if __name__ == "__main__":
    kind, seed, folder = sys.argv[1:]
    for spec in families.make(kind, int(seed), folder):
        print(spec)
