//! What resources, retries, calls, sources, autoscalers and phases mean.

use zonefall::config::Loaded;
use zonefall::model::{
    Action, Arrivals, AutoscalerSetting, Backoff, Budget, CallMode, Change, Client, ClientId,
    ClientSetting, InstanceKind, Jitter, OriginKind, Plane, Pool, PoolId, PoolSetting, Resource,
    ResourceUse, Retry, ScaleAmount, ScaleMetric, ScaleSelect, Scenario, ServiceDistribution,
    Surged, WhenFull,
};

use super::{folder, load_file};

fn chain() -> Loaded {
    load_file(&folder("valid").join("chain.toml")).expect("a valid file")
}

fn world(loaded: &Loaded, policy: &str) -> Scenario {
    let case = loaded.cases.iter().find(|case| case.policy.name == policy);
    case.expect("the policy").scenario.clone()
}

fn kind<'a>(world: &'a Scenario, name: &str) -> &'a InstanceKind {
    world.kinds.iter().find(|kind| kind.name == name).expect("the instance kind")
}

fn client<'a>(world: &'a Scenario, name: &str) -> &'a Client {
    world.clients.iter().find(|client| client.name == name).expect("the client")
}

fn id(world: &Scenario, name: &str) -> PoolId {
    let index = world.pools.iter().position(|pool| pool.name == name);
    PoolId::from_index(index.expect("the pool"))
}

fn pool<'a>(world: &'a Scenario, name: &str) -> &'a Pool {
    &world.pools[id(world, name).index()]
}

#[test]
fn instances_have_what_the_file_gives_them() {
    let world = world(&chain(), "none");
    let proxy = kind(&world, "proxy");
    assert_eq!((proxy.workers, proxy.service_time.get()), (None, 0.0));
    let held = |held, base, when_full| ResourceUse::Held { held, base, when_full };
    let resource = |name: &str, limit, usage| Resource { name: name.to_owned(), limit, usage };
    assert_eq!(
        proxy.resources,
        [
            resource("memory", 4096.0, held(4.0, 512.0, WhenFull::Crash)),
            resource("slots", 500.0, held(1.0, 0.0, WhenFull::Reject)),
        ]
    );
    let web = kind(&world, "web");
    assert_eq!(web.service_distribution, ServiceDistribution::Lognormal { cv: 1.5 });
    assert!(web.workers_held_during_calls && !proxy.workers_held_during_calls);
    let consumed = |per_request| ResourceUse::Consumed { per_request };
    assert_eq!(
        web.resources,
        [
            resource("connections", 100.0, held(1.0, 0.0, WhenFull::Queue)),
            resource("cpu", 4.0, consumed(0.005)),
            resource("tokens", 100_000.0, consumed(25.0)),
        ]
    );
    let store = kind(&world, "store");
    assert_eq!(store.service_distribution, ServiceDistribution::Deterministic);
    assert_eq!(store.resources, [resource("rate", 2000.0, consumed(1.0))]);
}

#[test]
fn clients_retry_as_the_file_says() {
    let world = world(&chain(), "none");
    let user = client(&world, "user");
    assert!(user.cancel && !client(&world, "plain").cancel);
    let retry = user.retry.expect("retries");
    let Backoff::Exponential { base, most } = retry.backoff else { panic!("{retry:?}") };
    assert_eq!((base.get(), most.map(|most| most.get())), (0.2, Some(2.0)));
    assert_eq!((retry.max_attempts, retry.jitter, retry.on_shed), (4, Jitter::Full, true));
    let Some(Budget::Ratio(ratio)) = retry.budget else { panic!("{retry:?}") };
    assert_eq!(ratio.get(), 0.1);

    let retry = client(&world, "steady").retry.expect("retries");
    let Backoff::Fixed { base } = retry.backoff else { panic!("{retry:?}") };
    assert_eq!((base.get(), retry.jitter, retry.on_shed), (0.05, Jitter::None, false));
    let Some(Budget::Bucket { rate, size }) = retry.budget else { panic!("{retry:?}") };
    assert_eq!((rate.get(), size), (20.0, 100.0));

    assert_eq!(client(&world, "eager").retry.expect("retries").backoff, Backoff::None);
    let Retry { max_attempts, backoff, jitter, budget, on_shed } =
        client(&world, "plain").retry.expect("retries");
    let Backoff::Exponential { base, most: None } = backoff else { panic!("{backoff:?}") };
    assert_eq!(
        (max_attempts, base.get(), jitter, budget, on_shed),
        (3, 0.1, Jitter::Full, None, true)
    );
    assert_eq!(client(&world, "default").retry, None);
}

