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
    /// What the style sheet knows it by, and the end of its identifiers.
    pub class: &'static str,
}

impl Frame {
    /// The whole width of the page at a desk.
    pub const FULL: Frame = Frame { width: 1120, height: 400, end_labels: true, class: "wide" };
    /// The whole width, less high: a second look at the chart above.
    pub const LOW: Frame = Frame { height: 290, ..Frame::FULL };
    /// Half of it, for two charts side by side.
    pub const HALF: Frame = Frame { width: 540, height: 320, end_labels: true, class: "wide" };
    /// The same without names at the ends, for curves that end close together.
    pub const HALF_PLAIN: Frame = Frame { end_labels: false, ..Frame::HALF };
    /// In place of a full one on a tablet and on paper, where its letters would be too small.
    const MIDDLE: Frame = Frame { class: "middle", ..Frame::HALF };
    /// A phone.
    const PHONE: Frame = Frame { width: 340, height: 260, end_labels: false, class: "narrow" };

    /// One of many, the same on every screen.
    pub const SMALL: Frame = Frame { class: "small", ..Frame::PHONE };

    /// Whether it takes the whole width of the page.
    pub fn is_full(self) -> bool {
        self.width == Frame::FULL.width
    }

    /// Whether there is too little room for names beside the bars.
    pub fn is_narrow(self) -> bool {
        self.width == Frame::PHONE.width
    }

    /// All frames of a chart that is drawn in this one at a desk.
    pub fn all(self) -> Vec<Frame> {
        if self.is_full() {
            vec![self, Frame::MIDDLE, Frame::PHONE]
        } else if self.is_narrow() {
            vec![self]
        } else {
            vec![self, Frame::PHONE]
        }
    }
}
