//! The point of no return, in words.

use super::figures::Figures;
use super::story::{Item, Teller};
use crate::experiment::explain::{Checked, ReturnPoint};

/// When it is, and how that was found; nothing where there is none to find.
pub(super) fn items(teller: &mut Teller<'_>) -> Vec<Item> {
    let Some(point) = &teller.explanation.return_point else { return Vec::new() };
    let figures = &mut teller.figures;
    let asked = "Had somebody taken back and shed everything that was redirected";
    let Some(time_s) = point.time_to_s else {
        let first = point.checked.first();
        let (time, saved) = told(first.copied(), point, figures);
        return vec![Item::Text(format!(
            "{asked} as early as {time}, every further pool would have been saved in {saved}: \
             there is no moment at which it still helps in most."
        ))];
    };
    let at = |second: f64| point.checked.iter().copied().find(|one| one.time_to_s == second);
    let (time, saved) = told(at(time_s), point, figures);
    let mut text = format!("{asked} after {time}, every further pool would be saved in {saved}");
    let later: Vec<Checked> =
        point.checked.iter().copied().filter(|one| one.time_to_s > time_s).take(2).collect();
    for (index, one) in later.iter().enumerate() {
        let (time, saved) = told(Some(*one), point, figures);
        text += &match index {
            0 => format!("; after {time} in {saved}"),
            _ => format!(", after {time} in {saved}"),
        };
    }
    vec![Item::Text(text + "."), Item::Text(judged(point, time_s, figures))]
}

/// A moment, and in how many runs it helps.
fn told(checked: Option<Checked>, point: &ReturnPoint, figures: &mut Figures) -> (String, String) {
    let (time_s, saved) = checked.map_or((point.from_s, 0), |one| (one.time_to_s, one.saved));
    let time = figures.seconds("return_point.checked.time_to_s", time_s);
    let saved = figures.count("return_point.checked.saved", f64::from(saved));
    let seeds = figures.counted("return_point.seeds", point.seeds, "run");
    (time, format!("{saved} of {seeds}"))
}

fn judged(point: &ReturnPoint, time_s: f64, figures: &mut Figures) -> String {
    let time = figures.seconds("return_point.time_to_s", time_s);
    let after_s = point.after_redirect_s.unwrap_or_default();
    let after = figures.seconds("return_point.after_redirect_s", after_s);
    let last = format!(
        "The point of no return is {time} after the trigger, {after} after the first redirect"
    );
    match point.before_ejection_s {
        // It is known to a second.
        Some(before_s) if before_s.abs() < 1.0 => {
            format!("{last}, when the first further instance leaves rotation.")
        }
        Some(before_s) if before_s > 0.0 => {
            let before = figures.seconds("return_point.before_ejection_s", before_s);
            format!(
                "{last}, and {before} before the first further instance leaves rotation: by the \
                 time that anything is ejected, nothing helps any more."
            )
        }
        Some(before_s) => {
            let after = figures.seconds("return_point.after_ejection_s", -before_s);
            format!(
                "{last}, and {after} after the first further instance leaves rotation: who sees \
                 that has so long to act."
            )
        }
        None => format!("{last}."),
    }
}
