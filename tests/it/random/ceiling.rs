//! What `capacity-aware` promises.

use proptest::prelude::*;

use zonefall::units::Seconds;

use super::fleet::policy;
use super::strategy::any_sketch;
use super::trial::{Record, holds_for};

#[test]
fn no_pool_is_sent_more_than_max_utilization_while_capacity_aware_acts() {
    let acted = std::cell::Cell::new(0_u32);
    let filled = std::cell::Cell::new(0_u32);
    holds_for(400, 3, (any_sketch(), 0.2..1.3_f64), |(mut sketch, most)| {
        sketch.policy = policy("capacity-aware", &[Some(most)]);
        sketch.policy.report_interval = Seconds::ZERO;
        let record = Record::of(&sketch.fleet().case(), 1000);
        for (step, (before, after)) in record.pairs().enumerate() {
            // Rotation as *route* saw it is that of the end of the step before.
            let acts = before.iter().any(|pool| pool.in_rotation < pool.expected)
                || after.iter().any(|pool| pool.is_draining);
            if !acts {
                continue;
            }
            acted.set(acted.get() + 1);
            for (index, pool) in after.iter().enumerate() {
                let utilization = pool.utilization(record.step_s).unwrap_or(0.0);
                prop_assert!(
                    utilization <= most * (1.0 + 1e-9),
                    "pool {index}, step {step}: {utilization}, not {most}"
                );
                filled.set(filled.get() + u32::from(utilization > most - 1e-9));
            }
        }
        Ok(())
    });
    // The claim is about something only where pools are filled to the brim.
    assert!(acted.get() > 10_000 && filled.get() > 10_000, "{} {}", acted.get(), filled.get());
}
