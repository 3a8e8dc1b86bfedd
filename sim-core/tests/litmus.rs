//! The memory model of x86: a store may be seen late by others, and nothing else may be seen out of order.

mod bench_machine;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use bench_machine::{WORK, Word, machine, simulation};
use rand::RngExt;
use sim_core::{Stop, Time, access, random};

type Outcome = Rc<RefCell<Vec<u64>>>;
type Body = Box<dyn Fn(&[Word], &Outcome)>;

/// Runs a litmus test from many starts on random CPUs, the lines being anywhere; returns the outcomes seen.
fn outcomes(results: usize, bodies: fn() -> Vec<Body>) -> BTreeSet<Vec<u64>> {
    let mut seen = BTreeSet::new();
    let mut draw = random::stream(1, "litmus");
    for seed in 0..600 {
        let mut simulation = simulation(&machine(8), seed);
        let words = simulation.build(|| [Word::new("x"), Word::new("y")]);
        let outcome: Outcome = Rc::new(RefCell::new(vec![9; results]));
        let first = draw.random_range(0..8_usize);
        for (index, body) in bodies().into_iter().enumerate() {
            let outcome = outcome.clone();
            let (warm, delay) = (draw.random_range(0..4_u32), draw.random_range(0..250_u32));
            let body = move || {
                // Some threads hold the lines before they begin, some do not.
                for (number, word) in words.iter().enumerate() {
                    if warm >> number & 1 == 1 {
                        word.load();
                    }
                }
                access::work(WORK, 400);
                access::fence();
                access::work(WORK, delay);
                body(&words, &outcome);
            };
            simulation.spawn((first + 3 * index) % 8, "litmus", Time::ZERO, body).unwrap();
        }
        assert_eq!(simulation.advance(Time::from_us(50)).unwrap(), Stop::Ended);
        seen.insert(outcome.borrow().clone());
    }
    seen
}

/// Writes one word, then reads the other into a result.
fn write_then_read(write: usize, read: usize, result: usize, fenced: bool) -> Body {
    Box::new(move |words, outcome| {
        words[write].store(1);
        if fenced {
            access::fence();
        }
        let value = words[read].load();
        outcome.borrow_mut()[result] = value;
    })
}

/// Reads both words, in this order, into two results.
fn read_both(order: [usize; 2], result: usize) -> Body {
    Box::new(move |words, outcome| {
        let first = words[order[0]].load();
        let second = words[order[1]].load();
        outcome.borrow_mut()[result] = first;
        outcome.borrow_mut()[result + 1] = second;
    })
}

fn write(words: &'static [usize]) -> Body {
    Box::new(move |all, _| words.iter().for_each(|word| all[*word].store(1)))
}

/// Reads one word into a result, then writes the other.
fn read_then_write(read: usize, write: usize, result: usize) -> Body {
    Box::new(move |words, outcome| {
        let value = words[read].load();
        words[write].store(1);
        outcome.borrow_mut()[result] = value;
    })
}

#[test]
fn store_buffering_is_seen() {
    let seen = outcomes(2, || vec![write_then_read(0, 1, 0, false), write_then_read(1, 0, 1, false)]);
    assert!(seen.contains(&vec![0, 0]), "{seen:?}");
    assert!(seen.contains(&vec![0, 1]) && seen.contains(&vec![1, 0]), "{seen:?}");
}

#[test]
fn fences_forbid_store_buffering() {
    let seen = outcomes(2, || vec![write_then_read(0, 1, 0, true), write_then_read(1, 0, 1, true)]);
    assert!(!seen.contains(&vec![0, 0]), "{seen:?}");
    assert!(seen.len() > 1, "{seen:?}");
}

#[test]
fn messages_arrive_whole() {
    let seen = outcomes(2, || vec![write(&[0, 1]), read_both([1, 0], 0)]);
    assert!(!seen.contains(&vec![1, 0]), "{seen:?}");
    assert!(seen.contains(&vec![1, 1]) && seen.contains(&vec![0, 0]) && seen.contains(&vec![0, 1]), "{seen:?}");
}

#[test]
fn loads_are_not_overtaken_by_stores() {
    let seen = outcomes(2, || vec![read_then_write(0, 1, 0), read_then_write(1, 0, 1)]);
    assert!(!seen.contains(&vec![1, 1]), "{seen:?}");
    assert!(seen.contains(&vec![0, 1]) && seen.contains(&vec![1, 0]), "{seen:?}");
}

#[test]
fn all_see_independent_writes_in_one_order() {
    let seen = outcomes(4, || vec![write(&[0]), write(&[1]), read_both([0, 1], 0), read_both([1, 0], 2)]);
    assert!(!seen.contains(&vec![1, 0, 1, 0]), "{seen:?}");
    assert!(seen.contains(&vec![1, 0, 0, 0]) || seen.contains(&vec![1, 0, 1, 1]), "{seen:?}");
}
