//! How cost and memory grow with the fleet: `cargo bench --bench fleet`.
//!
//! 100 zones × 10 services, 1 to 1,000 instances a pool, 600 steps, one zone lost, a row every ten
//! seconds, one core. Prints instance-steps a second, how much a step costs while nothing is steady
//! (demand rises all the time), and the most memory held at once: the engine with its graph alone,
//! and with the rows that reports are made from.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use zonefall::config;
use zonefall::engine::{self, LogEntry, Observer, Snapshot};
use zonefall::metric;
use zonefall::policy::Case;

/// Counts the bytes in use and their peak.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Watches nothing.
struct Nobody;

impl Observer for Nobody {
    fn start(&mut self, _: &Snapshot<'_>) {}
    fn happened(&mut self, _: &LogEntry) {}
    fn step(&mut self, _: &Snapshot<'_>) {}
}

const STEPS: f64 = 600.0;

fn fleet(instances_per_pool: u32, is_restless: bool) -> Case {
    let zones: Vec<String> = (0..100).map(|zone| format!("z{zone:02}")).collect();
    let quoted: Vec<String> = zones.iter().map(|zone| format!("\"{zone}\"")).collect();
    let mut text = String::from(
        "schema_version = 1\nname = \"fleet\"\n\
         [simulation]\nduration = \"300s\"\nstep = \"500ms\"\n\
         [instance.web]\nworkers = 10\nservice_time = \"100ms\"\nqueue_limit = 1000\n\
         [policy.unconditional]\nkind = \"unconditional\"\n\
         [event.fails]\nat = \"60s\"\nkind = \"zone-outage\"\nzone = \"z00\"\n",
    );
    for zone in &zones {
        text += &format!("[zone.{zone}]\n");
    }
    for service in 0..10 {
        text += &format!(
            "[pool.s{service}]\nzones = [{}]\ninstance = \"web\"\nservice = \"s{service}\"\n\
             instances = {instances_per_pool}\ndemand_rps = {}\n",
            quoted.join(", "),
            70 * instances_per_pool
        );
        if is_restless {
            for zone in &zones {
                text += &format!(
                    "[event.rise-{service}-{zone}]\nat = \"0s\"\nover = \"300s\"\n\
                     kind = \"surge\"\npool = \"s{service}-{zone}\"\nfactor = 1.3\n"
                );
            }
        }
    }
    match config::load("fleet.toml", text.as_bytes(), &["simulation.plane=fluid".to_owned()]) {
        Ok(mut loaded) => loaded.cases.remove(0),
        Err(rejected) => panic!("the fleet is valid: {:?}", rejected.problems),
    }
}

/// Seconds and peak bytes of a piece of work, over what was in use before.
fn measured(work: impl FnOnce()) -> (f64, usize) {
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let start = Instant::now();
    work();
    (start.elapsed().as_secs_f64(), PEAK.load(Ordering::Relaxed) - before)
}

fn engine_alone(case: &Case) {
    engine::run(case, 20, &mut Nobody);
}

fn main() {
    println!(
        "{:>9} {:>12} {:>12} {:>10} {:>12} {:>14} {:>14}",
        "instances", "all s", "M steps/s", "restless s", "M steps/s", "engine B/inst", "all B/inst"
    );
    for per_pool in [1_u32, 10, 100, 1_000] {
        let instances = f64::from(per_pool) * 1_000.0;
        let before = IN_USE.load(Ordering::Relaxed);
        let case = fleet(per_pool, false);
        let described = IN_USE.load(Ordering::Relaxed) - before;
        let (all_s, all_bytes) = measured(|| drop(metric::simulate(&case, 20)));
        let (_, engine_bytes) = measured(|| engine_alone(&case));
        let restless = fleet(per_pool, true);
        let (restless_s, _) = measured(|| drop(metric::simulate(&restless, 20)));
        let million = instances * STEPS / 1e6;
        println!(
            "{instances:>9} {all_s:>12.3} {:>12.1} {restless_s:>10.3} {:>12.1} {:>14.0} {:>14.0}",
            million / all_s,
            million / restless_s,
            (engine_bytes + described) as f64 / instances,
            (all_bytes + described) as f64 / instances,
        );
    }
}
