//! The simulator's core: time, order, simulated CPUs and threads, coherent memory, accounting.
//!
//! A simulated thread is a coroutine that runs ordinary Rust. Between two accesses to shared memory it just runs;
//! an access asks the simulator when it takes effect and what it costs:
//!
//! ```text
//!   thread (coroutine)          scheduler                     memory
//!   ──────────────────          ─────────                     ──────
//!   access::load ──── order ──▶ least (time, rank) first
//!                               begin_load ── miss ─────────▶ request arrives: grant, data
//!   value  ◀── resume ───────── at the grant   ◀───────────── line's directory entry moves on
//!   access::work(...)           front clock += time, charged to a category
//!   access::store ─────────────────────────────▶ store buffer, written when its line is owned
//! ```
//!
//! - [`Simulation`] is what an owner builds, advances and looks at; how a run is cut into calls of
//!   [`advance`](Simulation::advance) changes nothing.
//! - [`access`] and [`wait`] are what threads call.
//! - `order` decides who comes first: the key is time, then the CPU's seeded rank. A thread runs on without a switch
//!   while its key is strictly less than all others.
//! - `coherence` grants lines (MESI, with migratory reads as an option) and writes store buffers back; `locked`
//!   carries out read-modify-writes in three ways; `cpu` is the out-of-order core.
//! - `account` charges every picosecond of every CPU to one category.
//! - Nothing here knows what code runs on it, and no result depends on the host: randomness comes from named streams
//!   ([`random`]), addresses are offsets in an arena, and times are whole picoseconds.
//!
//! ```
//! use sim_core::{CoherenceCosts, CoreCosts, CpuModel, DistanceClass, Frequency, LockedAt, MachineModel};
//! use sim_core::{Simulation, Stop, Time, access};
//!
//! # let ns = Time::from_ns;
//! # let costs = CoreCosts {
//! #     load_issue: Time::from_ps(200), store_issue: Time::from_ps(500), hit: ns(1), locked: ns(5), fence: ns(10),
//! #     commit: ns(1), drain: Time::from_ps(500), spin_hint: ns(20), mispredict: ns(5), reorder_window: ns(10),
//! #     locked_lead: ns(20), line_gap: ns(1), store_buffer_entries: 56, smt_stretch: 1.5,
//! # };
//! # let cpu = |core| CpuModel { core, frequency: Frequency::from_hz(3_000_000_000).unwrap(), costs: costs.clone() };
//! # let machine = MachineModel {
//! #     cpus: vec![cpu(0), cpu(1)],
//! #     distances: vec![DistanceClass { name: "same LLC".into(), latency: ns(50) }],
//! #     distance_between: vec![0; 4],
//! #     coherence: CoherenceCosts {
//! #         line_bytes: 64, memory_latency: ns(90), request_share: 0.4, locked_hold: 0.4, store_hold: 0.5,
//! #         load_hold: 0.0, read_service: ns(3), migratory_reads: true, locked_at: LockedAt::Core, jitter: 0.0,
//! #     },
//! # };
//! let mut simulation = Simulation::new(&machine, vec![], 1, 4096)?;
//! let counter = simulation.build(|| access::take_memory(8, 8).as_ptr() as usize);
//! for cpu in 0..2 {
//!     simulation.spawn(cpu, "adder", Time::ZERO, move || {
//!         for _ in 0..1000 {
//!             access::locked(counter as *const u8, 8, true, |old| Some(old + 1));
//!         }
//!     })?;
//! }
//! assert_eq!(simulation.advance(Time::from_ms(1))?, Stop::Ended);
//! assert_eq!(simulation.build(|| access::load(counter as *const u8, 8)), 2000);
//! # Ok::<(), sim_core::Error>(())
//! ```

pub mod access;
mod account;
mod arena;
mod coherence;
mod cpu;
mod engine;
mod error;
mod latency;
mod lines;
mod locked;
mod machine;
mod order;
pub mod random;
mod simulation;
mod snapshot;
mod thread;
mod time;
pub mod wait;
mod wedge;
mod work;

pub use account::{Activity, Category, Label};
pub use error::Error;
pub use latency::Latency;
pub use machine::{CoherenceCosts, CoreCosts, CpuModel, DistanceClass, LockedAt, MachineModel};
pub use simulation::{Simulation, Stop};
pub use snapshot::{CpuSnapshot, LabelSnapshot, Snapshot};
pub use time::{Frequency, Time};
pub use wedge::{Waiting, Wedge};
