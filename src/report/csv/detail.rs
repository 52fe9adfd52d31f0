//! What happened, in words, and how much it matters.

use crate::engine::Happening;
use crate::model::{Action, AlertSeverity, Event, LossAmount, PoolId};
use crate::policy::{BreakerAction, Trip};
use crate::report::{Run, words};

/// How much an entry of the event log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing to worry about, or a change for the better.
    Info,
    /// Part of the fleet, or of its traffic, is affected.
    Warning,
    /// A pool is lost, or more.
    Critical,
}

impl Severity {
    /// The word in `events.csv`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }

    /// How much `what` matters.
    #[must_use]
    pub fn of(what: &Happening, run: &Run<'_>) -> Self {
        match what {
            Happening::EventBegan { event, .. } => {
                event_of(run, *event).map_or(Self::Warning, |event| Self::of_action(&event.action))
            }
            Happening::PoolUnhealthy { .. } => Self::Critical,
            Happening::InstanceDied { .. }
            | Happening::InstanceRestarted { .. }
            | Happening::InstanceUnhealthy { .. }
            | Happening::RedirectStart { .. }
            | Happening::ShedStart { .. }
            | Happening::BreakerOpen { .. } => Self::Warning,
            Happening::EventEnded { .. }
            | Happening::InstanceStarted { .. }
            | Happening::InstanceHealthy { .. }
            | Happening::PoolHealthy { .. }
            | Happening::RedirectEnd { .. }
            | Happening::ShedEnd { .. }
            | Happening::BreakerHalfOpen
            | Happening::BreakerClosed
            | Happening::ScaleUp { .. }
            | Happening::ScaleDown { .. } => Self::Info,
            Happening::InstanceCrashed { .. } | Happening::LaunchRefused { .. } => Self::Warning,
        }
    }

    /// How much an alert of this severity matters.
    pub(super) const fn of_alert(severity: AlertSeverity) -> Self {
        match severity {
            AlertSeverity::Low => Self::Info,
            AlertSeverity::Medium => Self::Warning,
            AlertSeverity::High => Self::Critical,
        }
    }

    const fn of_action(action: &Action) -> Self {
        match action {
            Action::ZoneOutage { .. } => Self::Critical,
            Action::InstanceLoss { .. }
            | Action::Drain { .. }
            | Action::Slow { .. }
            | Action::Errors { .. }
            | Action::Surge { .. }
            | Action::LaunchesRefused { .. } => Self::Warning,
            Action::AddInstances { .. } | Action::Set { .. } => Self::Info,
        }
    }
}

fn event_of<'a>(run: &Run<'a>, event: u32) -> Option<&'a Event> {
    run.scenario.events.get(event as usize)
}

/// One clause on what happened; the row's other columns say when and where.
#[must_use]
pub(super) fn detail(what: &Happening, run: &Run<'_>) -> String {
    match *what {
        Happening::EventBegan { event, .. } => began(run, event),
        Happening::EventEnded { event, .. } => match event_of(run, event) {
            Some(event) => format!("{} is over", event.name),
            None => String::new(),
        },
        Happening::InstanceDied { .. } => "its process died".to_owned(),
        Happening::InstanceRestarted { pool, .. } => {
            let restart_s = kind_of(run, pool).restart_time.get();
            format!("killed by its health check; up again in {}", words::duration(restart_s))
        }
        Happening::InstanceStarted { .. } => "its process is up".to_owned(),
        Happening::InstanceUnhealthy { pool, .. } => {
            let check = &kind_of(run, pool).health_check;
            let failures = words::counted(u64::from(check.unhealthy_threshold), "failed probe");
            format!("out of rotation after {failures} in a row")
        }
        Happening::InstanceHealthy { .. } => "in rotation: it passes its health check".to_owned(),
        Happening::PoolUnhealthy { pool, in_rotation, expected } => {
            let threshold = words::percent(run.pool(pool).failover_threshold.get());
            format!("lost: {in_rotation} of {expected} instances in rotation, under {threshold}")
        }
        Happening::PoolHealthy { in_rotation, expected, .. } => {
            format!("healthy again: {in_rotation} of {expected} instances in rotation")
        }
        Happening::RedirectStart { rps, .. } => {
            format!("{} of its traffic go elsewhere, to begin with", words::rps(rps))
        }
        Happening::RedirectEnd { .. } => "none of its traffic goes elsewhere any more".to_owned(),
        Happening::ShedStart { rps, .. } => {
            format!("{} of its traffic are shed, to begin with", words::rps(rps))
        }
        Happening::ShedEnd { .. } => "none of its traffic is shed any more".to_owned(),
        Happening::InstanceCrashed { pool, resource, .. } => {
            let kind = kind_of(run, pool);
            let name = kind.resources.get(resource as usize).map_or("a resource", |r| &r.name);
            let restart = words::duration(kind.restart_time.get());
            format!("out of {name}: the process died; up again in {restart}")
        }
        Happening::ScaleUp { from, to, .. } | Happening::ScaleDown { from, to, .. } => {
            format!("the autoscaler changes {from} to {to} instances")
        }
        Happening::BreakerOpen { trip, action } => tripped(&trip, action),
        Happening::BreakerHalfOpen => "redirecting is tried again".to_owned(),
        Happening::BreakerClosed => "redirecting is as usual again".to_owned(),
        Happening::LaunchRefused { wanted, .. } => match wanted {
            1 => "1 launch is refused".to_owned(),
            _ => format!("{wanted} launches are refused"),
        },
    }
}

