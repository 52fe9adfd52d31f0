//! A pool's own demand: given, or fixed by headroom from its capacity.

use super::get::Table;
use super::origin;
use crate::config::problems::Problems;
use crate::diagnostic::Problem;
use crate::model::Arrivals;

/// What a file says of a pool's own demand.
pub(super) enum Demand {
    /// It has none: others send it what it gets.
    None,
    /// So many first tries a second.
    Rps(f64),
    /// What leaves this share of its capacity spare.
    Headroom {
        share: f64,
        /// `load` or `capacity`.
        of: String,
    },
}

/// How headroom fixes the demand of so much capacity.
pub(super) fn demand_rps(capacity_rps: f64, headroom: f64, of: &str) -> f64 {
    match of {
        "capacity" => capacity_rps * (1.0 - headroom),
        _ => capacity_rps / (1.0 + headroom),
    }
}

/// Lowers a pool's own demand and how it is spread in time; `is_sent_to` says whether others send
/// it anything.
pub(super) fn demand(
    table: &Table<'_>,
    is_sent_to: bool,
    problems: &mut Problems,
) -> Option<(Demand, Arrivals)> {
    let fixes = ["demand_rps", "headroom"].into_iter().find(|key| table.has(key));
    let spread = origin::arrivals(table, fixes, problems);
    let by_arrivals = spread.as_ref().and_then(|spread| spread.demand_rps);
    let has_arrivals = table.entity.tables.get("arrivals");
    let demand = match by_arrivals {
        Some(demand_rps) if !table.has("headroom_of") => Some(Demand::Rps(demand_rps)),
        _ => said(table, is_sent_to, problems),
    };
    if let (Some(Demand::None), Some(at)) = (&demand, has_arrivals) {
        let title = format!("{} has `arrivals` but no demand of its own", table.title());
        let problem = Problem::error("missing-key", *at, title);
        problems.push(problem.help("add `demand_rps = 100`, or leave `arrivals` out"));
        return None;
    }
    Some((demand?, spread?.arrivals))
}

/// What `demand_rps`, `headroom` and `headroom_of` say.
fn said(table: &Table<'_>, is_sent_to: bool, problems: &mut Problems) -> Option<Demand> {
    let headroom = table.optional_number("headroom", problems);
    let of = table.optional_text("headroom_of", problems);
    let demand = table.optional_number("demand_rps", problems);
    let (has_headroom, has_of) = (table.has("headroom"), table.has("headroom_of"));
    let key = |key| table.entity.get(key).map_or(table.entity.at, |entry| entry.key);
    if table.has("demand_rps") {
        if let Some(other) = ["headroom", "headroom_of"].into_iter().find(|key| table.has(key)) {
            let title = format!("{} has both `demand_rps` and `{other}`", table.title());
            problems.push(
                Problem::error("conflicting-keys", key(other), title)
                    .secondary(key("demand_rps"), "this already fixes the demand")
                    .help(format!("leave out `demand_rps` or `{other}`")),
            );
        }
        return Some(Demand::Rps(demand??));
    }
    match (has_headroom, has_of) {
        (true, true) => {
            let (headroom, of) = (headroom??, of??);
            if of == "capacity" && headroom >= 1.0 {
                let title = "headroom of capacity must be below 100%";
                problems.push(Problem::error("out-of-range", table.place("headroom"), title));
                return None;
            }
            Some(Demand::Headroom { share: headroom, of })
        }
        (true, false) => {
            let title = format!("{} says headroom, but not of what", table.title());
            problems.push(
                Problem::error("missing-headroom-of", key("headroom"), title)
                    .help("add `headroom_of = \"load\"` (capacity ÷ load − 1)")
                    .help("or `headroom_of = \"capacity\"` (1 − load ÷ capacity)"),
            );
            None
        }
        (false, true) => {
            let title = format!("{} has `headroom_of` without `headroom`", table.title());
            let problem = Problem::error("missing-headroom", key("headroom_of"), title);
            problems.push(problem.help("add `headroom = \"15%\"`"));
            None
        }
        (false, false) if is_sent_to => Some(Demand::None),
        (false, false) => {
            let problem = table.missing("demand: neither `headroom` nor `demand_rps`");
            problems.push(
                problem
                    .help(
                        "add `headroom = \"15%\"` with `headroom_of = \"load\"`, or \
                         `demand_rps = 100`",
                    )
                    .help("or let a `[source.NAME]` send it requests with `to`")
                    .help("or let another pool call it, with `calls.NAME = {}`"),
            );
            None
        }
    }
}
