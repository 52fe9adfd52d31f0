//! The built-in examples: all of `topologies/`.

/// A topology file that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What `--example` takes: the file's name without its ending.
    pub name: &'static str,
    /// The whole file.
    pub text: &'static str,
}

impl Example {
    /// The first line of the file's comment: what it shows.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }
}

macro_rules! examples {
    ($($name:literal),* $(,)?) => {
        /// Every example, the one to start from first. A new one is a file and a line here.
        pub const EXAMPLES: &[Example] = &[$(Example {
            name: $name,
            text: include_str!(concat!("../../topologies/", $name, ".toml")),
        }),*];
    };
}

examples![
    "ten-lines",
    "planner-agent",
    "planner-agent-mitigations",
    "lose-one-of-three",
    "planned-drain",
    "canary-rollback",
    "uneven-zones",
    "nearest-neighbour",
    "zone-returns",
    "routing-asymmetry",
    "n-plus-two",
    "emergency-scale-out",
    "gray-zone",
    "ejection-limit-trap",
    "circuit-breaker-false-positive",
    "health-check-flapping",
    "proxy-slots-first",
    "retry-storm",
    "retry-budget",
    "client-timeout-storm",
    "shared-gate",
    "bulkheads",
    "metastable-store",
    "metastable-mongodb",
    "memory-crash",
    "three-layers",
    "planner-agent-autoscaled",
    "slow-start-llm",
];

#[cfg(test)]
mod tests {
    use super::EXAMPLES;
    use std::collections::BTreeSet;

    #[test]
    fn every_topology_is_an_example_and_says_what_it_shows() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/topologies");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
            .collect();
        let names: BTreeSet<String> = EXAMPLES.iter().map(|e| e.name.to_owned()).collect();
        assert_eq!(names, files);
        for example in EXAMPLES {
            assert!(example.text.starts_with("# ") && example.title().len() < 90);
        }
    }
}
