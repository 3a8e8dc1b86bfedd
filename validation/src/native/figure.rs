//! A measured figure with its spread.

use serde::{Deserialize, Serialize};

use crate::statistics::quantile;

/// The middle of many short repetitions, and how far they spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Half of the repetitions lie below.
    pub median: f64,
    /// A tenth of the repetitions lies below.
    pub p10: f64,
    /// A tenth of the repetitions lies above.
    pub p90: f64,
    /// How many there were.
    pub repetitions: usize,
}

impl Figure {
    /// Of these values. NaN if there are none.
    pub fn of(values: &[f64]) -> Self {
        let at = |share| quantile(values, share).unwrap_or(f64::NAN);
        Self { median: at(0.5), p10: at(0.1), p90: at(0.9), repetitions: values.len() }
    }

    /// A quantity of which this is the reciprocal, such as time per operation from a rate.
    pub fn reciprocal(self, scale: f64) -> Self {
        Self {
            median: scale / self.median,
            p10: scale / self.p90,
            p90: scale / self.p10,
            repetitions: self.repetitions,
        }
    }

    /// Half the distance from the 10th to the 90th percentile, relative to the median.
    pub fn spread(self) -> f64 {
        (self.p90 - self.p10) / 2.0 / self.median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_ends() {
        let values: Vec<f64> = (0..=10).map(f64::from).collect();
        let figure = Figure::of(&values);
        assert_eq!(figure, Figure { median: 5.0, p10: 1.0, p90: 9.0, repetitions: 11 });
        assert_eq!(figure.spread(), 0.8);
        assert_eq!(figure.reciprocal(90.0), Figure { median: 18.0, p10: 10.0, p90: 90.0, repetitions: 11 });
    }

    #[test]
    fn one_disturbed_repetition_moves_nothing() {
        let quiet = Figure::of(&[10.0; 15]);
        let mut values = [10.0; 15];
        values[7] = 4000.0;
        assert_eq!(Figure::of(&values), quiet);
    }
}
