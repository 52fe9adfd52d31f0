"""One M/M/c station in SimPy, Ciw and zonefall: requests a second of each.

c = 10 workers, utilization 0.8, a mean service time of 100 ms: the mean number in system of the
Erlang C formula is 9.637, so that each program also shows that it simulates the same station.

    python mmc.py [--requests N] [--repeat N] [path of a zonefall binary]
"""

import argparse
import csv
import pathlib
import random
import subprocess
import tempfile
import time

WORKERS = 10
SERVICE_S = 0.1
RATE_RPS = 0.8 * WORKERS / SERVICE_S

TOPOLOGY = """\
schema_version = 1
name = "mmc"

[simulation]
duration = "{duration_s}s"
step = "1s"
seed = {seed}

[instance.station]
workers = {workers}
service_time = "{service_ms}ms"
speed_spread = 0

[instance.station.health_check]
kind = "shallow"
interval = "10s"
timeout = "1s"

[zone.only]

[pool.station]
zone = "only"
instance = "station"
instances = 1
demand_rps = {rate_rps}

[policy.none]
kind = "none"
"""


def run_simpy(requests, seed):
    """Arrivals and services as processes; returns the mean number in system."""
    import simpy

    draw = random.Random(seed)
    env = simpy.Environment()
    station = simpy.Resource(env, capacity=WORKERS)
    total_s = 0.0

    def request():
        nonlocal total_s
        arrived_s = env.now
        with station.request() as turn:
            yield turn
            yield env.timeout(draw.expovariate(1.0 / SERVICE_S))
        total_s += env.now - arrived_s

    def arrivals():
        for _ in range(requests):
            yield env.timeout(draw.expovariate(RATE_RPS))
            env.process(request())

    env.process(arrivals())
    env.run()
    return total_s / env.now


def run_ciw(requests, seed):
    """A network of one node, until so many requests are done; returns the mean in system."""
    import ciw

    ciw.seed(seed)
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(rate=RATE_RPS)],
        service_distributions=[ciw.dists.Exponential(rate=1.0 / SERVICE_S)],
        number_of_servers=[WORKERS],
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(requests, method="Finish")
    records = simulation.get_all_records()
    inside_s = sum(record.exit_date - record.arrival_date for record in records)
    return inside_s / max(record.exit_date for record in records)


def run_zonefall(binary, requests, seed):
    """Writes a topology, runs it; returns the mean number in system of the last row."""
    duration_s = round(requests / RATE_RPS)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "mmc.toml")
        file.write_text(
            TOPOLOGY.format(
                duration_s=duration_s,
                seed=seed,
                workers=WORKERS,
                service_ms=round(1000 * SERVICE_S),
                rate_rps=RATE_RPS,
            )
        )
        out = pathlib.Path(folder, "out")
        command = [binary, "run", file, "--plane", "requests", "--no-charts", "--quiet"]
        command += ["--sample", f"{duration_s}s", "--out", out]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(out / "timeline.csv", newline="") as timeline:
            row = list(csv.DictReader(timeline))[-1]
    # Little's law: the mean latency of the whole run.
    return float(row["completed_rps"]) * float(row["latency_mean_s"])


def fastest(run, requests, repeat):
    """Requests a second of the fastest of some runs, and the mean number in system of the last."""
    best_s = float("inf")
    for seed in range(1, repeat + 1):
        began_s = time.perf_counter()
        inside = run(requests, seed)
        best_s = min(best_s, time.perf_counter() - began_s)
    return requests / best_s, inside


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("binary", nargs="?", help="path of a zonefall binary (release build)")
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=1, help="runs of each; the fastest counts")
    args = parser.parse_args()
    peers = {"simpy": run_simpy, "ciw": run_ciw}
    if args.binary:
        binary = pathlib.Path(args.binary).resolve()
        peers["zonefall"] = lambda requests, seed: run_zonefall(binary, requests, seed)
    speeds = {}
    print(f"{'':10} {'requests/s':>12} {'in system':>10}   (Erlang C: 9.637)")
    for name, run in peers.items():
        speeds[name], inside = fastest(run, args.requests, args.repeat)
        print(f"{name:10} {speeds[name]:12,.0f} {inside:10.3f}", flush=True)
    if "zonefall" in speeds:
        for name in ("simpy", "ciw"):
            print(f"zonefall is {speeds['zonefall'] / speeds[name]:,.1f} times as fast as {name}")


if __name__ == "__main__":
    main()
