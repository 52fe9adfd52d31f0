//! Settings that `set` events change.

use crate::model::{
    Action, AutoscalerSetting, Budget, Change, Client, ClientSetting, InstanceKind,
    InstanceSetting, PoolSetting, Retry, unloaded_calls_s,
};
use crate::units::{Ratio, Rps, Seconds};

use super::world::World;

/// Works out every setting that `set` events change, from the scenario's values upwards.
pub fn change_settings(world: &mut World<'_>) {
    let scenario = world.scenario;
    if !scenario.events.iter().any(|event| matches!(event.action, Action::Set { .. })) {
        return;
    }
    world.kinds.clone_from(&scenario.kinds);
    world.settings.clone_from(&scenario.pools);
    world.clients.clone_from(&scenario.clients);
    world.sources.clone_from(&scenario.sources);
    world.autoscalers.clone_from(&scenario.autoscalers);
    for index in 0..scenario.events.len() {
        let part = world.events[index].intensity;
        let state = &world.events[index];
        if let Action::Set { changes } = &scenario.events[index].action
            && state.is_in_force()
        {
            for change in changes {
                apply(world, change, part);
            }
        }
    }
    world.calls_s = unloaded_calls_s(&world.kinds, &world.settings, &scenario.call_order);
    for pool in 0..world.pools.len() {
        world.pools[pool].is_stale = true;
        world.pools[pool].calm = None;
        for i in world.pools[pool].instances() {
            world.choose_table(pool, i);
        }
    }
}

fn apply(world: &mut World<'_>, change: &Change, part: f64) {
    // Where it cannot be ramped (to or from no limit at all), a value changes at once.
    let ramped = |old: Option<f64>, new: Option<f64>| match (old, new) {
        (Some(old), Some(new)) => Some(old + part * (new - old)),
        (_, new) => new,
    };
    match *change {
        Change::Instance { kind, setting, value } => {
            let kind = &mut world.kinds[kind.index()];
            let value = ramped(instance_value(kind, setting), value);
            set_instance(kind, setting, value);
        }
        Change::Pool { pool, setting, value } => {
            let pool = &mut world.settings[pool.index()];
            let old = match setting {
                PoolSetting::Demand => pool.demand.get(),
                PoolSetting::FailoverThreshold => pool.failover_threshold.get(),
                PoolSetting::PanicThreshold => pool.panic_threshold.get(),
            };
            let value = old + part * (value - old);
            match setting {
                PoolSetting::Demand => pool.demand = Rps::new(value).unwrap_or(pool.demand),
                PoolSetting::FailoverThreshold => {
                    pool.failover_threshold = Ratio::new(value).unwrap_or(pool.failover_threshold);
                }
                PoolSetting::PanicThreshold => {
                    pool.panic_threshold = Ratio::new(value).unwrap_or(pool.panic_threshold);
                }
            }
        }
        Change::Client { client, setting, value } => {
            let client = &mut world.clients[client.index()];
            let value = ramped(client_value(client, setting), value);
            set_client(client, setting, value);
        }
        Change::ResourceLimit { kind, resource, value } => {
            let limit = &mut world.kinds[kind.index()].resources[resource as usize].limit;
            *limit += part * (value - *limit);
        }
        Change::SourceDemand { source, value } => {
            let demand = &mut world.sources[source.index()].demand;
            let old = demand.get();
            *demand = Rps::new(old + part * (value - old)).unwrap_or(*demand);
        }
        Change::Autoscaler { autoscaler, setting, value } => {
            let autoscaler = &mut world.autoscalers[autoscaler.index()];
            match setting {
                AutoscalerSetting::Min => autoscaler.min = value.round().max(1.0) as u32,
                AutoscalerSetting::Max => autoscaler.max = value.round().max(1.0) as u32,
                AutoscalerSetting::Target(target) => {
                    let target = &mut autoscaler.targets[target as usize].value;
                    *target += part * (value - *target);
                }
            }
        }
    }
}

fn client_value(client: &Client, setting: ClientSetting) -> Option<f64> {
    match (setting, client.retry) {
        (ClientSetting::Timeout, _) => client.timeout.map(Seconds::get),
        (ClientSetting::MaxAttempts, Some(retry)) => Some(f64::from(retry.max_attempts)),
        (ClientSetting::BudgetRatio, Some(Retry { budget: Some(Budget::Ratio(share)), .. })) => {
            Some(share.get())
        }
        _ => None,
    }
}

fn set_client(client: &mut Client, setting: ClientSetting, value: Option<f64>) {
    match (setting, &mut client.retry) {
        (ClientSetting::Timeout, _) => {
            client.timeout = value.and_then(|value| Seconds::new(value).ok());
        }
        (ClientSetting::MaxAttempts, Some(retry)) => {
            retry.max_attempts = value.unwrap_or(1.0).round().max(1.0) as u32;
        }
        (ClientSetting::BudgetRatio, Some(retry)) => {
            let share = value.and_then(|value| Ratio::new(value).ok());
            retry.budget = share.map(Budget::Ratio);
        }
        _ => {}
    }
}

fn instance_value(kind: &InstanceKind, setting: InstanceSetting) -> Option<f64> {
    let check = &kind.health_check;
    Some(match setting {
        InstanceSetting::Workers => f64::from(kind.workers?),
        InstanceSetting::ServiceTime => kind.service_time.get(),
        InstanceSetting::QueueLimit => kind.queue_limit? as f64,
        InstanceSetting::MaxWait => kind.max_wait?.get(),
        InstanceSetting::RedirectCost => kind.redirect_cost,
        InstanceSetting::WarmUp => kind.warm_up.get(),
        InstanceSetting::SlowStart => kind.slow_start.get(),
        InstanceSetting::StartupTime => kind.startup_time.get(),
        InstanceSetting::RestartTime => kind.restart_time.get(),
        InstanceSetting::ProbeTimeout => check.timeout.get(),
        InstanceSetting::UnhealthyThreshold => f64::from(check.unhealthy_threshold),
        InstanceSetting::HealthyThreshold => f64::from(check.healthy_threshold),
    })
}

fn set_instance(kind: &mut InstanceKind, setting: InstanceSetting, value: Option<f64>) {
    let number = value.unwrap_or_default();
    let count = number.round().max(1.0) as u32;
    let seconds = Seconds::new(number).unwrap_or_default();
    let check = &mut kind.health_check;
    match setting {
        InstanceSetting::Workers => kind.workers = Some(count),
        InstanceSetting::ServiceTime if number > 0.0 => kind.service_time = seconds,
        InstanceSetting::ServiceTime => {}
        InstanceSetting::QueueLimit => kind.queue_limit = value.map(|value| value.round() as u64),
        InstanceSetting::MaxWait => kind.max_wait = value.map(|_| seconds),
        InstanceSetting::RedirectCost => kind.redirect_cost = number,
        InstanceSetting::WarmUp => kind.warm_up = seconds,
        InstanceSetting::SlowStart => kind.slow_start = seconds,
        InstanceSetting::StartupTime => kind.startup_time = seconds,
        InstanceSetting::RestartTime => kind.restart_time = seconds,
        InstanceSetting::ProbeTimeout if number > 0.0 => check.timeout = seconds,
        InstanceSetting::ProbeTimeout => {}
        InstanceSetting::UnhealthyThreshold => check.unhealthy_threshold = count,
        InstanceSetting::HealthyThreshold => check.healthy_threshold = count,
    }
}
