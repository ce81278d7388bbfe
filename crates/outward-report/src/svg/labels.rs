//! Names beside points, placed so that none covers another. A name without room is shown in the table only.

use super::canvas::{Anchor, Canvas, LETTER_WIDTH, LINE_HEIGHT};

/// Left, top, right and bottom of something drawn.
type Rect = (f64, f64, f64, f64);

/// A point and the side of it on which a text is set.
type Spot = ((f64, f64), Anchor);

/// What is already taken within some bounds.
pub(super) struct Labels {
    bounds: Rect,
    taken: Vec<Rect>,
    lines: Vec<Rect>,
}

impl Labels {
    /// No name yet.
    pub(super) fn new(bounds: Rect) -> Self {
        Self { bounds, taken: Vec::new(), lines: Vec::new() }
    }

    /// Points that no name may cover.
    pub(super) fn avoid(&mut self, points: impl IntoIterator<Item = (f64, f64)>) {
        self.taken.extend(points.into_iter().map(|(x, y)| (x - 5.0, y - 5.0, x + 5.0, y + 5.0)));
    }

    /// A line through points that names keep clear of where they can.
    pub(super) fn avoid_line(&mut self, points: &[(f64, f64)]) {
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let steps = ((to.0 - from.0).hypot(to.1 - from.1) / 6.0).ceil().max(1.0);
            for step in 0..=(steps as u32) {
                let part = f64::from(step) / steps;
                let (x, y) = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
                self.lines.push((x - 1.0, y - 1.0, x + 1.0, y + 1.0));
            }
        }
    }

    /// Writes a name to the right of its point, or else to the left, above or below, where there is room.
    pub(super) fn write(&mut self, canvas: &mut Canvas, class: &str, point: (f64, f64), name: &str) {
        let (x, y) = point;
        let places = [
            ((x + 10.0, y + 4.5), Anchor::Start),
            ((x - 10.0, y + 4.5), Anchor::End),
            ((x, y - 11.0), Anchor::Middle),
            ((x, y + 21.0), Anchor::Middle),
            ((x + 7.0, y - 8.0), Anchor::Start),
            ((x + 7.0, y + 18.0), Anchor::Start),
            ((x - 7.0, y - 8.0), Anchor::End),
            ((x - 7.0, y + 18.0), Anchor::End),
        ];
        if let Some((at, anchor)) = self.find(&places, name) {
            canvas.text(class, at, anchor, name);
        }
    }

    /// Writes the name of a level line at one of its ends, above or below it. It is written even where it covers
    /// something: without it the line would mean nothing.
    pub(super) fn write_level(&mut self, canvas: &mut Canvas, height: f64, name: &str) {
        let (left, _, right, _) = self.bounds;
        let first = ((right, height - 6.0), Anchor::End);
        let places = [
            first,
            ((left + 6.0, height - 6.0), Anchor::Start),
            ((right, height + 16.0), Anchor::End),
            ((left + 6.0, height + 16.0), Anchor::Start),
        ];
        let (at, anchor) = self.find(&places, name).unwrap_or(first);
        canvas.text("note", at, anchor, name);
    }

    /// Takes the first place where a text covers nothing, or else the first where it covers no more than a line.
    fn find(&mut self, places: &[Spot], text: &str) -> Option<Spot> {
        let rooms: Vec<_> = places.iter().map(|spot| (*spot, Self::room(*spot, text))).collect();
        let free = |rect: Rect, taken: &[Rect]| taken.iter().all(|t| apart(rect, *t));
        let fits: Vec<_> = rooms.into_iter().filter(|(_, r)| self.holds(*r) && free(*r, &self.taken)).collect();
        let (spot, rect) = *fits.iter().find(|(_, rect)| free(*rect, &self.lines)).or(fits.first())?;
        self.taken.push(rect);
        Some(spot)
    }

    /// The room that a text takes.
    fn room((at, anchor): Spot, text: &str) -> Rect {
        let width = text.chars().count() as f64 * LETTER_WIDTH;
        let start = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - width / 2.0,
            Anchor::End => at.0 - width,
        };
        (start, at.1 - LINE_HEIGHT + 5.0, start + width, at.1 + 3.0)
    }

    fn holds(&self, rect: Rect) -> bool {
        let (left, top, right, bottom) = self.bounds;
        rect.0 >= left && rect.1 >= top - 6.0 && rect.2 <= right + 16.0 && rect.3 <= bottom
    }
}

fn apart(a: Rect, b: Rect) -> bool {
    a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_points_in_one_place_do_not_cover_each_other() {
        let mut labels = Labels::new((0.0, 0.0, 400.0, 200.0));
        let mut canvas = Canvas::default();
        for name in ["one", "two", "three"] {
            labels.write(&mut canvas, "name", (200.0, 100.0), name);
        }
        let svg = canvas.finish(200.0, "", "");
        let places: Vec<_> = svg.lines().filter(|l| l.starts_with("<text")).map(|l| &l[..44]).collect();
        assert_eq!(places.len(), 3);
        assert!(places[0] != places[1] && places[1] != places[2] && places[0] != places[2]);
    }

    #[test]
    fn a_name_crosses_a_line_before_it_is_left_out() {
        let mut labels = Labels::new((0.0, 0.0, 400.0, 200.0));
        for height in [80.0, 90.0, 100.0, 110.0, 120.0] {
            labels.avoid_line(&[(0.0, height), (400.0, height)]);
        }
        let mut canvas = Canvas::default();
        labels.write(&mut canvas, "name", (200.0, 100.0), "chosen");
        assert!(canvas.finish(200.0, "", "").contains("chosen"));
    }

    #[test]
    fn a_name_without_room_is_left_out_but_never_that_of_a_threshold() {
        let mut labels = Labels::new((0.0, 0.0, 20.0, 20.0));
        let mut canvas = Canvas::default();
        labels.write(&mut canvas, "name", (10.0, 10.0), "much too long");
        labels.write_level(&mut canvas, 10.0, "limit of the policy");
        let svg = canvas.finish(20.0, "", "");
        assert!(!svg.contains("much too long") && svg.contains("limit of the policy"));
    }
}
