//! `[simulation]` and `[phase.*]` to model values.

use super::get::Table;
use super::instance::seconds;
use crate::config::document::{Document, Entity};
use crate::config::problems::Problems;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{Phase, Plane, Simulation};
use crate::units::Seconds;

/// Most steps of a run.
const MOST_STEPS: f64 = 10_000_000.0;

/// Lowers `[simulation]`; a duration that is no whole number of steps is rounded up.
pub(super) fn simulation(document: &Document, problems: &mut Problems) -> Option<Simulation> {
    let table = Table { section: None, entity: &document.simulation };
    let duration_s = table.number("duration", problems);
    let step_s = table.number("step", problems);
    let seed = table.count("seed", problems);
    let plane = table.text("plane", problems);
    let (duration_s, step_s, seed, plane) = (duration_s?, step_s?, seed?, plane?);
    let mut steps = duration_s / step_s;
    if steps > MOST_STEPS {
        let title = format!("a run has at most {MOST_STEPS} steps, not {steps:.0}");
        problems.push(
            Problem::error("too-many-steps", table.place("duration"), title)
                .help("shorten `duration` or lengthen `step`"),
        );
        return None;
    }
    if (steps - steps.round()).abs() > 1e-6 * steps || steps < 0.5 {
        steps = steps.ceil();
        let title = "`duration` is not a whole number of steps: it is rounded up";
        problems.push(Problem::warning("duration-rounded", table.place("duration"), title).help(
            format!(
                "the run lasts {} s: {steps} {} of {step_s} s",
                steps * step_s,
                if steps == 1.0 { "step" } else { "steps" }
            ),
        ));
    }
    let duration = Seconds::new(steps.round() * step_s).ok()?;
    let plane = match plane.as_str() {
        "requests" => Plane::Requests,
        // What `auto` is, is decided of the file as a whole.
        _ => Plane::Fluid,
    };
    Some(Simulation { duration, step: Seconds::new(step_s).ok()?, seed, plane })
}

/// Lowers all measuring windows, by their beginning and name; none when one of them is wrong.
pub(super) fn phases(
    document: &Document,
    simulation: Option<Simulation>,
    problems: &mut Problems,
) -> Option<Vec<Phase>> {
    let table = document.table(Section::Phase).values();
    let phases: Vec<_> = table.map(|entity| phase(entity, simulation, problems)).collect();
    let mut phases = phases.into_iter().collect::<Option<Vec<_>>>()?;
    phases.sort_by(|a, b| a.from.get().total_cmp(&b.from.get()).then_with(|| a.name.cmp(&b.name)));
    Some(phases)
}

fn phase(
    entity: &Entity,
    simulation: Option<Simulation>,
    problems: &mut Problems,
) -> Option<Phase> {
    let table = Table::of(Section::Phase, entity);
    let (from_s, until_s) = (table.number("from", problems), table.number("until", problems));
    let (from_s, until_s, simulation) = (from_s?, until_s?, simulation?);
    let (end_s, step_s) = (simulation.duration.get(), simulation.step.get());
    if until_s > end_s {
        let title = format!("{} ends after the run", table.title());
        problems
            .push(Problem::error("phase-after-end", table.place("until"), title).help(format!(
                "the run ends at {end_s} s: end it by then, or lengthen `duration`"
            )));
    }
    if until_s <= from_s {
        let title = format!("{} ends before it has begun", table.title());
        problems.push(
            Problem::error("phase-without-length", table.place("until"), title)
                .secondary(table.place("from"), "its beginning")
                .help("`until` must be after `from`"),
        );
    } else if simulation.boundary_at(until_s) == simulation.boundary_at(from_s) {
        let title = format!("{} begins and ends between two steps", table.title());
        problems.push(
            Problem::error("phase-without-length", table.place("until"), title)
                .secondary(table.place("from"), "its beginning")
                .help(format!("let it last {step_s} s or more, or shorten `step`")),
        );
    }
    let name = entity.name.clone();
    Some(Phase { name, from: seconds(Some(from_s))?, until: seconds(Some(until_s))? })
}
