//! Differences of the digamma and of the log-gamma function between two points.
//!
//! The estimators need ψ(x+d) − ψ(x) and ln Γ(x+d) − ln Γ(x) where d is small beside x, or x is as large as a
//! population. Subtracting two values of the functions loses the digits that matter, so the difference is expanded
//! itself: Stirling's series (Abramowitz and Stegun 6.1.41 and 6.3.18), after moving x up by the recurrences
//! Γ(x+1) = xΓ(x) and ψ(x+1) = ψ(x) + 1/x.

/// From here on the series below are good to the last digit.
const SERIES_FROM: f64 = 16.0;

/// ψ(x+d) − ψ(x) for x > 0 and d ≥ 0.
pub(super) fn digamma_difference(mut x: f64, d: f64) -> f64 {
    let mut moved = 0.0;
    while x < SERIES_FROM {
        moved += d / (x * (x + d));
        x += 1.0;
    }
    let y = x + d;
    // 1/x^k − 1/y^k, without cancellation: (u − v)·Σ u^i v^(k−1−i) with u = 1/x, v = 1/y.
    let (u, v) = (1.0 / x, 1.0 / y);
    let first = d * u * v;
    let (squares, quartics) = ((u + v) * first, (u * u + v * v) * (u + v) * first);
    let sixths = (u.powi(4) + u * u * v * v + v.powi(4)) * squares;
    let eighths = (u.powi(4) + v.powi(4)) * quartics;
    let tenths = u.powi(10) - v.powi(10);
    moved + (d / x).ln_1p() + first / 2.0 + squares / 12.0 - quartics / 120.0 + sixths / 252.0 - eighths / 240.0
        + tenths / 132.0
}

/// ln Γ(x+d) − ln Γ(x) for x > 0 and x+d > 0.
pub(super) fn ln_gamma_difference(mut x: f64, d: f64) -> f64 {
    let mut moved = 0.0;
    while x < SERIES_FROM || x + d < SERIES_FROM {
        moved -= (d / x).ln_1p();
        x += 1.0;
    }
    let y = x + d;
    let tail = |at: f64| {
        let square = 1.0 / (at * at);
        (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0)))) / at
    };
    moved + (x - 0.5) * (d / x).ln_1p() + d * (y.ln() - 1.0) + tail(y) - tail(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64, relative: f64) {
        assert!((found - wanted).abs() <= relative * wanted.abs(), "{found} is not {wanted}");
    }

    #[test]
    fn digamma_differences_are_partial_harmonic_sums() {
        for (x, d) in [(0.013, 5u32), (0.5, 1), (1.0, 1000), (3.7, 40), (250.0, 3), (1e6, 1000)] {
            let sum: f64 = (0..d).rev().map(|i| 1.0 / (x + f64::from(i))).sum();
            near(digamma_difference(x, f64::from(d)), sum, 2e-14);
        }
        // ψ(1) − ψ(½) = 2 ln 2.
        near(digamma_difference(0.5, 0.5), 2.0 * std::f64::consts::LN_2, 1e-14);
        // So large that the two values of ψ agree in all their digits.
        near(digamma_difference(1e17, 10.0), 1e-16, 1e-12);
    }

    #[test]
    fn log_gamma_differences_are_partial_log_factorials() {
        for (x, d) in [(1.0, 9u32), (0.25, 3), (20.0, 50), (1e7, 12)] {
            let sum: f64 = (0..d).map(|i| (x + f64::from(i)).ln()).sum();
            near(ln_gamma_difference(x, f64::from(d)), sum, 1e-14);
            near(ln_gamma_difference(x + f64::from(d), -f64::from(d)), -sum, 1e-14);
        }
        // Γ(½) = √π.
        near(ln_gamma_difference(1.0, -0.5), std::f64::consts::PI.ln() / 2.0, 1e-14);
    }
}
