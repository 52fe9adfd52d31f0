//! The most that full knowledge could serve: a max flow (MODEL §9).

use petgraph::Direction;
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{EdgeRef, IntoNodeReferences};

use crate::engine::Snapshot;
use crate::model::{Edge, Node, PoolId, Scenario, TopologyGraph, ZoneId};

use super::users::Users;
use super::{Metric, Summary};

/// The most requests a second that can reach an instance that is up: a max flow from the pools'
/// demand, over any number of failover edges, into their capacity. Both by pool, rps.
///
/// With full knowledge the network is the topology's own graph: demand enters at pools, flows along
/// failover edges and through services' hubs without limit, and leaves at pools.
#[must_use]
pub fn bound_rps(graph: &TopologyGraph, demand_rps: &[f64], capacity_rps: &[f64]) -> f64 {
    let total: f64 = demand_rps.iter().sum();
    if demand_rps.iter().zip(capacity_rps).all(|(demand, capacity)| demand <= capacity) {
        return total;
    }
    let reach = reach(graph);
    let by_node = |by_pool: &[f64]| {
        let of = |pool: &Option<PoolId>| pool.map_or(0.0, |pool| by_pool[pool.index()]);
        reach.node_weights().map(of).collect::<Vec<f64>>()
    };
    let network = Network::new(&reach, &by_node(demand_rps), &by_node(capacity_rps));
    dinics(&network.graph, network.source, network.sink).0.min(total)
}

/// What traffic flows along without limit: the failover edges of the topology, whose nodes these
/// are, and services' hubs. A node is a pool, or nothing that serves.
#[must_use]
pub fn reach(graph: &TopologyGraph) -> DiGraph<Option<PoolId>, ()> {
    let topology = graph.as_petgraph();
    let mut reach = DiGraph::with_capacity(topology.node_count(), topology.edge_count());
    for (_, kind) in topology.node_references() {
        reach.add_node(match kind {
            Node::Pool(pool) => Some(*pool),
            Node::Zone(_) | Node::Service(_) => None,
        });
    }
    for (node, kind) in topology.node_references() {
        let barred = match kind {
            Node::Zone(_) => continue,
            Node::Pool(_) => None,
            Node::Service(_) => lone_zone(graph, node),
        };
        for edge in topology.edges(node).filter(|edge| *edge.weight() != Edge::Calls) {
            let to = edge.target();
            if barred.is_none() || zone(graph, to) != barred {
                reach.add_edge(node, to, ());
            }
        }
    }
    reach
}

/// Where the max flow from demand into capacity is held back, by node: on the near side of the
/// tightest cut, with several the one nearest to the demand. What flows of all demand is the
/// capacity of these nodes and the demand of all others (max flow = min cut). None of them where
/// everything flows. Demand and capacity are by node, rps; edges have no limit.
#[must_use]
pub fn short_nodes<N>(
    reach: &DiGraph<N, ()>,
    demand_rps: &[f64],
    capacity_rps: &[f64],
) -> Vec<bool> {
    let network = Network::new(reach, demand_rps, capacity_rps);
    let (_, flows) = dinics(&network.graph, network.source, network.sink);
    // What is left is rounding.
    let least = 1e-9 * demand_rps.iter().sum::<f64>();
    let mut is_reached = vec![false; network.graph.node_count()];
    is_reached[network.source.index()] = true;
    let mut open = vec![network.source];
    while let Some(node) = open.pop() {
        let edges = network.graph.edges(node);
        let onward = edges.filter(|edge| *edge.weight() - flows[edge.id().index()] > least);
        let edges = network.graph.edges_directed(node, Direction::Incoming);
        let back = edges.filter(|edge| flows[edge.id().index()] > least);
        let onward = onward.map(|edge| edge.target());
        let back = back.map(|edge| edge.source());
        for next in onward.chain(back) {
            if !is_reached[next.index()] {
                is_reached[next.index()] = true;
                open.push(next);
            }
        }
    }
    is_reached.truncate(demand_rps.len());
    is_reached
}

/// Nodes that traffic flows between, a source before them and a sink behind.
struct Network {
    graph: DiGraph<(), f64>,
    source: NodeIndex,
    sink: NodeIndex,
}

impl Network {
    fn new<N>(reach: &DiGraph<N, ()>, demand_rps: &[f64], capacity_rps: &[f64]) -> Self {
        let total: f64 = demand_rps.iter().sum();
        let mut graph = reach.map(|_, _| (), |_, ()| total);
        let source = graph.add_node(());
        let sink = graph.add_node(());
        for node in reach.node_indices() {
            let (demand, capacity) = (demand_rps[node.index()], capacity_rps[node.index()]);
            if demand > 0.0 {
                graph.add_edge(source, node, demand);
            }
            if capacity > 0.0 {
                // Without end where a pool has no limit.
                graph.add_edge(node, sink, capacity.min(total));
            }
        }
        Self { graph, source, sink }
    }
}

