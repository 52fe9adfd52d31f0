//! The topology as one graph: zones, pools and services; membership and failover.
//!
//! A pool without failover edges of its own may be replaced by every pool of its service in another
//! zone. That is kept as one hub node per service, so edges grow linearly with pools.

use petgraph::algo::{tarjan_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{EdgeFiltered, EdgeRef};

use super::id::{PoolId, ServiceId, ZoneId};
use super::pool::Pool;

/// A node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A failure domain.
    Zone(ZoneId),
    /// A pool.
    Pool(PoolId),
    /// The hub through which the pools of a service stand in for each other.
    Service(ServiceId),
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Edge {
    /// Zone → pool: the pool is in the zone.
    Member,
    /// Pool → pool: takes its traffic when it cannot.
    Failover(FailoverEdge),
    /// Pool → service hub: any pool of the service in another zone takes its traffic.
    Standby,
    /// Service hub → pool: the pool serves the service.
    Serves,
    /// Pool → pool: a request there calls it.
    Calls,
}

/// Weight and priority of a failover edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FailoverEdge {
    /// Share among targets of one priority; over 0.
    pub weight: f64,
    /// Lower is tried first.
    pub priority: u32,
}

impl FailoverEdge {
    /// What a default edge, through the service's hub, weighs.
    pub const DEFAULT: Self = Self { weight: 1.0, priority: 0 };
}

/// How a pool fails over.
#[derive(Debug, Clone, PartialEq)]
pub enum PoolFailover {
    /// To its service's pools in other zones, equally.
    Service,
    /// To these pools; to none when empty.
    Explicit(Vec<(PoolId, FailoverEdge)>),
}

/// A pool that may take another's traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Which pool.
    pub pool: PoolId,
    /// Share among targets of one priority.
    pub weight: f64,
    /// Lower is tried first.
    pub priority: u32,
}

/// The graph. Built once; routing, validation, the bound and the DOT picture all read it.
#[derive(Debug, Clone)]
pub struct TopologyGraph {
    graph: DiGraph<Node, Edge>,
    pool_nodes: Vec<NodeIndex>,
    pool_zones: Vec<ZoneId>,
}

impl TopologyGraph {
    /// Builds the graph of so many zones and services, of `pools`, and of how each fails over.
    ///
    /// # Panics
    /// When `failover` is not as long as `pools`, or an id is out of range.
    #[must_use]
    pub fn new(zones: usize, services: usize, pools: &[Pool], failover: &[PoolFailover]) -> Self {
        assert_eq!(pools.len(), failover.len(), "one failover rule a pool");
        let standbys = failover.iter().filter(|rule| **rule == PoolFailover::Service).count();
        let nodes = zones + services + pools.len();
        let mut graph = DiGraph::with_capacity(nodes, 2 * pools.len() + standbys);
        let zone_nodes: Vec<_> =
            (0..zones).map(|z| graph.add_node(Node::Zone(ZoneId::from_index(z)))).collect();
        let hubs: Vec<_> = (0..services)
            .map(|s| graph.add_node(Node::Service(ServiceId::from_index(s))))
            .collect();
        let pool_nodes: Vec<_> =
            (0..pools.len()).map(|p| graph.add_node(Node::Pool(PoolId::from_index(p)))).collect();
        // petgraph walks a node's edges from the newest: inserted backwards, they come by pool.
        for (index, pool) in pools.iter().enumerate().rev() {
            graph.add_edge(zone_nodes[pool.zone.index()], pool_nodes[index], Edge::Member);
            graph.add_edge(hubs[pool.service.index()], pool_nodes[index], Edge::Serves);
        }
        for (index, rule) in failover.iter().enumerate() {
            match rule {
                PoolFailover::Service => {
                    let hub = hubs[pools[index].service.index()];
                    graph.add_edge(pool_nodes[index], hub, Edge::Standby);
                }
                PoolFailover::Explicit(edges) => {
                    let mut edges = edges.clone();
                    edges.sort_by_key(|(pool, _)| std::cmp::Reverse(*pool));
                    for (pool, edge) in edges {
                        let to = pool_nodes[pool.index()];
                        graph.add_edge(pool_nodes[index], to, Edge::Failover(edge));
                    }
                }
            }
        }
        for (index, pool) in pools.iter().enumerate() {
            for call in &pool.calls {
                graph.add_edge(pool_nodes[index], pool_nodes[call.to.index()], Edge::Calls);
            }
        }
        let pool_zones = pools.iter().map(|pool| pool.zone).collect();
        Self { graph, pool_nodes, pool_zones }
    }

