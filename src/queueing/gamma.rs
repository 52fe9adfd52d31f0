//! The regularized upper incomplete gamma function.
//!
//! Written here, not taken from a statistics crate: those call the platform's `ln` and `exp`, whose
//! last bits differ between platforms, and its value decides whether a probe fails.

use super::normal::Normal;

const NORMAL_FROM: f64 = 50.0;
const MOST_TERMS: u32 = 500;
const PRECISION: f64 = 1e-12;

/// Q(k, x) = P(G > x) for a Gamma variable of shape `k` > 0 and scale 1.
///
/// Source: series below the mean and Lentz's continued fraction above it, DLMF §8.7 and §8.9.
#[must_use]
pub fn upper_gamma(k: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    if k > NORMAL_FROM {
        // Wilson and Hilferty 1931: the cube root is normal, here within 10⁻⁴.
        let z = 3.0 * k.sqrt() * (libm::cbrt(x / k) - 1.0 + 1.0 / (9.0 * k));
        return 1.0 - Normal::at(z).below;
    }
    let scale = libm::exp(k * libm::log(x) - x - libm::lgamma(k));
    if x < k + 1.0 { 1.0 - scale * lower_series(k, x) } else { scale * upper_fraction(k, x) }
        .clamp(0.0, 1.0)
}

fn lower_series(k: f64, x: f64) -> f64 {
    let mut term = 1.0 / k;
    let mut sum = term;
    let mut n = k;
    for _ in 0..MOST_TERMS {
        n += 1.0;
        term *= x / n;
        sum += term;
        if term < PRECISION * sum {
            break;
        }
    }
    sum
}

fn upper_fraction(k: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - k;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..=MOST_TERMS {
        let i = f64::from(i);
        let a = -i * (i - k);
        b += 2.0;
        d = 1.0 / away_from_zero(a * d + b, TINY);
        c = away_from_zero(b + a / c, TINY);
        let change = d * c;
        fraction *= change;
        if (change - 1.0).abs() < PRECISION {
            break;
        }
    }
    fraction
}

fn away_from_zero(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_smooth_where_the_normal_takes_over() {
        for z in [-3.0, -1.0, 0.0, 1.0, 3.0] {
            let at = |k: f64| upper_gamma(k, k + z * k.sqrt());
            let (below, above) = (at(NORMAL_FROM), at(NORMAL_FROM * 1.000_001));
            assert!((below - above).abs() < 1e-4, "{below} and {above} at {z}");
        }
    }

    #[test]
    fn is_the_erlang_tail_at_whole_shapes() {
        for k in 1..=50u32 {
            for x in [0.01, 0.5, 1.0, 3.0, 10.0, 40.0, 90.0] {
                let (mut term, mut sum) = (1.0, 1.0);
                for i in 1..k {
                    term *= x / f64::from(i);
                    sum += term;
                }
                let exact = sum * libm::exp(-x);
                let got = upper_gamma(f64::from(k), x);
                assert!((got - exact).abs() < 1e-11, "Q({k}, {x}) = {got}, not {exact}");
            }
        }
    }
}
