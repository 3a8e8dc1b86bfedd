//! Every order of a few operations, and every value that weakly ordered loads may return, by the model checker:
//! `RUSTFLAGS="--cfg loom" cargo test -p dataplane --release --test loom`.
#![cfg(loom)]

use std::sync::Arc;

use dataplane::lock::Lock;
use dataplane::ring::{Multi, Ring, Single};
use dataplane::{Loom, McsLock, MpmcRing, Platform, SeqLock, SharedCell, SpscRing, Stack, TestAndSetLock, TicketLock};
use loom::model::Builder;
use loom::thread;

type Cell<T> = <Loom as Platform>::Cell<T>;

/// Tries a model. Where two threads do not suffice, or too many orders are possible, it bounds the preemptions. At
/// most one thread of a model may spin at a time: two that do could yield to each other for ever, which loom would
/// explore.
fn check(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(model);
}

/// Two threads increment a plain cell in critical sections, twice each.
fn exclusion<L: Lock<Loom>>(preemptions: Option<usize>) {
    check(preemptions, || {
        let shared = Arc::new((L::for_threads(2), Cell::new(0_u32)));
        let increment_twice = |thread: u32, (lock, cell): &(L, Cell<u32>)| {
            for _ in 0..2 {
                // SAFETY: loom fails the model if the lock does not exclude.
                lock.hold(thread, || unsafe { cell.set(cell.get() + 1) });
            }
        };
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || increment_twice(1, &shared))
        };
        increment_twice(0, &shared);
        other.join().unwrap();
        // SAFETY: the other thread has ended.
        assert_eq!(shared.0.hold(0, || unsafe { shared.1.get() }), 4);
    });
}

#[test]
fn test_and_set_excludes() {
    exclusion::<TestAndSetLock<Loom>>(Some(4));
}

#[test]
fn ticket_excludes() {
    exclusion::<TicketLock<Loom>>(Some(4));
}

#[test]
fn mcs_excludes() {
    exclusion::<McsLock<Loom>>(Some(3));
}

#[test]
fn seqlock_readers_see_whole_writes() {
    check(Some(2), || {
        let lock = Arc::new(SeqLock::<Loom, 2>::new([0, 0]));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || [1, 2].map(|value| lock.write([value, value])))
        };
        let before = lock.read();
        let after = lock.read();
        assert!(before[0] == before[1] && after[0] == after[1] && before <= after, "{before:?} {after:?}");
        writer.join().unwrap();
        assert_eq!(lock.read(), [2, 2]);
    });
}

#[test]
fn seqlock_writers_exclude_each_other() {
    check(None, || {
        let lock = Arc::new(SeqLock::<Loom, 2>::new([0, 0]));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || lock.write([1, 1]))
        };
        lock.write([2, 2]);
        writer.join().unwrap();
        let [first, second] = lock.read();
        assert!(first == second && first > 0);
    });
}

#[test]
fn spsc_ring_hands_items_over_in_order() {
    check(Some(5), || {
        // Three items through two slots, so that indices wrap around the array.
        let (mut producer, mut consumer) = SpscRing::<Loom, u32>::new("ring", 2).unwrap().split();
        let sender = thread::spawn(move || {
            let mut sent = 0;
            while sent < 3 {
                match producer.enqueue_burst(&[1, 2, 3][sent..]) {
                    0 => thread::yield_now(),
                    count => sent += count,
                }
            }
        });
        let mut received = Vec::new();
        let mut items = [0; 2];
        while received.len() < 3 {
            match consumer.dequeue_burst(&mut items) {
                0 => thread::yield_now(),
                count => received.extend_from_slice(&items[..count]),
            }
        }
        sender.join().unwrap();
        assert_eq!(received, [1, 2, 3]);
    });
}

/// The producer that reserved second waits for the first, and publishes that one's item as well.
#[test]
fn mpmc_ring_keeps_items_of_two_producers() {
    check(Some(3), || {
        let ring = MpmcRing::<Loom, u32>::new("ring", 2).unwrap();
        let producers: Vec<_> = [1, 2]
            .map(|item| {
                let ring = ring.clone();
                thread::spawn(move || assert_eq!(ring.enqueue_burst(&[item]), 1))
            })
            .into();
        let mut items = [0; 2];
        let early = ring.dequeue_burst(&mut items);
        for producer in producers {
            producer.join().unwrap();
        }
        let late = ring.dequeue_burst(&mut items[early..]);
        assert_eq!(early + late, 2);
        items.sort_unstable();
        assert_eq!(items, [1, 2]);
    });
}

#[test]
fn mpmc_ring_gives_each_item_to_one_consumer() {
    check(Some(3), || {
        let ring = MpmcRing::<Loom, u32>::new("ring", 2).unwrap();
        assert_eq!(ring.enqueue_burst(&[1, 2]), 2);
        let consumers: Vec<_> = (0..2)
            .map(|_| {
                let ring = ring.clone();
                thread::spawn(move || {
                    let mut item = [0];
                    assert_eq!(ring.dequeue_burst(&mut item), 1);
                    item[0]
                })
            })
            .collect();
        // Goes into a slot that one of the two has been through, if there is any yet.
        let third = ring.enqueue_burst(&[3]);
        let mut received: Vec<_> = consumers.into_iter().map(|consumer| consumer.join().unwrap()).collect();
        received.sort_unstable();
        assert_eq!(received, [1, 2]);
        let mut item = [0];
        assert_eq!(ring.dequeue_burst(&mut item), third);
        assert_eq!(item[0], 3 * third as u32);
    });
}

