//! The whole of it as JSON.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Headroom;
use super::verdict::verdict;
use crate::experiment::contingency::{Drained, Loss, Needed, PoolNeed, Ramp};
use crate::model::contingency::ServiceLoss;
use crate::report::column::{Cell, Rounded};
use crate::report::csv::{LossEntry, loss_columns};
use crate::report::json::{Override, SUMMARY_SCHEMA_VERSION};
use crate::report::{Artifact, Invocation};

#[derive(Serialize)]
struct HeadroomFile<'a> {
    tool: &'static str,
    tool_version: &'static str,
    schema_version: u32,
    name: &'a str,
    file: &'a str,
    file_sha256: &'a str,
    overrides: &'a [Override],
    utilization: Rounded,
    zones: usize,
    headroom_of_load: Cell<'a>,
    fewest_zones: Cell<'a>,
    instances: u64,
    instances_more: Cell<'a>,
    instances_more_at_85_percent: Cell<'a>,
    worst_zones: Vec<&'a str>,
    losses: Vec<LossFields<'a>>,
    pools: Vec<PoolFields<'a>>,
    detection: Vec<DetectionFields<'a>>,
    ramps: Vec<RampFields<'a>>,
    drains: Vec<DrainFields<'a>>,
    verdict: String,
}

/// Every column of the CSV by name, the zones as a list, and each service that is hit.
struct LossFields<'a> {
    headroom: Headroom<'a>,
    loss: &'a Loss,
}

impl Serialize for LossFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { headroom, loss } = self;
        let columns = loss_columns();
        let entry = LossEntry::new(headroom.scenario, loss);
        let mut map = serializer.serialize_map(Some(columns.len() + 1))?;
        map.serialize_entry("zones", &headroom.zone_names(&loss.zones))?;
        for column in columns.iter().filter(|column| column.name != "zones") {
            map.serialize_entry(column.name, &(column.value)(&entry))?;
        }
        let services = loss.services.iter().map(|service| service_fields(headroom, service));
        map.serialize_entry("services", &services.collect::<Vec<_>>())?;
        map.end()
    }
}

#[derive(Serialize)]
struct ServiceFields<'a> {
    service: &'a str,
    demand_rps: Rounded,
    capacity_rps: Rounded,
    surviving_capacity_rps: Rounded,
    survivor_utilization: Cell<'a>,
}

fn service_fields<'a>(headroom: &Headroom<'a>, loss: &ServiceLoss) -> ServiceFields<'a> {
    ServiceFields {
        service: &headroom.scenario.services[loss.service.index()],
        demand_rps: Rounded(loss.demand_rps),
        capacity_rps: Rounded(loss.capacity_rps),
        surviving_capacity_rps: Rounded(loss.surviving_capacity_rps),
        survivor_utilization: loss.survivor_utilization().into(),
    }
}

#[derive(Serialize)]
struct PoolFields<'a> {
    pool: &'a str,
    zone: &'a str,
    service: &'a str,
    instances: u32,
    home_utilization: Rounded,
    worst_zones: Vec<&'a str>,
    worst_utilization: Rounded,
    worst_slowest_utilization: Rounded,
    headroom_of_load: Cell<'a>,
    headroom_needed_of_load: Cell<'a>,
    instances_needed: Cell<'a>,
    instances_more: Cell<'a>,
    instances_needed_at_85_percent: Cell<'a>,
    probes_fail_at_utilization: Cell<'a>,
}

fn count<'a>(count: Option<u64>) -> Cell<'a> {
    count.map_or(Cell::Empty, Cell::Count)
}

