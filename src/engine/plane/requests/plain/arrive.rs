//! First tries and probes come, in exact order over the fleet.

use super::super::admission::{Admission, admission};
use super::super::books::End;
use super::super::choose;
use super::super::clock::Nanos;
use super::super::event::What;
use super::super::flow::{Crash, Flow, purpose};
use super::super::tries::PROBE;
use super::lane::{Guest, Work};
use crate::engine::retry::Failure;
use crate::engine::rng::Draws;

impl Flow {
    /// Lets everything happen that happens before `end`.
    pub(in super::super) fn run_plainly(&mut self, end: Nanos) {
        self.begin_waiting();
        self.coming.look(&self.senders);
        loop {
            let (arrival_at, sender) = self.coming.next();
            let probe_at = self.events.next_at();
            self.now = arrival_at.min(probe_at);
            if self.now >= end {
                break;
            }
            if arrival_at > probe_at {
                if let Some(What::Probe(station)) = self.events.pop() {
                    let pool = self.stations[station as usize].pool as usize;
                    self.catch_up(pool, self.now);
                    self.send_probe(station);
                }
            } else if self.is_alone(sender) {
                let (number, _) = self.take_arrivals(sender);
                let draws = self.bear_plainly(sender, number);
                self.send_plainly(sender, draws);
            } else {
                self.arrive_together_plainly(arrival_at);
            }
        }
        self.now = end;
        for pool in 0..self.desks.len() {
            self.catch_up(pool, end);
            // Whoever has a server works.
            let desk = &mut self.desks[pool];
            desk.working = desk.busy;
            desk.now.working_time = desk.now.busy_time;
        }
    }

    /// First tries of one instant, in an order drawn from the seed.
    fn arrive_together_plainly(&mut self, at: Nanos) {
        let mut gathered = Vec::new();
        while let (next_at, sender) = self.coming.next()
            && next_at == at
        {
            let (first, count) = self.take_arrivals(sender);
            for number in first..first + count {
                let draws = self.bear_plainly(sender, number);
                gathered.push((draws.bits(purpose::PLACE), sender, draws));
            }
        }
        gathered.sort_by_key(|(place, ..)| *place);
        for (_, sender, draws) in gathered {
            self.send_plainly(sender, draws);
        }
    }

    /// A request's first try.
    #[inline]
    fn bear_plainly(&mut self, origin: usize, number: u64) -> Draws {
        let sender = &mut self.senders[origin];
        sender.first += 1;
        self.desks[sender.home as usize].now.first += 1;
        self.books.arrive(self.now);
        self.users_tries.first += 1.0;
        Draws::of(sender.draws, number)
    }

    /// A try sets out from its client.
    #[inline]
    fn send_plainly(&mut self, origin: usize, draws: Draws) {
        let now = self.now;
        let home = self.senders[origin].home as usize;
        let Some(to) = choose::way(&self.desks[home], home, draws) else {
            if !self.falls_back(origin, now) {
                self.desks[home].now.shed += 1;
                self.books.end(now, End::Failed(Failure::Shed));
            }
            return;
        };
        let redirected = to != home;
        if redirected {
            self.desks[home].now.redirected_out += 1;
            self.desks[to].now.redirected_in += 1;
        }
        self.catch_up(to, now);
        let desk = &mut self.desks[to];
        let Some(index) = choose::instance(desk, &self.stations, draws) else {
            desk.now.lost += 1;
            self.books.end(now, End::Failed(Failure::Lost));
            return;
        };
        let station = index as usize;
        match admission(desk, &self.stations[station], draws) {
            Admission::Enters => {
                let guest = Guest { origin: origin as u32, redirected, sent: now, draws };
                self.enter_plainly(station, guest);
                return;
            }
            Admission::Rejected => {
                desk.now.rejected += 1;
                self.books.end(now, End::Failed(Failure::Rejected));
                return;
            }
            Admission::Lost => {}
            Admission::Crashes => {
                let resource = self.stations[station].crash_resource;
                self.crashes.push(Crash { station: index, resource, at: now });
                self.kill(station);
            }
        }
        self.desks[to].now.lost += 1;
        self.books.end(now, End::Failed(Failure::Lost));
    }

    /// A probe enters an instance.
    pub(in super::super) fn enter_probe_plainly(&mut self, station: usize, serial: u32, of: Draws) {
        let sent = Nanos::from(serial);
        let guest = Guest { origin: PROBE, redirected: false, sent, draws: of };
        self.enter_plainly(station, guest);
    }

    #[inline(always)]
    fn enter_plainly(&mut self, station: usize, guest: Guest) {
        let Some(plain) = &mut self.plain else { return };
        let left = i128::from(self.end - self.now);
        let there = &mut self.stations[station];
        let pool = there.pool as usize;
        let desk = &mut self.desks[pool];
        there.inside += 1;
        desk.present += 1;
        desk.now.present_time += left;
        if guest.origin != PROBE {
            there.tries += 1;
            desk.inside += 1;
            desk.now.inside_time += left;
            desk.now.peak = desk.now.peak.max(desk.inside);
        }
        if there.busy < there.servers {
            there.busy += 1;
            desk.busy += 1;
            desk.now.busy_time += left;
            let at = (station as u32, &*there);
            plain.working[pool].push(Work::begin(
                self.now,
                guest,
                at,
                desk,
                self.distributions[pool],
            ));
        } else {
            plain.waiting[station].push_back(guest);
        }
    }

    /// Servers that the boundary has added serve those that wait.
    fn begin_waiting(&mut self) {
        let Some(plain) = &mut self.plain else { return };
        let left = i128::from(self.end - self.now);
        for (index, waiting) in plain.waiting.iter_mut().enumerate() {
            if waiting.is_empty() {
                continue;
            }
            let there = &mut self.stations[index];
            while there.busy < there.servers
                && let Some(guest) = waiting.pop_front()
            {
                let pool = there.pool as usize;
                let desk = &mut self.desks[pool];
                there.busy += 1;
                desk.busy += 1;
                desk.now.busy_time += left;
                let kind = self.distributions[pool];
                let work = Work::begin(self.now, guest, (index as u32, &*there), desk, kind);
                plain.working[pool].push(work);
            }
        }
    }
}
