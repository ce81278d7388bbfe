#!/bin/sh
# From headcounts of postcodes to a file with places that may be published.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/outward.toml" .

outward generate postcodes --rows 50000 --seed 1 --out postcodes.csv

outward places pool postcodes.csv --code postcode --population residents --nation nation \
    --easting easting --northing northing --threshold 20000 --rule uk-residual \
    --out mapping.csv --report places.html

outward generate census --rows 20000 --seed 1 --out visits.csv

# Exit code 1: some records were left without a place, because the table does not know their code.
outward places map visits.csv --variable postcode --mapping mapping.csv --unknown blank --out release.csv || [ $? = 1 ]

# Exit code 1: there are findings.
outward assess outward.toml --report report.html || [ $? = 1 ]
