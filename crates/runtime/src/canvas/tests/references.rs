//! The scenes of `tests/pictures` that need no library, held against their pictures in `reference`.
//! Beside each is what Chromium draws of it; `PM_WRITE_DOCS=1 cargo xtask sheets` draws both anew.

use super::{PIXELS, Script, decode};
use std::path::Path;

const SCENES: &str = include_str!("../../../../../tests/pictures/scenes.mjs");
/// Processors add and round in their own ways: of 255, of any channel and in the mean.
const WORST: u8 = 12;
const MEAN: f64 = 0.02;

#[test]
fn scenes_are_drawn_as_their_references_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pictures/reference");
    let scenes = SCENES.replace("export const", "const");
    let run = |rest: &str| format!("{scenes}\n{rest}");
    let names: Vec<String> = Script::new(PIXELS).eval(&run(
        "return Object.keys(SCENES).filter((name) => SCENES[name].kept);",
    ));
    assert!(names.len() >= 13, "{names:?}");
    let mut wrong = Vec::new();
    for name in &names {
        let script = Script::new(PIXELS);
        script.eval::<()>(&run(&format!(
            "const {{ draw, width = 560, height = 400 }} = SCENES['{name}'];
             const create = (width, height) => Object.assign(document.createElement('canvas'), {{ width, height }});
             draw(getCanvas(width, height).getContext('2d'), width, height, {{ create }});"
        )));
        let drawn = script.picture();
        assert!(folder.join(format!("{name}.chromium.webp")).is_file(), "{name}");
        let kept = decode(&std::fs::read(folder.join(format!("{name}.png"))).unwrap());
        assert_eq!((drawn.width, drawn.height), (kept.width, kept.height), "{name}");
        let far = drawn.rgba.iter().zip(&kept.rgba).map(|(a, b)| a.abs_diff(*b));
        let (worst, sum) = far.fold((0, 0), |(worst, sum), far| (far.max(worst), sum + u64::from(far)));
        let mean = sum as f64 / drawn.rgba.len() as f64;
        if worst > WORST || mean > MEAN {
            wrong.push(format!("{name}: worst {worst}, mean {mean:.3}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{wrong:#?}; where that is meant: PM_WRITE_DOCS=1 cargo xtask sheets, and look at target/sheets"
    );
}
