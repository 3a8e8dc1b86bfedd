//! Looks for the best point of a box without derivatives: CMA-ES with restarts.

use std::time::Instant;

use cmaes::{CMAESOptions, DVector};

/// How long to look.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Evaluations of the objective. The generation that reaches it is finished.
    pub evaluations: u64,
    /// No generation begins after this instant.
    pub until: Option<Instant>,
}

/// The best point found.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its coordinates, each from 0 to 1.
    pub point: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// Evaluations it took, the start included.
    pub evaluations: u64,
}

/// Standard deviation of the first generation, as a part of the box.
const FIRST_STEP: f64 = 0.2;

/// Changes of the objective, and of the coordinates, that are not worth following.
const TOLERANCE: f64 = 1e-4;

/// The least value of `objective` in the unit box that can be found within the budget, beginning at `start`. One
/// generation's points are evaluated in parallel. The same arguments give the same result, whatever the number
/// of host threads, unless the clock ends the search.
pub fn minimise(start: &[f64], seed: u64, budget: Budget, objective: &(dyn Fn(&[f64]) -> f64 + Sync)) -> Best {
    let mut best = Best { point: start.to_vec(), value: objective(start), evaluations: 1 };
    if start.is_empty() {
        return best;
    }
    // A search that has settled begins again at the best point with twice the population, which sees more of
    // the box.
    let mut population = population_size(start.len());
    for restart in 0_u64.. {
        let before = best.evaluations;
        descend(&mut best, seed.wrapping_add(restart), population, budget, objective);
        if best.evaluations == before || spent(&best, budget) {
            break;
        }
        population *= 2;
    }
    best
}

fn descend(best: &mut Best, seed: u64, population: usize, budget: Budget, objective: &(dyn Fn(&[f64]) -> f64 + Sync)) {
    // Outside the box the nearest point inside counts, and more the farther away.
    let penalised = |point: &DVector<f64>| {
        let inside = clamp(point);
        let outside: f64 = point.iter().zip(&inside).map(|(x, y)| (x - y) * (x - y)).sum();
        objective(&inside) + outside
    };
    let options = CMAESOptions::new(best.point.clone(), FIRST_STEP)
        .population_size(population)
        .seed(seed)
        .tol_fun(TOLERANCE)
        .tol_x(TOLERANCE);
    let Ok(mut search) = options.build(penalised) else { return };
    let before = best.evaluations;
    let mut settled = false;
    while !settled && !spent(best, budget) {
        settled = search.next_parallel().is_some();
        best.evaluations = before + search.function_evals() as u64;
        if let Some(found) = search.overall_best_individual().filter(|found| found.value < best.value) {
            best.value = found.value;
            best.point = clamp(&found.point);
        }
    }
}

fn clamp(point: &DVector<f64>) -> Vec<f64> {
    point.iter().map(|x| x.clamp(0.0, 1.0)).collect()
}

fn spent(best: &Best, budget: Budget) -> bool {
    best.evaluations >= budget.evaluations || budget.until.is_some_and(|until| Instant::now() >= until)
}

/// Four and three for each doubling of the dimensions, after Hansen's rule, and an even number.
fn population_size(dimensions: usize) -> usize {
    (4 + 2 * dimensions.ilog2() as usize).next_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bowl(point: &[f64]) -> f64 {
        let bottom = [0.3, 0.7, 1.4];
        point.iter().zip(bottom).map(|(x, y)| (x - y).abs()).sum()
    }

    #[test]
    fn finds_the_bottom_and_stops_at_the_walls() {
        let budget = Budget { evaluations: 1500, until: None };
        let best = minimise(&[0.5, 0.5, 0.5], 1, budget, &bowl);
        assert!((best.point[0] - 0.3).abs() < 0.01 && (best.point[1] - 0.7).abs() < 0.01, "{best:?}");
        assert_eq!(best.point[2], 1.0);
        assert!(best.evaluations >= 1500 && best.evaluations < 1700);
    }

    #[test]
    fn the_same_seed_finds_the_same_point() {
        let budget = Budget { evaluations: 120, until: None };
        let find = |seed| minimise(&[0.5, 0.5, 0.5], seed, budget, &bowl);
        assert_eq!(find(7), find(7));
        assert_ne!(find(7).point, find(8).point);
    }

    #[test]
    fn nothing_to_fit_is_evaluated_once() {
        let best = minimise(&[], 1, Budget { evaluations: 100, until: None }, &|_| 5.0);
        assert_eq!(best, Best { point: vec![], value: 5.0, evaluations: 1 });
    }
}
