//! Font files with bytes changed, cut or repeated: they are refused, or lines are shaped, measured
//! and drawn with them, in time.

use super::{FontDescriptors, Fonts};
use crate::canvas::Canvas;
use crate::context::Context2d;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Outlines of both kinds, colours of every kind, packed and not.
const FILES: [&[u8]; 7] = [
    include_bytes!("fixtures/layers.ttf"),
    include_bytes!("fixtures/layers.woff2"),
    include_bytes!("fixtures/paints.ttf"),
    include_bytes!("fixtures/cbdt.ttf"),
    include_bytes!("fixtures/sbix.ttf"),
    include_bytes!("../../../../resources/fonts/Cousine-Regular.subset.ttf"),
    include_bytes!("../../../../resources/fonts/NotoSansCJKsc-Bold.subset.otf"),
];

/// Where a change does most: the directory, the heads of tables, or anywhere.
fn place(length: usize) -> impl Strategy<Value = usize> {
    prop_oneof![0..length.min(300), 0..length.min(4000), 0..length]
}

fn broken() -> impl Strategy<Value = Vec<u8>> {
    (0..FILES.len()).prop_flat_map(|file| {
        let bytes = FILES[file];
        let changes = prop::collection::vec((place(bytes.len()), any::<u8>()), 0..12);
        let words = prop::collection::vec(
            (
                place(bytes.len()),
                prop::sample::select(vec![0u16, 1, 0x7fff, 0x8000, 0xffff]),
            ),
            0..4,
        );
        let cut = prop::option::weighted(0.2, place(bytes.len()));
        (changes, words, cut).prop_map(move |(changes, words, cut)| {
            let mut bytes = bytes.to_vec();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            for (at, word) in words {
                for (slot, byte) in bytes[at..].iter_mut().zip(word.to_be_bytes()) {
                    *slot = byte;
                }
            }
            bytes.truncate(cut.unwrap_or(bytes.len()));
            bytes
        })
    })
}

proptest! {
    #![proptest_config(crate::cases::at_least(200))]
    #[test]
    fn broken_fonts_are_refused_or_drawn(bytes in broken(), stroked in any::<bool>()) {
        let start = Instant::now();
        let fonts = Fonts::isolated();
        Fonts::readable(&bytes);
        if fonts.register("Broken", bytes, FontDescriptors::default()).is_ok() {
            let mut c = Context2d::with_fonts(Canvas::new(60, 40).unwrap(), fonts);
            prop_assert!(c.set_font("24px Broken"));
            let text = "AaB1 é中文\u{e000}\u{f0000}";
            let metrics = c.measure_text(text);
            prop_assert!(!metrics.width.is_nan());
            match stroked {
                true => c.stroke_text(text, 2.0, 30.0, Some(50.0)),
                false => c.fill_text(text, 2.0, 30.0, None),
            }
            prop_assert!(c.canvas().bitmap().data().as_chunks::<4>().0.iter().all(|p| p[..3].iter().all(|v| *v <= p[3])));
        }
        prop_assert!(start.elapsed() < Duration::from_secs(20));
    }
}
