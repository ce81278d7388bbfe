"""Conditions of tables (K3, M2): read from their text, and evaluated on values.

A comparison with a missing value is unknown, and a condition that is unknown is not met. NOT is moved to the comparisons, so that it is enough to know of
each whether it is true."""
import re

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(-?\d+(?:\.\d+)?)|(<>|!=|<=|>=|=|<|>|\(|\)|,)|(\"[^\"]+\"|[A-Za-z_]\w*))")


def tokens_of(text):
    """Literals, operators and words of a condition, in order."""
    tokens, at = [], 0
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if not found:
            raise ValueError(f"cannot read condition {text!r}")
        string, number, operator, word = found.groups()
        if string is not None:
            tokens.append(("literal", string[1:-1].replace("''", "'")))
        elif number is not None:
            tokens.append(("literal", float(number)))
        else:
            tokens.append(("operator", operator) if operator else ("word", word))
        at = found.end()
    return tokens


OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in", "is null": "is not null",
            "is not null": "is null"}


def negated(tree):
    """The condition that is true where another is false. Both are unknown together."""
    if tree[0] == "leaf":
        return ("leaf", tree[1], OPPOSITE[tree[2]], tree[3])
    return ({"and": "or", "or": "and"}[tree[0]], [negated(part) for part in tree[1]])


class Parser:
    """AND, OR, NOT, brackets, comparisons, IN, BETWEEN and IS NULL. A comparison is ("leaf", column, operator, literal)."""

    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def is_word(self, word):
        return self.peek()[0] == "word" and self.peek()[1].upper() == word

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def either(self):
        parts = [self.both()]
        while self.is_word("OR"):
            self.take()
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else ("or", parts)

    def both(self):
        parts = [self.single()]
        while self.is_word("AND"):
            self.take()
            parts.append(self.single())
        return parts[0] if len(parts) == 1 else ("and", parts)

    def single(self):
        if self.is_word("NOT"):
            self.take()
            return negated(self.single())
        if self.peek() == ("operator", "("):
            self.take()
            inner = self.either()
            assert self.take() == ("operator", ")")
            return inner
        return self.comparison()

    def comparison(self):
        column = self.take()[1].strip('"')
        if self.is_word("IS"):
            self.take()
            operator = "is not null" if self.takes_not() else "is null"
            assert self.take()[1].upper() == "NULL"
            return ("leaf", column, operator, ())
        return negated(self.compared(column)) if self.takes_not() else self.compared(column)

    def takes_not(self):
        """Whether the next word is NOT, which is taken."""
        found = self.is_word("NOT")
        self.at += found
        return found

    def compared(self, column):
        if self.is_word("IN"):
            self.take()
            assert self.take() == ("operator", "(")
            literals = [self.take()[1]]
            while self.take() != ("operator", ")"):
                literals.append(self.take()[1])
            return ("leaf", column, "in", tuple(literals))
        if self.is_word("BETWEEN"):
            self.take()
            low = self.take()[1]
            assert self.take()[1].upper() == "AND"
            return ("and", [("leaf", column, ">=", low), ("leaf", column, "<=", self.take()[1])])
        operator = self.take()[1]
        return ("leaf", column, "<>" if operator == "!=" else operator, self.take()[1])


def parse_condition(text):
    parser = Parser(text)
    tree = parser.either()
    assert parser.at == len(parser.tokens), text
    return tree


def leaves(tree):
    """The comparisons of a condition."""
    return [tree] if tree[0] == "leaf" else [leaf for part in tree[1] for leaf in leaves(part)]


def literals(leaf):
    return leaf[3] if isinstance(leaf[3], tuple) else (leaf[3],)


def holds(leaf, value):
    """Whether a value meets one comparison. A missing value meets only that it is missing."""
    _, _, operator, literal = leaf
    if value is None or operator.endswith("null"):
        return operator == ("is null" if value is None else "is not null")

    def alike(other):
        return float(value) if isinstance(other, float) else str(value)
    if operator == "in":
        return any(alike(x) == x for x in literal)
    if operator == "not in":
        return all(alike(x) != x for x in literal)
    v = alike(literal)
    return {"=": v == literal, "<>": v != literal, "<": v < literal, "<=": v <= literal, ">": v > literal, ">=": v >= literal}[operator]


def evaluate(tree, mask_of):
    """A condition over many atoms at once, from a mask for each comparison."""
    if tree[0] == "leaf":
        return mask_of(tree)
    parts = [evaluate(part, mask_of) for part in tree[1]]
    out = parts[0]
    for part in parts[1:]:
        out = out & part if tree[0] == "and" else out | part
    return out
