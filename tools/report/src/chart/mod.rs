//! Charts as data, and their way to inline SVG.
//!
//! The page describes a chart once (`LineChart`, `BarChart`) and has it drawn at several sizes, so
//! that the letters keep their size on a phone. plotters draws; `svg` then trades the colours for classes.

mod axis;
mod bars;
mod frame;
mod line;
pub mod palette;
mod ruler;
mod svg;
mod thin;

pub use axis::{Axis, Scale, nice_step};
pub use bars::{Bar, BarChart, BarGroup};
pub use frame::Frame;
pub use svg::{SCALE, standalone};

/// One curve of a line chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Index into `palette::STYLES`.
    pub style: usize,
    /// Name in the legend and, where there is room, at the end of the curve.
    pub label: String,
    /// The points, x rising. A y that is not finite breaks the curve.
    pub points: Vec<(f64, f64)>,
}

/// A line to measure the curves against: an ideal or a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// What it is.
    pub label: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// A stretch of the x axis that matters, such as the stall.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Where it begins.
    pub from: f64,
    /// Where it ends; as thin as a line is fine.
    pub to: f64,
    /// What happened there.
    pub label: String,
}

/// Several curves over one x axis.
#[derive(Debug, Clone)]
pub struct LineChart {
    /// Identifier on the page, unique there.
    pub id: String,
    /// Short name, for the SVG's title.
    pub title: String,
    /// The x axis.
    pub x: Axis,
    /// The y axis.
    pub y: Axis,
    /// The curves; the first is drawn first, so the last is on top.
    pub curves: Vec<Curve>,
    /// Ideals and limits.
    pub references: Vec<Reference>,
    /// Marked stretches of x.
    pub bands: Vec<Band>,
}

impl LineChart {
    /// What is to be seen, in words, for those who do not see it.
    pub fn description(&self) -> String {
        let mut text = format!(
            "Line chart of {} ({} to {}) over {} ({} to {}).",
            self.y.name,
            (self.y.text)(self.y.low),
            (self.y.text)(self.y.high),
            self.x.name,
            (self.x.text)(self.x.low),
            (self.x.text)(self.x.high)
        );
        for curve in &self.curves {
            let points = || curve.points.iter().filter(|p| p.1.is_finite());
            let highest = points().max_by(|a, b| a.1.total_cmp(&b.1));
            let (Some(first), Some(highest), Some(last)) = (points().next(), highest, points().next_back())
            else {
                text.push_str(&format!(" {}: no values.", curve.label));
                continue;
            };
            text.push_str(&format!(
                " {}: begins at {}, is highest at {} with {}, ends at {}.",
                curve.label,
                (self.y.text)(first.1),
                (self.x.text)(highest.0),
                (self.y.text)(highest.1),
                (self.y.text)(last.1)
            ));
        }
        text
    }

    /// Draws it as it is at a desk; `draw_all` draws it for every screen.
    pub fn draw(&self, frame: Frame) -> Result<String, String> {
        line::draw(self, frame)
    }

    /// Draws it for a desk in `frame`, and for the smaller screens. A style sheet shows one of them.
    pub fn draw_all(&self, frame: Frame) -> Result<String, String> {
        frame.all().into_iter().map(|frame| line::draw(self, frame)).collect()
    }
}

impl BarChart {
    /// As with a line chart; the number of bars decides the height.
    pub fn draw_all(&self, frame: Frame) -> Result<String, String> {
        frame.all().into_iter().map(|frame| bars::draw(self, frame)).collect()
    }
}
