#!/bin/sh
# From headcounts of postcodes to a file with places that may be published.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/outward.toml" .

outward generate postcodes --rows 200000 --seed 1 --out postcodes.csv

outward places pool postcodes.csv --code postcode --population residents --nation nation \
    --easting easting --northing northing --threshold 20000 --rule uk-residual \
    --out mapping.csv --report places.html

outward generate census --rows 20000 --seed 1 --out visits.csv

# Exit code 1: there are findings.
outward assess outward.toml --report report.html || [ $? = 1 ]

# Carries out the steps of the spec. Exit code 1: some records were left without a place.
outward places map outward.toml --out release.csv || [ $? = 1 ]
