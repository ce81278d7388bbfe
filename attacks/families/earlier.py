"""Two or three releases of the same people, one after the other: differencing over releases (P3)."""
from .family import Draw


def bands(r, ages):
    """Edges of bands, and the same edges moved by a year or two."""
    edges = sorted(r.sample(range(ages[0] + 3, ages[-1] - 2, 3), r.randint(1, 3)))
    moved = [e + r.choice([0, 1, 1, 2]) for e in edges]
    moved[r.randrange(len(moved))] += 1
    return edges, sorted(set(moved))


def few_left_out(r, rows, column):
    """A condition that all but a handful meet."""
    values = sorted(row[column] for row in rows)
    return f"score < {values[-min(len(values), r.choice([1, 1, 2, 3, 6]))]}"


def earlier(f):
    r = f.r
    groups = [[f"a{g}{i}" for i in range(r.randint(1, 3))] for g in range(1, r.randint(3, 4))]
    places = [x for g in groups for x in g]
    other = r.sample(places, len(places))
    half = r.randint(1, len(other) - 1)
    ages = list(range(10, 10 + r.choice([15, 20, 30])))
    edges, moved = bands(r, ages)
    jobs = ["b1", "b2", "b3"][: r.randint(2, 3)]
    d = Draw(r, [places, ages, jobs, list(range(10, 80))])
    rows = [d.record() for _ in range(r.choice([r.randint(12, 60), r.randint(40, 250)]))]
    f.csv("people.csv", ["a", "age", "b", "score"], rows)
    f.variables += [{"name": "a", "role": "key", "hierarchy": {"tree": {f"A{k + 1}": g for k, g in enumerate(groups)}}},
                    {"name": "a2", "columns": ["a"], "role": "key", "hierarchy": {"tree": {"P": other[:half], "Q": other[half:]}}},
                    {"name": "age", "role": "key", "type": "integer", "hierarchy": {"bands": edges}},
                    {"name": "age2", "columns": ["age"], "role": "key", "type": "integer", "hierarchy": {"bands": moved}},
                    {"name": "b", "role": "key"}, {"name": "score", "type": "integer"}]
    by_age, by_place = {"levels": {"age": [1]}}, {"levels": {"a": r.choice([[0, 1], [1], [0]])}}
    starts = {
        "age": (("age", "b"), by_age, [(("age2", "b"), {"levels": {"age2": [1]}}), (("age",), by_age)]),
        "place": (("a", "b"), by_place, [(("a2", "b"), {"levels": {"a2": [1]}}), (("a", "b"), {"levels": {"a": [1]}})]),
    }
    variables, more, later = starts[r.choice(["age", "age", "place"])]
    later += [(variables, {**more, "where": few_left_out(r, rows, 3)}), (("b",), {}), (("b",), {"where": few_left_out(r, rows, 3)})]
    releases = [(variables, more)] + r.sample(later, r.choice([1, 1, 2]))
    if r.random() < 0.3:
        releases.reverse()
    for k, (names, asked) in enumerate(releases):
        if k:
            f.next_release()
        f.table(names, **asked)
    return "people.csv"
