//! One station under constant load against queueing theory.

use rayon::prelude::*;

use zonefall::model::{Arrivals, ServiceDistribution};

use super::interval::{BATCHES, Interval};
use super::run::run;
use crate::fluid::build::{Plan, client, kind, pool};
use crate::random::sketch::seconds;
use crate::steady_states::rows;

/// A station whose services take 1 s on average.
#[derive(Debug, Clone, Copy)]
struct Station {
    servers: u32,
    limit: Option<u64>,
    erlangs: f64,
    arrivals: Arrivals,
    services: ServiceDistribution,
    requests: f64,
    seed: u64,
}

impl Station {
    const fn poisson(servers: u32, erlangs: f64, services: ServiceDistribution) -> Self {
        Self {
            servers,
            limit: None,
            erlangs,
            arrivals: Arrivals::Poisson,
            services,
            requests: 1.0e6,
            seed: 1,
        }
    }
}

/// What one batch, a step, saw.
#[derive(Debug, Clone, Copy)]
struct Batch {
    length_s: f64,
    offered: f64,
    rejected: f64,
    inside: f64,
    busy: f64,
}

/// A run of [`BATCHES`] batches after a warm-up as long as one.
fn batches(station: &Station) -> Vec<Batch> {
    let length_s = (station.requests / station.erlangs / BATCHES as f64).ceil();
    let mut plan = Plan::new(length_s, length_s * BATCHES as f64);
    let mut kind = kind(Some(station.servers), 1.0);
    kind.service_distribution = station.services;
    kind.queue_limit = station.limit.map(|limit| limit - u64::from(station.servers));
    // The plane warms up for two probe intervals.
    kind.health_check.interval = seconds(length_s / 2.0);
    plan.seed = station.seed;
    plan.kinds = vec![kind];
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, 1, station.erlangs, &[])];
    plan.pools[0].arrivals = station.arrivals;
    let run = run(&plan);
    let batch = |(pools, resources): (&Vec<zonefall::engine::PoolStep>, &Vec<_>)| {
        let workers: zonefall::engine::ResourceStep = resources[0];
        Batch {
            length_s,
            offered: pools[0].first_tries,
            rejected: pools[0].rejected,
            inside: pools[0].in_flight_mean,
            busy: workers.used,
        }
    };
    run.steps.iter().zip(&run.resources).map(batch).collect()
}

fn interval(batches: &[Batch], comparisons: u32, of: impl Fn(&Batch) -> (f64, f64)) -> Interval {
    let parts: Vec<(f64, f64)> = batches.iter().map(of).collect();
    Interval::of_ratio(&parts, comparisons)
}

/// Mean wait of those admitted, s: by Little's law from the number waiting.
fn wait(batches: &[Batch], comparisons: u32) -> Interval {
    interval(batches, comparisons, |one| {
        ((one.inside - one.busy) * one.length_s, one.offered - one.rejected)
    })
}

#[test]
fn every_row_of_the_oracle_lies_in_its_interval() {
    const FIGURES: u32 = 4;
    let rows = rows();
    assert_eq!(rows.len(), 24);
    assert!(rows.iter().all(|row| row.limit.is_some() || row.erlangs < f64::from(row.servers)));
    let comparisons = FIGURES * rows.len() as u32;
    rows.par_iter().enumerate().for_each(|(index, row)| {
        let mut station =
            Station::poisson(row.servers, row.erlangs, ServiceDistribution::Exponential);
        station.limit = row.limit;
        station.seed = 1 + index as u64;
        let batches = batches(&station);
        let offered: f64 = batches.iter().map(|one| one.offered).sum();
        assert!(offered >= 0.995e6, "{offered} requests");
        let what = |figure: &str| {
            format!("{figure} of c={} a={} K={:?}", row.servers, row.erlangs, row.limit)
        };
        interval(&batches, comparisons, |one| (one.rejected, one.offered)).holds(
            row.block,
            0.2 * row.block,
            &what("blocking"),
        );
        wait(&batches, comparisons).holds(row.wait, 0.15 * row.wait + 0.04, &what("wait"));
        let number = interval(&batches, comparisons, |one| (one.inside, 1.0));
        number.holds(row.mean, 0.12 * row.mean, &what("number"));
        let busy = interval(&batches, comparisons, |one| (one.busy, f64::from(row.servers)));
        busy.holds(row.utilization, 0.02 * row.utilization, &what("utilization"));
    });
}

#[test]
fn waits_at_one_server_are_those_of_pollaczek_and_khinchine() {
    let services = [
        (ServiceDistribution::Deterministic, 0.0),
        (ServiceDistribution::Lognormal { cv: 0.5 }, 0.5),
        (ServiceDistribution::Lognormal { cv: 2.0 }, 2.0),
        (ServiceDistribution::Exponential, 1.0),
    ];
    let cases: Vec<_> = services.into_iter().flat_map(|one| [(one, 0.5), (one, 0.8)]).collect();
    cases.par_iter().for_each(|&((services, cv), load)| {
        let batches = batches(&Station::poisson(1, load, services));
        let exact = (1.0 + cv * cv) / 2.0 * load / (1.0 - load);
        let what = format!("wait with {services:?} at {load}");
        wait(&batches, cases.len() as u32).holds(exact, 0.15 * exact, &what);
    });
}

/// Wait of D/M/1, s: the root of x = exp(−(1 − x) ÷ load) is the share that waits (Kleinrock,
/// *Queueing Systems* I, §6.4).
fn d_m_1_wait_s(load: f64) -> f64 {
    let share = (0..200).fold(0.5, |share: f64, _| libm::exp(-(1.0 - share) / load));
    share / (1.0 - share)
}

#[test]
fn evenly_spaced_arrivals_wait_as_d_m_c() {
    let even = |servers, load| {
        let erlangs = load * f64::from(servers);
        let station = Station::poisson(servers, erlangs, ServiceDistribution::Exponential);
        wait(&batches(&Station { arrivals: Arrivals::Uniform, ..station }), 8)
    };
    for load in [0.5, 0.8, 0.9] {
        let exact = d_m_1_wait_s(load);
        even(1, load).holds(exact, 0.1 * exact, &format!("wait of D/M/1 at {load}"));
    }
    for row in rows().iter().filter(|row| row.limit.is_none() && (2..=10).contains(&row.servers)) {
        let wait = even(row.servers, row.erlangs / f64::from(row.servers));
        let what = format!("c={} a={}: {wait:?}, M/M/c {}", row.servers, row.erlangs, row.wait);
        println!("{what}");
        // Heavy traffic has half of it (Kingman 1962), light traffic less.
        assert!(wait.mean + wait.half_width < 0.6 * row.wait, "{what}");
    }
}
