//! Where tries come from: pools' own demands, sources, call edges.

use super::id::{ClientId, OriginId, PoolId, SourceId};
use super::pool::Pool;
use crate::units::{Rps, Seconds};

/// First tries from outside, for a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Its name in the file.
    pub name: String,
    /// The pool that it calls.
    pub to: PoolId,
    /// First tries a second.
    pub demand: Rps,
    /// How they are spread in time; only the `requests` plane sees that.
    pub arrivals: Arrivals,
    /// How it behaves.
    pub client: ClientId,
}

/// How first tries are spread in time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Arrivals {
    /// Independent of each other.
    #[default]
    Poisson,
    /// Equally far apart.
    Uniform,
    /// So many at once, each time that has passed.
    BatchEvery(Seconds),
    /// This many at once, each time that so many are due; at least 1.
    BatchOf(u32),
}

/// Calls that a request at a pool makes to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// The pool that is called.
    pub to: PoolId,
    /// Calls a request; over 0. Of a fraction, so many requests make one more.
    pub per_request: f64,
    /// How the caller behaves.
    pub client: ClientId,
}

/// How a request makes its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallMode {
    /// One after the other.
    #[default]
    Sequence,
    /// All at once.
    Parallel,
}

/// Where tries come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Origin {
    /// What it is.
    pub kind: OriginKind,
    /// The pool that its tries are for.
    pub to: PoolId,
    /// How it behaves.
    pub client: ClientId,
}

/// What an origin is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginKind {
    /// A pool's own demand.
    Demand,
    /// A source.
    Source(SourceId),
    /// A call edge.
    Call {
        /// The pool whose requests call.
        from: PoolId,
        /// Which of its calls.
        call: u32,
    },
}

impl Origin {
    /// Do its tries serve requests of a pool (which then are not requests of users)?
    #[must_use]
    pub const fn is_call(&self) -> bool {
        matches!(self.kind, OriginKind::Call { .. })
    }
}

/// Every origin: pools' own demands by pool, then sources, then call edges by caller.
#[must_use]
pub fn origins(pools: &[Pool], sources: &[Source]) -> Vec<Origin> {
    let demands = pools.iter().enumerate().filter(|(_, pool)| pool.has_demand);
    let demands = demands.map(|(p, pool)| Origin {
        kind: OriginKind::Demand,
        to: PoolId::from_index(p),
        client: pool.client,
    });
    let sources = sources.iter().enumerate().map(|(s, source)| Origin {
        kind: OriginKind::Source(SourceId::from_index(s)),
        to: source.to,
        client: source.client,
    });
    let calls = pools.iter().enumerate().flat_map(|(p, pool)| {
        pool.calls.iter().zip(0..).map(move |(call, index)| Origin {
            kind: OriginKind::Call { from: PoolId::from_index(p), call: index },
            to: call.to,
            client: call.client,
        })
    });
    demands.chain(sources).chain(calls).collect()
}

/// The ids of the origins for which `is_wanted` holds.
pub fn origins_where(
    origins: &[Origin],
    is_wanted: impl Fn(&Origin) -> bool,
) -> impl Iterator<Item = OriginId> {
    let indexed = origins.iter().enumerate();
    indexed.filter(move |(_, origin)| is_wanted(origin)).map(|(o, _)| OriginId::from_index(o))
}
