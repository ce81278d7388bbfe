#!/bin/sh
# From records of collisions, vehicles and casualties to fourteen tables that may be published.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/outward.toml" "$here/countries.csv" "$here/speed-factors.csv" .

outward generate road --rows 20000 --seed 1 --out road.csv

outward table outward.toml --out bundle

outward verify bundle