    /// Every pool, callers before those that they call, and by id where nothing else decides.
    ///
    /// # Errors
    /// The pools of a cycle of calls, in order, when there is one.
    pub fn call_order(&self) -> Result<Vec<PoolId>, Vec<PoolId>> {
        let calls = EdgeFiltered::from_fn(&self.graph, |edge| *edge.weight() == Edge::Calls);
        let pool_of = |node: &NodeIndex| match self.graph[*node] {
            Node::Pool(pool) => Some(pool),
            _ => None,
        };
        match toposort(&calls, None) {
            Ok(order) => Ok(order.iter().filter_map(pool_of).collect()),
            Err(cycle) => {
                let within = tarjan_scc(&calls);
                let ring = within.iter().find(|nodes| nodes.contains(&cycle.node_id()));
                let ring: Vec<PoolId> = ring.into_iter().flatten().filter_map(pool_of).collect();
                Err(self.around(&ring))
            }
        }
    }

    /// One cycle of calls within a strongly connected set of pools.
    fn around(&self, within: &[PoolId]) -> Vec<PoolId> {
        let Some(&first) = within.iter().min() else { return Vec::new() };
        let mut walk = vec![first];
        loop {
            let here = walk[walk.len() - 1];
            let next = self.called_by(here).filter(|pool| within.contains(pool)).min();
            let Some(next) = next else { return walk };
            if let Some(start) = walk.iter().position(|pool| *pool == next) {
                return walk.split_off(start);
            }
            walk.push(next);
        }
    }

    /// The pools that a pool calls.
    pub fn called_by(&self, pool: PoolId) -> impl Iterator<Item = PoolId> + '_ {
        let edges = self.graph.edges(self.node(pool));
        edges.filter_map(|edge| match (edge.weight(), self.graph[edge.target()]) {
            (Edge::Calls, Node::Pool(to)) => Some(to),
            _ => None,
        })
    }

    /// The petgraph graph itself.
    #[must_use]
    pub const fn as_petgraph(&self) -> &DiGraph<Node, Edge> {
        &self.graph
    }

    /// The node of a pool.
    #[must_use]
    pub fn node(&self, pool: PoolId) -> NodeIndex {
        self.pool_nodes[pool.index()]
    }

    /// The zone of a pool.
    #[must_use]
    pub fn zone(&self, pool: PoolId) -> ZoneId {
        self.pool_zones[pool.index()]
    }

    /// Does the pool fail over to its service's pools in other zones, and to no others of its own?
    #[must_use]
    pub fn fails_over_by_service(&self, pool: PoolId) -> bool {
        self.graph.edges(self.node(pool)).any(|edge| *edge.weight() == Edge::Standby)
    }

    /// The pools that may take over from `pool`, by pool id.
    pub fn targets(&self, pool: PoolId) -> impl Iterator<Item = Target> + '_ {
        self.graph.edges(self.node(pool)).flat_map(move |edge| {
            let own = match (edge.weight(), self.graph[edge.target()]) {
                (Edge::Failover(FailoverEdge { weight, priority }), Node::Pool(to)) => {
                    Some(Target { pool: to, weight: *weight, priority: *priority })
                }
                _ => None,
            };
            let hub =
                (*edge.weight() == Edge::Standby).then(|| self.served_from(edge.target(), pool));
            own.into_iter().chain(hub.into_iter().flatten())
        })
    }

    fn served_from(&self, hub: NodeIndex, home: PoolId) -> impl Iterator<Item = Target> + '_ {
        let home_zone = self.pool_zones[home.index()];
        self.graph.edges(hub).filter_map(move |edge| match self.graph[edge.target()] {
            Node::Pool(pool) if self.pool_zones[pool.index()] != home_zone => {
                let FailoverEdge { weight, priority } = FailoverEdge::DEFAULT;
                Some(Target { pool, weight, priority })
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Arrivals, Balancing, CallMode, ClientId, KindId};
    use crate::units::{Ratio, Rps};

    fn pool(name: &str, zone: u32) -> Pool {
        Pool {
            name: name.to_owned(),
            zone: ZoneId(zone),
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
        }
    }

    #[test]
    fn targets_come_by_pool_and_never_from_the_home_zone() {
        let pools = [pool("a", 0), pool("b", 0), pool("c", 1), pool("d", 2)];
        let edge = FailoverEdge { weight: 2.0, priority: 3 };
        let failover = [
            PoolFailover::Service,
            PoolFailover::Explicit(vec![(PoolId(3), edge), (PoolId(0), edge)]),
            PoolFailover::Service,
            PoolFailover::Explicit(vec![]),
        ];
        let graph = TopologyGraph::new(3, 1, &pools, &failover);
        let of = |p| graph.targets(PoolId(p)).map(|t| t.pool.0).collect::<Vec<_>>();
        assert_eq!(of(0), [2, 3]);
        assert_eq!(of(1), [0, 3]);
        assert_eq!(of(2), [0, 1, 3]);
        assert!(of(3).is_empty());
        assert_eq!(graph.targets(PoolId(1)).next().map(|t| (t.weight, t.priority)), Some((2.0, 3)));
    }
}