/// A producer publishes what another reserved before it: whoever sees its tail sees both items.
#[test]
fn mpmc_ring_publishes_earlier_reservations() {
    check(Some(5), || {
        let ring = MpmcRing::<Loom, u32>::new("ring", 2).unwrap();
        let producer = {
            let ring = ring.clone();
            thread::spawn(move || assert_eq!(ring.enqueue_burst(&[1]), 1))
        };
        assert_eq!(ring.enqueue_burst(&[2]), 1);
        let mut items = [0; 2];
        let early = ring.dequeue_burst(&mut items);
        producer.join().unwrap();
        let late = ring.dequeue_burst(&mut items[early..]);
        assert_eq!(early + late, 2);
        items.sort_unstable();
        assert_eq!(items, [1, 2]);
    });
}

/// Whoever sees a moved producers' head sees the consumers' tail that allowed it, or would find more than all
/// slots free.
#[test]
fn mpmc_ring_never_overfills() {
    check(None, || {
        let ring = MpmcRing::<Loom, u32>::new("ring", 2).unwrap();
        assert_eq!(ring.enqueue_burst(&[1, 2]), 2);
        let other = {
            let ring = ring.clone();
            thread::spawn(move || {
                let mut item = [0];
                assert_eq!(ring.dequeue_burst(&mut item), 1);
                assert_eq!(item, [1]);
                ring.enqueue_burst(&[3])
            })
        };
        let here = ring.enqueue_burst(&[4]);
        let there = other.join().unwrap();
        assert_eq!(here + there, 1, "one slot became free");
        let mut items = [0; 2];
        assert_eq!(ring.dequeue_burst(&mut items), 2);
        assert_eq!(items, [2, if here == 1 { 4 } else { 3 }]);
    });
}

/// The same for consumers: more than all items.
#[test]
fn mpmc_ring_never_overdraws() {
    check(None, || {
        let ring = MpmcRing::<Loom, u32>::new("ring", 2).unwrap();
        assert_eq!(ring.enqueue_burst(&[1]), 1);
        let other = {
            let ring = ring.clone();
            thread::spawn(move || {
                assert_eq!(ring.enqueue_burst(&[2]), 1);
                let mut items = [0; 2];
                let count = ring.dequeue_burst(&mut items);
                items[..count].to_vec()
            })
        };
        let mut items = [0; 2];
        let count = ring.dequeue_burst(&mut items);
        let mut received = items[..count].to_vec();
        received.extend(other.join().unwrap());
        received.sort_unstable();
        assert_eq!(received, [1, 2]);
    });
}

#[test]
fn rings_may_have_many_threads_on_one_side_only() {
    check(Some(3), || {
        let (producer, mut consumer) = Ring::<Loom, u32, Multi, Single>::new("ring", 4).unwrap().split();
        let producers: Vec<_> = [1, 2]
            .map(|item| {
                let mut producer = producer.clone();
                thread::spawn(move || producer.enqueue_burst(&[item, item]))
            })
            .into();
        let mut items = [0; 4];
        let count = consumer.dequeue_burst(&mut items);
        for producer in producers {
            assert_eq!(producer.join().unwrap(), 2);
        }
        let rest = consumer.dequeue_burst(&mut items[count..]);
        assert_eq!(count + rest, 4);
        assert!(items == [1, 1, 2, 2] || items == [2, 2, 1, 1], "{items:?}");
    });
}

#[test]
fn stack_hands_over_nodes_with_what_belongs_to_them() {
    check(Some(2), || {
        let stack = Stack::<Loom>::new("stack", 2);
        let data: Arc<[Cell<u32>; 2]> = Arc::new([Cell::new(0), Cell::new(0)]);
        stack.push(0);
        stack.push(1);
        let turn = |stack: &Stack<Loom>, data: &[Cell<u32>; 2]| {
            if let Some(node) = stack.pop() {
                let cell = &data[node as usize];
                // SAFETY: loom fails the model if two threads own a node at a time.
                unsafe { cell.set(cell.get() + 1) };
                stack.push(node);
                1
            } else {
                0
            }
        };
        let others: Vec<_> = (0..2)
            .map(|_| {
                let (stack, data) = (stack.clone(), Arc::clone(&data));
                thread::spawn(move || turn(&stack, &data))
            })
            .collect();
        let mut turns = turn(&stack, &data);
        for other in others {
            turns += other.join().unwrap();
        }
        let mut nodes = [stack.pop().unwrap(), stack.pop().unwrap()];
        nodes.sort_unstable();
        assert_eq!((nodes, stack.pop()), ([0, 1], None));
        // SAFETY: the other threads have ended.
        assert_eq!(data.iter().map(|cell| unsafe { cell.get() }).sum::<u32>(), turns);
    });
}
