//! Whatever a file holds, it is read to an answer, soon.

use std::fs;

use proptest::prelude::*;
use zonefall::config::{Rejected, load};
use zonefall::diagnostic::{Style, render, render_json};

use super::folder;

/// Reads, and draws what there is to draw.
fn check(text: &[u8], sets: &[String]) {
    let (problems, sources) = match load("x.toml", text, sets) {
        Ok(loaded) => {
            match load("x.toml", loaded.resolved.as_bytes(), &[]) {
                Ok(again) => assert_eq!(again.resolved, loaded.resolved),
                Err(again) => panic!("{:?}\n{}", again.problems, loaded.resolved),
            }
            (loaded.warnings, loaded.sources)
        }
        Err(Rejected { problems, sources }) => {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|problem| problem.id != "internal"), "{problems:?}");
            (problems, sources)
        }
    };
    for style in [Style::Plain, Style::Colour] {
        assert_eq!(render(&problems, &sources, style).is_empty(), problems.is_empty());
    }
    assert_eq!(render_json(&problems, &sources).as_array().map(Vec::len), Some(problems.len()));
}

#[test]
fn ten_megabytes_of_junk_are_refused() {
    const SIZE: usize = 10_000_000;
    for pattern in [
        &b"x"[..],
        b"\n",
        b"[",
        b"\"",
        b"=",
        b"a.",
        b"\xff",
        b"[a]\n",
        b"[zone.a]\n",
        b"k = 1\n",
        b"= \xe2\x82\xac ] [\n",
    ] {
        check(&pattern.repeat(SIZE / pattern.len()), &[]);
    }
    check(&vec![b' '; 20_000_000], &[]);
    check(b"", &["=".repeat(1_000_000), "a".repeat(1_000_000)]);
}

/// The text of a valid file.
fn valid_text(name: &str) -> String {
    fs::read_to_string(folder("valid").join(name)).expect("a file")
}

/// Valid files that between them have all that can be said.
const VALID: [&str; 2] = ["everything.toml", "chain.toml"];

/// Stretches of a valid file in a random order, with odd characters between them.
fn shuffled_file(name: &str) -> impl Strategy<Value = String> + use<> {
    let chars: Vec<char> = valid_text(name).chars().collect();
    let piece = (0..chars.len(), 0..400_usize, "[\\[\\]{}=\"'.#\\n\\r\\t a0é日\u{0}-]{0,3}");
    proptest::collection::vec(piece, 1..12).prop_map(move |pieces| {
        let stretch = |(start, length, odd): (usize, usize, String)| {
            let end = (start + length).min(chars.len());
            chars[start..end].iter().copied().chain(odd.chars().collect::<Vec<_>>()).collect()
        };
        pieces.into_iter().map(stretch).collect::<Vec<String>>().concat()
    })
}

/// A valid file with one stretch replaced.
fn bent_file(name: &str) -> impl Strategy<Value = String> + use<> {
    let chars: Vec<char> = valid_text(name).chars().collect();
    (0..chars.len(), 0..8_usize, "[\\[\\]{}=\"'.#\\n a0-9e_%smh-]{0,4}").prop_map(
        move |(start, length, odd)| {
            let end = (start + length).min(chars.len());
            let (before, after) = (&chars[..start], &chars[end..]);
            before.iter().collect::<String>() + &odd + &after.iter().collect::<String>()
        },
    )
}

fn shuffled_files() -> impl Strategy<Value = String> {
    prop_oneof![shuffled_file(VALID[0]), shuffled_file(VALID[1])]
}

fn bent_files() -> impl Strategy<Value = String> {
    prop_oneof![bent_file(VALID[0]), bent_file(VALID[1])]
}

fn few() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) }
}

/// Where a path begins.
const FIRST: &str = "(pool|instance|policy|event|client|zone|simulation|name)";
/// Parts of a path, known and unknown.
const PARTS: &str =
    r"(\.(a|\*|p|small|failover|b|set|weight|max_wait|zones|health_check|timeout)){0,5}";
/// Values, good and odd.
const VALUES: &str = r#"(\PC{0,12}|[0-9]{1,25}(s|ms|%|m)?|\{[ab= 0-9\{\}]{0,9}\}|none|\["x"\])"#;

/// Paths of the second file, and near misses.
const CHAIN_PATHS: &str = concat!(
    r"(pool\.(edge|web|job|\*)\.(calls|arrivals|failover)",
    r"(\.(web|store-a|\*|kind|every))?(\.(per_request|client))?",
    r"|instance\.(web|\*)\.resource",
    r"(\.(cpu|\*|slots|new)(\.(limit|held|per_request|base|when_full))?)?",
    r"|client\.(user|\*|eager)\.retry",
    r"(\.(backoff|base|jitter|budget|budget_rps|budget_size))?",
    r"|autoscaler\.(web|\*)",
    r"\.(target(\.(cpu|\*|web|edge-a)(\.(rps|cpu|\*))?)?|max|scale_up(\.pods)?)",
    r"|source\.(cron|\*)\.(to|demand_rps|arrivals\.kind))",
);
/// Values for them.
const CHAIN_VALUES: &str = concat!(
    r"([0-9]{1,3}(s|ms|%)?|\{\}|none|fixed|crash|batch|uniform|web-a",
    r#"|\{ (cpu|web|kind|limit) = (3|"batch"|\{\}|\{ held = 2 \}) \})"#,
);

proptest! {
    #![proptest_config(few())]

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes, &[]);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}", set in "\\PC{0,40}") {
        check(text.as_bytes(), &[set]);
    }

    #[test]
    fn shuffled_files_are_read(text in shuffled_files()) {
        check(text.as_bytes(), &[]);
    }

    #[test]
    fn bent_files_are_read(text in bent_files()) {
        check(text.as_bytes(), &[]);
    }

    #[test]
    fn any_override_is_read(first in FIRST, parts in PARTS, value in VALUES) {
        check(valid_text(VALID[0]).as_bytes(), &[format!("{first}{parts}={value}")]);
    }

    #[test]
    fn any_override_of_a_chain_is_read(path in CHAIN_PATHS, value in CHAIN_VALUES) {
        check(valid_text(VALID[1]).as_bytes(), &[format!("{path}={value}")]);
    }
}
