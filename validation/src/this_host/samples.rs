//! Native measurements, each between two probes.
//!
//! The two CPUs of a virtual machine are moved between placements within seconds: onto two hardware threads of one
//! core, onto cores with a common cache, onto cores without. So everything is measured in short pieces, with a
//! probe of the latency before and after each; a piece during which the CPUs were moved does not count, and pieces
//! at one latency make up the table of one placement.

use std::time::{Duration, Instant};

use models::microbenchmark::Benchmark;

use super::points::NativePoint;
use crate::cell::Interval;
use crate::error::Error;
use crate::host::same_latency;
use crate::native::{self, Plan};
use crate::statistics::{median, quantile};
use crate::validate::{Listener, Progress};

/// Pieces to have of each point in one placement.
const PIECES: usize = 7;

/// A point with fewer pieces than this is left out.
const PIECES_MIN: usize = 3;

/// How long to go on measuring, if the placement keeps moving.
const PATIENCE: Duration = Duration::from_secs(120);

/// Latencies below this are those of hardware threads of one core. Nothing is measured there.
pub(super) const SIBLINGS_NS: f64 = 13.0;

/// One piece of measuring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Latency between the CPUs; one thread has none.
    latency_ns: Option<f64>,
    /// Millions of operations per second.
    rate: f64,
}

/// What was measured of all points, in any placement.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// For each point.
    pieces: Vec<Vec<Piece>>,
    /// Pieces during which the CPUs were moved.
    pub(super) moved: usize,
}

/// The table of one placement.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Latency between the CPUs.
    pub(super) latency_ns: f64,
    /// For each point, its rates.
    rates: Vec<Vec<f64>>,
}

/// Measures all points again and again, until there is a full table of one placement, or patience ends. What is
/// measured next is what the placement of the moment has least of.
///
/// # Errors
/// The process may not run on these CPUs.
pub(super) fn collect(points: &[NativePoint], cpus: [u32; 2], listener: Listener<'_>) -> Result<Samples, Error> {
    let host = |error: native::Error| Error::Host(error.to_string());
    let mut samples = Samples { pieces: vec![Vec::new(); points.len()], moved: 0 };
    let end = Instant::now() + PATIENCE;
    let mut before_ns = hand_off_ns(cpus).map_err(host)?;
    while Instant::now() < end {
        if before_ns < SIBLINGS_NS || !before_ns.is_finite() {
            std::thread::sleep(Duration::from_millis(5));
            before_ns = hand_off_ns(cpus).map_err(host)?;
            continue;
        }
        let done = samples.pieces_at(before_ns).map(|pieces| pieces.min(PIECES)).sum::<usize>();
        listener(Progress::Measured { done: done as u64, total: (points.len() * PIECES) as u64 });
        let Some(point) = samples.scarcest(before_ns) else { break };
        let rate = rate(&points[point], cpus).map_err(host)?;
        let after_ns = hand_off_ns(cpus).map_err(host)?;
        if points[point].threads == 1 {
            samples.pieces[point].push(Piece { latency_ns: None, rate });
        } else if same_latency(before_ns, after_ns) {
            samples.pieces[point].push(Piece { latency_ns: Some((before_ns + after_ns) / 2.0), rate });
        } else {
            samples.moved += 1;
        }
        before_ns = after_ns;
    }
    Ok(samples)
}

/// Measures a point for a few milliseconds: millions of operations per second.
fn rate(point: &NativePoint, cpus: [u32; 2]) -> Result<f64, native::Error> {
    let plan = Plan {
        repetitions: 1,
        duration: Duration::from_millis(3),
        ..Plan::new(point.benchmark.clone(), cpus[..point.threads as usize].to_vec(), point.private_work)
    };
    Ok(native::measure(&plan)?.rate.median / 1e6)
}

/// The probe: how long a line takes from one CPU to the other, by a millisecond of hand-offs.
fn hand_off_ns(cpus: [u32; 2]) -> Result<f64, native::Error> {
    let plan = Plan {
        repetitions: 1,
        warm_up: Duration::from_micros(200),
        duration: Duration::from_micros(800),
        ..Plan::new(Benchmark::PingPong, cpus.to_vec(), 0)
    };
    Ok(1e9 / native::measure(&plan)?.rate.median)
}

impl Samples {
    /// How much there is of each point at this latency.
    fn pieces_at(&self, latency_ns: f64) -> impl Iterator<Item = usize> {
        let counts = move |piece: &&Piece| piece.latency_ns.is_none_or(|latency| same_latency(latency, latency_ns));
        self.pieces.iter().map(move |pieces| pieces.iter().filter(counts).count())
    }

    /// The point of which there is least at this latency; `None` if there is enough of all.
    fn scarcest(&self, latency_ns: f64) -> Option<usize> {
        let (point, pieces) = self.pieces_at(latency_ns).enumerate().min_by_key(|(_, pieces)| *pieces)?;
        (pieces < PIECES).then_some(point)
    }

