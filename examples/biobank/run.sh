#!/bin/sh
# A cohort from enrolment to two applications: one with three tables, one in two phases; then people withdraw.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here"/*.toml .
export OUTWARD_VAULT_PASSPHRASE="four words of an example" OUTWARD_ACTOR=ann

outward generate biobank --rows 5000 --seed 1 --out biobank.csv
outward vault init
outward vault enrol enrol.toml

# Three tables under one set of identifiers.
outward vault application work.toml --reason "approved by the access committee"
outward vault extract work --out work --reason "first extract"
for table in participants assessments admissions; do
    outward verify work/$table
done

# Places first. The university works out the air at each place, and knows nobody.
outward vault application air.toml --reason "approved by the access committee"
outward vault extract air --phase 1 --out places --reason "linkage with air quality"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "eid,no2"; next }
    { x = $at["easting"]; y = $at["northing"]; printf "%s,%.2f\n", $at["eid"], 14 + (x % 97000) / 9700 + (y % 89000) / 8900 }' \
    places/public/data.csv > results.csv
outward vault return air results.csv --phase-one places --reason "from the university"
outward vault extract air --phase 2 --out rest --reason "everything but places"
outward verify rest

# Those who withdrew are entered, found in what is out, and removed from it.
awk -F, 'NR == 1 { print "id,level,day"; next }
    $(NF - 2) == "Withdrawn: no further use" { print $1 ",no-further-use,2026-01-01" }' biobank_participants.csv > withdrawals.csv
outward vault withdraw enter withdrawals.csv --reason "letters of the year"
mkdir -p laptop
cp work/assessments/public/data.csv laptop/visits.csv
# Exit code 1: there are some.
outward vault withdraw check work laptop --reason "files of a laptop" && exit 1 || [ $? = 1 ]
outward vault withdraw apply work laptop --receipt receipt.json --reason "files of a laptop"
outward vault withdraw check work laptop --reason "files of a laptop"

outward vault audit