fn pool_fields<'a>(headroom: &Headroom<'a>, need: &PoolNeed) -> PoolFields<'a> {
    let scenario = headroom.scenario;
    let pool = &scenario.pools[need.pool.index()];
    let worst_zones = need.worst_loss.map_or_else(Vec::new, |loss| {
        let zones = &headroom.found.losses[loss].zones;
        zones.iter().map(|zone| scenario.zones[zone.index()].name.as_str()).collect()
    });
    let more = need.instances_needed.map(|n| n.saturating_sub(u64::from(pool.instances)));
    PoolFields {
        pool: &pool.name,
        zone: &scenario.zones[pool.zone.index()].name,
        service: &scenario.services[pool.service.index()],
        instances: pool.instances,
        home_utilization: Rounded(need.home_utilization()),
        worst_zones,
        worst_utilization: Rounded(need.worst_utilization()),
        worst_slowest_utilization: Rounded(need.slowest_utilization),
        headroom_of_load: need.headroom().into(),
        headroom_needed_of_load: need.headroom_needed.into(),
        instances_needed: count(need.instances_needed),
        instances_more: count(more),
        instances_needed_at_85_percent: count(need.instances_needed_usual),
        probes_fail_at_utilization: need.probes_fail_at.into(),
    }
}

#[derive(Serialize)]
struct DetectionFields<'a> {
    instance: &'a str,
    least_s: Rounded,
    most_s: Rounded,
}

#[derive(Serialize)]
struct RampFields<'a> {
    pool: &'a str,
    autoscaler: &'a str,
    growth: Rounded,
    left_when_acting: Cell<'a>,
    ramp_s: Cell<'a>,
}

fn ramp_fields<'a>(headroom: &Headroom<'a>, ramp: &Ramp) -> RampFields<'a> {
    RampFields {
        pool: &headroom.scenario.pools[ramp.pool.index()].name,
        autoscaler: &headroom.scenario.autoscalers[ramp.autoscaler.index()].name,
        growth: Rounded(ramp.growth),
        left_when_acting: ramp.left.into(),
        ramp_s: ramp.ramp_s.into(),
    }
}

#[derive(Serialize)]
struct DrainFields<'a> {
    event: &'a str,
    share: Rounded,
    growth: Cell<'a>,
}

fn drain_fields<'a>(headroom: &Headroom<'a>, drained: &Drained) -> DrainFields<'a> {
    let event = &headroom.scenario.events[drained.event].name;
    DrainFields { event, share: Rounded(drained.share), growth: drained.growth.into() }
}

/// Writes it all as JSON; what is without value or end is `null`.
#[must_use]
pub fn headroom_json(invocation: &Invocation<'_>, headroom: &Headroom<'_>) -> Artifact {
    let (found, scenario) = (headroom.found, headroom.scenario);
    let rules = &found.rules;
    let (instances, more) = found.instances(scenario, Needed::AtCeiling);
    let (_, more_usual) = found.instances(scenario, Needed::AtUsual);
    let file = HeadroomFile {
        tool: env!("CARGO_PKG_NAME"),
        tool_version: env!("CARGO_PKG_VERSION"),
        schema_version: SUMMARY_SCHEMA_VERSION,
        name: invocation.name,
        file: invocation.file,
        file_sha256: invocation.file_sha256,
        overrides: invocation.overrides,
        utilization: Rounded(found.ceiling),
        zones: scenario.zones.len(),
        headroom_of_load: rules.headroom.into(),
        fewest_zones: count(rules.fewest_zones),
        instances,
        instances_more: count(more),
        instances_more_at_85_percent: count(more_usual),
        worst_zones: headroom.zones_after(found.by_severity.first().copied()),
        losses: found.losses.iter().map(|loss| LossFields { headroom: *headroom, loss }).collect(),
        pools: found.pools.iter().map(|need| pool_fields(headroom, need)).collect(),
        detection: rules
            .detection
            .iter()
            .map(|detection| DetectionFields {
                instance: &scenario.kinds[detection.kind.index()].name,
                least_s: Rounded(detection.least_s),
                most_s: Rounded(detection.most_s),
            })
            .collect(),
        ramps: rules.ramps.iter().map(|ramp| ramp_fields(headroom, ramp)).collect(),
        drains: rules.drains.iter().map(|drained| drain_fields(headroom, drained)).collect(),
        verdict: verdict(headroom),
    };
    let mut bytes = Vec::new();
    let written = serde_json::to_writer_pretty(&mut bytes, &file);
    debug_assert!(written.is_ok(), "memory takes every value");
    bytes.push(b'\n');
    Artifact { file_name: "headroom.json".to_owned(), bytes }
}
