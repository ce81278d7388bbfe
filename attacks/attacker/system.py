"""The attacker's system: atoms that are not negative, and rows that they meet. What can a sum of atoms be? HiGHS answers.

Tables that fit (witnesses) are kept and asked first: most questions are answered by one that was found for another."""
import copy, math, time

import highspy
import numpy as np

INF = float("inf")
EPS = 1e-6
MOST_WITNESSES = 400
OPTIMAL = highspy.HighsModelStatus.kOptimal
INFEASIBLE = highspy.HighsModelStatus.kInfeasible


def make_solver(cost, column_lower, column_upper, rows, whole=False):
    """HiGHS on columns within bounds; rows are (columns, coefficients, lower, upper)."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(cost), len(rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, column_lower, column_upper
    inf = highspy.kHighsInf
    lp.row_lower_ = np.array([lower if lower > -INF else -inf for _, _, lower, _ in rows], float)
    lp.row_upper_ = np.array([upper if upper < INF else inf for _, _, _, upper in rows], float)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0] + [len(at) for at, _, _, _ in rows]).astype(np.int32)
    lp.a_matrix_.index_ = np.concatenate([np.asarray(at) for at, _, _, _ in rows] or [np.zeros(0)]).astype(np.int32)
    lp.a_matrix_.value_ = np.concatenate([np.asarray(times) for _, times, _, _ in rows] or [np.zeros(0)]).astype(float)
    if whole:
        lp.integrality_ = [highspy.HighsVarType.kInteger] * len(cost)
    solver.passModel(lp)
    return solver


def run(solver, good):
    """Runs the solver, a second time from scratch if the first ends without an answer."""
    solver.run()
    if solver.getModelStatus() not in good:
        solver.clearSolver()
        solver.run()
    if solver.getModelStatus() not in good:
        raise RuntimeError(f"LP status {solver.getModelStatus()}")
    return solver.getModelStatus()


class System:
    """Tables that fit what is published. `truth` is one of them."""

    def __init__(self, count, rows, whole, upper, truth, deadline):
        self.count, self.rows, self.whole, self.upper, self.deadline = count, rows, whole, upper, deadline
        self.truth = truth
        self.witnesses = [truth]
        self.lower = np.zeros(count)
        self.start()

    def start(self):
        self.lps = self.mips = self.undecided = 0
        self.around_truth = None
        self.solver = self.build(False)

    def build(self, whole):
        rows = [(r.at, r.times, r.lower, r.upper) for r in self.rows]
        return make_solver(np.zeros(self.count), self.lower.copy(), np.full(self.count, float(self.upper)), rows, whole)

    def with_lower(self, lower):
        """The same system for somebody who knows that atoms hold at least so much (K7)."""
        other = copy.copy(self)
        other.lower = lower
        other.witnesses = [w for w in self.witnesses if (w >= lower - EPS).all()]
        other.start()
        return other

    def with_rows(self, rows):
        """The same system with more that is known."""
        other = copy.copy(self)
        other.rows = self.rows + rows
        other.witnesses = [w for w in self.witnesses if all(self.meets(w, r) for r in rows)]
        other.start()
        return other

    @staticmethod
    def meets(x, row):
        return row.lower - EPS <= np.dot(x[row.at], row.times) <= row.upper + EPS

    def fits(self, x):
        return (x >= self.lower - EPS).all() and all(self.meets(x, r) for r in self.rows)

    def keep(self, x):
        """Keeps a witness; one in whole numbers only if it fits when rounded."""
        if self.whole:
            rounded = np.round(x)
            if abs(x - rounded).max(initial=0) > EPS or not self.fits(rounded):
                return
            x = rounded
        if len(self.witnesses) < MOST_WITNESSES:
            self.witnesses.append(x)

    def learn_from(self, other):
        """Takes over the witnesses of a stricter system."""
        mine = {id(w) for w in self.witnesses}
        self.witnesses += [w for w in other.witnesses if id(w) not in mine][: max(0, MOST_WITNESSES - len(self.witnesses))]

    def bound(self, expr, sense):
        """The largest (sense 1) or smallest (sense -1) value of an expression by linear programming."""
        self.lps += 1
        at = np.flatnonzero(expr).astype(np.int32)
        self.solver.changeColsCost(len(at), at, (-sense * expr[at]).astype(float))
        run(self.solver, [OPTIMAL])
        self.solver.changeColsCost(len(at), at, np.zeros(len(at)))
        x = np.array(self.solver.getSolution().col_value)
        self.keep(x)
        return float(np.dot(x, expr))

    def dual_proof(self, expr, sense):
        """The same bound with the multiplier of every row that proves it."""
        at = np.flatnonzero(expr).astype(np.int32)
        self.solver.changeColsCost(len(at), at, (-sense * expr[at]).astype(float))
        self.solver.clearSolver()
        self.solver.run()
        solution = self.solver.getSolution()
        self.solver.changeColsCost(len(at), at, np.zeros(len(at)))
        return float(np.dot(solution.col_value, expr)), [-sense * y for y in solution.row_dual]

    def whole_bound(self, expr, sense, reach=None):
        """The bound in whole numbers, or with `reach` whether a table reaches it: a value, -inf if there is none, None if undecided."""
        self.mips += 1
        solver = self.build(True)
        solver.setOptionValue("time_limit", 10.0)
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.setOptionValue("mip_abs_gap", 0.5)
        at = np.flatnonzero(expr).astype(np.int32)
        if reach is None:
            solver.changeColsCost(len(at), at, (-sense * expr[at]).astype(float))
        else:
            solver.addRow(*beyond(sense, reach), len(at), at, expr[at].astype(float))
        none = (INFEASIBLE, highspy.HighsModelStatus.kUnboundedOrInfeasible)
        # presolve was seen to call a program infeasible that has a solution: "none" is asked for twice
        for presolve in ("choose", "off"):
            solver.clearSolver()
            solver.setOptionValue("presolve", presolve)
            solver.run()
            status = solver.getModelStatus()
            if status not in none:
                break
        if status == OPTIMAL:
            x = np.round(np.array(solver.getSolution().col_value))
            if self.fits(x):
                self.keep(x)
                return float(np.dot(x, expr))
        elif status in none:
            return -INF
        self.undecided += 1
        return None

    def nearest(self, expr, sense, value):
        """The table nearest to the true one that reaches the value, in reals: False if there is none, None if it is not whole, else True."""
        self.lps += 1
        n, t = self.count, self.truth
        if self.around_truth is None:
            self.around_truth = self.build_around_truth()
        solver = self.around_truth
        at = np.flatnonzero(expr)
        solver.addRow(*beyond(sense, value - float(np.dot(expr, t))), 2 * len(at), np.concatenate([at, at + n]).astype(np.int32),
                      np.concatenate([expr[at], -expr[at]]).astype(float))
        status = run(solver, [OPTIMAL, INFEASIBLE])
        change = np.array(solver.getSolution().col_value)
        solver.deleteRows(1, np.array([solver.getNumRow() - 1], np.int32))
        if status == INFEASIBLE:
            return False
        x = t + change[:n] - change[n:]
        if abs(x - np.round(x)).max(initial=0) > EPS or not self.fits(np.round(x)):
            return None
        self.keep(x)
        return True

    def build_around_truth(self):
        """Columns are what is added to and taken from the true table. Costs differ a little, so that the nearest table tends to be whole."""
        n, t = self.count, self.truth
        rows = []
        for r in self.rows:
            at, times = np.asarray(r.at), np.asarray(r.times, float)
            have = float(np.dot(t[at], times))
            rows.append((np.concatenate([at, at + n]), np.concatenate([times, -times]), r.lower - have, r.upper - have))
        cost = 1 + 1e-3 * np.random.default_rng(1).random(2 * n)
        return make_solver(cost, np.zeros(2 * n), np.concatenate([np.maximum(0, self.upper - t), t - self.lower]), rows)

    def seen(self, expr):
        """The least and largest value among the witnesses."""
        values = [float(np.dot(w, expr)) for w in self.witnesses]
        return (min(values), max(values)) if values else (INF, -INF)

    def can_reach(self, expr, sense, value):
        """Whether some table that fits has the expression as large (sense 1) or as small (sense -1) as value. None: not settled."""
        if not expr.any():
            return (sense > 0) == (0 >= value) or 0 == value
        low, high = self.seen(expr)
        if sense > 0 and high >= value - EPS or sense < 0 and low <= value + EPS:
            return True
        if time.time() > self.deadline:
            self.undecided += 1
            return None
        if self.whole:
            near = self.nearest(expr, sense, value)
            if near is not None:
                return near
            end = self.whole_bound(expr, sense, reach=value)
            return None if end is None else end > -INF
        end = self.bound(expr, sense)
        return not (sense > 0 and end < value - 1e-5 or sense < 0 and end > value + 1e-5)

    def is_known(self, expr, value):
        """Whether every table that fits has this whole number, of which zero is the least."""
        return self.can_reach(expr, 1, value + 1) is False and (value == 0 or self.can_reach(expr, -1, value - 1) is False)

    def feasibility_interval(self, expr):
        """The least and the largest value; where they are near, in whole numbers."""
        low, high = self.bound(expr, -1), self.bound(expr, 1)
        if self.whole:
            low, high = math.ceil(low - 1e-5), math.floor(high + 1e-5)
            if high - low <= 3:
                ends = [self.whole_bound(expr, sense) for sense in (-1, 1)]
                low, high = [w if w is not None and w > -INF else v for w, v in zip(ends, (low, high))]
        return low, high


def beyond(sense, value):
    return (value, highspy.kHighsInf) if sense > 0 else (-highspy.kHighsInf, value)
