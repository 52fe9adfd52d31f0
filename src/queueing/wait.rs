//! The distribution of answers' latencies.

use super::gamma::upper_gamma;
use super::normal::normal_quantile;

/// Wait plus service. Those who wait do so for a Gamma time with this mean and variance
/// (exponential when stationary); services are exponential.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// Chance that an admitted request waits.
    pub wait_chance: f64,
    /// Mean wait of those who wait, s; infinite in a stall.
    pub wait_mean_s: f64,
    /// Variance of the wait of those who wait, s².
    pub wait_variance_s2: f64,
    /// Mean service time, s; infinite in a stall.
    pub service_s: f64,
}

/// Shares below this are nothing.
const NOTHING: f64 = 1e-9;

impl Response {
    /// Mean latency, s.
    #[must_use]
    pub fn mean_s(&self) -> f64 {
        self.wait_chance * self.wait_mean_s + self.service_s
    }

    /// P(wait > `x_s`).
    #[must_use]
    pub fn wait_tail(&self, x_s: f64) -> f64 {
        if self.wait_chance <= 0.0 {
            return 0.0;
        }
        if x_s <= 0.0 || !self.wait_mean_s.is_finite() {
            return self.wait_chance;
        }
        self.wait_chance * gamma_tail(self.wait_mean_s, self.wait_variance_s2, x_s)
    }

    /// P(wait + service > `x_s`).
    #[must_use]
    pub fn tail(&self, x_s: f64) -> f64 {
        if x_s <= 0.0 || !self.service_s.is_finite() {
            return 1.0;
        }
        let at_once = libm::exp(-x_s / self.service_s);
        if self.wait_chance <= NOTHING {
            return at_once;
        }
        let after_wait = self.tail_after_wait(x_s, at_once);
        (1.0 - self.wait_chance) * at_once + self.wait_chance * after_wait
    }

    /// P(wait + service > `x_s`) of those who wait.
    fn tail_after_wait(&self, x_s: f64, at_once: f64) -> f64 {
        let (mean, variance, service) = (self.wait_mean_s, self.wait_variance_s2, self.service_s);
        let (sum_mean, sum_variance) = (mean + service, variance + service * service);
        if is_negligible(sum_mean, sum_variance, x_s) {
            return 0.0;
        }
        // Two exponentials in a row are exact, any other wait takes the Gamma of the summed
        // moments; between a shape of 1 and 1.2 or 0.8 the one turns into the other.
        let shape = mean * mean / variance.max(f64::MIN_POSITIVE);
        let exponential = (1.0 - (shape - 1.0).abs() / 0.2).max(0.0);
        let mut tail = 0.0;
        if exponential > 0.0 {
            tail += exponential * two_exponentials(mean, service, x_s, at_once);
        }
        if exponential < 1.0 {
            tail += (1.0 - exponential) * gamma_tail(sum_mean, sum_variance, x_s);
        }
        tail.clamp(0.0, 1.0)
    }

    /// The latency that a share `above` in (0, 1) of answers exceeds, s; infinite in a stall.
    #[must_use]
    pub fn quantile_s(&self, above: f64) -> f64 {
        let wait_square = self.wait_variance_s2 + self.wait_mean_s * self.wait_mean_s;
        let wait_s = self.wait_chance * self.wait_mean_s;
        let variance = self.wait_chance * wait_square - wait_s * wait_s;
        let guess = gamma_guess(self.mean_s(), variance + self.service_s * self.service_s, above);
        solve_tail(|x_s| self.tail(x_s), above, guess)
    }

    /// The wait that a share `above` in (0, 1) exceeds, s: 0 for those who do not wait.
    #[must_use]
    pub fn wait_quantile_s(&self, above: f64) -> f64 {
        if above >= self.wait_chance {
            return 0.0;
        }
        let guess = gamma_guess(self.wait_mean_s, self.wait_variance_s2, above / self.wait_chance);
        solve_tail(|x_s| self.wait_tail(x_s), above, guess)
    }
}

/// P(G > x) of a Gamma variable with this mean and variance.
fn gamma_tail(mean: f64, variance: f64, x: f64) -> f64 {
    if variance <= 1e-12 * mean * mean {
        return f64::from(u8::from(mean > x));
    }
    let shape = mean * mean / variance;
    if (shape - 1.0).abs() < 1e-9 {
        libm::exp(-x / mean)
    } else {
        upper_gamma(shape, x * mean / variance)
    }
}

