//! Autoscalers in a running fleet. The rule itself is tested beside its code.

mod books;
mod faults;
mod fleet;
mod signals;
mod sizes;
