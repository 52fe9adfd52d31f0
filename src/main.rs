//! The `zonefall` program.

fn main() {}
