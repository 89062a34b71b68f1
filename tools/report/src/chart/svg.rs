//! From plotters' SVG to an inline one that follows the page: classes instead of colours, a title and
//! a description for those who do not see it, and a size that the style sheet decides.
//!
//! plotters knows colours only, so each ink is drawn in a colour of its own and traded here.

use maud::{PreEscaped, html};
use plotters::style::RGBColor;

use super::Frame;

/// Units of the drawing per CSS pixel. plotters rounds to whole units, so one unit per pixel would show
/// as steps in a slow curve.
pub const SCALE: u32 = 4;

/// What a stroke or a fill stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// A style of the palette.
    Style(usize),
    /// Text that is read first.
    Text,
    /// Text that is read second: ticks, axis names.
    Muted,
    /// The axis itself.
    Rule,
    /// The grid.
    Grid,
    /// The marked stretch of an axis.
    Band,
    /// An ideal or a limit.
    Reference,
}

const NAMED: [(Ink, u8, &str); 6] = [
    (Ink::Text, 0, "t"),
    (Ink::Muted, 1, "m"),
    (Ink::Rule, 2, "r"),
    (Ink::Grid, 3, "g"),
    (Ink::Band, 4, "b"),
    (Ink::Reference, 5, "i"),
];
const STYLE_MARK: u8 = 0xa5;
const NAMED_MARK: u8 = 0x5a;

impl Ink {
    /// The colour that stands for it until `finish`.
    pub fn mark(self) -> RGBColor {
        match self {
            Ink::Style(at) => RGBColor(STYLE_MARK, 0x01, at as u8),
            named => {
                let code = NAMED.iter().find(|entry| entry.0 == named).map_or(0, |entry| entry.1);
                RGBColor(NAMED_MARK, 0x01, code)
            }
        }
    }
}

fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// Trades marks for classes and gives the root element its words.
pub fn finish(drawn: &str, id: &str, frame: Frame, title: &str, description: &str) -> Result<String, String> {
    let id = format!("{id}-{}", frame.class);
    let body = drawn.split_once('>').map(|(_, body)| body).ok_or("the drawing has no root element")?;
    let mut body = body.to_owned();
    for (at, _) in super::palette::STYLES.iter().enumerate() {
        let mark = hex(Ink::Style(at).mark());
        body = body.replace(&format!("stroke=\"{mark}\""), &format!("class=\"l{at}\""));
        body = body.replace(&format!("fill=\"{mark}\""), &format!("class=\"f{at}\""));
    }
    for (ink, _, name) in NAMED {
        let mark = hex(ink.mark());
        body = body.replace(&format!("stroke=\"{mark}\""), &format!("class=\"k{name}\""));
        body = body.replace(&format!("fill=\"{mark}\""), &format!("class=\"x{name}\""));
    }
    // Defaults, or what the style sheet says for all of them.
    for noise in [" opacity=\"1\"", " stroke=\"none\"", " font-family=\"sans-serif\""] {
        body = body.replace(noise, "");
    }
    let view = attribute(drawn, "viewBox").ok_or("the drawing has no viewBox")?;
    let words = html! {
        title id={ (id) "-t" } { (title) }
        desc id={ (id) "-d" } { (description) }
    };
    let root = html! {
        svg class={ "chart " (frame.class) } viewBox=(view) role="img" aria-labelledby={ (id) "-t " (id) "-d" }
            xmlns="http://www.w3.org/2000/svg" { (words) (PreEscaped(body.replace("</svg>", ""))) }
    };
    Ok(root.into_string())
}

/// A drawing as a file of its own: its style sheet inside, air around it, and a size for programs that
/// ask for one.
pub fn standalone(drawing: &str, frame: Frame, style: &str) -> String {
    const AIR_PX: u32 = 14;
    let (width, height) = (frame.width + 2 * AIR_PX, frame.height + 2 * AIR_PX);
    let air = AIR_PX * SCALE;
    let old_view = format!("viewBox=\"0 0 {} {}\"", frame.width * SCALE, frame.height * SCALE);
    let new_view = format!(
        "width=\"{width}\" height=\"{height}\" viewBox=\"-{air} -{air} {} {}\"",
        width * SCALE,
        height * SCALE
    );
    let sheet = format!("><style>{style}\nsvg{{background:var(--card);font-family:sans-serif}}</style>");
    drawing.replacen(&old_view, &new_view, 1).replacen('>', &sheet, 1)
}

fn attribute<'a>(svg: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = svg.split_once(&format!("{name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_classes_and_words_are_escaped() {
        let style = hex(Ink::Style(2).mark());
        let grid = hex(Ink::Grid.mark());
        let drawn = format!(
            "<svg width=\"8\" height=\"4\" viewBox=\"0 0 8 4\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <rect opacity=\"1\" fill=\"{style}\" stroke=\"none\"/><line stroke=\"{grid}\"/>\n</svg>\n"
        );
        let out = finish(&drawn, "c1", Frame::HALF, "a < b", "\"quoted\" & <b>").unwrap();
        let parsed = roxmltree::Document::parse(&out).unwrap();
        let root = parsed.root_element();
        assert_eq!(root.attribute("viewBox"), Some("0 0 8 4"));
        assert_eq!(root.attribute("width"), None);
        let text = |name| root.children().find(|n| n.has_tag_name(name)).and_then(|n| n.text());
        assert_eq!(text("title"), Some("a < b"));
        assert_eq!(text("desc"), Some("\"quoted\" & <b>"));
        assert!(out.contains("class=\"f2\"") && out.contains("class=\"kg\"") && !out.contains('#'));
    }

    #[test]
    fn a_file_of_its_own_is_well_formed() {
        let drawn = "<svg viewBox=\"0 0 2160 1280\">\n<rect/></svg>";
        let inline = finish(drawn, "c", Frame::HALF, "t", "d").unwrap();
        let file = standalone(&inline, Frame::HALF, ".l0{stroke:red}");
        let parsed = roxmltree::Document::parse(&file).unwrap();
        assert_eq!(parsed.root_element().attribute("width"), Some("568"));
        assert_eq!(parsed.root_element().attribute("viewBox"), Some("-56 -56 2272 1392"));
        assert!(
            parsed
                .descendants()
                .any(|n| n.has_tag_name("style") && n.text().is_some_and(|t| t.contains(".l0")))
        );
    }

    #[test]
    fn every_ink_has_a_mark_of_its_own() {
        let mut marks: Vec<String> = NAMED.iter().map(|entry| hex(entry.0.mark())).collect();
        marks.extend((0..8).map(|at| hex(Ink::Style(at).mark())));
        marks.sort();
        marks.dedup();
        assert_eq!(marks.len(), NAMED.len() + 8);
    }
}
