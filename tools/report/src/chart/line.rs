//! Draws a line chart with plotters, at one size.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::prelude::{
    Cartesian2d, DrawingArea, IntoDrawingArea, PathElement, Rectangle, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, ShapeStyle, TextStyle};

use super::ruler::Ruler;
use super::svg::{Ink, SCALE, finish};
use super::thin::thin;
use super::{Frame, LineChart};

type Context<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ruler, Ruler>>;
type Canvas<'b> = DrawingArea<SVGBackend<'b>, Shift>;

const FONT_PX: u32 = 12;
/// Average width of a letter of the page's font, as a share of its size.
const LETTER: f64 = 0.56;
/// Room above the plot for the name of the upright axis, and below it for texts and name of the level one.
const TOP_PX: i32 = 28;
const BOTTOM_PX: i32 = 40;
const LINE_GAP_PX: i32 = 15;

/// Draws `chart` into an inline SVG.
pub fn draw(chart: &LineChart, frame: Frame) -> Result<String, String> {
    let mut drawn = String::new();
    {
        let size = (frame.width * SCALE, frame.height * SCALE);
        let root = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        paint(chart, frame, &root).map_err(|e| format!("chart {}: {e}", chart.id))?;
        root.present().map_err(|e| format!("chart {}: {e}", chart.id))?;
    }
    finish(&drawn, &chart.id, frame, &chart.title, &chart.description())
}

type Painted = Result<(), Box<dyn std::error::Error>>;

fn paint(chart: &LineChart, frame: Frame, root: &Canvas) -> Painted {
    let y = Ruler::upright(chart.y, frame.height as i32 - TOP_PX - BOTTOM_PX);
    let left = y.widest_px() + 10;
    let right = if frame.end_labels { label_width(chart) + 12 } else { 22 };
    let x = Ruler::level(chart.x, frame.width as i32 - left - right);
    let mut context = ChartBuilder::on(root)
        .margin_top(px(TOP_PX))
        .margin_right(px(right))
        .x_label_area_size(px(BOTTOM_PX))
        .y_label_area_size(px(left))
        .build_cartesian_2d(x, y)?;
    bands(chart, root, &context)?;
    context
        .configure_mesh()
        .bold_line_style(stroke(Ink::Grid, 1.0))
        .axis_style(stroke(Ink::Rule, 1.0))
        .label_style(letters(Ink::Muted))
        .set_all_tick_mark_size(px(4))
        .draw()?;
    names(chart, frame, (left, right), root)?;
    lines(chart, frame, &mut context)?;
    band_names(chart, frame, root, &context)?;
    if frame.end_labels {
        end_labels(chart, root, &context)?;
    }
    Ok(())
}

/// The names of the axes: the upright one on top of its axis, so that nobody has to turn their head.
fn names(chart: &LineChart, frame: Frame, (left, right): (i32, i32), root: &Canvas) -> Painted {
    let top = letters(Ink::Muted).pos(Pos::new(HPos::Left, VPos::Top));
    root.draw(&Text::new(chart.y.name, (0, px(4)), top))?;
    let bottom = letters(Ink::Muted).pos(Pos::new(HPos::Center, VPos::Bottom));
    let middle = (left + frame.width as i32 - right) / 2;
    root.draw(&Text::new(chart.x.name, (px(middle), px(frame.height as i32 - 2)), bottom))?;
    Ok(())
}

fn bands(chart: &LineChart, root: &Canvas, context: &Context) -> Painted {
    for band in &chart.bands {
        let from = context.backend_coord(&(band.from, chart.y.high));
        let to = context.backend_coord(&(band.to, chart.y.low));
        // A stall of 100 ms in 240 s is thinner than a pixel and would not be seen.
        let to = (to.0.max(from.0 + px(2)), to.1);
        root.draw(&Rectangle::new([from, to], Ink::Band.mark().mix(0.45).filled()))?;
    }
    Ok(())
}

fn band_names(chart: &LineChart, frame: Frame, root: &Canvas, context: &Context) -> Painted {
    for band in &chart.bands {
        let (x, y) = context.backend_coord(&(band.to, chart.y.high));
        let room = px(frame.width as i32) - x;
        let (at, side) = if room > px(text_width(&band.label) + 10) {
            (x + px(6), HPos::Left)
        } else {
            (x - px(6), HPos::Right)
        };
        let style = letters(Ink::Muted).pos(Pos::new(side, VPos::Top));
        root.draw(&Text::new(band.label.as_str(), (at, y + px(4)), style))?;
    }
    Ok(())
}