/// P(X + S > x) for exponentials with means `wait` and `service`.
fn two_exponentials(wait: f64, service: f64, x: f64, at_once: f64) -> f64 {
    let slower = libm::exp(-x / wait);
    if (wait - service).abs() < 1e-6 * service {
        return (1.0 + x / service) * at_once;
    }
    (wait * slower - service * at_once) / (wait - service)
}

/// Is P(G > x) surely below 10⁻⁹, by Chernoff's bound for a Gamma variable?
fn is_negligible(mean: f64, variance: f64, x: f64) -> bool {
    let shape = mean * mean / variance;
    let excess = x / mean;
    excess > 1.0 && shape * (excess - 1.0 - libm::log(excess)) > 20.8
}

/// The x where a falling tail passes `above`: regula falsi on ln(tail) (Illinois) from a guess.
fn solve_tail(tail: impl Fn(f64) -> f64, above: f64, guess: f64) -> f64 {
    if !guess.is_finite() {
        return f64::INFINITY;
    }
    let wanted = libm::log(above);
    let miss = |x: f64| libm::log(tail(x).max(1e-300)) - wanted;
    let mut high = guess.max(1e-9);
    let mut high_miss = miss(high);
    let (mut low, mut low_miss) = (high, high_miss);
    // The guess is good: widen around it by little at first.
    let mut widen = 1.05;
    for _ in 0..200 {
        if high_miss <= 0.0 {
            break;
        }
        (low, low_miss) = (high, high_miss);
        high *= widen;
        widen *= 1.5;
        high_miss = miss(high);
    }
    for _ in 0..200 {
        if low_miss >= 0.0 {
            break;
        }
        (high, high_miss) = (low, low_miss);
        low /= widen;
        widen *= 1.5;
        low_miss = miss(low);
    }
    for _ in 0..60 {
        if high_miss - low_miss >= 0.0 {
            return low;
        }
        let middle = (low * high_miss - high * low_miss) / (high_miss - low_miss);
        let at = miss(middle);
        if at.abs() < 1e-5 || (high - low) < 1e-9 * high {
            return middle;
        }
        if at > 0.0 {
            (low, low_miss) = (middle, at);
            high_miss *= 0.5;
        } else {
            (high, high_miss) = (middle, at);
            low_miss *= 0.5;
        }
    }
    0.5 * (low + high)
}

/// The x with P(G > x) ≈ `above` for a Gamma variable (Wilson and Hilferty 1931).
fn gamma_guess(mean: f64, variance: f64, above: f64) -> f64 {
    if variance <= 0.0 || !mean.is_finite() {
        return mean;
    }
    let ninth = variance / (9.0 * mean * mean);
    let root = 1.0 - ninth - normal_quantile(above) * ninth.sqrt();
    let root = root.max(0.05);
    mean * root * root * root
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIONARY: Response =
        Response { wait_chance: 0.4, wait_mean_s: 3.0, wait_variance_s2: 9.0, service_s: 2.0 };

    #[test]
    fn quantiles_invert_tails() {
        let growing =
            Response { wait_chance: 1.0, wait_mean_s: 20.0, wait_variance_s2: 15.0, ..STATIONARY };
        for response in [STATIONARY, growing] {
            for above in [0.5, 0.1, 0.01, 0.001] {
                let x_s = response.quantile_s(above);
                assert!((response.tail(x_s) / above - 1.0).abs() < 1e-5, "{response:?} {above}");
            }
            assert!((response.wait_tail(response.wait_quantile_s(0.01)) - 0.01).abs() < 1e-7);
        }
        assert_eq!(STATIONARY.wait_quantile_s(0.5), 0.0);
    }

    #[test]
    fn tails_integrate_to_the_mean() {
        let gamma = Response { wait_variance_s2: 3.0, ..STATIONARY };
        for response in [STATIONARY, gamma] {
            let integral: f64 =
                (0..200_000).map(|i| response.tail(0.0005 + f64::from(i) / 1e3) / 1e3).sum();
            assert!((integral / response.mean_s() - 1.0).abs() < 2e-3, "{integral} {response:?}");
        }
    }
}