fn tripped(trip: &Trip, action: BreakerAction) -> String {
    let why = match *trip {
        Trip::Pools { count } => {
            format!("{} turned unhealthy", words::counted(u64::from(count), "receiver"))
        }
        Trip::InstancesOut { share, .. } => {
            format!("{} of its instances are out of rotation", words::percent(share))
        }
        Trip::Wait { wait_s, .. } => format!("its queue waits {}", words::duration(wait_s)),
        Trip::ByHand => "by hand".to_owned(),
    };
    let then = match action {
        BreakerAction::Hold => "what was moved stays, nothing more is moved",
        BreakerAction::Retract => "what was moved is taken back and shed",
    };
    format!("{why}: {then}")
}

fn kind_of<'a>(run: &Run<'a>, pool: PoolId) -> &'a crate::model::InstanceKind {
    &run.scenario.kinds[run.pool(pool).kind.index()]
}

fn began(run: &Run<'_>, event: u32) -> String {
    let Some(event) = event_of(run, event) else { return String::new() };
    let mut text = format!("{}: {}", event.name, action_in_words(&event.action));
    if event.over.get() > 0.0 {
        text.push_str(&format!(" over {}", words::duration(event.over.get())));
    }
    if let Some(cause) = &event.cause {
        text.push_str(&format!(" ({cause})"));
    }
    text
}

fn action_in_words(action: &Action) -> String {
    match action {
        Action::ZoneOutage { .. } => "the zone's instances die".to_owned(),
        Action::InstanceLoss { amount: LossAmount::Count(count), .. } => {
            let verb = if *count == 1 { "dies" } else { "die" };
            format!("{} {verb}", words::counted(u64::from(*count), "instance"))
        }
        Action::InstanceLoss { amount: LossAmount::Share(share), .. } => {
            format!("{} of the instances die", words::percent(share.get()))
        }
        Action::Drain { share, .. } => {
            format!("{} of the demand is to be moved away", words::percent(share.get()))
        }
        Action::Slow { speed, .. } if speed.get() == 0.0 => "instances stall".to_owned(),
        Action::Slow { speed, .. } => {
            format!("instances run at {} of their speed", words::percent(speed.get()))
        }
        Action::Errors { share, .. } => {
            format!("{} of tries fail at once", words::percent(share.get()))
        }
        Action::Surge { factor, .. } => format!("demand is multiplied by {}", factor.get()),
        Action::AddInstances { count, .. } => {
            let verb = if *count == 1 { "is" } else { "are" };
            format!("{} {verb} added", words::counted(u64::from(*count), "instance"))
        }
        Action::LaunchesRefused { .. } => "nothing new can start".to_owned(),
        Action::Set { changes } => {
            let verb = if changes.len() == 1 { "changes" } else { "change" };
            format!("{} {verb}", words::counted(changes.len() as u64, "setting"))
        }
    }
}
