//! The coherence protocol: requests for lines, and stores on their way into the cache.
//!
//! A request is decided when it arrives at the line's holder: the line is *granted* at the earliest moment at which
//! it may move, and its data arrive the rest of a transfer later. Requests for one line are thus served in the order
//! of their arrival, so those from nearby overtake those from afar, and a line's directory entry describes it after
//! all grants so far. A CPU whose copy has been granted away keeps it until that moment.
//!
//! Stores wait in the store buffer and are written in order. When each is written follows from what is known,
//! so no event is needed: whoever is granted a line first lets its holder write what is due before the grant,
//! and the holder must ask again for a line that went away before its store was written.

use crate::account::Label;
use crate::cpu::{ONE, PendingStore, State};
use crate::engine::Engine;
use crate::lines::{Hold, Line, NOBODY};
use crate::time::Time;
use rand::Rng;

/// What a line is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
    Locked,
}

/// When a requested line comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// The value is bound, and other copies end.
    pub(crate) grant: Time,
    /// The line is in the requester's cache.
    pub(crate) data: Time,
}

/// A line that was granted away before a store to it was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostLine {
    cpu: usize,
    line: usize,
    at: Time,
}

impl Engine {
    /// When a request that leaves at `issue` is at the line's holder.
    #[inline]
    pub(crate) fn arrival_time(&self, cpu: usize, line: usize, issue: Time) -> Time {
        let latency = self.transfer_latency(cpu, line, self.lines.table[line].holder);
        issue + Time(latency.0 * self.fractions.request / ONE)
    }

    /// Serves a request that has arrived.
    pub(crate) fn serve(&mut self, cpu: usize, line: usize, purpose: Purpose, arrived: Time) -> Arrival {
        let arrival = self.serve_line(cpu, line, purpose, arrived);
        if !self.lost.is_empty() {
            self.reacquire_lost();
        }
        arrival
    }

    /// Asks for a line at `issue` and serves the request at once, before others that may arrive earlier: for stores,
    /// whose CPU does not wait, and blocks of lines.
    fn request_line(&mut self, cpu: usize, line: usize, purpose: Purpose, issue: Time) -> Arrival {
        let arrived = self.arrival_time(cpu, line, issue);
        self.serve_line(cpu, line, purpose, arrived)
    }

    fn serve_line(&mut self, cpu: usize, line: usize, purpose: Purpose, arrived: Time) -> Arrival {
        let entry = self.lines.table[line];
        self.transfers[entry.label.0 as usize] += 1;
        let draw = self.cpus[cpu].jitter.next_u32();
        let latency = self.jittered(self.transfer_latency(cpu, line, entry.holder), draw);
        let request = Time(latency.0 * self.fractions.request / ONE);
        let grant = arrived.max(entry.available);
        let previous = entry.holder as usize;
        let taken_from = entry.exclusive && previous != cpu;
        let stores_pending = taken_from && !self.cpus[previous].stores.is_empty();
        if stores_pending {
            self.write_back(previous, grant);
        }
        let requester = &mut self.cpus[cpu];
        let data = (grant + latency - request).max(requester.last_arrival + requester.costs.line_gap);
        requester.last_arrival = data;

        let reads = purpose == Purpose::Read;
        let moves = !reads || entry.holder == NOBODY || (entry.modified && self.migratory_reads);
        let available = if moves {
            self.grant_exclusive(cpu, line, &entry, grant);
            data + draw_hold(Time(latency.0 * self.fractions.hold(purpose) / ONE), draw)
        } else {
            self.grant_shared(cpu, line, &entry, grant);
            if entry.modified {
                data + Time(latency.0 * self.fractions.load_hold / ONE)
            } else {
                grant + self.read_service
            }
        };
        self.lines.table[line] = Line {
            available,
            holder: cpu as u32,
            writer: if reads { entry.writer } else { cpu as u32 },
            exclusive: moves,
            modified: !reads,
            label: entry.label,
        };
        if stores_pending {
            self.note_lost(previous, line, grant);
        }
        Arrival { grant, data }
    }

