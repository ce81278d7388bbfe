//! A root of a function between two points where it changes sign.

/// Chandrupatla (1997, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without
/// using derivatives", Advances in Engineering Software 28): inverse quadratic steps where they are safe, halving where
/// they are not. `None` if the signs at the ends do not differ.
pub(super) fn find_root(mut function: impl FnMut(f64) -> f64, from: f64, to: f64) -> Option<f64> {
    const STEPS: usize = 200;
    let (mut b, mut a) = (from, to);
    let (mut fb, mut fa) = (function(b), function(a));
    if fa.is_nan() || fb.is_nan() || fa.signum() == fb.signum() {
        return [(a, fa), (b, fb)].into_iter().find(|(_, value)| *value == 0.0).map(|(at, _)| at);
    }
    let mut t = 0.5;
    for _ in 0..STEPS {
        let x = a + t * (b - a);
        let fx = function(x);
        let (c, fc);
        if fx.signum() == fa.signum() {
            (c, fc) = (a, fa);
        } else {
            (c, fc) = (b, fb);
            (b, fb) = (a, fa);
        }
        (a, fa) = (x, fx);
        let best = if fa.abs() < fb.abs() { a } else { b };
        let limit = 2.0 * f64::EPSILON * best.abs().max(f64::MIN_POSITIVE) / (b - a).abs();
        if limit > 0.5 || fa == 0.0 || fx.is_nan() {
            return (!fx.is_nan()).then_some(best);
        }
        let (xi, phi) = ((a - b) / (c - b), (fa - fb) / (fc - fb));
        t = if phi * phi < xi && (1.0 - phi).powi(2) < 1.0 - xi {
            fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        } else {
            0.5
        };
        t = t.clamp(limit, 1.0 - limit);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_found_to_the_last_digits_or_said_to_be_absent() {
        let root = find_root(|x| x * x - 2.0, 0.0, 2.0);
        assert!(root.is_some_and(|root| (root - std::f64::consts::SQRT_2).abs() < 1e-15));
        assert_eq!(find_root(|x| x * x + 1.0, -1.0, 1.0), None);
        assert_eq!(find_root(|x| x, 0.0, 1.0), Some(0.0));
    }
}
