//! A story for a terminal.

use super::story::{Item, Story};
use crate::diagnostic::Style;

/// Lines are no longer than this, however wide the terminal.
const WIDEST: usize = 100;
/// Narrower terminals wrap by themselves.
const NARROWEST: usize = 40;

/// The text, wrapped to a width; without one to a hundred columns. Ends with the verdict's line.
#[must_use]
pub fn terminal(story: &Story, style: Style, width: Option<usize>) -> String {
    let width = width.unwrap_or(WIDEST).clamp(NARROWEST, WIDEST);
    let heading = |words: &str| match style {
        Style::Plain => words.to_owned(),
        Style::Colour => format!("\u{1b}[1m{words}\u{1b}[0m"),
    };
    let mut text = heading(&bare(&story.title)) + "\n" + &wrapped(&story.preface, "", "", width);
    for section in &story.sections {
        text += &format!("\n{}\n", heading(section.title));
        for item in &section.items {
            text += &match item {
                Item::Text(words) => wrapped(words, "  ", "  ", width),
                Item::Entry(words) => wrapped(words, "  - ", "    ", width),
                // To be copied: never broken.
                Item::Command(words) => format!("    {words}\n"),
            };
        }
    }
    // One line, as everywhere: programs read the last line.
    text + &format!("\n{}\n", bare(&story.verdict))
}

/// Without the marks of names.
fn bare(words: &str) -> String {
    words.replace('`', "")
}

fn wrapped(words: &str, first: &str, other: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in kept_together(&bare(words)) {
        let length = line.chars().count() + word.chars().count() + usize::from(!is_empty);
        if length > width && !is_empty {
            text += line.trim_end();
            text.push('\n');
            line = other.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line += &word;
        is_empty = false;
    }
    text + &line + "\n"
}

/// Words, units with their numbers.
fn kept_together(words: &str) -> Vec<String> {
    const UNITS: [&str; 4] = ["%", "s", "rps", "×"];
    let mut kept: Vec<String> = Vec::new();
    for word in words.split(' ') {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%');
        match kept.last_mut().filter(|_| UNITS.contains(&bare)) {
            Some(number) => {
                number.push(' ');
                number.push_str(word);
            }
            None => kept.push(word.to_owned()),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn words_are_wrapped_and_keep_their_indent() {
        let text = wrapped("`one` two three four", "- ", "  ", 11);
        assert_eq!(text, "- one two\n  three\n  four\n");
        assert_eq!(wrapped("up to 12 %], so", "", "", 9), "up to\n12 %], so\n");
    }
}
