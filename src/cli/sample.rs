//! How many steps one row of the timeline covers.

use super::args::Duration;
use super::error::CliError;
use crate::model::Simulation;

/// Rows a run, unless `--sample` asks for more.
const DEFAULT_ROWS: u32 = 2_000;
/// Rows of a timeline in all: about 4 GB.
const MOST_ROWS: u64 = 20_000_000;

/// Steps a row, and a note when that is not what was asked for or what is usual.
pub(super) fn row_steps(
    sample: Option<&Duration>,
    simulation: &Simulation,
) -> (u32, Option<String>) {
    let (steps, step_s) = (simulation.steps().max(1), simulation.step.get());
    match sample {
        Some(sample) => {
            // The tolerance keeps 0.3 s ÷ 0.1 s from being four steps.
            let wanted = (sample.seconds / step_s - 1e-9).ceil();
            let row_steps = wanted.clamp(1.0, f64::from(steps)) as u32;
            let row_s = f64::from(row_steps) * step_s;
            let is_exact = (row_s - sample.seconds).abs() <= 1e-9 * row_s;
            let note = (!is_exact).then(|| {
                format!(
                    "--sample {} is not a whole number of steps of {step_s} s within the run: a \
                     row covers {row_s} s",
                    sample.text
                )
            });
            (row_steps, note)
        }
        None if steps <= DEFAULT_ROWS => (1, None),
        None => {
            let row_steps = steps.div_ceil(DEFAULT_ROWS);
            let row_s = f64::from(row_steps) * step_s;
            let note = format!(
                "a run has {steps} steps: a row of the timeline covers {row_s} s (--sample sets it)"
            );
            (row_steps, Some(note))
        }
    }
}

/// Refuses a timeline that would not fit in memory.
pub(super) fn check_rows(
    simulation: &Simulation,
    row_steps: u32,
    pools: usize,
    cases: usize,
) -> Result<(), CliError> {
    let intervals = u64::from(simulation.steps().div_ceil(row_steps));
    let rows = intervals.saturating_mul(pools as u64).saturating_mul(cases as u64);
    if rows <= MOST_ROWS {
        return Ok(());
    }
    Err(CliError::Usage(format!(
        "the timeline would have {rows} rows, over the limit of {MOST_ROWS}\nhelp: give a longer \
         --sample, or fewer policies"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seconds;

    fn simulation(duration_s: f64, step_s: f64) -> Simulation {
        let seconds = |value| Seconds::new(value).expect("a duration");
        Simulation {
            duration: seconds(duration_s),
            step: seconds(step_s),
            seed: 1,
            plane: crate::model::Plane::Fluid,
        }
    }

    fn sample(text: &str, seconds: f64) -> Duration {
        Duration { text: text.to_owned(), seconds }
    }

    #[test]
    fn a_row_is_a_whole_number_of_steps() {
        let run = simulation(300.0, 0.1);
        assert_eq!(row_steps(Some(&sample("300ms", 0.3)), &run), (3, None));
        let (steps, note) = row_steps(Some(&sample("250ms", 0.25)), &run);
        assert_eq!(steps, 3);
        assert!(note.is_some_and(|note| note.contains("--sample 250ms")));
        assert_eq!(row_steps(Some(&sample("1ms", 0.001)), &run).0, 1);
        assert_eq!(row_steps(Some(&sample("1h", 3600.0)), &run).0, 3000);
    }

    #[test]
    fn long_runs_are_sampled() {
        assert_eq!(row_steps(None, &simulation(1000.0, 0.5)), (1, None));
        let (steps, note) = row_steps(None, &simulation(1000.5, 0.5));
        assert_eq!(steps, 2);
        assert!(note.is_some());
        assert!(check_rows(&simulation(1e6, 0.5), 1, 3, 4).is_err());
        assert!(check_rows(&simulation(1e6, 0.5), 1000, 3, 4).is_ok());
    }
}
