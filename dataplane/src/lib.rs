//! Dataplane code written once and run everywhere: locks, rings, counters and stacks that are generic over
//! the [`Platform`] they run on.
//!
//! The same source runs on native threads ([`Native`]), under the model checker loom, and on a simulated
//! machine (the platform `Sim` of the `models` crate). Natively everything but the atomics compiles to
//! nothing.
//!
//! ```
//! use dataplane::{MpmcRing, Native, TicketLock};
//! use std::thread;
//!
//! // A ring between two threads.
//! let (mut producer, mut consumer) = MpmcRing::<Native, u64>::new("ring", 8)?.split();
//! thread::spawn(move || producer.enqueue_burst(&[1, 2, 3])).join().unwrap();
//! let mut items = [0; 8];
//! assert_eq!(consumer.dequeue_burst(&mut items), 3);
//! assert_eq!(items[..3], [1, 2, 3]);
//!
//! // A lock takes its critical section as a closure.
//! let lock = TicketLock::<Native>::new();
//! assert_eq!(lock.with(|| 6 * 7), 42);
//! # Ok::<(), dataplane::ring::SizeError>(())
//! ```
//!
//! Code of your own becomes able to run on all of these by taking everything shared from the platform: words are
//! [`Platform::AtomicU32`] and [`Platform::AtomicU64`], plain data lives in a [`Platform::Cell`], and objects are
//! placed by [`Platform::share`]. Besides, it says what a simulated CPU cannot see: how much work it does
//! ([`Platform::work`]), where it waits ([`Platform::spin_until`]), which addresses come out of a load
//! ([`Platform::dep`]) and which branches are seldom taken ([`Platform::branch_missed`]).
//!
//! ```
//! use dataplane::operation::LOCK_WAIT;
//! use dataplane::{Atomic, Native, Platform};
//! use std::sync::atomic::Ordering::{Acquire, Release};
//!
//! /// Lets one thread tell others that something has happened.
//! struct Event<P: Platform> {
//!     happened: P::Shared<P::AtomicU32>,
//! }
//!
//! impl<P: Platform> Event<P> {
//!     fn new(name: &str) -> Self {
//!         let happened = P::share(P::AtomicU32::new(0));
//!         P::label(&*happened, name);
//!         Self { happened }
//!     }
//!
//!     fn signal(&self) {
//!         self.happened.store(1, Release);
//!     }
//!
//!     fn wait(&self) {
//!         P::spin_until(LOCK_WAIT, || (self.happened.load(Acquire) == 1).then_some(()));
//!     }
//! }
//!
//! let event = Event::<Native>::new("ready");
//! event.signal();
//! event.wait();
//! ```
//!
//! | module | what is in it |
//! |---|---|
//! | [`lock`] | test-and-set, ticket and MCS locks |
//! | [`seqlock`] | the sequence lock |
//! | [`ring`] | the ring with head and tail reservation, for one or many threads on either side |
//! | [`stack`] | a lock-free stack |
//! | [`counter`] | counters, shared, packed and padded |
//! | [`workload`] | what the threads of the microbenchmarks do with these |
//! | [`platform`], [`operation`] | what code may ask of the machine, and the names of its work and waits |
//! | [`native`] | the platform of native threads |
//!
//! Layout is part of the code: structures are `repr(C)`, and tests hold the offsets that matter.

pub mod counter;
pub mod lock;
#[cfg(loom)]
pub mod loom_platform;
pub mod native;
pub mod operation;
pub mod padded;
pub mod platform;
pub mod ring;
pub mod seqlock;
pub mod stack;
pub mod workload;

pub use counter::Counters;
pub use lock::{McsLock, TestAndSetLock, TicketLock};
#[cfg(loom)]
pub use loom_platform::Loom;
pub use native::Native;
pub use operation::Operation;
pub use padded::Padded;
pub use platform::{Atomic, Platform, SharedCell};
pub use ring::{MpmcRing, Ring, SpscRing};
pub use seqlock::SeqLock;
pub use stack::Stack;
