//! The README shows what the program prints: every ```` ```console ```` block is run again.
//!
//! `UPDATE_EXPECT=1 cargo test readme` writes the blocks anew.

use std::fs;
use std::path::Path;
use std::process::Command;

const FENCE: &str = "```console\n$ ";

/// What a command of the README prints, with the README's `zonefall` taken from this build.
fn output_of(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words.first(), Some(&"zonefall"), "the README runs zonefall: {command}");
    let folder = std::env::temp_dir().join(format!("zonefall-readme-{}", std::process::id()));
    let mut run = Command::new(env!("CARGO_BIN_EXE_zonefall"));
    run.current_dir(env!("CARGO_MANIFEST_DIR")).args(&words[1..]).env("COLUMNS", "100");
    if matches!(words.get(1), Some(&"run" | &"compare" | &"explain")) {
        run.arg("--out").arg(&folder);
    }
    if matches!(words.get(1), Some(&"run" | &"compare")) {
        run.arg("--no-charts");
    }
    let output = run.output().expect("the program runs");
    let _ = fs::remove_dir_all(&folder);
    let shown = if words[1] == "check" { output.stderr } else { output.stdout };
    String::from_utf8(shown).expect("UTF-8")
}

#[test]
fn readme_shows_real_output() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).expect("the README");
    let mut parts = text.split(FENCE);
    let mut renewed = parts.next().unwrap_or_default().to_owned();
    let mut blocks = 0;
    for part in parts {
        let (block, after) = part.split_once("```\n").expect("a closed block");
        let (command, _) = block.split_once('\n').expect("a command and its output");
        renewed += &format!("{FENCE}{command}\n{}```\n{after}", output_of(command));
        blocks += 1;
    }
    assert!(blocks >= 2, "the README shows the program's output");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &renewed).expect("a writable README");
    } else {
        assert_eq!(text, renewed, "run UPDATE_EXPECT=1 cargo test readme");
    }
}

#[test]
fn readme_shows_the_shipped_ten_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("README.md")).expect("the README");
    let file = fs::read_to_string(root.join("topologies/ten-lines.toml")).expect("the file");
    let lines = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let block = format!("```toml\n{}\n```", lines.collect::<Vec<_>>().join("\n"));
    assert!(text.contains(&block), "README.md does not show topologies/ten-lines.toml:\n{block}");
}

#[test]
fn readme_picture_is_what_the_program_draws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("zonefall-picture-{}", std::process::id()));
    let mut run = Command::new(env!("CARGO_BIN_EXE_zonefall"));
    run.current_dir(root).args(["compare", "topologies/planner-agent.toml", "--out"]).arg(&folder);
    assert!(run.output().expect("the program runs").status.success());
    let drawn = fs::read(folder.join("healthy_capacity.svg")).expect("a drawn chart");
    let _ = fs::remove_dir_all(&folder);
    let shown = root.join("docs/planner-agent.svg");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&shown, &drawn).expect("a writable docs folder");
    } else {
        let same = fs::read(&shown).expect("the picture") == drawn;
        assert!(same, "run UPDATE_EXPECT=1 cargo test readme");
    }
}
