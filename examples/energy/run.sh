#!/bin/sh
# From records of properties to a public use file of their energy consumption.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/outward.toml" .

outward generate energy --rows 50000 --seed 1 --out energy.csv

outward protect outward.toml --out bundle

# Friendly intruders try the release before anyone else does.
outward attack outward.toml --scenario motivated-intruder --authorised-by "the data custodian" --out bundle

outward verify bundle
