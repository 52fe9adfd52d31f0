//! What pools mean together: services, the graph, capacities, demands.

use super::context::Context;
use super::demand::{Demand, demand_rps};
use super::pool::NamedPool;
use crate::config::problems::Problems;
use crate::config::setting::Section;
use crate::diagnostic::{Problem, Span};
use crate::model::{
    InstanceKind, KindId, Pool, PoolFailover, PoolId, ServiceId, TopologyGraph, unloaded_calls_s,
};
use crate::units::Rps;

/// What pools mean together.
pub(super) struct Fleet {
    pub(super) services: Vec<String>,
    pub(super) pools: Vec<Pool>,
    pub(super) graph: TopologyGraph,
    pub(super) call_order: Vec<PoolId>,
    /// Capacity of each pool at the start and at unloaded latencies, rps.
    pub(super) capacity_rps: Vec<f64>,
}

/// Puts valid pools together; none when something about them is wrong.
pub(super) fn fleet(
    context: &Context<'_>,
    kinds: &[Option<InstanceKind>],
    named: &[Option<NamedPool>],
    failover: &[Option<PoolFailover>],
    problems: &mut Problems,
) -> Option<Fleet> {
    check_instant(context, kinds, named, problems);
    let named: Vec<&NamedPool> = named.iter().map(Option::as_ref).collect::<Option<_>>()?;
    let failover: Vec<_> = failover.iter().cloned().collect::<Option<_>>()?;
    let (services, mut pools) = with_services(&named);
    let zones = context.names(Section::Zone).len();
    let graph = TopologyGraph::new(zones, services.len(), &pools, &failover);
    let call_order = match graph.call_order() {
        Ok(order) => order,
        Err(ring) => {
            problems.push(cycle(context, &pools, &ring));
            return None;
        }
    };
    let kinds: Vec<_> = kinds.iter().cloned().collect::<Option<_>>()?;
    let calls_s = unloaded_calls_s(&kinds, &pools, &call_order);
    let of_pool = |(pool, calls_s): (&Pool, &Option<f64>)| {
        f64::from(pool.instances) * kinds[pool.kind.index()].capacity_rps(*calls_s)
    };
    let capacity_rps: Vec<f64> = pools.iter().zip(&calls_s).map(of_pool).collect();
    let mut is_whole = true;
    for ((pool, named), capacity_rps) in pools.iter_mut().zip(&named).zip(&capacity_rps) {
        match own_demand(context, named, *capacity_rps, problems) {
            Some(demand) => pool.demand = demand,
            None => is_whole = false,
        }
    }
    is_whole.then_some(Fleet { services, pools, graph, call_order, capacity_rps })
}

fn own_demand(
    context: &Context<'_>,
    named: &NamedPool,
    capacity_rps: f64,
    problems: &mut Problems,
) -> Option<Rps> {
    let demand = match &named.demand {
        Demand::None => 0.0,
        Demand::Rps(demand) => *demand,
        Demand::Headroom { .. } if capacity_rps.is_infinite() => {
            let entity = context.document.table(Section::Pool).get(&named.pool.name)?;
            let title = format!("pool `{}` has no limit to leave headroom to", entity.shown);
            problems.push(
                Problem::error("no-capacity", entity.place("headroom"), title)
                    .help("give it `demand_rps`, or its instances `workers` or a resource"),
            );
            return None;
        }
        Demand::Headroom { share, of } => demand_rps(capacity_rps, *share, of),
    };
    Rps::new(demand).ok()
}

/// Numbers the services by name.
fn with_services(named: &[&NamedPool]) -> (Vec<String>, Vec<Pool>) {
    let mut services: Vec<_> = named.iter().map(|named| named.service.clone()).collect();
    services.sort_unstable();
    services.dedup();
    let pools = named
        .iter()
        .map(|named| {
            let index = services.partition_point(|known| *known < named.service);
            Pool { service: ServiceId::from_index(index), ..named.pool.clone() }
        })
        .collect();
    (services, pools)
}

/// Spells out a cycle of calls, at each of them.
fn cycle(context: &Context<'_>, pools: &[Pool], ring: &[PoolId]) -> Problem {
    let name = |pool: &PoolId| pools[pool.index()].name.as_str();
    let edges: Vec<_> = ring.iter().zip(ring.iter().cycle().skip(1)).collect();
    let table = context.document.table(Section::Pool);
    let place = |from: &PoolId, to: &PoolId| {
        let caller = table.get(name(from));
        let call = format!("calls.{}", name(to));
        caller.map(|caller| caller.tables.get(&call).copied().unwrap_or(caller.at))
    };
    let words: Vec<_> =
        edges.iter().map(|(from, to)| format!("`{}` calls `{}`", name(from), name(to))).collect();
    let places: Vec<Span> = edges.iter().filter_map(|(from, to)| place(from, to)).collect();
    let at = places.first().copied().unwrap_or(context.document.root.at);
    let title = format!("calls go in a circle: {}", words.join(", "));
    let mut problem = Problem::error("call-cycle", at, title).help("leave one of them out");
    for (place, words) in places.iter().zip(&words).skip(1).filter(|(place, _)| **place != at) {
        problem = problem.secondary(*place, words.clone());
    }
    problem
}

/// Only who has no workers, or makes calls, may serve a request in no time.
fn check_instant(
    context: &Context<'_>,
    kinds: &[Option<InstanceKind>],
    named: &[Option<NamedPool>],
    problems: &mut Problems,
) {
    for (index, kind) in kinds.iter().enumerate() {
        let Some(kind) = kind else { continue };
        let Some(entity) = context.document.table(Section::Instance).get(&kind.name) else {
            continue;
        };
        if kind.service_time.get() == 0.0 && !may_be_instant(kind, KindId::from_index(index), named)
        {
            problems.push(not_instant(&kind.name, entity.place("service_time")));
        }
    }
}

/// May requests take an instance kind no time?
pub(super) fn may_be_instant(kind: &InstanceKind, id: KindId, named: &[Option<NamedPool>]) -> bool {
    let mut pools = named.iter().flatten().filter(|named| named.pool.kind == id).peekable();
    kind.workers.is_none() || pools.peek().is_some() && pools.all(|p| !p.pool.calls.is_empty())
}

/// What to say of an instance kind that may not.
pub(super) fn not_instant(kind: &str, at: Span) -> Problem {
    let title = format!("workers of `{kind}` must take some time");
    Problem::error("zero-service-time", at, title)
        .help("0s is for instances without `workers`, and where every pool of them makes calls")
        .help("write, for example, `service_time = \"1ms\"`")
}
