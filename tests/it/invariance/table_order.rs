//! The order of `[zone.*]`, `[pool.*]`, `[instance.*]` tables is that of rows, and nothing else.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use zonefall::metric::simulate;
use zonefall::report::{Artifact, csv, runs};

use super::shipped;

/// The text before the first table, and the tables: each from its header to the next.
fn tables(text: &str) -> (String, Vec<String>) {
    let mut head = String::new();
    let mut tables: Vec<String> = vec![];
    for line in text.lines() {
        if line.starts_with('[') {
            tables.push(String::new());
        }
        let here = tables.last_mut().unwrap_or(&mut head);
        here.push_str(line);
        here.push('\n');
    }
    (head, tables)
}

fn may_move(table: &str) -> bool {
    ["[zone.", "[pool.", "[instance."].iter().any(|start| table.starts_with(start))
}

/// The same file with its zones, pools and instance kinds in a drawn order, all over the file.
fn shuffled(text: &str, seed: u64) -> (String, usize) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (head, tables) = tables(text);
    let (mut movable, others): (Vec<_>, Vec<_>) = tables.into_iter().partition(|t| may_move(t));
    for last in (1..movable.len()).rev() {
        movable.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
    let count = movable.len();
    let all: Vec<String> = movable.into_iter().chain(others).collect();
    (head + &all.concat(), count)
}

fn csv_files(file: &std::path::Path, text: &str, plane: &str) -> Vec<Artifact> {
    let loaded = shipped::load(file, text, &[plane]);
    let results: Vec<_> = loaded.cases.iter().map(|case| simulate(case, 4)).collect();
    let runs = runs(&loaded.cases, &results);
    vec![
        csv::comparison_csv(&runs),
        csv::fleet_csv(&runs),
        csv::timeline_csv(&runs),
        csv::events_csv(&runs),
    ]
}

fn sorted_lines(artifact: &Artifact) -> Vec<&str> {
    let text = std::str::from_utf8(&artifact.bytes).expect("text");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

const FLUID: &str = "simulation.plane=fluid";
const AUTO: &str = "simulation.plane=auto";

#[test]
fn shuffled_tables_give_the_same_rows_in_every_csv() {
    let mut moved_rows = 0;
    for file in shipped::files() {
        let text = shipped::text(&file);
        // Request by request a run takes longer.
        for (seed, plane) in [(1, FLUID), (3, AUTO)] {
            let plain = csv_files(&file, &text, plane);
            let (other, movable) = shuffled(&text, seed);
            if movable < 3 {
                // Its tables are written in one line each.
                continue;
            }
            let shuffled = csv_files(&file, &other, plane);
            for (a, b) in plain.iter().zip(&shuffled) {
                let (one, two) = (sorted_lines(a), sorted_lines(b));
                let first = one.iter().zip(&two).find(|(one, two)| one != two);
                let place = format!("{}, {}, shuffle {seed}", file.display(), a.file_name);
                assert_eq!(first, None, "{place}");
                assert_eq!(one.len(), two.len(), "{place}");
                moved_rows += usize::from(a.bytes != b.bytes);
            }
            // Policies and times keep their order.
            assert_eq!(plain[0], shuffled[0], "{}", file.display());
            assert_eq!(plain[1], shuffled[1], "{}", file.display());
        }
    }
    assert!(moved_rows >= 7, "the shuffles moved nothing");
}
