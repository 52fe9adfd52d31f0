//! The one look of all charts: sizes in logical pixels, and colours that survive colour blindness
//! and a grey printer.

/// Red, green, blue.
pub type Colour = (u8, u8, u8);

/// Width of every chart.
pub const WIDTH: f64 = 1000.0;
/// White space at every side.
pub const MARGIN: f64 = 28.0;

/// Size of the finding.
pub const TITLE_SIZE: f64 = 18.0;
/// Size of what the chart shows.
pub const SUBTITLE_SIZE: f64 = 13.0;
/// Size of labels and of the key.
pub const LABEL_SIZE: f64 = 12.5;
/// Size of numbers at ticks.
pub const TICK_SIZE: f64 = 12.0;
/// Size of the caption.
pub const CAPTION_SIZE: f64 = 11.0;
/// From one line of labels to the next.
pub const LINE_HEIGHT: f64 = 18.0;

/// Text and axes.
pub const INK: Colour = (33, 33, 33);
/// Secondary text; 5.7 : 1 against white.
pub const SOFT: Colour = (99, 99, 99);
/// Grid lines.
pub const GRID: Colour = (230, 230, 230);
/// Marks of events.
pub const MARK: Colour = (128, 128, 128);
/// The thick line of the offered load.
pub const OFFERED: Colour = (190, 190, 190);
/// Paper.
pub const PAPER: Colour = (255, 255, 255);
/// Vermillion, for alarm alone.
pub const ALARM: Colour = (213, 94, 0);
/// Lines of a hatched area: alarm, quietly.
pub const HATCH: Colour = (232, 168, 124);
/// What is summed up under "others".
pub const OTHERS: Colour = (205, 205, 205);

/// Blue of Okabe and Ito.
pub const BLUE: Colour = (0, 114, 178);
/// Their orange.
pub const ORANGE: Colour = (230, 159, 0);
/// Their sky blue.
pub const SKY: Colour = (86, 180, 233);
/// Their bluish green.
pub const GREEN: Colour = (0, 158, 115);
/// Their reddish purple.
pub const PURPLE: Colour = (204, 121, 167);
/// Their yellow.
pub const YELLOW: Colour = (240, 228, 66);
/// What is as it ought to be: nearly paper.
pub const CALM: Colour = (222, 238, 231);

/// Colours of stacked bands, of Okabe and Ito: neighbours differ in lightness, too.
pub const BANDS: [Colour; 7] = [BLUE, ORANGE, SKY, GREEN, YELLOW, PURPLE, (160, 160, 160)];

const LINES: [Colour; 6] = [BLUE, ORANGE, GREEN, PURPLE, INK, SKY];

/// The later, the sparser: where lines coincide, those behind show through.
const DASHES: [&[f64]; 6] =
    [&[], &[9.0, 4.0], &[2.5, 3.0], &[10.0, 4.0, 2.5, 4.0], &[5.0, 9.0], &[2.5, 7.0]];

/// How a line is told from others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineLook {
    /// Its colour.
    pub colour: Colour,
    /// Lengths drawn and skipped in turn; solid when empty.
    pub dash: &'static [f64],
    /// Its width.
    pub width: f64,
}

/// Is white text on it easier to read than dark text?
pub fn is_dark((red, green, blue): Colour) -> bool {
    299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue) < 110_000
}

/// The look of the line at `index`; 36 differ.
pub fn line_look(index: usize) -> LineLook {
    let round = index / LINES.len();
    let dash = DASHES[(index + round) % DASHES.len()];
    LineLook { colour: LINES[index % LINES.len()], dash, width: 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_six_lines_differ() {
        let looks: Vec<_> = (0..36).map(line_look).collect();
        for (index, look) in looks.iter().enumerate() {
            assert!(!looks[..index].contains(look), "line {index}");
        }
    }
}
