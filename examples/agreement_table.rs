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
where the outcome is the same (wherever at least 95 % of the `requests` runs share one), goodput is
within 4 points, and every pool is first lost at the same time within 10 % or one probe
interval, whichever is larger. `tests/it/agreement` holds five of the seeds to it.

Where the planes cannot agree: batches and uniform arrivals, deterministic and lognormal service (the
fluid plane takes all of them for Poisson and exponential), and cases at the edge, where luck decides
what becomes of a run. Of these `requests` is the referee.

| topology | policy | outcome, fluid | outcome, requests | goodput %, fluid | goodput %, requests | \
pools first lost, fluid, s | pools first lost, requests, s | agree |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn main() {
    println!("{HEAD}");
    for subject in subjects() {
        print_row(&subject);
    }
}