    /// Notes that a CPU lost a line at `at`, if a store of its still waits for it.
    #[inline]
    fn note_lost(&mut self, cpu: usize, line: usize, at: Time) {
        if self.cpus[cpu].stores.iter().any(|store| store.line as usize == line) {
            self.lost.push(LostLine { cpu, line, at });
        }
    }

    /// How long a dependent load by `cpu` of this line takes when nothing is in its way.
    #[inline]
    fn transfer_latency(&self, cpu: usize, line: usize, holder: u32) -> Time {
        let supplier = match holder {
            NOBODY => None,
            holder if holder as usize == cpu => self.lines.another_sharer(line, cpu),
            holder => Some(holder as usize),
        };
        match supplier {
            Some(supplier) => self.latencies[supplier * self.cpus.len() + cpu],
            None if holder == NOBODY => self.memory_latency,
            None => Time::ZERO,
        }
    }

    /// A latency as it is this time, by the upper half of a draw.
    #[inline]
    fn jittered(&self, latency: Time, draw: u32) -> Time {
        let draw = i64::from(draw >> 16) - (1 << 15);
        let most = (latency.0 * self.fractions.jitter / ONE) as i64;
        Time(latency.0.saturating_add_signed((most * draw) >> 15))
    }

    #[inline]
    fn grant_exclusive(&mut self, cpu: usize, line: usize, entry: &Line, grant: Time) {
        if entry.exclusive {
            if entry.holder as usize != cpu {
                self.end_hold(entry.holder as usize, line, grant);
            }
        } else {
            while let Some(sharer) = self.lines.take_sharer(line) {
                if sharer != cpu {
                    self.end_hold(sharer, line, grant);
                }
            }
        }
        *self.lines.hold(line, cpu) = Hold { read_until: Time::NEVER, write_until: Time::NEVER };
    }

    /// A CPU's copy of a line is good until `grant` only.
    #[inline]
    fn end_hold(&mut self, cpu: usize, line: usize, grant: Time) {
        let hold = self.lines.hold(line, cpu);
        hold.read_until = hold.read_until.min(grant);
        hold.write_until = hold.write_until.min(grant);
        if self.cpus[cpu].state == State::Parked {
            self.wake(cpu, grant);
        }
    }

    fn grant_shared(&mut self, cpu: usize, line: usize, entry: &Line, grant: Time) {
        if entry.exclusive {
            let hold = self.lines.hold(line, entry.holder as usize);
            hold.write_until = hold.write_until.min(grant);
            self.lines.add_sharer(line, entry.holder as usize);
        }
        self.lines.add_sharer(line, cpu);
        self.lines.hold(line, cpu).read_until = Time::NEVER;
    }

    /// Writes what is due in a CPU's store buffer until a moment.
    #[inline]
    pub(crate) fn write_back(&mut self, cpu: usize, until: Time) {
        while let Some(store) = self.cpus[cpu].stores.front().copied() {
            if store.commit > until {
                break;
            }
            self.cpus[cpu].stores.pop_front();
            if store.bytes != 0 {
                self.arena.write(store.offset as usize, store.bytes, store.value);
            }
            let entry = &mut self.lines.table[store.line as usize];
            if entry.holder as usize == cpu {
                entry.available = entry.available.max(store.commit);
            }
        }
    }

    /// Makes the line writable for a store that could otherwise be written at `earliest`; returns when it is
    /// written.
    pub(crate) fn own_for_store(&mut self, cpu: usize, line: usize, issue: Time, earliest: Time) -> Time {
        let hold = *self.lines.hold(line, cpu);
        if hold.write_until > earliest {
            if hold.write_until == Time::NEVER {
                self.lines.table[line].modified = true;
            }
            return earliest;
        }
        earliest.max(self.request_line(cpu, line, Purpose::Write, issue).data)
    }

    /// Puts a store into the buffer and deals with the lines that others lost to it.
    pub(crate) fn buffer_store(&mut self, cpu: usize, store: PendingStore) {
        self.cpus[cpu].drained = store.commit;
        self.cpus[cpu].stores.push_back(store);
        self.reacquire_lost();
    }

