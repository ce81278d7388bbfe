#!/bin/sh
# From a census to a teaching file that anyone may have.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/outward.toml" "$here/countries.csv" .

outward generate census --rows 1000000 --seed 1 --out census.csv

outward protect outward.toml --out bundle

# Friendly intruders try the release before anyone else does.
outward attack outward.toml --scenario motivated-intruder --authorised-by "the data custodian" --out bundle

outward verify bundle
