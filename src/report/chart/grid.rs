//! Panels of one size in rows and columns.

use super::frame::Plot;
use super::series::Window;
use super::theme::{MARGIN, WIDTH};

/// Room around panels.
#[derive(Debug, Clone, Copy)]
pub struct Spacing {
    /// Left of the first column.
    pub left: f64,
    /// Right of the last column.
    pub right: f64,
    /// Between two columns.
    pub gap: f64,
    /// Over each panel.
    pub heading: f64,
    /// Under each panel.
    pub foot: f64,
}

/// Where the panels are.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    count: usize,
    columns: usize,
    top: f64,
    width: f64,
    height: f64,
    spacing: Spacing,
}

impl Grid {
    /// So many panels, `height` high each by the number of rows, in at most so many columns. Four
    /// are two by two.
    pub fn of(
        count: usize,
        most_columns: usize,
        top: f64,
        height: fn(usize) -> f64,
        spacing: Spacing,
    ) -> Self {
        let columns = count.clamp(1, if count == 4 { 2 } else { most_columns });
        let room = WIDTH - 2.0 * MARGIN - spacing.left - spacing.right;
        let width = (room - spacing.gap * (columns as f64 - 1.0)) / columns as f64;
        Self { count, columns, top, width, height: height(count.div_ceil(columns)), spacing }
    }

    /// A panel's plot.
    pub fn plot(&self, index: usize, window: Window, most: f64) -> Plot {
        let (row, column) = ((index / self.columns) as f64, (index % self.columns) as f64);
        let left = MARGIN + self.spacing.left + column * (self.width + self.spacing.gap);
        let top = self.top + row * self.pitch() + self.spacing.heading;
        let (right, bottom) = (left + self.width, top + self.height);
        Plot { left, top, right, bottom, window, most }
    }

    /// The lower edge of the lowest plot.
    pub fn bottom(&self) -> f64 {
        let rows = self.count.div_ceil(self.columns) as f64;
        self.top + rows * self.pitch() - self.spacing.foot
    }

    /// Which axes of a panel have numbers.
    pub fn place(&self, index: usize) -> Place {
        Place {
            first_column: index.is_multiple_of(self.columns),
            last_column: index % self.columns + 1 == self.columns || index + 1 == self.count,
            lowest: index + self.columns >= self.count,
        }
    }

    fn pitch(&self) -> f64 {
        self.spacing.heading + self.height + self.spacing.foot
    }
}

/// Where a panel is among the others.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Nothing is to the left.
    pub first_column: bool,
    /// Nothing is to the right.
    pub last_column: bool,
    /// Nothing is below.
    pub lowest: bool,
}
