//! Charts of runs, each as SVG and PNG.
//!
//! A chart is laid out once, in logical pixels, and drawn twice through plotters. A new chart is
//! one file and one line in [`CHARTS`].

mod bitmap;
mod context;
mod draw;
mod end_labels;
mod event_marks;
mod finding;
mod font;
mod frame;
mod grid;
mod hatch;
mod healthy_capacity;
mod labels;
mod merit;
mod moments;
mod pattern;
mod phases;
mod policies;
mod registry;
mod requests;
mod resources;
mod scale;
mod scene;
mod series;
mod signals;
mod stack;
mod states;
mod svg;
mod theme;
mod utilization;
mod words;

#[cfg(test)]
mod edge_tests;
#[cfg(test)]
pub(super) mod fixture;
#[cfg(test)]
mod geometry_tests;

pub use context::{ChartContext, ChartError};
pub use registry::{CHARTS, Chart, compare_charts, run_charts};
