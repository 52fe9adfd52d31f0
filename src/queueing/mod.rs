//! Pure mathematics of one M/M/c/K station: stationary values, transients of the first two moments,
//! the distribution of waits. No idea of zones.

mod gamma;
mod grid;
mod normal;
mod station;
mod stationary;
mod table;
mod wait;

pub use gamma::upper_gamma;
pub use normal::{Normal, normal_quantile};
pub use station::{
    Flow, Inflow, Load, advance, response, response_of_bypassing, stationary_response,
};
pub use stationary::{Stationary, Truncated, truncated_geometric};
pub use table::{Closure, Table, Tails};
pub use wait::Response;
