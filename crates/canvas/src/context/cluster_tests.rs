//! Measured texts, piece by piece.

use super::Context2d;
use crate::canvas::Canvas;
use crate::text::{Direction, TextAlign, TextBaseline};
use proptest::prelude::*;

fn context() -> Context2d {
    let mut context = Context2d::new(Canvas::new(500, 120).unwrap());
    context.set_font("30px sans-serif");
    context
}

#[test]
fn letters_with_marks_and_emoji_are_one_cluster_each() {
    let measured = context().measured("ae\u{301} 👩‍👩‍👧字");
    let found = measured.clusters(0..measured.length(), None, None);
    let units: Vec<_> = found.iter().map(|one| (one.start, one.end)).collect();
    assert_eq!(units, [(0, 1), (1, 3), (3, 4), (4, 12), (12, 13)]);
    assert_eq!(measured.clusters(1..4, None, None).len(), 2);
}

#[test]
fn text_of_both_directions_is_selected_in_stretches() {
    let mut c = context();
    // Three letters to the right, three to the left.
    let measured = c.measured("abcאבג");
    let width = c.measure_text("abcאבג").width;
    let all = measured.selection(0..6);
    assert_eq!(all.len(), 1);
    assert!((all[0][2] - width).abs() < 1e-6 && all[0][0] == 0.0);
    // The last Latin and the first Hebrew letter are not beside each other.
    let two = measured.selection(2..4);
    assert_eq!(two.len(), 2, "{two:?}");
    assert!(two[1][0] > two[0][0] + two[0][2] + 1.0);
    assert_eq!(measured.index_at(-5.0), 0);
    // At the right end stands the first of the Hebrew letters: a caret there is before it.
    assert_eq!(measured.index_at(width + 5.0), 3);
    let none = measured.selection(1..1);
    assert_eq!((none.len(), none[0][2]), (1, 0.0));
}

#[test]
fn clusters_are_drawn_as_they_were_measured() {
    let draw = |pieces: bool| {
        let mut c = context();
        c.set_text_align(TextAlign::Center);
        c.set_text_baseline(TextBaseline::Top);
        let measured = c.measured("T a字 b😀");
        if pieces {
            let clusters = measured.clusters(0..measured.length(), Some(TextAlign::Right), None);
            c.set_font("70px serif");
            c.set_text_align(TextAlign::Left);
            for cluster in &clusters {
                c.fill_text_cluster(&measured, cluster, 200.0, 40.0);
            }
        } else {
            c.fill_text("T a字 b😀", 200.0, 40.0, None);
        }
        c.canvas().snapshot()
    };
    assert!(draw(true) == draw(false));
    let mut c = context();
    let empty = c.canvas().snapshot();
    let measured = c.measured("x");
    let mut cluster = measured.clusters(0..1, None, None)[0];
    cluster.x = f64::NAN;
    c.fill_text_cluster(&measured, &cluster, 10.0, 50.0);
    assert!(c.canvas().snapshot() == empty);
}

proptest! {
    #![proptest_config(crate::cases::at_least(200))]

    #[test]
    fn every_unit_is_in_one_cluster(
        text in "[a-zA-Z \u{5d0}-\u{5ea}\u{627}-\u{64a}\u{915}-\u{939}\u{94d}字漢ﬁe\u{301}😀👩\u{200d}\t\u{2028}]{0,20}",
        rtl: bool,
        at in -50.0..400.0f64,
    ) {
        let mut c = context();
        c.set_direction(if rtl { Direction::Rtl } else { Direction::Ltr });
        let width = c.measure_text(&text).width;
        let measured = c.measured(&text);
        let length = text.encode_utf16().count();
        prop_assert_eq!(measured.length(), length);
        let mut next = 0;
        for cluster in measured.clusters(0..length, None, None) {
            prop_assert_eq!(cluster.start, next);
            prop_assert!(cluster.end > cluster.start);
            next = cluster.end;
        }
        prop_assert_eq!(next, length);
        let selected: f64 = measured.selection(0..length).iter().map(|one| one[2]).sum();
        prop_assert!((selected - width).abs() < 0.01, "{} of {}", selected, width);
        prop_assert!(measured.index_at(at) <= length);
        let ink = measured.ink(0..length);
        let metrics = c.measure_text(&text);
        let wide = metrics.actual_bounding_box_left + metrics.actual_bounding_box_right;
        prop_assert!((ink[2] - wide).abs() < 0.01);
    }
}