fn lines(chart: &LineChart, frame: Frame, context: &mut Context) -> Painted {
    let columns = frame.width as usize / 2;
    for reference in &chart.references {
        let path = thin(&reference.points, columns);
        context.draw_series([PathElement::new(path, stroke(Ink::Reference, 1.5))])?;
    }
    for curve in &chart.curves {
        for part in curve.points.split(|p| !p.1.is_finite()) {
            let path = thin(part, columns);
            if !path.is_empty() {
                context.draw_series([PathElement::new(path, stroke(Ink::Style(curve.style), 2.0))])?;
            }
        }
    }
    Ok(())
}

/// Names the lines at their right end, moved apart where they would touch.
fn end_labels(chart: &LineChart, root: &Canvas, context: &Context) -> Painted {
    // A curve that left the frame has no end to be named at; the legend names it.
    let reach = chart.x.low + 0.9 * (chart.x.high - chart.x.low);
    let last = |points: &[(f64, f64)]| points.iter().rev().find(|p| p.1.is_finite() && p.0 >= reach).copied();
    let curves = chart.curves.iter().map(|c| (Ink::Style(c.style), &c.label, last(&c.points)));
    let references = chart.references.iter().map(|r| (Ink::Text, &r.label, last(&r.points)));
    let mut labels = Vec::new();
    for (ink, label, point) in references.chain(curves) {
        let Some(point) = point else { continue };
        labels.push((context.backend_coord(&point).1, ink, label));
    }
    labels.sort_by_key(|label| label.0);
    let heights: Vec<i32> = labels.iter().map(|label| label.0).collect();
    let (edge, top) = context.backend_coord(&(chart.x.high, chart.y.high));
    let (_, bottom) = context.backend_coord(&(chart.x.high, chart.y.low));
    let spread = apart(&heights, px(LINE_GAP_PX), top, bottom);
    for ((_, ink, label), y) in labels.into_iter().zip(spread) {
        let style = letters(ink).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(label.as_str(), (edge + px(7), y), style))?;
    }
    Ok(())
}

/// Moves sorted heights apart to at least `gap`, within `low..=high` if they fit, staying as near as
/// a sweep down and a sweep up allow.
fn apart(heights: &[i32], gap: i32, low: i32, high: i32) -> Vec<i32> {
    let mut out: Vec<i32> = Vec::with_capacity(heights.len());
    for height in heights {
        let least = out.last().map_or(low, |above| above + gap);
        out.push((*height).max(least));
    }
    let mut most = high;
    for place in out.iter_mut().rev() {
        *place = (*place).min(most);
        most = *place - gap;
    }
    out
}

fn label_width(chart: &LineChart) -> i32 {
    let labels = chart.curves.iter().map(|c| &c.label).chain(chart.references.iter().map(|r| &r.label));
    labels.map(|label| text_width(label)).max().unwrap_or(0)
}

/// The width of a text in CSS pixels, estimated: no font is at hand when the page is written.
pub fn text_width(text: &str) -> i32 {
    (text.chars().count() as f64 * f64::from(FONT_PX) * LETTER).ceil() as i32
}

/// CSS pixels in units of the drawing.
pub fn px(css: i32) -> i32 {
    css * SCALE as i32
}

/// A stroke of `width_px` in that ink.
pub fn stroke(ink: Ink, width_px: f64) -> ShapeStyle {
    ink.mark().stroke_width((width_px * f64::from(SCALE)).round() as u32)
}

/// Letters of the usual size in that ink.
pub fn letters(ink: Ink) -> TextStyle<'static> {
    // plotters divides the size by 1.24 on its way to SVG.
    let font = ("sans-serif", f64::from(FONT_PX * SCALE) * 1.24).into_font();
    font.color(&ink.mark())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_touch_and_stay_inside() {
        assert_eq!(apart(&[10, 10, 10], 15, 0, 100), [10, 25, 40]);
        assert_eq!(apart(&[95, 98, 99], 15, 0, 100), [70, 85, 100]);
        assert_eq!(apart(&[5, 50, 90], 15, 0, 100), [5, 50, 90]);
        assert!(apart(&[], 15, 0, 100).is_empty());
    }
}
