//! Tables for people.

use super::lines::lines;
use super::verdict::verdict;
use super::{Headroom, words};
use crate::experiment::contingency::{Loss, PoolNeed};
use crate::report::table::{TableStyle, draw};

/// Rows of a table; of more, the worst are shown.
const MOST_ROWS: usize = 20;
/// Longest name that is shown whole, letters.
const LONGEST_NAME: usize = 18;
/// Widest table, letters.
const WIDEST: usize = 100;

/// One column: its heading, and what is in it.
type Column<Row> = (&'static str, fn(&Headroom<'_>, &Row) -> String);

/// Columns of the losses; the first two are words. The last ones go first where there is no room.
const LOSS_COLUMNS: &[Column<Loss>] = &[
    ("lost", |h, loss| shortened(&words::listed(&h.zone_names(&loss.zones)))),
    ("worst pool", |h, loss| match loss.fullest {
        Some(fullest) => shortened(&h.scenario.pools[fullest.pool.index()].name),
        None => "none left".to_owned(),
    }),
    ("its load\nas split", |_, loss| percent(loss.fullest.map(|pool| pool.utilization))),
    ("its slowest\ninstance", |_, loss| percent(loss.fullest.map(|pool| pool.slowest_utilization))),
    ("survivors\ntogether", |_, loss| percent(loss.survivor_utilization())),
    ("to\nshed", |_, loss| percent(Some(loss.shed_ratio))),
    ("headroom\nneeded", |_, loss| percent(loss.headroom_needed)),
    ("needed\nas split", |_, loss| percent(loss.headroom_needed_as_split)),
    ("p99 of\nslowest", |_, loss| {
        let latency = loss.fullest.and_then(|pool| pool.slowest_latency);
        latency.map_or_else(none, |latency| words::short_duration(latency.p99_s))
    }),
];

/// Columns of the pools; the first two are words.
const POOL_COLUMNS: &[Column<PoolNeed>] = &[
    ("pool", |h, need| shortened(&h.scenario.pools[need.pool.index()].name)),
    ("worst\nafter", |h, need| match need.worst_loss {
        Some(_) => shortened(&words::listed(&h.zones_after(need.worst_loss))),
        None => "nothing".to_owned(),
    }),
    ("load\nnow", |_, need| percent(Some(need.home_utilization()))),
    ("load\nthen", |_, need| percent(Some(need.worst_utilization()))),
    ("headroom\nnow", |_, need| percent(need.headroom())),
    ("headroom\nneeded", |_, need| percent(need.headroom_needed)),
    ("instances\nnow", |h, need| h.scenario.pools[need.pool.index()].instances.to_string()),
    ("instances\nneeded", |_, need| count(need.instances_needed)),
    ("needed\nat 85 %", |_, need| count(need.instances_needed_usual)),
    ("probes\nfail at", |_, need| percent(need.probes_fail_at)),
];

fn none() -> String {
    "–".to_owned()
}

fn percent(ratio: Option<f64>) -> String {
    let finite = ratio.filter(|ratio| ratio.is_finite());
    finite.map_or_else(none, words::percent_to_one_decimal)
}

fn count(count: Option<u64>) -> String {
    count.map_or_else(none, |count| count.to_string())
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

/// The losses and the pools as tables, what follows from them in lines, and the verdict, which
/// comes last. At most 100 columns wide but for the lines. Ends with a line break.
#[must_use]
pub fn headroom_text(headroom: &Headroom<'_>, style: TableStyle) -> String {
    let found = headroom.found;
    let losses: Vec<&Loss> = worst(&found.losses, &found.by_severity);
    let mut by_load: Vec<usize> = (0..found.pools.len()).collect();
    let full = |pool: &usize| found.pools[*pool].worst_utilization();
    by_load.sort_by(|a, b| full(b).total_cmp(&full(a)));
    let pools: Vec<&PoolNeed> = worst(&found.pools, &by_load);
    let mut text = summary(headroom);
    text += "\n\n";
    text += &table(headroom, LOSS_COLUMNS, &losses, style);
    text += &left_out("losses", losses.len(), found.losses.len());
    text += "\n";
    text += &table(headroom, POOL_COLUMNS, &pools, style);
    text += &left_out("pools", pools.len(), found.pools.len());
    // Markdown would join the lines into one paragraph.
    let gap = if style == TableStyle::Markdown { "\n\n" } else { "\n" };
    let mut lines = lines(headroom);
    lines.push(verdict(headroom));
    text + "\n" + &lines.join(gap) + "\n"
}

/// All rows in order, or so many of the worst.
fn worst<'a, Row>(rows: &'a [Row], by_severity: &[usize]) -> Vec<&'a Row> {
    if rows.len() <= MOST_ROWS {
        return rows.iter().collect();
    }
    by_severity.iter().take(MOST_ROWS).map(|index| &rows[*index]).collect()
}

fn left_out(what: &str, shown: usize, all: usize) -> String {
    if shown == all {
        return String::new();
    }
    let all = words::count(all as f64);
    format!("(the {shown} worst of {all} {what}; --format json has them all)\n")
}

fn summary(headroom: &Headroom<'_>) -> String {
    let scenario = headroom.scenario;
    let instances: u64 = scenario.pools.iter().map(|pool| u64::from(pool.instances)).sum();
    let counted = words::counted;
    let spare = match headroom.found.rules.headroom {
        Some(spare) => {
            format!(", {} headroom of load", words::percent_to_one_decimal(spare))
        }
        None => String::new(),
    };
    let ceiling = match headroom.found.ceiling {
        1.0 => String::new(),
        ceiling => format!("; survivors at {} at most", words::percent_to_one_decimal(ceiling)),
    };
    format!(
        "{}: {}, {}, {}, {}{spare}{ceiling}",
        scenario.name,
        counted(scenario.zones.len() as u64, "zone"),
        counted(scenario.pools.len() as u64, "pool"),
        counted(instances, "instance"),
        words::rps(scenario.demand_rps()),
    )
}

fn table<Row>(
    headroom: &Headroom<'_>,
    columns: &[Column<Row>],
    rows: &[&Row],
    style: TableStyle,
) -> String {
    let mut shown = columns.len();
    loop {
        let headings: Vec<&str> = columns[..shown].iter().map(|(name, _)| *name).collect();
        let cells = |row: &&Row| columns[..shown].iter().map(|(_, of)| of(headroom, row)).collect();
        let lines = draw(style, &headings, rows.iter().map(cells).collect(), 2);
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        if width <= WIDEST || style == TableStyle::Markdown || shown == 2 {
            return lines.join("\n") + "\n";
        }
        shown -= 1;
    }
}
