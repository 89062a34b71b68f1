//! Fewer points with the same picture: per column of pixels the first, the lowest, the highest, the last.
//!
//! A spike of one sample survives, which an average would hide.

/// Thins `points`, whose x rises, to at most four points in each of `columns`.
pub fn thin(points: &[(f64, f64)], columns: usize) -> Vec<(f64, f64)> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let width = last.0 - first.0;
    if points.len() <= columns * 2 || width <= 0.0 {
        return points.to_vec();
    }
    let column = |x: f64| ((x - first.0) / width * columns as f64) as usize;
    let mut out = Vec::with_capacity(columns * 4);
    let mut rest = points;
    while let Some(head) = rest.first() {
        let here = column(head.0);
        let end = rest.iter().position(|p| column(p.0) != here).unwrap_or(rest.len());
        let (bucket, tail) = rest.split_at(end);
        let mut kept = vec![0, bucket.len() - 1];
        let by_height = |a: &(usize, &(f64, f64)), b: &(usize, &(f64, f64))| a.1.1.total_cmp(&b.1.1);
        kept.extend(bucket.iter().enumerate().min_by(by_height).map(|(at, _)| at));
        kept.extend(bucket.iter().enumerate().max_by(by_height).map(|(at, _)| at));
        kept.sort_unstable();
        kept.dedup();
        out.extend(kept.into_iter().filter_map(|at| bucket.get(at)));
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_spike_and_both_ends_survive() {
        let mut points: Vec<(f64, f64)> = (0..10_000).map(|at| (f64::from(at), 1.0)).collect();
        points[5_003].1 = 99.0;
        points[7_001].1 = -5.0;
        let thinned = thin(&points, 100);
        assert!(thinned.len() <= 404, "{}", thinned.len());
        assert_eq!(thinned.first(), points.first());
        assert_eq!(thinned.last(), points.last());
        assert!(thinned.contains(&(5_003.0, 99.0)) && thinned.contains(&(7_001.0, -5.0)));
        assert!(thinned.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn short_ones_stay_as_they_are() {
        let points = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(thin(&points, 100), points);
        assert!(thin(&[], 100).is_empty());
        let upright = vec![(1.0, 0.0); 500];
        assert_eq!(thin(&upright, 10).len(), 500);
    }
}
