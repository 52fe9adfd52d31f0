//! `zonefall explain`.

mod shipped;
