//! Axes: where a value lies, which ticks are shown, and how they read.
//!
//! plotters gets linear coordinates only; logarithms are taken here, so that linear, logarithmic and
//! percentile axes share one drawing path.

use crate::format;

/// How values become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal factors. Values at or below `low` lie on the edge.
    Log,
    /// Equal room for each doubling.
    Doublings,
    /// Quantiles with equal room for each further nine: 0, 90 %, 99 %, 99.9 % ...
    Percentile,
}

/// One axis.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    /// The name and the unit, shown beside the axis.
    pub name: &'static str,
    /// How values become places.
    pub scale: Scale,
    /// The smallest value shown.
    pub low: f64,
    /// The largest value shown.
    pub high: f64,
    /// How a tick reads.
    pub text: fn(f64) -> String,
}

impl Axis {
    /// From zero to a little above the largest of `values`, ending on a tick.
    pub fn from_zero(name: &'static str, values: impl Iterator<Item = f64>, text: fn(f64) -> String) -> Self {
        let top = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
        let top = if top > 0.0 { top } else { 1.0 };
        let step = nice_step(top / 5.0);
        Axis { name, scale: Scale::Linear, low: 0.0, high: (top * 1.02 / step).ceil() * step, text }
    }

    /// Exactly from `low` to `high`.
    pub fn exact(name: &'static str, low: f64, high: f64, text: fn(f64) -> String) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Axis { name, scale: Scale::Linear, low, high, text }
    }

    /// Whole decades around the positive `values`, none below `floor`.
    pub fn decades(
        name: &'static str,
        floor: f64,
        values: impl Iterator<Item = f64>,
        text: fn(f64) -> String,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            low = low.min(value.max(floor));
            high = high.max(value);
        }
        if low > high {
            (low, high) = (floor, floor * 10.0);
        }
        let low = 10f64.powf((low.log10() + 1e-9).floor());
        let high = 10f64.powf((high.log10() - 1e-9).ceil()).max(low * 10.0);
        Axis { name, scale: Scale::Log, low, high, text }
    }

    /// From one count to a larger one, both 1 or more, marked at the powers of two.
    pub fn doublings(name: &'static str, low: f64, high: f64) -> Self {
        Axis { name, scale: Scale::Doublings, low, high: high.max(low * 2.0), text: format::whole }
    }

    /// Quantiles up to `high`, which is below one.
    pub fn quantiles(name: &'static str, high: f64) -> Self {
        Axis {
            name,
            scale: Scale::Percentile,
            low: 0.0,
            high: high.clamp(0.9, 1.0 - 1e-9),
            text: format::percent_number,
        }
    }

    /// The place of a value, clamped to the axis.
    pub fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(f64::MIN_POSITIVE).log10(),
            Scale::Doublings => value.max(f64::MIN_POSITIVE).log2(),
            Scale::Percentile => -(1.0 - value).log10(),
        }
    }

    /// The values to mark, at most `most` of them.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        match self.scale {
            Scale::Linear => self.linear_ticks(most),
            Scale::Log => {
                let (first, last) = (self.low.log10().round() as i32, self.high.log10().round() as i32);
                let decades = || every(first, last, most).map(|power| 10f64.powi(power));
                if (last - first) as usize * 3 < most {
                    let fine = decades().flat_map(|unit| [unit, unit * 2.0, unit * 5.0]);
                    return fine.filter(|tick| *tick <= self.high * (1.0 + 1e-9)).collect();
                }
                decades().collect()
            }
            Scale::Doublings => {
                let (first, last) = ((self.low.log2() - 1e-9).ceil(), (self.high.log2() + 1e-9).floor());
                every(first as i32, last as i32, most).map(|power| 2f64.powi(power)).collect()
            }
            Scale::Percentile => {
                let last = (self.place(self.high) + 1e-6).floor() as i32;
                every(0, last, most).map(|nines| 1.0 - 10f64.powi(-nines)).collect()
            }
        }
    }

    fn linear_ticks(&self, most: usize) -> Vec<f64> {
        let mut step = nice_step((self.high - self.low) / most as f64);
        let mut count = ((self.high - self.low) / step).floor() as usize + 1;
        if count > most {
            step = nice_step(step * 1.01);
            count = ((self.high - self.low) / step).floor() as usize + 1;
        }
        let first = (self.low / step).ceil();
        (0..count)
            .map(|at| (first + at as f64) * step)
            .filter(|tick| *tick <= self.high * (1.0 + 1e-9))
            .collect()
    }
}

/// The next of 1, 2, 5 times a power of ten.
pub fn nice_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// Whole numbers from `first` to `last`, thinned to at most `most`.
fn every(first: i32, last: i32, most: usize) -> impl Iterator<Item = i32> {
    let span = (last - first).max(0) as usize + 1;
    (first..=last).step_by(span.div_ceil(most).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_axes_end_on_a_tick() {
        let axis = Axis::from_zero("n", [6.1e6, f64::NAN].into_iter(), format::count);
        assert_eq!((axis.low, axis.high), (0.0, 8e6));
        assert_eq!(axis.ticks(5), vec![0.0, 2e6, 4e6, 6e6, 8e6]);
        assert!(Axis::from_zero("n", [].into_iter(), format::count).high > 0.0);
    }

    #[test]
    fn no_axis_has_more_ticks_than_asked_for() {
        for high in [1.0, 7.0, 23.0, 99.0, 100.0, 240.0, 301.0, 4.2e7] {
            for most in 2..12 {
                let ticks = Axis::exact("t", 0.0, high, format::seconds).ticks(most);
                assert!(ticks.len() <= most && !ticks.is_empty(), "{high} {most}: {ticks:?}");
                assert!(ticks.iter().all(|t| (0.0..=high * 1.000001).contains(t)));
            }
        }
    }

    #[test]
    fn decades_hold_their_values() {
        let axis = Axis::decades("n", 1.0, [0.0, 3.0, 10_000.0].into_iter(), format::count);
        assert_eq!(axis.scale, Scale::Log);
        assert!((axis.low - 1.0).abs() < 1e-9 && (axis.high - 10_000.0).abs() < 1e-6);
        assert_eq!(axis.place(0.0), 0.0);
        assert!((axis.place(100.0) - 2.0).abs() < 1e-9);
        assert_eq!(axis.ticks(6).len(), 5);
        assert_eq!(axis.ticks(13).len(), 13);
        let none = Axis::decades("n", 1.0, [0.0].into_iter(), format::count);
        assert!(none.high > none.low);
    }

    #[test]
    fn doublings_are_marked_at_powers_of_two() {
        let axis = Axis::doublings("threads", 1.0, 8.0);
        assert_eq!(axis.ticks(9), vec![1.0, 2.0, 4.0, 8.0]);
        assert_eq!((axis.place(1.0), axis.place(2.0), axis.place(8.0)), (0.0, 1.0, 3.0));
        assert_eq!(Axis::doublings("threads", 3.0, 24.0).ticks(9), vec![4.0, 8.0, 16.0]);
        assert!(Axis::doublings("threads", 1.0, 1024.0).ticks(4).len() <= 4);
    }

    #[test]
    fn percentiles_give_each_nine_the_same_room() {
        let axis = Axis::quantiles("p", 0.9999);
        let places: Vec<f64> = axis.ticks(9).iter().map(|q| axis.place(*q)).collect();
        assert_eq!(places.len(), 5);
        for (at, place) in places.iter().enumerate() {
            assert!((place - at as f64).abs() < 1e-6, "{places:?}");
        }
        assert!(axis.place(1.0).is_finite());
    }
}
