#!/bin/sh
# A first release, a request that would give one person away, and the same tables protected given the first.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/people.csv" "$here/first.toml" "$here/request.toml" .
export OUTWARD_REGISTER=sqlite:register.db

outward table first.toml --out first
outward register submit first --actor ann --requester "a newspaper"
outward register approve 1 --actor bob
outward release first --actor ann

# Exit code 1: ages to 25 less ages to 24 are one person.
outward register check request.toml --actor ann --requester "a newspaper" && exit 1 || [ $? = 1 ]

outward table request.toml --register "$OUTWARD_REGISTER" --actor ann --out second
outward register submit second --actor ann --requester "a newspaper"
outward register approve 2 --actor bob
outward release second --actor ann

outward register list --actor ann
outward register audit
