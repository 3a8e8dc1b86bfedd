//! One thread drives rings and a `VecDeque` side by side.

use std::collections::VecDeque;

use dataplane::Native;
use dataplane::ring::{MpmcRing, Multi, Reservation, Ring, Single, SizeError, SpscRing};
use dataplane::workload::Sequenced;
use proptest::prelude::*;

/// A call: enqueue or dequeue so many items.
#[derive(Clone, Copy, Debug)]
enum Call {
    Enqueue(usize),
    Dequeue(usize),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let call = prop_oneof![(0..12_usize).prop_map(Call::Enqueue), (0..12_usize).prop_map(Call::Dequeue)];
    prop::collection::vec(call, 0..200)
}

fn behaves_as_a_queue<T, Producers, Consumers>(slots: u32, calls: &[Call]) -> Result<(), TestCaseError>
where
    T: Sequenced + PartialEq,
    Producers: Reservation,
    Consumers: Reservation,
{
    let (mut producer, mut consumer) = Ring::<Native, T, Producers, Consumers>::new("ring", slots).unwrap().split();
    let mut model = VecDeque::new();
    let mut next = 0;
    for call in calls {
        match *call {
            Call::Enqueue(count) => {
                let items: Vec<_> = (next..next + count as u32).map(|number| T::from_parts(1, number)).collect();
                let sent = producer.enqueue_burst(&items);
                prop_assert_eq!(sent, count.min(slots as usize - model.len()));
                model.extend(&items[..sent]);
                next += sent as u32;
            }
            Call::Dequeue(count) => {
                let mut items = vec![T::default(); count];
                let received = consumer.dequeue_burst(&mut items);
                prop_assert_eq!(received, count.min(model.len()));
                let expected: Vec<_> = model.drain(..received).collect();
                prop_assert_eq!(&items[..received], &expected);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn rings_behave_as_queues(power in 0..4_u32, calls in calls()) {
        let slots = 1 << power;
        behaves_as_a_queue::<u32, Single, Single>(slots, &calls)?;
        behaves_as_a_queue::<u64, Multi, Multi>(slots, &calls)?;
        behaves_as_a_queue::<u64, Multi, Single>(slots, &calls)?;
        behaves_as_a_queue::<u32, Single, Multi>(slots, &calls)?;
    }
}

#[test]
fn slots_must_be_a_power_of_two() {
    for slots in [0, 3, 1 << 31] {
        assert_eq!(SpscRing::<Native, u32>::new("ring", slots).err(), Some(SizeError { slots }));
    }
    assert_eq!(MpmcRing::<Native, u64>::new("ring", 8).unwrap().capacity(), 8);
}

#[test]
fn length_follows_what_goes_in_and_out() {
    let ring = MpmcRing::<Native, u64>::new("ring", 8).unwrap();
    assert!(ring.is_empty());
    ring.enqueue_burst(&[1, 2, 3]);
    assert_eq!(ring.len(), 3);
    ring.dequeue_burst(&mut [0; 2]);
    assert_eq!(ring.len(), 1);
}
