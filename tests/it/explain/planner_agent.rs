//! The incident: the point of no return comes before anything is ejected, and levers are verified.

use zonefall::cli::EXAMPLES;
use zonefall::experiment::explain::{Effort, Found, Goal, LeverKind};
use zonefall::report::explain::{markdown, story};

use super::{case, explained, figures};

#[test]
fn the_planner_agents_point_of_no_return_comes_before_the_first_ejection() {
    let example = EXAMPLES.iter().find(|one| one.name == "planner-agent").expect("shipped");
    let case = case(example.text, Some("unconditional"), &[]);
    let explanation = explained(&case, &Effort::FULL);
    let story = story(&case.scenario, &explanation);
    let text = markdown(&story);
    println!("{text}");
    figures::check(&case.scenario, &explanation, &story, &text);

    let point = explanation.return_point.as_ref().expect("a point of no return");
    let time_s = point.time_to_s.expect("a moment");
    assert!((92.0..=108.0).contains(&time_s), "{point:?}");
    assert!(point.before_ejection_s.is_some_and(|before_s| before_s > 30.0), "{point:?}");
    let saved = |second: f64| {
        let one = point.checked.iter().find(|one| one.time_to_s == second);
        one.map(|one| one.saved).expect("checked")
    };
    assert!(saved(time_s) >= 8 && saved(time_s - 1.0) >= 8);
    assert!(saved(time_s + 1.0) < 8 && saved(time_s + 2.0) < 8, "{point:?}");
    assert!(text.contains("by the time that anything is ejected, nothing helps any more"));

    let levers = explanation.levers.as_ref().expect("levers");
    assert_eq!((levers.goal, levers.is_missed), (Goal::NoneLost, true));
    let found = |kind| levers.levers.iter().find(|lever| lever.kind == kind).expect("a lever");
    for (kind, least, most) in [(LeverKind::Headroom, 0.5, 0.66), (LeverKind::Shed, 0.9, 1.01)] {
        let Found::Flips { holds_at, fails_at } = &found(kind).found else {
            panic!("{:?}", found(kind));
        };
        assert!(holds_at.holds.runs == 10 && holds_at.holds.holds >= 9, "{holds_at:?}");
        assert!(fails_at.holds.runs == 10 && fails_at.holds.holds <= 1, "{fails_at:?}");
        for side in [holds_at, fails_at] {
            assert!((least..=most).contains(&side.value), "{side:?}");
        }
    }
    // FACTS: rate-limited without an autoscaler loses everything, only later.
    assert!(matches!(found(LeverKind::Ramp).found, Found::Never { .. }));
}
