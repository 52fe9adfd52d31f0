//! `[alert.*]` and `simulation.alerts`.

use zonefall::config::{Loaded, load};
use zonefall::metric::simulate;
use zonefall::model::{Alert, AlertSet, AlertSeverity, AlertSignal};

use crate::facts::fleet::shipped;

fn loaded(text: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load("test.toml", text.as_bytes(), &sets) {
        Ok(loaded) => loaded,
        Err(rejected) => panic!("{:#?}", rejected.problems),
    }
}

fn alerts(loaded: &Loaded) -> &[Alert] {
    &loaded.cases[0].scenario.alerts
}

/// A set, by name.
fn of(set: AlertSet) -> Vec<Alert> {
    let mut alerts = set.alerts();
    alerts.sort_by(|a, b| a.name.cmp(&b.name));
    alerts
}

fn warnings(loaded: &Loaded) -> Vec<&'static str> {
    loaded.warnings.iter().map(|problem| problem.id).collect()
}

const OWN: &str = "
[alert.hot]
signal = \"receiving_pool_capacity_utilization\"
above = \"95%\"
for = \"10s\"
severity = \"low\"
response = \"look {{ twice }}\"
[alert.many]
signal = \"cascade_propagation_count\"
above = 3
";

#[test]
fn a_file_without_alerts_has_the_set_that_it_names() {
    let text = shipped("lose-one-of-three");
    for set in AlertSet::ALL {
        let named = format!("simulation.alerts={}", set.word());
        let with = loaded(&text, &[&named]);
        assert_eq!(alerts(&with), of(set), "{named}");
        let again = loaded(&with.resolved, &[]);
        assert_eq!((alerts(&again), &again.resolved), (&of(set)[..], &with.resolved));
        assert_eq!(warnings(&again), warnings(&with));
        let in_file =
            text.replace("[simulation]", &format!("[simulation]\nalerts = {:?}", set.word()));
        assert_eq!(alerts(&loaded(&in_file, &[])), of(set));
    }
    assert_eq!(alerts(&loaded(&text, &[])), of(AlertSet::Default));
    let sets = ["alert.overflow-cascade.above=4", "simulation.alerts=published"];
    let changed = loaded(&text, &sets);
    let above: Vec<f64> = alerts(&changed).iter().map(|alert| alert.above).collect();
    assert_eq!(above, [0.0, 4.0, 0.85]);
}

#[test]
fn a_files_own_alerts_stand_alone_unless_they_are_switched_off() {
    let text = shipped("lose-one-of-three") + OWN;
    let own = loaded(&text, &[]);
    let [hot, many] = alerts(&own) else { panic!("{:?}", alerts(&own)) };
    let usual = AlertSignal::ReceivingPoolCapacityUtilization.default_threshold();
    assert_eq!((hot.above, hot.within.get(), hot.sustained.get()), (0.95, usual.within_s, 10.0));
    assert_eq!((hot.severity, hot.response.as_str()), (AlertSeverity::Low, "look {{ twice }}"));
    assert_eq!((many.name.as_str(), many.above, many.severity), ("many", 3.0, AlertSeverity::High));
    assert_eq!(many.response, AlertSignal::CascadePropagationCount.response());
    assert_eq!(alerts(&loaded(&own.resolved, &[])), alerts(&own));
    let off = loaded(&text, &["simulation.alerts=none"]);
    assert_eq!(alerts(&off), []);
    let result = simulate(&off.cases[1], 100);
    assert_eq!((result.alerts, result.alert_names.as_str()), (vec![], ""));
    let unread = loaded(&text, &["simulation.alerts=published"]);
    assert_eq!(alerts(&unread), alerts(&own));
    assert!(
        warnings(&unread).contains(&"alerts-unread") && !warnings(&own).contains(&"alerts-unread")
    );
}