/// The zone from which all come that enter a service's hub, if it is one. Nobody fails over within
/// a zone; but as soon as pools of two zones use the hub, either's traffic gets home by way of the
/// other's.
fn lone_zone(graph: &TopologyGraph, hub: NodeIndex) -> Option<ZoneId> {
    let topology = graph.as_petgraph();
    let users = topology.neighbors_directed(hub, Direction::Incoming);
    let mut zones = users.filter_map(|user| zone(graph, user));
    let first = zones.next()?;
    zones.all(|other| other == first).then_some(first)
}

fn zone(graph: &TopologyGraph, node: NodeIndex) -> Option<ZoneId> {
    match graph.as_petgraph()[node] {
        Node::Pool(pool) => Some(graph.zone(pool)),
        Node::Zone(_) | Node::Service(_) => None,
    }
}

/// The bound at every step, and what was completed of it.
pub struct Bound<'a> {
    graph: &'a TopologyGraph,
    /// By pool: is it sent anything but other pools' calls?
    is_entry: Vec<bool>,
    users: Users,
    trigger_s: f64,
    demand_rps: Vec<f64>,
    capacity_rps: Vec<f64>,
    now_rps: f64,
    completed: f64,
    possible: f64,
}

impl<'a> Bound<'a> {
    /// Over the window that begins at `trigger_s`.
    pub fn new(scenario: &'a Scenario, trigger_s: f64) -> Self {
        let mut is_entry = vec![false; scenario.pools.len()];
        for origin in scenario.origins.iter().filter(|origin| !origin.is_call()) {
            is_entry[origin.to.index()] = true;
        }
        Self {
            graph: &scenario.graph,
            is_entry,
            users: Users::new(scenario),
            trigger_s,
            demand_rps: Vec::new(),
            capacity_rps: Vec::new(),
            now_rps: 0.0,
            completed: 0.0,
            possible: 0.0,
        }
    }

    /// The bound of the step that was booked last, rps.
    pub const fn now_rps(&self) -> f64 {
        self.now_rps
    }

    fn follow(&mut self, snapshot: &Snapshot<'_>) {
        // What pools send each other serves requests that are counted where users send them; their
        // capacity is that of latencies without queues, so a slow callee is in it.
        let pools = snapshot.pools.iter().zip(&self.is_entry);
        let demand = pools.map(|(pool, is_entry)| {
            let tries = if *is_entry { pool.first_tries + pool.retries } else { 0.0 };
            tries / snapshot.step_s
        });
        let capacity = snapshot.pools.iter().map(|pool| pool.up_capacity_rps);
        let is_same = demand.clone().eq(self.demand_rps.iter().copied())
            && capacity.clone().eq(self.capacity_rps.iter().copied());
        if !is_same {
            (self.demand_rps, self.capacity_rps) = (demand.collect(), capacity.collect());
            self.now_rps = bound_rps(self.graph, &self.demand_rps, &self.capacity_rps);
        }
    }
}

impl Metric for Bound<'_> {
    fn mark_s(&self) -> Option<f64> {
        self.users.mark_s()
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.follow(snapshot);
        let completed = self.users.completed(snapshot);
        if snapshot.began_at_or_after(self.trigger_s) {
            self.completed += completed;
            self.possible += self.now_rps * snapshot.step_s;
        }
    }

    fn finish(&mut self, summary: &mut Summary) {
        summary.goodput_of_bound = (self.possible > 0.0).then(|| self.completed / self.possible);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Arrivals, Balancing, CallMode, ClientId, FailoverEdge, KindId, Pool, PoolFailover, PoolId,
        ServiceId, ZoneId,
    };
    use crate::units::{Ratio, Rps};

    fn graph(failover: &[PoolFailover]) -> TopologyGraph {
        let pools: Vec<Pool> = (0..failover.len())
            .map(|index| Pool {
                name: format!("p{index}"),
                zone: ZoneId::from_index(index),
                kind: KindId(0),
                service: ServiceId(0),
                client: ClientId(0),
                instances: 1,
                demand: Rps::ZERO,
                has_demand: true,
                arrivals: Arrivals::Poisson,
                calls: Vec::new(),
                call_mode: CallMode::Sequence,
                autoscaler: None,
                failover_threshold: Ratio::ZERO,
                panic_threshold: Ratio::ZERO,
                balancing: Balancing::Random,
            })
            .collect();
        TopologyGraph::new(failover.len(), 1, &pools, failover)
    }

    #[test]
    fn flows_over_several_hops_but_only_along_edges() {
        let edge = FailoverEdge::DEFAULT;
        let chain = graph(&[
            PoolFailover::Explicit(vec![(PoolId(1), edge)]),
            PoolFailover::Explicit(vec![(PoolId(2), edge)]),
            PoolFailover::Explicit(vec![]),
        ]);
        assert_eq!(bound_rps(&chain, &[100.0, 0.0, 0.0], &[10.0, 20.0, 30.0]), 60.0);
        assert_eq!(bound_rps(&chain, &[0.0, 0.0, 100.0], &[10.0, 20.0, 30.0]), 30.0);
    }

    #[test]
    fn a_service_shares_everything() {
        let service = graph(&[PoolFailover::Service, PoolFailover::Service, PoolFailover::Service]);
        let bound = bound_rps(&service, &[100.0, 100.0, 100.0], &[0.0, 115.0, 115.0]);
        assert!((bound - 230.0).abs() < 1e-9, "{bound}");
    }
}
