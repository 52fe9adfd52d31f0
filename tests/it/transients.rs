//! The fluid station against the exact Kolmogorov equations of M/M/c: mean queue and the chance
//! that a probe takes long, at every moment of a step in load.

use zonefall::queueing::{Inflow, Load, Stationary, Table, advance, response};

/// P(N = n) of M/M/c through time, in units of the service time, by uniformization-free RK4.
struct Exact {
    p: Vec<f64>,
    servers: usize,
}

impl Exact {
    fn stationary(servers: usize, erlangs: f64, states: usize) -> Self {
        let mut p = vec![1.0];
        for n in 1..states {
            p.push(p[n - 1] * erlangs / n.min(servers) as f64);
        }
        let total: f64 = p.iter().sum();
        Self { p: p.iter().map(|x| x / total).collect(), servers }
    }

    fn slope(&self, p: &[f64], erlangs: f64) -> Vec<f64> {
        let leave = |n: usize| n.min(self.servers) as f64;
        (0..p.len())
            .map(|n| {
                let arrive = if n + 1 < p.len() { erlangs } else { 0.0 };
                let mut rate = -(arrive + leave(n)) * p[n];
                if n > 0 {
                    rate += erlangs * p[n - 1];
                }
                if n + 1 < p.len() {
                    rate += leave(n + 1) * p[n + 1];
                }
                rate
            })
            .collect()
    }

    fn advance(&mut self, erlangs: f64, time: f64) {
        let steps = (time / 0.01).ceil() as usize;
        let h = time / steps as f64;
        let moved = |p: &[f64], k: &[f64], h: f64| {
            p.iter().zip(k).map(|(p, k)| p + h * k).collect::<Vec<_>>()
        };
        for _ in 0..steps {
            let k1 = self.slope(&self.p, erlangs);
            let k2 = self.slope(&moved(&self.p, &k1, h / 2.0), erlangs);
            let k3 = self.slope(&moved(&self.p, &k2, h / 2.0), erlangs);
            let k4 = self.slope(&moved(&self.p, &k3, h), erlangs);
            for n in 0..self.p.len() {
                self.p[n] += h / 6.0 * (k1[n] + 2.0 * k2[n] + 2.0 * k3[n] + k4[n]);
            }
        }
    }

    fn mean_queue(&self) -> f64 {
        self.p.iter().enumerate().map(|(n, p)| n.saturating_sub(self.servers) as f64 * p).sum()
    }

    /// P(wait + service > x): a wait behind n − c others is Erlang(n − c + 1) at rate c.
    fn probe_tail(&self, x: f64) -> f64 {
        let c = self.servers as f64;
        let nodes = 400;
        let at_once = (-x).exp();
        // Service quantiles in the middle of equal shares of what is below x.
        let services: Vec<f64> = (0..nodes)
            .map(|i| -(1.0 - (f64::from(i) + 0.5) / f64::from(nodes) * (1.0 - at_once)).ln())
            .collect();
        let mut tail = at_once;
        for s in services {
            let t = c * (x - s);
            // P(Erlang(k) > t) = Σ_{i<k} e^{−t} tⁱ/i!
            let (mut term, mut sum, mut chance) = ((-t).exp(), 0.0, 0.0);
            for (k, p) in self.p[self.servers..].iter().enumerate() {
                sum += term;
                term *= t / (k + 1) as f64;
                chance += p * sum.min(1.0);
            }
            tail += chance * (1.0 - at_once) / f64::from(nodes);
        }
        tail
    }
}

fn check(servers: u32, from: f64, to: f64, slow: f64, queue_tolerance: f64) {
    let c = f64::from(servers);
    let table = Table::new(servers, None);
    let states = servers as usize + 900;
    let mut exact = Exact::stationary(servers as usize, from * c, states);
    let start = Stationary::solve(servers, None, from * c);
    let mut load = Load { mean: start.mean, variance: start.variance };
    let inflow = Inflow {
        tries_rps: to * c,
        probes_rps: 0.0,
        probes_bypass_limit: false,
        rate: 1.0,
        dispersion: 1.0,
        choice: 0.0,
        in_common: 0.0,
    };
    let (mut worst_queue, mut worst_tail) = (0.0_f64, 0.0_f64);
    for second in 1..=60 {
        exact.advance(to * c, 1.0);
        for _ in 0..4 {
            advance(&table, &mut load, &inflow, 0.25);
        }
        let busy = table.closure(load.mean, load.variance).busy;
        let queue = (load.mean - busy) / exact.mean_queue() - 1.0;
        let tail = response(&table, &load, 1.0).tail(slow) - exact.probe_tail(slow);
        println!("c={servers} t={second}: queue {:+.1} %, tail {tail:+.3}", 100.0 * queue);
        worst_queue = worst_queue.max(queue.abs());
        worst_tail = worst_tail.max(tail.abs());
    }
    println!("c={servers} {from} to {to}: queue {worst_queue:.3}, tail {worst_tail:.3}");
    assert!(worst_queue < queue_tolerance, "c={servers} {from}→{to}: queue off by {worst_queue}");
    assert!(worst_tail < 0.15, "c={servers} {from}→{to}: probe tail off by {worst_tail}");
}

#[test]
fn overload_of_sixteen_servers() {
    check(16, 0.87, 1.30, 6.0, 0.10);
}

#[test]
fn slight_overload_of_ten_servers() {
    check(10, 0.70, 1.05, 10.0, 0.15);
}

#[test]
fn heavy_load_of_ten_servers() {
    check(10, 0.70, 0.95, 10.0, 0.10);
}