#[test]
fn a_call_to_a_pool_in_several_zones_stays_in_the_callers() {
    let world = world(&chain(), "none");
    for zone in ["a", "b"] {
        let edge = pool(&world, &format!("edge-{zone}"));
        let calls: Vec<_> = edge
            .calls
            .iter()
            .map(|call| {
                let client = &world.clients[call.client.index()].name;
                (world.pools[call.to.index()].name.as_str(), call.per_request, client.as_str())
            })
            .collect();
        let web = format!("web-{zone}");
        assert_eq!(calls, [("store-a", 0.5, "plain"), (web.as_str(), 1.0, "steady")]);
        assert_eq!(edge.call_mode, CallMode::Parallel);
        assert!(!edge.has_demand);
    }
    let before = |one: &str, other: &str| {
        let place = |name| world.call_order.iter().position(|pool| *pool == id(&world, name));
        place(one) < place(other)
    };
    assert!(before("edge-a", "web-a") && before("web-a", "store-b"));
}

#[test]
fn sources_and_arrivals_have_their_demands() {
    let world = world(&chain(), "none");
    let sources: Vec<_> = world
        .sources
        .iter()
        .map(|source| {
            let to = world.pools[source.to.index()].name.as_str();
            (source.name.as_str(), to, source.demand.get(), source.arrivals)
        })
        .collect();
    let every = |seconds| zonefall::units::Seconds::new(seconds).expect("a time");
    assert_eq!(
        sources,
        [
            ("cron", "web-a", 10.0, Arrivals::BatchOf(20)),
            ("users-a", "edge-a", 120.0, Arrivals::Uniform),
            ("users-b", "edge-b", 50.0, Arrivals::BatchEvery(every(0.1))),
        ]
    );
    let job = pool(&world, "job");
    assert_eq!((job.demand.get(), job.arrivals), (15.0, Arrivals::BatchEvery(every(2.0))));
    // Three instances of 2,000 rps, of which a tenth is used.
    let store = pool(&world, "store-a");
    assert!((store.demand.get() - 600.0).abs() < 1e-9);
    assert_eq!(store.arrivals, Arrivals::BatchEvery(every(0.01)));
    let load_rps = world.home_load_rps();
    let web = id(&world, "web-a").index();
    assert_eq!(load_rps[web], 120.0 + 10.0);
    // Both edges call it half a time.
    assert!((load_rps[id(&world, "store-a").index()] - (600.0 + 60.0 + 25.0)).abs() < 1e-9);
    let of_calls = |kind: &OriginKind| matches!(kind, OriginKind::Call { .. });
    let calls = world.origins.iter().filter(|origin| of_calls(&origin.kind)).count();
    assert_eq!((world.origins.len(), calls), (3 + 3 + 6, 6));
}

#[test]
fn headroom_of_a_pool_that_makes_calls_counts_their_latency() {
    let text = std::fs::read_to_string(folder("valid").join("chain.toml")).expect("a file");
    let sets = ["pool.web.headroom=0%", "pool.web.headroom_of=load"];
    let world = world(&super::accepted("chain.toml", &text, &sets), "none");
    // 16 workers, held for 20 ms and two calls of 5 ms.
    let capacity_rps = 4.0 * 16.0 / 0.03;
    assert!((pool(&world, "web-a").demand.get() - capacity_rps).abs() < 1e-9);
}