    /// A table for each placement that was met, fullest first.
    pub(super) fn tables(&self) -> Vec<Table> {
        let mut latencies: Vec<f64> = self.pieces.iter().flatten().filter_map(|piece| piece.latency_ns).collect();
        let mut tables = Vec::new();
        // Again and again, the latency that has most others around it.
        while let Some(centre) = latencies.iter().copied().max_by_key(|centre| around(&latencies, *centre).len()) {
            let members = around(&latencies, centre);
            let latency_ns = median(&members).unwrap_or(centre);
            latencies.retain(|latency| !same_latency(*latency, centre) && !same_latency(*latency, latency_ns));
            let of_placement =
                |piece: &&Piece| piece.latency_ns.is_none_or(|latency| same_latency(latency, latency_ns));
            let rates_of = |pieces: &Vec<Piece>| pieces.iter().filter(of_placement).map(|piece| piece.rate).collect();
            tables.push(Table { latency_ns, rates: self.pieces.iter().map(rates_of).collect() });
        }
        if tables.is_empty() {
            let rates_of = |pieces: &Vec<Piece>| pieces.iter().map(|piece| piece.rate).collect();
            tables.push(Table { latency_ns: f64::NAN, rates: self.pieces.iter().map(rates_of).collect() });
        }
        tables.sort_by_key(|table| std::cmp::Reverse(table.fullness()));
        tables
    }
}

fn around(latencies: &[f64], centre: f64) -> Vec<f64> {
    latencies.iter().copied().filter(|latency| same_latency(*latency, centre)).collect()
}

impl Table {
    fn fullness(&self) -> usize {
        self.rates.iter().map(|rates| rates.len().min(PIECES)).sum()
    }

    /// The part of these points of which it has enough pieces.
    pub(super) fn share_of(&self, points: &[usize]) -> f64 {
        let enough = points.iter().filter(|point| self.rates[**point].len() >= PIECES_MIN).count();
        enough as f64 / points.len().max(1) as f64
    }

    /// What it says about a point, if it has enough pieces: the middle half of them.
    pub(super) fn interval(&self, point: usize) -> Option<Interval> {
        let rates = &self.rates[point];
        let quartile = |share| quantile(rates, share).filter(|_| rates.len() >= PIECES_MIN);
        Some(Interval { lo: quartile(0.25)?, hi: quartile(0.75)? })
    }

    /// The middle, over points and pairs of pieces, of how much two pieces differ, relative to the smaller figure.
    pub(super) fn distance_between_runs(&self, points: &[usize]) -> f64 {
        let mut distances = Vec::new();
        for point in points {
            let rates = &self.rates[*point];
            for (index, one) in rates.iter().enumerate() {
                distances.extend(rates[index + 1..].iter().map(|other| one.max(*other) / one.min(*other) - 1.0));
            }
        }
        median(&distances).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Samples {
        let far = |rate| Piece { latency_ns: Some(140.0 + rate), rate };
        let near = |rate| Piece { latency_ns: Some(35.0), rate };
        let alone = |rate| Piece { latency_ns: None, rate };
        let pieces = vec![
            vec![far(1.0), near(10.0), far(2.0), far(3.0), near(11.0), near(12.0), near(13.0)],
            vec![near(20.0), near(22.0), far(4.0), near(24.0)],
            vec![alone(5.0), alone(6.0), alone(6.0)],
        ];
        Samples { pieces, moved: 0 }
    }

    #[test]
    fn pieces_are_kept_apart_by_placement() {
        let tables = samples().tables();
        let shape: Vec<_> = tables.iter().map(|table| (table.latency_ns, table.rates.len())).collect();
        assert_eq!(shape, [(35.0, 3), (142.5, 3)]);
        assert_eq!(tables[0].rates[0], [10.0, 11.0, 12.0, 13.0]);
        assert_eq!(tables[1].rates, [vec![1.0, 2.0, 3.0], vec![4.0], vec![5.0, 6.0, 6.0]]);
    }

    #[test]
    fn the_interval_is_the_middle_half() {
        let tables = samples().tables();
        assert_eq!(tables[0].interval(0), Some(Interval { lo: 10.75, hi: 12.25 }));
        assert_eq!(tables[1].interval(1), None);
        // 20 against 22, 22 against 24, 20 against 24: the middle is 10 %.
        assert!((tables[0].distance_between_runs(&[1]) - 0.1).abs() < 1e-12);
        assert_eq!(tables[1].distance_between_runs(&[1]), 0.0);
    }

    #[test]
    fn what_is_scarcest_depends_on_the_placement() {
        let mut samples = samples();
        assert_eq!(samples.scarcest(36.0), Some(1));
        assert_eq!(samples.scarcest(150.0), Some(1));
        assert_eq!(samples.scarcest(7.0), Some(0));
        for pieces in &mut samples.pieces[..2] {
            pieces.extend([Piece { latency_ns: Some(7.0), rate: 1.0 }; PIECES]);
        }
        assert_eq!(samples.scarcest(7.0), Some(2));
        samples.pieces.pop();
        assert_eq!(samples.scarcest(7.0), None);
    }
}
