//! Prints `docs/agreement.md`: what the two planes say of every shipped topology in which they
//! simulate the same thing. `cargo run --release --example agreement_table > docs/agreement.md`

#[path = "../tests/it/agreement/planes.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod planes;

use planes::{Saying, Subject, disagreements, subjects};
use zonefall::model::Plane;

const SEEDS: u64 = 30;

fn outcomes(saying: &Saying) -> String {
    let runs = saying.goodputs.len();
    let words: Vec<String> = saying
        .outcomes
        .iter()
        .map(|(outcome, count)| match *count == runs {
            true => outcome.word().to_owned(),
            false => format!("{} {count}", outcome.word()),
        })
        .collect();
    words.join(", ")
}

fn losses(subject: &Subject, saying: &Saying) -> String {
    let pools = subject.case.scenario.pools.iter().enumerate();
    let lost = pools.filter_map(|(index, pool)| {
        saying.lost_s(index).map(|lost_s| format!("{} {lost_s:.0}", pool.name))
    });
    let lost: Vec<String> = lost.collect();
    if lost.is_empty() { "–".to_owned() } else { lost.join(", ") }
}

fn print_row(subject: &Subject) {
    let fluid = Saying::of(&subject.case, Plane::Fluid, 1..=SEEDS);
    let requests = Saying::of(&subject.case, Plane::Requests, 1..=SEEDS);
    let differs = disagreements(subject, &fluid, &requests, 0.0);
    println!(
        "| {} | {} | {} | {} | {:.1} | {:.1} ± {:.1} | {} | {} | {} |",
        subject.topology,
        subject.policy(),
        outcomes(&fluid),
        outcomes(&requests),
        fluid.goodput(),
        requests.goodput(),
        requests.standard_error() * (SEEDS as f64).sqrt(),
        losses(subject, &fluid),
        losses(subject, &requests),
        if requests.sure_outcome().is_none() {
            "at the edge".to_owned()
        } else if differs.is_empty() {
            "yes".to_owned()
        } else {
            differs.join("; ")
        }
    );
}

const HEAD: &str = "\
# Do the two planes agree?

Made by `cargo run --release --example agreement_table > docs/agreement.md`. Every policy of every
shipped topology with Poisson arrivals and exponential service, 30 seeds in each plane. They agree
where the outcome is the same (wherever at least 95 % of the `requests` runs share one), goodput
is within 4 points, and every pool is first lost at the same time within 10 % or one probe
interval, whichever is larger. `tests/it/agreement` holds five of the seeds to it.

Where they cannot agree, `requests` is the referee:

- **Bursts.** `fluid` takes uniform and batch arrivals for Poisson. At 100 ms the proxy of
  `proxy-slots-first` refuses 7.6 % of a Poisson stream, and one in eleven of its batches.
- **Other service times.** `fluid` takes deterministic and lognormal service for exponential: its
  waits are up to twice too long for the former, too short for a cv over 1. (Where nothing queues,
  only the mean counts, and both agree.)
- **The edge.** Where luck decides what becomes of a run, each plane has its own luck.
- **Clients that cancel.** `fluid` takes those who give up out of the queue on average: how many do
  is exact, how many are left inside is up to 6 % too low where nearly all of them do.
- **Retries at once** come in the next step of `fluid`, and in the same instant in `requests`.
- **Parallel calls** take the longest of the mean latencies in `fluid`, the mean of the longest in
  `requests`.

| topology | policy | outcome, fluid | outcome, requests | goodput %, fluid | \
goodput %, requests | pools first lost, fluid, s | pools first lost, requests, s | agree |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn main() {
    println!("{HEAD}");
    for subject in subjects() {
        print_row(&subject);
    }
}
