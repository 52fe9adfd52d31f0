//! How far the fluid plane is from the exact queues under other balancing than `random`.
//!
//! Everything is exponential, so the pool is a Markov chain: each transition is drawn, time passes
//! at its mean, and averages over time are exact but for the transitions' luck.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use zonefall::model::{
    Arrivals, Balancing, CallMode, Client, ClientId, HealthCheck, InstanceKind, KindId,
    OnUnhealthy, Plane, Pool, PoolFailover, ProbeKind, ServiceDistribution, ServiceId, Simulation,
    ZoneId,
};
use zonefall::units::{Ratio, Rps, Seconds};

use crate::random::fleet::{Fleet, policy};
use crate::random::sketch::{ratio, seconds};
use crate::random::trial::Record;

const WORKERS: u32 = 10;

struct Chain {
    random: Xoshiro256PlusPlus,
    balancing: Balancing,
    inside: Vec<u32>,
    turn: usize,
}

impl Chain {
    fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    fn uniform(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    fn choose(&mut self) -> usize {
        let n = self.inside.len();
        match self.balancing {
            Balancing::Random => self.below(n),
            Balancing::RoundRobin => {
                self.turn = (self.turn + 1) % n;
                self.turn
            }
            Balancing::LeastRequest { choices } => {
                let mut best = self.below(n);
                let mut ties = 1;
                let mut tried = vec![best];
                while tried.len() < choices.map_or(n, |choices| choices as usize).min(n) {
                    let other = self.below(n);
                    if tried.contains(&other) {
                        continue;
                    }
                    tried.push(other);
                    match self.inside[other].cmp(&self.inside[best]) {
                        std::cmp::Ordering::Less => (best, ties) = (other, 1),
                        std::cmp::Ordering::Equal => {
                            ties += 1;
                            if self.below(ties) == 0 {
                                best = other;
                            }
                        }
                        std::cmp::Ordering::Greater => {}
                    }
                }
                best
            }
        }
    }

    /// Mean number in system and mean number waiting at an instance, in units of the service time.
    fn averages(&mut self, load: f64, transitions: u32) -> (f64, f64) {
        let n = self.inside.len();
        let arrival = load * f64::from(WORKERS) * n as f64;
        let (mut time, mut inside, mut waiting) = (0.0, 0.0, 0.0);
        let mut total = 0_u32;
        let mut busy: u32 = 0;
        for count in 0..transitions {
            let rate = arrival + f64::from(busy);
            if count >= transitions / 20 {
                time += 1.0 / rate;
                inside += f64::from(total) / rate;
                waiting += f64::from(total - busy) / rate;
            }
            let mut at = self.uniform() * rate;
            if at < arrival {
                let chosen = self.choose();
                busy += u32::from(self.inside[chosen] < WORKERS);
                self.inside[chosen] += 1;
                total += 1;
                continue;
            }
            at -= arrival;
            let mut chosen = 0;
            while chosen + 1 < n && at >= f64::from(self.inside[chosen].min(WORKERS)) {
                at -= f64::from(self.inside[chosen].min(WORKERS));
                chosen += 1;
            }
            if self.inside[chosen] == 0 {
                continue;
            }
            self.inside[chosen] -= 1;
            total -= 1;
            busy -= u32::from(self.inside[chosen] < WORKERS);
        }
        (inside / time / n as f64, waiting / time / n as f64)
    }
}

/// The same from the fluid plane.
fn fluid(balancing: Balancing, instances: u32, load: f64) -> (f64, f64) {
    let health_check = HealthCheck {
        kind: ProbeKind::Shallow,
        interval: seconds(5.0),
        timeout: seconds(1.0),
        unhealthy_threshold: 3,
        healthy_threshold: 2,
        on_unhealthy: OnUnhealthy::Eject,
        phase: None,
        max_out_of_rotation: Ratio::ONE,
    };
    let kind = InstanceKind {
        service_distribution: ServiceDistribution::Exponential,
        resources: Vec::new(),
        workers_held_during_calls: false,
        name: "web".to_owned(),
        workers: Some(WORKERS),
        service_time: seconds(1.0),
        queue_limit: None,
        speed_spread: ratio(0.0),
        startup_time: Seconds::ZERO,
        restart_time: Seconds::ZERO,
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check,
    };
    let demand = load * f64::from(WORKERS * instances);
    let pool = Pool {
        has_demand: true,
        arrivals: Arrivals::Poisson,
        calls: Vec::new(),
        call_mode: CallMode::Sequence,
        autoscaler: None,
        name: "web".to_owned(),
        zone: ZoneId(0),
        kind: KindId(0),
        service: ServiceId(0),
        client: ClientId(0),
        instances,
        demand: Rps::new(demand).expect("a rate"),
        failover_threshold: ratio(0.5),
        panic_threshold: ratio(0.0),
        balancing,
    };
    let fleet = Fleet {
        simulation: Simulation {
            duration: seconds(1000.0),
            step: seconds(0.5),
            seed: 1,
            plane: Plane::Fluid,
        },
        zones: 1,
        services: 1,
        kinds: vec![kind],
        clients: vec![Client {
            name: "default".to_owned(),
            timeout: None,
            cancel: false,
            retry: None,
        }],
        pools: vec![pool],
        failover: vec![PoolFailover::Service],
        events: vec![],
        policy: policy("none", &[]),
    };
    let record = Record::of(&fleet.case(), 2000);
    let end = record.steps[record.steps.len() - 1][0];
    let n = f64::from(instances);
    (end.in_flight / n, end.queue / n)
}

/// Mean wait in service times and mean in system of one instance.
#[derive(Debug, Clone, Copy)]
struct Averages {
    wait: f64,
    inside: f64,
}

/// Simulated and fluid, for 4 and 12 instances at three loads.
fn compared(balancing: Balancing, transitions: u32) -> Vec<(Averages, Averages)> {
    let mut all = vec![];
    for instances in [4, 12] {
        for load in [0.7, 0.9, 0.95] {
            let mut chain = Chain {
                random: Xoshiro256PlusPlus::seed_from_u64(u64::from(instances)),
                balancing,
                inside: vec![0; instances as usize],
                turn: 0,
            };
            // Little: waits are to numbers waiting as 1 to the arrivals.
            let arrivals = load * f64::from(WORKERS);
            let averages = |(inside, waiting)| Averages { inside, wait: waiting / arrivals };
            let exact = averages(chain.averages(load, transitions));
            let near = averages(fluid(balancing, instances, load));
            println!(
                "{balancing:?} n={instances} load={load}: wait {:.4}, fluid {:.4} (× {:.2}); in \
                 system {:.3}, fluid {:.3} (× {:.3})",
                exact.wait,
                near.wait,
                near.wait / exact.wait,
                exact.inside,
                near.inside,
                near.inside / exact.inside
            );
            all.push((exact, near));
        }
    }
    all
}

fn lies_between(what: &str, value: f64, (least, most): (f64, f64)) {
    assert!((least..=most).contains(&value), "{what} is {value}, not from {least} to {most}");
}

#[test]
fn random_balancing_is_exact() {
    for (exact, near) in compared(Balancing::Random, 12_000_000) {
        lies_between("wait ×", near.wait / exact.wait, (0.97, 1.03));
        lies_between("in system ×", near.inside / exact.inside, (0.98, 1.02));
    }
}

#[test]
fn round_robin_waits_are_up_to_twice_too_long() {
    for (exact, near) in compared(Balancing::RoundRobin, 4_000_000) {
        lies_between("wait ×", near.wait / exact.wait, (1.2, 2.1));
        lies_between("in system ×", near.inside / exact.inside, (1.0, 1.25));
    }
}

/// Comparing levels the queues of a pool, all but what they have in common. The fluid plane takes
/// for that the part of a stationary queue's variance that independent stations share.
fn is_close_in_system(balancing: Balancing) {
    for (exact, near) in compared(balancing, 4_000_000) {
        lies_between("wait +", near.wait - exact.wait, (-0.15, 0.05));
        lies_between("in system ×", near.inside / exact.inside, (0.89, 1.05));
    }
}

#[test]
fn the_least_loaded_of_two_has_a_tenth_too_few_to_a_twentieth_too_many_in_system() {
    is_close_in_system(Balancing::LeastRequest { choices: Some(2) });
}

#[test]
fn the_least_loaded_of_all_has_a_tenth_too_few_to_a_twentieth_too_many_in_system() {
    is_close_in_system(Balancing::LeastRequest { choices: None });
}
