//! Medians, quantiles, and how well two rankings agree.

/// The value that `share` (0 to 1) of the sorted values lie below, interpolated between neighbours; `None`
/// without values.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    Some(sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64))
}

/// The middle value, or the mean of the two in the middle; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Kendall's tau-b of pairs: 1 if both sides rank them the same, -1 if they rank them in opposite ways, with a
/// correction for ties. `None` if one side ranks nothing (fewer than two pairs, or all equal).
pub fn kendall_tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut agreement, mut ordered_left, mut ordered_right) = (0_i64, 0_u64, 0_u64);
    for (index, (a, b)) in pairs.iter().enumerate() {
        for (c, d) in &pairs[index + 1..] {
            let left = a.total_cmp(c) as i64;
            let right = b.total_cmp(d) as i64;
            agreement += left * right;
            ordered_left += left.unsigned_abs();
            ordered_right += right.unsigned_abs();
        }
    }
    let scale = (ordered_left as f64 * ordered_right as f64).sqrt();
    (scale > 0.0).then(|| agreement as f64 / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let values = [40.0, 10.0, 20.0, 30.0];
        assert_eq!(median(&values), Some(25.0));
        assert_eq!(quantile(&values, 0.1), Some(13.0));
        assert_eq!(quantile(&values, 1.0), Some(40.0));
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn tau_b_counts_pairs_that_agree() {
        assert_eq!(kendall_tau_b(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]), Some(1.0));
        assert_eq!(kendall_tau_b(&[(1.0, 30.0), (2.0, 20.0), (3.0, 10.0)]), Some(-1.0));
        // Of six pairs five agree and one does not: (5 - 1) / 6.
        let one_swap = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)];
        assert!((kendall_tau_b(&one_swap).unwrap() - 4.0 / 6.0).abs() < 1e-12);
        // With a tie on the left, 2 pairs agree, none disagrees, and 2 of 3 are ordered there: 2 / sqrt(2 * 3).
        let tie = [(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)];
        assert!((kendall_tau_b(&tie).unwrap() - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(kendall_tau_b(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }
}
