//! The fluid station at constant load against `oracles/queueing.csv`.

use zonefall::queueing::{Inflow, Load, Table, advance, response};

/// A stationary M/M/c/K station whose services take 1 s.
pub struct Row {
    pub servers: u32,
    pub erlangs: f64,
    pub limit: Option<u64>,
    pub block: f64,
    pub wait: f64,
    pub mean: f64,
    pub utilization: f64,
}

/// The oracle's rows.
pub fn rows() -> Vec<Row> {
    let text = include_str!("../oracles/queueing.csv");
    text.lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |i: usize| cells[i].parse::<f64>().expect("a number");
            Row {
                servers: cells[0].parse().expect("a count"),
                erlangs: number(1),
                limit: cells[2].parse().ok(),
                block: number(3),
                wait: number(5),
                mean: number(7),
                utilization: number(8),
            }
        })
        .collect()
}

#[test]
fn every_row_of_the_oracle() {
    let rows = rows();
    assert_eq!(rows.len(), 24);
    for row in rows {
        let table = Table::new(row.servers, row.limit);
        let mut load = Load::default();
        let inflow = Inflow {
            tries_rps: row.erlangs,
            probes_rps: 0.0,
            probes_bypass_limit: false,
            rate: 1.0,
            dispersion: 1.0,
            choice: 0.0,
            in_common: 0.0,
        };
        let mut flow = advance(&table, &mut load, &inflow, 1.0);
        for _ in 0..20_000 {
            flow = advance(&table, &mut load, &inflow, 1.0);
        }
        let latency = response(&table, &load, 1.0);
        let block = 1.0 - flow.admitted_tries / row.erlangs;
        let near = |got: f64, exact: f64, what: &str| {
            assert!(
                (got - exact).abs() <= 1e-3 * exact + 1e-7,
                "{what} of c={} a={} K={:?}: {got}, not {exact}",
                row.servers,
                row.erlangs,
                row.limit
            );
        };
        near(block, row.block, "blocking");
        near(load.mean, row.mean, "number in system");
        near(latency.mean_s() - 1.0, row.wait, "wait");
    }
}
