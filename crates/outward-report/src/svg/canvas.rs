//! The few SVG shapes the charts are made of. Colours and fonts come from the style sheet of the page, by class.

use std::fmt::Write;

use crate::html::escape;

/// The width of every drawing, in its own units; the page scales it to the room there is.
pub(crate) const WIDTH: f64 = 640.0;
/// Room for one line of text.
pub(crate) const LINE_HEIGHT: f64 = 18.0;
/// A generous width of one letter: on narrow screens the style sheet sets larger letters than on wide ones.
pub(crate) const LETTER_WIDTH: f64 = 8.6;

/// A drawing under way.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
}

/// To which side of its point a text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Canvas {
    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (px(from.0), px(from.1), px(to.0), px(to.1));
        self.push(format_args!(r#"<line class="{class}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#));
    }

    /// A rectangle that says what it is when pointed at.
    pub(crate) fn bar(&mut self, class: &str, corner: (f64, f64), size: (f64, f64), says: &str) {
        let (x, y, w, h) = (px(corner.0), px(corner.1), px(size.0), px(size.1));
        self.push(format_args!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{w}" height="{h}"><title>{}</title></rect>"#,
            escape(says)
        ));
    }

    /// A line of text on its baseline.
    pub(crate) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let (x, y) = (px(at.0), px(at.1));
        self.push(format_args!(r#"<text class="{class}" x="{x}" y="{y}"{anchor}>{}</text>"#, escape(text)));
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        self.push(format_args!(r#"<polyline class="{class}" points="{}"/>"#, points.join(" ")));
    }

    /// A sign of one of four shapes that says what it is when pointed at.
    pub(crate) fn sign(&mut self, class: &str, shape: usize, at: (f64, f64), radius: f64, says: &str) {
        let (x, y, r) = (at.0, at.1, radius);
        let corners = match shape % 4 {
            0 => {
                let (x, y, r) = (px(x), px(y), px(r));
                let says = escape(says);
                self.push(format_args!(
                    r#"<circle class="{class}" cx="{x}" cy="{y}" r="{r}"><title>{says}</title></circle>"#
                ));
                return;
            }
            1 => vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
            2 => vec![(x, y - 1.2 * r), (x + 1.2 * r, y + r), (x - 1.2 * r, y + r)],
            _ => vec![(x, y - 1.4 * r), (x + 1.4 * r, y), (x, y + 1.4 * r), (x - 1.4 * r, y)],
        };
        let corners: Vec<_> = corners.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        self.push(format_args!(
            r#"<polygon class="{class}" points="{}"><title>{}</title></polygon>"#,
            corners.join(" "),
            escape(says)
        ));
    }

    /// The finished drawing, named and described for those who cannot see it.
    pub(crate) fn finish(self, height: f64, title: &str, description: &str) -> String {
        format!(
            "<svg role=\"img\" viewBox=\"0 0 {} {}\">\n<title>{}</title>\n<desc>{}</desc>\n{}</svg>\n",
            px(WIDTH),
            px(height),
            escape(title),
            escape(description),
            self.body
        )
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

/// A coordinate with at most two decimals and no sign on zero.
fn px(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_zero_has_no_sign() {
        assert_eq!([px(-0.001), px(12.0), px(1.005_9), px(-3.456)], ["0", "12", "1.01", "-3.46"]);
    }

    #[test]
    fn texts_in_a_drawing_are_escaped() {
        let mut canvas = Canvas::default();
        canvas.text("tick", (0.0, 0.0), Anchor::Start, "<script>");
        canvas.bar("bar", (0.0, 0.0), (1.0, 1.0), "a\"</title><script>");
        let svg = canvas.finish(10.0, "</svg><script>", "'");
        assert!(!svg.contains("<script>"), "{svg}");
    }
}