#[test]
fn autoscalers_have_their_rules() {
    let world = world(&chain(), "none");
    let [web] = world.autoscalers.as_slice() else { panic!("one autoscaler") };
    let targets: Vec<_> = web
        .targets
        .iter()
        .map(|target| (target.signal.pool, target.signal.metric.clone(), target.value))
        .collect();
    let resource = |name: &str| ScaleMetric::Resource(name.to_owned());
    assert_eq!(
        targets,
        [
            (None, resource("cpu"), 0.7),
            (Some(id(&world, "edge-a")), ScaleMetric::InFlight, 12.0),
            (None, ScaleMetric::Rps, 40.0),
            (Some(id(&world, "store-a")), resource("rate"), 0.9),
            (None, resource("workers"), 0.8),
        ]
    );
    assert_eq!((web.min, web.max, web.sync_period.get(), web.ideal), (2, 40, 30.0, false));
    assert_eq!(web.tolerance, 0.05);
    let [up] = web.scale_up.policies.as_slice() else { panic!("one limit") };
    assert_eq!((up.amount, up.period.get()), (ScaleAmount::Pods(2), 60.0));
    assert_eq!(web.scale_up.select, ScaleSelect::Min);
    assert_eq!(web.scale_up.stabilization.get(), 0.0);
    let [down] = web.scale_down.policies.as_slice() else { panic!("one limit") };
    assert_eq!((down.amount, down.period.get()), (ScaleAmount::Percent(1.0), 15.0));
    assert_eq!(web.scale_down.select, ScaleSelect::Disabled);
    assert_eq!(web.scale_down.stabilization.get(), 0.0);
    let sized = world.pools.iter().filter(|pool| pool.autoscaler.is_some());
    assert_eq!(sized.map(|pool| pool.name.as_str()).collect::<Vec<_>>(), ["web-a", "web-b"]);
}

#[test]
fn autoscalers_default_to_those_of_kubernetes() {
    let text = std::fs::read_to_string(folder("valid").join("lose-one-of-three.toml"));
    let more = "[autoscaler.web]\ntarget.workers = \"70%\"\nmax = 9\n";
    let text = text.expect("a file") + more;
    let world = super::accepted("x.toml", &text, &["pool.web.autoscaler=web"]);
    let web = &world.cases[0].scenario.autoscalers[0];
    assert_eq!(web.scale_up, zonefall::model::ScaleRules::default_up());
    assert_eq!(web.scale_down, zonefall::model::ScaleRules::default_down());
    assert_eq!((web.min, web.sync_period.get(), web.tolerance), (1, 15.0, 0.1));
}

#[test]
fn events_are_about_sources_and_zones() {
    let world = world(&chain(), "none");
    let action = |name: &str| {
        let event = world.events.iter().find(|event| event.name == name);
        event.expect("the event").action.clone()
    };
    let Action::Surge { of: Surged::Source(source), .. } = action("rush") else { panic!() };
    assert_eq!(world.sources[source.index()].name, "users-a");
    let Action::LaunchesRefused { pools } = action("sold-out") else { panic!() };
    let names: Vec<_> = pools.iter().map(|pool| world.pools[pool.index()].name.as_str()).collect();
    assert_eq!(names, ["edge-a", "job", "store-a", "web-a"]);
    let Action::Set { changes } = action("knobs") else { panic!() };
    let client = |setting, value| Change::Client { client: ClientId(4), setting, value };
    assert_eq!(world.clients[4].name, "user");
    let autoscaler = |setting, value| Change::Autoscaler {
        autoscaler: zonefall::model::AutoscalerId(0),
        setting,
        value,
    };
    assert!(matches!(changes[0], Change::ResourceLimit { resource: 1, value: 2.0, .. }));
    assert_eq!(changes[1], client(ClientSetting::MaxAttempts, Some(1.0)));
    assert_eq!(changes[2], client(ClientSetting::BudgetRatio, Some(0.2)));
    assert!(matches!(changes[4], Change::SourceDemand { value: 0.0, .. }));
    assert_eq!(
        changes[5..10],
        [
            autoscaler(AutoscalerSetting::Min, 3.0),
            autoscaler(AutoscalerSetting::Max, 30.0),
            autoscaler(AutoscalerSetting::Target(0), 0.6),
            autoscaler(AutoscalerSetting::Target(3), 0.5),
            autoscaler(AutoscalerSetting::Target(2), 30.0),
        ]
    );
    let (pool, setting) = (id(&world, "store-a"), PoolSetting::Demand);
    assert_eq!(changes[10], Change::Pool { pool, setting, value: 3000.0 });
}

