//! How large a drawing is, in CSS pixels, and what fits into it.

/// The size of one drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
    /// Whether the curves are named at their right end.
    pub end_labels: bool,
    /// Tells the shapes of one chart apart in identifiers.
    pub suffix: &'static str,
}

impl Frame {
    /// The whole width of the page at a desk.
    pub const FULL: Frame = Frame { width: 1120, height: 400, end_labels: true, suffix: "w" };
    /// The whole width, less high: a second look at the chart above.
    pub const LOW: Frame = Frame { height: 290, ..Frame::FULL };
    /// Half of it, for two charts side by side.
    pub const HALF: Frame = Frame { width: 540, height: 320, end_labels: true, suffix: "w" };
    /// The same without names at the ends, for curves that end close together.
    pub const HALF_PLAIN: Frame = Frame { end_labels: false, ..Frame::HALF };
    /// A phone.
    pub const PHONE: Frame = Frame { width: 340, height: 260, end_labels: false, suffix: "n" };
}
