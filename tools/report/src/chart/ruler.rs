//! An `Axis` as plotters wants it: a coordinate that knows its own ticks and how they read.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::line::text_width;
use super::{Axis, Scale};

/// Air between the texts of two ticks.
const GAP_PX: i32 = 10;

/// One axis at one size, with the ticks that fit there.
#[derive(Debug, Clone)]
pub struct Ruler {
    axis: Axis,
    ticks: Vec<f64>,
    /// Every how many ticks one has a text; the others have their grid line only.
    stride: usize,
}

impl Ruler {
    /// An upright axis of that length: a line of text needs the same room everywhere.
    pub fn upright(axis: Axis, length_px: i32) -> Self {
        Ruler { axis, ticks: axis.ticks((length_px / 28).max(2) as usize), stride: 1 }
    }

    /// A level axis of that length. If its texts would touch, an axis of equal steps takes longer
    /// ones, and an axis of decades keeps its lines and leaves texts out.
    pub fn level(axis: Axis, length_px: i32) -> Self {
        let mut most = (length_px / 24).max(2) as usize;
        let mut ruler = Ruler { axis, ticks: axis.ticks(most), stride: 1 };
        while ruler.texts_touch(length_px) && most > 2 && ruler.stride < ruler.ticks.len() {
            if axis.scale == Scale::Linear {
                most -= 1;
                ruler.ticks = axis.ticks(most);
            } else {
                ruler.stride += 1;
            }
        }
        ruler
    }

    /// The width of the widest text.
    pub fn widest_px(&self) -> i32 {
        self.ticks.iter().map(|tick| text_width(&(self.axis.text)(*tick))).max().unwrap_or(0)
    }

    fn texts_touch(&self, length_px: i32) -> bool {
        let at = |tick: f64| f64::from(self.map(&tick, (0, length_px)));
        let half = |tick: f64| f64::from(text_width(&(self.axis.text)(tick)) + GAP_PX) / 2.0;
        let shown: Vec<f64> = self.ticks.iter().copied().step_by(self.stride).collect();
        shown.windows(2).any(|pair| match pair {
            [left, right] => at(*right) - at(*left) < half(*left) + half(*right),
            _ => false,
        })
    }
}

impl Ranged for Ruler {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let (low, high) = (self.axis.place(self.axis.low), self.axis.place(self.axis.high));
        let share = (self.axis.place(*value) - low) / (high - low);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Light points are the finer grid, which these charts do without.
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.axis.low..self.axis.high
    }
}

impl ValueFormatter<f64> for Ruler {
    fn format_ext(&self, value: &f64) -> String {
        // plotters asks with the very values that `key_points` gave.
        match self.ticks.iter().position(|tick| tick == value) {
            Some(at) if !at.is_multiple_of(self.stride) => String::new(),
            _ => (self.axis.text)(*value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;

    #[test]
    fn texts_never_touch() {
        for length in [120, 240, 300, 390, 900] {
            let time = Axis::exact("t", 0.0, 240.0, format::seconds);
            let nines = Axis::quantiles("p", 1.0 - 1.0 / 24e6);
            for axis in [time, nines] {
                let ruler = Ruler::level(axis, length);
                assert!(!ruler.texts_touch(length), "{length}: {ruler:?}");
                assert!(ruler.ticks.len() >= 2);
            }
        }
    }

    #[test]
    fn decades_keep_their_lines_when_texts_are_left_out() {
        let ruler = Ruler::level(Axis::quantiles("p", 1.0 - 1e-7), 240);
        assert!(ruler.stride > 1);
        let texts: Vec<String> = ruler.ticks.iter().map(|tick| ruler.format_ext(tick)).collect();
        assert_eq!(texts.len(), 8);
        assert_eq!(texts.iter().filter(|text| text.is_empty()).count(), 8 - 8usize.div_ceil(ruler.stride));
    }
}
