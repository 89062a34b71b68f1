//! Colours and dash patterns, once for light and once for dark, and the CSS variables made of them.
//!
//! Each line style is told apart three ways: hue, lightness, dash. The tests hold every colour to a
//! contrast of 4.5 : 1 on its card and every pair apart for people with the common colour deficiencies.

/// How one policy is drawn, everywhere on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Colour on a light card, `0xRRGGBB`.
    pub light: u32,
    /// Colour on a dark card.
    pub dark: u32,
    /// Dash lengths in CSS pixels; empty is a solid line.
    pub dash: &'static [u32],
}

/// Style 0 is kept for the library's own engine; the others go to the policies it is compared with.
pub const STYLES: [Style; 8] = [
    Style { light: 0x0f62b8, dark: 0x5aa9ff, dash: &[] },
    Style { light: 0xc24400, dark: 0xff8a4a, dash: &[9, 4] },
    Style { light: 0x4d1a57, dark: 0xf3d3fb, dash: &[2, 3] },
    Style { light: 0x0a7a63, dark: 0x3fd0a0, dash: &[9, 3, 2, 3] },
    Style { light: 0x7d5f00, dark: 0xe8cf5a, dash: &[5, 3] },
    Style { light: 0x4a525c, dark: 0xc3cad3, dash: &[14, 4, 2, 4] },
    Style { light: 0xa8195f, dark: 0xff8fc4, dash: &[3, 2, 3, 7] },
    Style { light: 0x00687f, dark: 0x62d2e8, dash: &[18, 4] },
];

/// The surfaces and inks of the page: name, light, dark.
pub const SURFACES: [(&str, u32, u32); 10] = [
    ("page", 0xf4f6f8, 0x0f1318),
    ("card", 0xffffff, 0x181d24),
    ("ink", 0x1b2128, 0xe9edf2),
    ("muted", 0x55606d, 0xa6b0bc),
    ("rule", 0xd5dbe2, 0x343c47),
    ("grid", 0xe6eaee, 0x2a313b),
    ("met", 0x0a6b3d, 0x63d69a),
    ("missed", 0xb3261e, 0xff9a90),
    ("band", 0x8a94a0, 0x8a94a0),
    ("code", 0xeef1f4, 0x222932),
];

/// The variables of one colour scheme, for the inside of a CSS rule.
pub fn variables(dark: bool) -> String {
    let mut css = String::new();
    for (name, light, night) in SURFACES {
        css.push_str(&format!("--{name}:#{:06x};", if dark { night } else { light }));
    }
    for (at, style) in STYLES.iter().enumerate() {
        css.push_str(&format!("--s{at}:#{:06x};", if dark { style.dark } else { style.light }));
    }
    css
}

/// The classes that the charts use for the styles: `l0` a line, `f0` a fill.
pub fn classes(scale: u32) -> String {
    let mut css = String::new();
    for (at, style) in STYLES.iter().enumerate() {
        css.push_str(&format!(".l{at}{{stroke:var(--s{at})"));
        if !style.dash.is_empty() {
            css.push_str(&format!(";stroke-dasharray:{}", dash_text(style, scale)));
        }
        css.push_str(&format!("}}.f{at}{{fill:var(--s{at})}}"));
    }
    css
}

/// Dash lengths for `stroke-dasharray`, in units of `1/scale` CSS pixel.
pub fn dash_text(style: &Style, scale: u32) -> String {
    let lengths: Vec<String> = style.dash.iter().map(|length| (length * scale).to_string()).collect();
    lengths.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(rgb: u32) -> [f64; 3] {
        [16, 8, 0].map(|shift| {
            let channel = f64::from((rgb >> shift) & 0xff) / 255.0;
            if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn luminance(rgb: u32) -> f64 {
        let [r, g, b] = linear(rgb);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: u32, b: u32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn surface(name: &str) -> (u32, u32) {
        SURFACES.iter().find(|s| s.0 == name).map(|s| (s.1, s.2)).unwrap()
    }

    #[test]
    fn every_ink_is_readable_where_it_is_used() {
        for ground in ["card", "page"] {
            let (light, dark) = surface(ground);
            for name in ["ink", "muted", "met", "missed"] {
                let ink = surface(name);
                assert!(contrast(ink.0, light) >= 4.5, "{name} on {ground}, light");
                assert!(contrast(ink.1, dark) >= 4.5, "{name} on {ground}, dark");
            }
        }
        let code = surface("code");
        let ink = surface("ink");
        assert!(contrast(ink.0, code.0) >= 4.5 && contrast(ink.1, code.1) >= 4.5);
    }

    #[test]
    fn every_line_is_readable_on_its_card() {
        let (light, dark) = surface("card");
        for (at, style) in STYLES.iter().enumerate() {
            assert!(contrast(style.light, light) >= 4.5, "style {at}, light");
            assert!(contrast(style.dark, dark) >= 4.5, "style {at}, dark");
        }
    }

    /// Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
    const DEFICIENCIES: [(&str, [[f64; 3]; 3]); 3] = [
        ("none", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protan",
            [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        ),
        (
            "deutan",
            [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
        ),
    ];

    fn lab(rgb: [f64; 3]) -> [f64; 3] {
        let [r, g, b] = rgb.map(|c| c.clamp(0.0, 1.0));
        let xyz = [
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        ]
        .map(|t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * xyz[1] - 16.0, 500.0 * (xyz[0] - xyz[1]), 200.0 * (xyz[1] - xyz[2])]
    }

    fn seen(rgb: u32, by: &[[f64; 3]; 3]) -> [f64; 3] {
        let from = linear(rgb);
        lab([0, 1, 2].map(|row| (0..3).map(|i| by[row][i] * from[i]).sum()))
    }

    #[test]
    fn the_first_four_stay_apart_for_colour_blind_readers() {
        for (who, matrix) in DEFICIENCIES {
            for (a, first) in STYLES.iter().enumerate().take(4) {
                for (b, second) in STYLES.iter().enumerate().take(4).skip(a + 1) {
                    for (mode, one, two) in
                        [("light", first.light, second.light), ("dark", first.dark, second.dark)]
                    {
                        let (one, two) = (seen(one, &matrix), seen(two, &matrix));
                        let apart = (0..3).map(|i| (one[i] - two[i]).powi(2)).sum::<f64>().sqrt();
                        assert!(apart > 20.0, "{a} and {b} for {who} in {mode}: {apart:.1}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_two_styles_share_a_dash() {
        for (at, style) in STYLES.iter().enumerate() {
            assert!(STYLES.iter().skip(at + 1).all(|other| other.dash != style.dash));
        }
    }
}