#[test]
fn phases_come_by_their_beginning() {
    let world = world(&chain(), "none");
    let phases: Vec<_> = world
        .phases
        .iter()
        .map(|phase| (phase.name.as_str(), phase.from.get(), phase.until.get()))
        .collect();
    assert_eq!(phases, [("calm", 0.0, 60.0), ("storm", 60.0, 120.0)]);
}

#[test]
fn a_policy_sets_calls_autoscalers_and_sources() {
    let loaded = chain();
    let tuned = world(&loaded, "tuned");
    for zone in ["a", "b"] {
        let calls = &pool(&tuned, &format!("edge-{zone}")).calls;
        assert_eq!(calls.iter().map(|call| call.per_request).collect::<Vec<_>>(), [0.5, 3.0]);
    }
    assert_eq!(tuned.autoscalers[0].max, 50);
    assert_eq!(client(&tuned, "user").retry.expect("retries").budget, None);
    assert_eq!(tuned.sources[0].demand.get(), 12.0);
    assert_eq!(kind(&tuned, "web").resources[1].limit, 8.0);
    let rewired = world(&loaded, "rewired");
    let called: Vec<_> = pool(&rewired, "edge-a")
        .calls
        .iter()
        .map(|call| rewired.pools[call.to.index()].name.as_str())
        .collect();
    assert_eq!(called, ["store-b", "web-a"]);
    assert_eq!(pool(&rewired, "web-b").autoscaler, None);
}

#[test]
fn a_plane_is_the_same_for_all_and_goes_by_the_file_alone() {
    let loaded = chain();
    assert_eq!(loaded.plane.auto_for, None);
    assert!(loaded.cases.iter().all(|case| case.scenario.simulation.plane == Plane::Requests));
    assert!(loaded.resolved.contains("plane = \"requests\""));

    let path = folder("valid").join("lose-one-of-three.toml");
    let text = std::fs::read_to_string(path).expect("a file");
    // Three pools of 280 rps over 300 s under two policies.
    let tries = Some(3.0 * 280.0 * 300.0 * 2.0);
    let auto = |sets: &[&str]| {
        let loaded = super::accepted("x.toml", &text, sets);
        (loaded.plane.auto_for, loaded.resolved.contains("plane = \"auto\""))
    };
    assert_eq!(auto(&[]), (tries, true));
    let others = ["pool.web.demand_rps=1", "simulation.duration=70s", "simulation.step=1s"];
    assert_eq!(auto(&others), (tries, true));
    for plane in [Plane::Fluid, Plane::Requests] {
        let set = format!("simulation.plane={}", plane.word());
        assert_eq!(auto(&[&set]), (None, false));
        let loaded = super::accepted("x.toml", &text, &[&set]);
        assert!(loaded.cases.iter().all(|case| case.scenario.simulation.plane == plane));
    }
}

/// What is printed says every default, and a policy's word may leave no room for some of them.
#[test]
fn an_override_of_a_word_drops_what_means_nothing_beside_it() {
    let path = folder("valid").join("chain.toml");
    let text = std::fs::read_to_string(path).expect("a file")
        + "[policy.plain]\nkind = \"none\"\n[policy.plain.set]\n\
           \"client.user.retry.backoff\" = \"none\"\n\
           \"client.plain.retry.backoff\" = \"none\"\n\
           \"instance.web.service_distribution\" = \"exponential\"\n\
           \"pool.store.arrivals.kind\" = \"uniform\"\n\
           \"pool.job.balancing\" = \"random\"\n";
    let set = ["pool.job.balancing=least-request"];
    let loaded = super::accepted("chain.toml", &text, &set);
    let again = super::accepted("chain.toml", &loaded.resolved, &[]);
    assert_eq!(super::cases(&again), super::cases(&loaded));
    let plain = world(&again, "plain");
    for name in ["user", "plain"] {
        assert_eq!(client(&plain, name).retry.expect("retries").backoff, Backoff::None);
    }
    assert_eq!(kind(&plain, "web").service_distribution, ServiceDistribution::Exponential);
    assert_eq!(pool(&plain, "store-b").arrivals, Arrivals::Uniform);
}
