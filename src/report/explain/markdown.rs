//! A story as Markdown.

use super::story::{Item, Story};
use crate::report::Artifact;

/// The text. Each list is set apart from what stands before it.
#[must_use]
pub fn markdown(story: &Story) -> String {
    let mut text = format!("# {}\n\n{}\n", story.title, story.preface);
    for section in &story.sections {
        text += &format!("\n## {}\n", section.title);
        let mut is_in_list = false;
        for item in &section.items {
            match item {
                Item::Text(words) => {
                    text += &format!("\n{words}\n");
                    is_in_list = false;
                }
                Item::Entry(words) => {
                    let gap = if is_in_list { "" } else { "\n" };
                    text += &format!("{gap}- {words}\n");
                    is_in_list = true;
                }
                Item::Command(words) => text += &format!("  `{words}`\n"),
            }
        }
    }
    text + &format!("\n**{}**\n", story.verdict)
}

/// `explain.md`.
#[must_use]
pub fn explain_markdown(story: &Story) -> Artifact {
    Artifact { file_name: "explain.md".to_owned(), bytes: markdown(story).into_bytes() }
}
