//! Mean and confidence interval over repeated runs.

use serde::Serialize;

/// A figure estimated from repeated runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean over the runs.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean, by Student's t distribution; `null` with fewer
    /// than two runs, from which nothing can be said about it.
    pub half_width_95: Option<f64>,
}

impl Estimate {
    /// The estimate from one value per run; zero without any.
    pub(crate) fn from_runs(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count.max(1.0);
        let half_width_95 = (values.len() > 1).then(|| {
            let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
            student_t_95(values.len() - 1) * (variance / count).sqrt()
        });
        Self { mean, half_width_95 }
    }
}

/// The 97.5 % quantile of Student's t distribution. Between the rows of the table that of the fewer degrees of
/// freedom is taken, so that the interval is never too narrow. Source: NIST/SEMATECH e-Handbook of Statistical
/// Methods, section 1.3.6.7.2.
fn student_t_95(degrees_of_freedom: usize) -> f64 {
    const TABLE: [(usize, f64); 17] = [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (5, 2.571),
        (6, 2.447),
        (7, 2.365),
        (8, 2.306),
        (9, 2.262),
        (10, 2.228),
        (12, 2.179),
        (15, 2.131),
        (20, 2.086),
        (30, 2.042),
        (60, 2.000),
        (100, 1.984),
        (1_000, 1.962),
    ];
    TABLE.iter().rev().find(|(degrees, _)| *degrees <= degrees_of_freedom).map_or(f64::INFINITY, |(_, t)| *t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_textbook() {
        let estimate = Estimate::from_runs(&[9.0, 10.0, 11.0, 12.0, 8.0]);
        assert_eq!(estimate.mean, 10.0);
        // The standard deviation is the root of 2.5.
        assert!((estimate.half_width_95.unwrap() - 2.776 * (2.5f64 / 5.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn one_run_has_no_interval() {
        assert_eq!(Estimate::from_runs(&[3.0]), Estimate { mean: 3.0, half_width_95: None });
    }
}
