//! The example of the book, "your own ring on 64 cores": it runs, says what the page says, and works natively too.

#[expect(dead_code, reason = "its `main` runs when it is started as an example")]
#[path = "../examples/own_ring.rs"]
mod own_ring;

use std::{env, fs, thread};

use dataplane::Native;
use own_ring::{OwnRing, report};
use sim_core::Time;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/guide/own-ring.md");

/// With `BOOK=write` in the environment, what the example prints now is put into the page first.
#[test]
fn the_page_shows_what_the_example_prints() {
    let printed = report(Time::from_us(200)).expect("the example runs");
    let page = fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once("```text\n").expect("a block with the output");
    let (shown, after) = rest.split_once("```\n").expect("the block's end");
    if env::var_os("BOOK").is_some_and(|wish| wish == "write") {
        fs::write(PAGE, format!("{before}```text\n{printed}```\n{after}")).expect("the page can be written");
    } else {
        assert_eq!(shown, printed, "{PAGE} shows something else");
    }
}

#[test]
fn the_same_ring_works_on_native_threads() {
    const ITEMS: u64 = 5_000;
    let ring = OwnRing::<Native>::new(1024);
    let sum: u64 = thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..ITEMS).for_each(|value| ring.enqueue(value)));
        }
        let consume = || (0..ITEMS).map(|_| ring.dequeue()).sum::<u64>();
        let consumers = [scope.spawn(consume), scope.spawn(consume)];
        consumers.map(|consumer| consumer.join().expect("no panic")).iter().sum()
    });
    assert_eq!(sum, ITEMS * (ITEMS - 1));
}
