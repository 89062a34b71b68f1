//! Horizontal bars in groups: one group per case, one bar per engine, the value written at its end.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea, PathElement, Rectangle, SVGBackend, Text};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Frame;
use super::line::{letters, px, stroke, text_width};
use super::svg::{Ink, SCALE, finish};

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Index into `palette::STYLES`.
    pub style: usize,
    /// Its length; negative and non-finite ones are drawn as nothing.
    pub value: f64,
    /// What is written at its end.
    pub text: String,
}

/// The bars of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct BarGroup {
    /// The case.
    pub label: String,
    /// Its bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// Groups of horizontal bars from a common zero.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// Identifier on the page, unique there.
    pub id: String,
    /// Short name, for the SVG's title.
    pub title: String,
    /// The figures in words.
    pub description: String,
    /// The groups, from top to bottom.
    pub groups: Vec<BarGroup>,
}

const BAR_PX: i32 = 15;
const BAR_STEP_PX: i32 = 18;
const GROUP_GAP_PX: i32 = 12;
const NAME_PX: i32 = 18;

/// Draws the bars; on a phone the name of a group stands above its bars, else to the left of them.
pub fn draw(chart: &BarChart, frame: Frame) -> Result<String, String> {
    let head = if frame.is_narrow() { NAME_PX } else { 0 };
    let group_px = |group: &BarGroup| head + group.bars.len() as i32 * BAR_STEP_PX + GROUP_GAP_PX;
    let height_px = chart.groups.iter().map(group_px).sum::<i32>().max(1);
    let mut drawn = String::new();
    {
        let size = (frame.width * SCALE, px(height_px) as u32);
        let root = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        paint(chart, frame, &root).map_err(|e| format!("chart {}: {e}", chart.id))?;
        root.present().map_err(|e| format!("chart {}: {e}", chart.id))?;
    }
    finish(&drawn, &chart.id, frame, &chart.title, &chart.description)
}

type Painted = Result<(), Box<dyn std::error::Error>>;

fn paint(chart: &BarChart, frame: Frame, root: &DrawingArea<SVGBackend, Shift>) -> Painted {
    let narrow = frame.is_narrow();
    let bars = || chart.groups.iter().flat_map(|group| &group.bars);
    let longest = bars().map(|bar| bar.value).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let text_px = bars().map(|bar| text_width(&bar.text)).max().unwrap_or(0) + 10;
    let names_px = chart.groups.iter().map(|group| text_width(&group.label)).max().unwrap_or(0) + 10;
    let left = if narrow { 1 } else { names_px };
    let room = f64::from((frame.width as i32 - left - text_px).max(20));
    let mut y = 0;
    for group in &chart.groups {
        let top = y;
        let rows = group.bars.len() as i32 * BAR_STEP_PX;
        let (at, v_pos) =
            if narrow { ((0, px(y)), VPos::Top) } else { ((0, px(y + rows / 2 - 2)), VPos::Center) };
        let name = letters(Ink::Text).pos(Pos::new(HPos::Left, v_pos));
        root.draw(&Text::new(group.label.as_str(), at, name))?;
        y += if narrow { NAME_PX } else { 0 };
        let first = if narrow { y } else { top };
        for bar in &group.bars {
            let share =
                if longest > 0.0 && bar.value.is_finite() { bar.value.max(0.0) / longest } else { 0.0 };
            let end = px(left) + (share * room * f64::from(SCALE)).round() as i32;
            let ink = Ink::Style(bar.style).mark();
            root.draw(&Rectangle::new([(px(left), px(y)), (end, px(y + BAR_PX))], ink.filled()))?;
            let style = letters(Ink::Text).pos(Pos::new(HPos::Left, VPos::Center));
            root.draw(&Text::new(bar.text.as_str(), (end + px(5), px(y) + px(BAR_PX) / 2), style))?;
            y += BAR_STEP_PX;
        }
        let base = vec![(px(left), px(first - 3)), (px(left), px(y))];
        root.draw(&PathElement::new(base, stroke(Ink::Rule, 1.0)))?;
        y += GROUP_GAP_PX;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_values() {
        let bar = |style, value: f64| Bar { style, value, text: value.to_string() };
        let group = BarGroup {
            label: "20 M <b>".to_owned(),
            bars: vec![bar(0, 100.0), bar(1, 400.0), bar(2, f64::NAN)],
        };
        let chart = BarChart {
            id: "b".to_owned(),
            title: "t".to_owned(),
            description: "d".to_owned(),
            groups: vec![group],
        };
        for frame in Frame::FULL.all() {
            let svg = draw(&chart, frame).unwrap();
            let parsed = roxmltree::Document::parse(&svg).unwrap();
            let width = |class| {
                let node = parsed.descendants().find(|n| n.attribute("class") == Some(class)).unwrap();
                node.attribute("width").unwrap().parse::<f64>().unwrap()
            };
            assert!((width("f1") / width("f0") - 4.0).abs() < 0.05, "{svg}");
            assert_eq!(width("f2"), 0.0);
            assert!(svg.contains("20 M &lt;b&gt;"));
        }
    }
}
