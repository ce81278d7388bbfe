#!/bin/sh
# A second year: what is asked for then is held against what went out in the first.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/outward.toml" "$here/second-year.toml" "$here/countries.csv" "$here/speed-factors.csv" .
export OUTWARD_REGISTER=sqlite:register.db

outward generate road --rows 20000 --seed 1 --out road.csv

# The first year: two of the fourteen tables, approved by a second person and released.
outward table outward.toml RAS50003 RAS50011 --out first-year
outward register submit first-year --actor ann --requester "Department for Transport"
outward register approve 1 --actor bob
outward release first-year --actor ann

# A council asks for local authorities. Nothing small follows, and the table goes out.
outward register check second-year.toml authorities --actor ann --requester "a council"
outward table second-year.toml authorities --register "$OUTWARD_REGISTER" --actor ann --out authorities
outward register submit authorities --actor ann --requester "a council"
outward register approve 2 --actor bob
outward release authorities --actor ann

# Exit code 1: a newspaper asks for the same without collisions on snow, and the difference is one collision in some authorities.
outward register check second-year.toml without-snow --actor ann --requester "a newspaper" && exit 1 || [ $? = 1 ]

outward register list --actor ann
outward register audit
