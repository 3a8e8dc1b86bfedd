//! Threads pinned to CPUs.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use core_affinity::CoreId;

use super::Error;

/// The CPUs that this process may run on, ascending.
///
/// # Errors
/// The operating system does not say.
pub fn allowed_cpus() -> Result<Vec<u32>, Error> {
    let cpus = core_affinity::get_core_ids().ok_or(Error::NoAffinity)?;
    let mut cpus: Vec<u32> = cpus.into_iter().filter_map(|cpu| u32::try_from(cpu.id).ok()).collect();
    cpus.sort_unstable();
    Ok(cpus)
}

/// Checks that the process may run on all of these.
fn check(cpus: &[u32]) -> Result<(), Error> {
    let allowed = allowed_cpus()?;
    if allowed.len() < cpus.len() {
        return Err(Error::TooFewCpus { needed: cpus.len(), allowed });
    }
    match cpus.iter().find(|cpu| !allowed.contains(cpu)) {
        Some(&cpu) => Err(Error::NotAllowed { cpu, allowed }),
        None => Ok(()),
    }
}

/// Runs each body on a thread pinned to its CPU, and `meanwhile` on the calling thread. The bodies start together,
/// once all threads are pinned; if one cannot be, none starts, and `meanwhile` does not either.
pub(super) fn run<R: Send, M>(
    cpus: &[u32],
    bodies: Vec<impl FnOnce() -> R + Send>,
    meanwhile: impl FnOnce() -> M,
) -> Result<(Vec<R>, M), Error> {
    check(cpus)?;
    let start = Barrier::new(cpus.len() + 1);
    let refused = AtomicBool::new(false);
    thread::scope(|scope| {
        let (start, refused) = (&start, &refused);
        let mut threads = Vec::new();
        for (&cpu, body) in cpus.iter().zip(bodies) {
            let thread = scope.spawn(move || {
                let pinned = core_affinity::set_for_current(CoreId { id: cpu as usize });
                refused.fetch_or(!pinned, Ordering::Relaxed);
                start.wait();
                // The barrier orders this after all threads' attempts.
                let started = !refused.load(Ordering::Relaxed);
                if started { Ok(body()) } else { Err(pinned) }
            });
            threads.push((cpu, thread));
        }
        start.wait();
        let during = (!refused.load(Ordering::Relaxed)).then(meanwhile);
        let mut results = Vec::new();
        let mut failure = None;
        for (cpu, thread) in threads {
            match thread.join() {
                Ok(Ok(result)) => results.push(result),
                Ok(Err(false)) => failure = Some(Error::Refused { cpu }),
                Ok(Err(true)) => {}
                Err(_) => failure = Some(Error::Panicked { cpu }),
            }
        }
        match (failure, during) {
            (None, Some(during)) => Ok((results, during)),
            (failure, _) => Err(failure.unwrap_or(Error::NoAffinity)),
        }
    })
}

/// Runs one body on a thread pinned to a CPU.
pub(super) fn run_one<R: Send>(cpu: u32, body: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let (mut results, ()) = run(&[cpu], vec![body], || ())?;
    results.pop().ok_or(Error::Panicked { cpu })
}

/// How long the calling thread has waited for its CPU so far while it could have run; `None` where the operating
/// system does not say.
pub(super) fn waited() -> Option<Duration> {
    // Time running, time waiting, and time slices, of which the times are in nanoseconds (`man 5 proc`).
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_is_not_there_is_refused() {
        let allowed = allowed_cpus().unwrap();
        let error = run_one(1_000_000, || ()).unwrap_err();
        assert_eq!(error, Error::NotAllowed { cpu: 1_000_000, allowed: allowed.clone() });
        let many: Vec<u32> = (0..=allowed.len() as u32).collect();
        let error = run(&many, vec![|| (); many.len()], || ()).unwrap_err();
        assert_eq!(error, Error::TooFewCpus { needed: many.len(), allowed });
    }

    #[test]
    fn bodies_run_on_their_cpus_and_a_panic_is_an_error() {
        let cpu = *allowed_cpus().unwrap().last().unwrap();
        let inside = run_one(cpu, allowed_cpus).unwrap();
        assert_eq!(inside, Ok(vec![cpu]));
        let result: Result<(), Error> = run_one(cpu, || panic!("a test of panics"));
        assert_eq!(result, Err(Error::Panicked { cpu }));
    }
}
