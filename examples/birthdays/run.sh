#!/bin/sh
# Who is alone with date of birth, sex and place: from the law of birthdays to two files matched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/ages.csv" .

outward birthdays unique --people 250
outward birthdays distribution --people 972 --at-least 0.05 --law printed
outward birthdays distribution --people 972 --at-least 0.05 --law exact
outward birthdays table --report table.html

outward birthdays place --people 4000 --overlap 0.5 --unique 0.05
outward birthdays locality ages.csv --place place --sex sex --age age --people people --overlap 0.5 --report places.html
outward birthdays locality ages.csv --place place --sex sex --age age --people people --born month

outward generate census --rows 50000 --seed 1 --out census.csv
outward birthdays match census.csv census.csv --second-where 'CAST(person_id AS BIGINT) % 2 = 0' \
    --date-of-birth date_of_birth --sex sex --place region --report match.html
