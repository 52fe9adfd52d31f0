//! The topology as a DOT graph.

use petgraph::visit::EdgeRef;

use crate::model::{Edge, FailoverEdge, Node, PoolId, Scenario, ZoneId};
use crate::report::words;

/// The topology in Graphviz' language: a cluster a zone, a box a pool with its home load, a point
/// for each service through which its pools stand in for each other, an ellipse a source, a dashed
/// edge for calls. Same scenario, same bytes.
#[must_use]
pub fn dot(scenario: &Scenario) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=LR;\n  fontname=\"sans-serif\";\n  node [shape=box, \
         fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n",
        quoted(&scenario.name)
    );
    let load_rps = scenario.home_load_rps();
    for zone in &scenario.zone_rows {
        push_zone(&mut text, scenario, *zone, &load_rps);
    }
    push_hubs(&mut text, scenario);
    push_sources(&mut text, scenario);
    push_edges(&mut text, scenario);
    text.push_str("}\n");
    text
}

fn push_zone(text: &mut String, scenario: &Scenario, zone: ZoneId, load_rps: &[f64]) {
    let name = &scenario.zones[zone.index()].name;
    let cluster = quoted(&format!("cluster_{name}"));
    let label = quoted(&format!("zone {name}"));
    text.push_str(&format!("  subgraph {cluster} {{\n    label={label};\n"));
    for id in scenario.pool_rows.iter().filter(|id| scenario.pools[id.index()].zone == zone) {
        let pool = &scenario.pools[id.index()];
        let capacity_rps = scenario.nominal_capacity_rps(*id);
        let load = words::rps(load_rps[id.index()]);
        let mut label =
            format!("{}\n{}\n", pool.name, words::counted(u64::from(pool.instances), "instance"));
        label.push_str(&match capacity_rps.is_finite() {
            true => format!("{load} of {}", words::rps(capacity_rps)),
            false => load,
        });
        if let Some(id) = pool.autoscaler {
            let autoscaler = &scenario.autoscalers[id.index()];
            let (name, min, max) = (&autoscaler.name, autoscaler.min, autoscaler.max);
            label.push_str(&format!("\nautoscaler {name}, {min} to {max}"));
        }
        text.push_str(&format!("    {} [label={}];\n", pool_node(scenario, *id), quoted(&label)));
    }
    text.push_str("  }\n");
}

/// A service without standby edges needs no point.
fn push_hubs(text: &mut String, scenario: &Scenario) {
    let graph = scenario.graph.as_petgraph();
    for index in graph.node_indices() {
        let is_used = graph
            .edges_directed(index, petgraph::Direction::Incoming)
            .any(|edge| *edge.weight() == Edge::Standby);
        if let (Node::Service(service), true) = (graph[index], is_used) {
            let name = &scenario.services[service.index()];
            let label = quoted(&format!("service {name}"));
            text.push_str(&format!(
                "  {} [shape=point, width=0.08, xlabel={label}];\n",
                hub_node(name)
            ));
        }
    }
}

/// First tries from outside, each with an edge to its pool.
fn push_sources(text: &mut String, scenario: &Scenario) {
    for source in &scenario.sources {
        let node = quoted(&format!("source {}", source.name));
        let label = quoted(&format!("{}\n{}", source.name, words::rps(source.demand.get())));
        text.push_str(&format!("  {node} [shape=ellipse, label={label}];\n"));
        text.push_str(&format!("  {node} -> {};\n", pool_node(scenario, source.to)));
    }
}

fn push_edges(text: &mut String, scenario: &Scenario) {
    let graph = scenario.graph.as_petgraph();
    let mut standbys = Vec::new();
    for id in &scenario.pool_rows {
        let from = pool_node(scenario, *id);
        // petgraph gives the newest edge first; the edges were added by falling target.
        for edge in graph.edges(scenario.graph.node(*id)) {
            match (edge.weight(), graph[edge.target()]) {
                (Edge::Failover(FailoverEdge { weight, priority }), Node::Pool(to)) => {
                    let to = pool_node(scenario, to);
                    let label = quoted(&format!("weight {weight}, priority {priority}"));
                    text.push_str(&format!("  {from} -> {to} [label={label}];\n"));
                }
                (Edge::Standby, Node::Service(service)) => {
                    let hub = hub_node(&scenario.services[service.index()]);
                    text.push_str(&format!("  {from} -> {hub} [arrowhead=none];\n"));
                    standbys.push(service);
                }
                _ => {}
            }
        }
        for call in &scenario.pools[id.index()].calls {
            let to = pool_node(scenario, call.to);
            let label = quoted(&format!("calls × {}", call.per_request));
            text.push_str(&format!("  {from} -> {to} [style=dashed, label={label}];\n"));
        }
    }
    for id in &scenario.pool_rows {
        let service = scenario.pools[id.index()].service;
        if standbys.contains(&service) {
            let hub = hub_node(&scenario.services[service.index()]);
            text.push_str(&format!("  {hub} -> {};\n", pool_node(scenario, *id)));
        }
    }
}

fn pool_node(scenario: &Scenario, pool: PoolId) -> String {
    quoted(&format!("pool {}", scenario.pools[pool.index()].name))
}

fn hub_node(service: &str) -> String {
    quoted(&format!("service {service}"))
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Arrivals, Autoscaler, AutoscalerId, Call, PoolFailover, ScaleRules, Source, TopologyGraph,
    };
    use crate::report::fixture::scenario;
    use crate::units::{Rps, Seconds};

    #[test]
    fn zones_pools_and_failover() {
        let mut scenario = scenario();
        let edge = FailoverEdge { weight: 2.5, priority: 1 };
        let failover = [
            PoolFailover::Explicit(vec![(PoolId(2), edge), (PoolId(1), FailoverEdge::DEFAULT)]),
            PoolFailover::Service,
            PoolFailover::Explicit(vec![]),
        ];
        scenario.graph = TopologyGraph::new(3, 1, &scenario.pools, &failover);
        scenario.name = "say \"hi\" \\ bye".to_owned();
        insta::assert_snapshot!(dot(&scenario));
    }

    #[test]
    fn sources_calls_and_autoscalers() {
        let mut scenario = scenario();
        let client = scenario.pools[0].client;
        let call = |to, per_request| Call { to: PoolId(to), per_request, client };
        scenario.pools[0].calls = vec![call(1, 2.0), call(2, 0.5)];
        scenario.call_order = vec![PoolId(0), PoolId(1), PoolId(2)];
        scenario.sources = vec![Source {
            name: "users".to_owned(),
            to: PoolId(0),
            demand: Rps::new(100.0).expect("a rate"),
            arrivals: Arrivals::Poisson,
            client,
        }];
        scenario.autoscalers = vec![Autoscaler {
            name: "web".to_owned(),
            targets: vec![],
            min: 2,
            max: 40,
            sync_period: Seconds::ZERO,
            tolerance: 0.1,
            scale_up: ScaleRules::default_up(),
            scale_down: ScaleRules::default_down(),
            ideal: false,
        }];
        scenario.pools[1].autoscaler = Some(AutoscalerId(0));
        insta::assert_snapshot!(dot(&scenario));
    }
}