    /// Lets CPUs ask again for lines that were granted away before their stores were written.
    pub(crate) fn reacquire_lost(&mut self) {
        while let Some(LostLine { cpu, line, at }) = self.lost.pop() {
            // Stores due by then were written on the grant; the first one left to this line asks again.
            let Some(first) = self.cpus[cpu].stores.iter().position(|store| store.line as usize == line) else {
                continue;
            };
            if self.lines.table[line].holder as usize == cpu {
                continue;
            }
            self.reschedule_stores(cpu, first, at);
        }
    }

    /// Works out anew when the stores from number `first` on are written; that one's line was lost at `lost_at`.
    fn reschedule_stores(&mut self, cpu: usize, first: usize, lost_at: Time) {
        let drain = self.cpus[cpu].costs.drain;
        let before = if first == 0 { Time::ZERO } else { self.cpus[cpu].stores[first - 1].commit + drain };
        let store = self.cpus[cpu].stores[first];
        let line = store.line as usize;
        let head = store.ready.max(before);
        let mut commit = head.max(self.request_line(cpu, line, Purpose::Write, head.max(lost_at)).data);
        let count = self.cpus[cpu].stores.len();
        for index in first..count {
            let store = &mut self.cpus[cpu].stores[index];
            if index > first {
                commit = store.commit.max(commit + drain);
            }
            store.commit = commit;
        }
        self.cpus[cpu].drained = commit;
    }
}

/// How long a line stays at least, this time: between nothing and twice the mean, by the lower half of a draw. When
/// the next request gets its turn relative to what the holder is doing varies from tenure to tenure; without this,
/// CPUs fall into step and some never win a compare-exchange.
#[inline]
fn draw_hold(mean: Time, draw: u32) -> Time {
    Time((mean.0 * u64::from(draw & 0xffff)) >> 15)
}

/// The coherence costs' ratios, as fixed-point numbers with [`ONE`] for one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fractions {
    pub(crate) request: u64,
    pub(crate) locked_hold: u64,
    pub(crate) store_hold: u64,
    pub(crate) load_hold: u64,
    pub(crate) jitter: u64,
}

impl Fractions {
    #[inline]
    fn hold(&self, purpose: Purpose) -> u64 {
        match purpose {
            Purpose::Read => self.load_hold,
            Purpose::Write => self.store_hold,
            Purpose::Locked => self.locked_hold,
        }
    }
}

impl Engine {
    /// Carries a locked operation out at the line's home, where it takes `service`: returns when one that could leave
    /// at `start` takes effect, and when its result is back.
    pub(crate) fn operate_at_home(&mut self, cpu: usize, line: usize, start: Time, service: Time) -> (Time, Time) {
        let was = self.lines.table[line];
        let draw = self.cpus[cpu].jitter.next_u32();
        let latency = self.jittered(self.transfer_latency(cpu, line, was.holder), draw);
        let request = Time(latency.0 * self.fractions.request / ONE);
        let effect = (start + request).max(was.available);
        if was.exclusive {
            self.write_back(was.holder as usize, effect);
        }
        self.grant_exclusive(cpu, line, &was, effect);
        // The line stays at home: the requester holds no copy, but is who asked last.
        *self.lines.hold(line, cpu) = Hold { read_until: effect, write_until: effect };
        let entry = &mut self.lines.table[line];
        (entry.available, entry.exclusive, entry.modified) = (effect + service, false, false);
        (entry.holder, entry.writer) = (cpu as u32, cpu as u32);
        self.transfers[was.label.0 as usize] += 1;
        if was.exclusive && was.holder as usize != cpu {
            self.note_lost(was.holder as usize, line, effect);
            self.reacquire_lost();
        }
        (effect, effect + service + latency - request)
    }

    /// The label of a line.
    #[inline]
    pub(crate) fn label_of(&self, line: usize) -> Label {
        self.lines.table[line].label
    }
}
