//! Properties 1, 2, 3 and 5 of the canvas design. Property 4 is the worker's: it runs the scripts.

use super::{PIXELS, Script, decode};
use proptest::prelude::*;

/// Mostly small, sometimes one side at the limit.
fn sizes() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        8 => (1u32..300, 1u32..300),
        1 => (1u32..4).prop_map(|h| (16_384, h)),
        1 => (1u32..4).prop_map(|w| (w, 16_384)),
    ]
}

/// A number that a script might pass: ordinary, absurd, or none.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (-50i32..150).prop_map(|v| v.to_string()),
        3 => (-1e3f64..1e3).prop_map(|v| v.to_string()),
        1 => prop::sample::select(vec!["NaN", "Infinity", "-Infinity", "1e308", "-1e-300", "undefined", "'7'"])
            .prop_map(str::to_owned),
    ]
}

fn operation() -> impl Strategy<Value = String> {
    let calls = vec![
        "fillRect",
        "strokeRect",
        "clearRect",
        "moveTo",
        "lineTo",
        "quadraticCurveTo",
        "bezierCurveTo",
        "arc",
        "arcTo",
        "ellipse",
        "rect",
        "roundRect",
        "translate",
        "scale",
        "rotate",
        "transform",
        "setTransform",
        "resetTransform",
        "beginPath",
        "closePath",
        "fill",
        "stroke",
        "clip",
        "save",
        "restore",
        "reset",
        "setLineDash",
        "getImageData",
        "isPointInPath",
        "createLinearGradient",
        "createRadialGradient",
    ];
    let attributes = vec![
        "lineWidth",
        "miterLimit",
        "globalAlpha",
        "shadowBlur",
        "shadowOffsetX",
        "lineDashOffset",
        "fillStyle",
        "strokeStyle",
        "lineCap",
        "lineJoin",
        "globalCompositeOperation",
        "font",
        "textAlign",
    ];
    let words = vec![
        "'red'",
        "'#0f08'",
        "'round'",
        "'xor'",
        "'copy'",
        "'center'",
        "'bold 12px serif'",
        "'nonsense'",
    ];
    prop_oneof![
        5 => (prop::sample::select(calls), prop::collection::vec(number(), 0..9))
            .prop_map(|(name, args)| format!("ctx.{name}({})", args.join(", "))),
        1 => (prop::sample::select(attributes.clone()), number()).prop_map(|(name, v)| format!("ctx.{name} = {v}")),
        1 => (prop::sample::select(attributes), prop::sample::select(words))
            .prop_map(|(name, v)| format!("ctx.{name} = {v}")),
        1 => (number(), number(), number()).prop_map(|(x, y, w)| format!("ctx.fillText('Aé中', {x}, {y}, {w})")),
        1 => (number(), number()).prop_map(|(x, y)| format!("ctx.drawImage(canvas, {x}, {y})")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_canvas_and_its_png_have_the_size_asked_for((width, height) in sizes()) {
        let script = Script::new(PIXELS);
        let code = format!("const c = getCanvas({width}, {height}); return [c.width, c.height];");
        prop_assert_eq!(script.eval::<Vec<u32>>(&code), vec![width, height]);
        let picture = script.picture();
        prop_assert_eq!((picture.width, picture.height), (width, height));
    }

    #[test]
    fn there_is_one_canvas_however_often_it_is_asked_for(
        first in sizes(),
        others in prop::collection::vec((any::<i32>(), any::<i32>()), 1..20),
    ) {
        let (width, height) = first;
        let others: Vec<String> = others.iter().map(|(w, h)| format!("getCanvas({w}, {h})")).collect();
        let code = format!(
            "const c = getCanvas({width}, {height});
             for (const other of [{}, getCanvas()]) same(other, c);
             for (let i = 0; i < 3; i++) same(c.getContext('2d'), c.getContext('2d'));
             return [c.width, c.height];",
            others.join(", ")
        );
        prop_assert_eq!(Script::new(PIXELS).eval::<Vec<u32>>(&code), vec![width, height]);
    }

    #[test]
    fn there_is_a_picture_if_and_only_if_it_was_asked_for(before in any::<bool>(), asked in any::<bool>()) {
        let script = Script::new(PIXELS);
        let mut code = String::new();
        if before {
            code += "new OffscreenCanvas(5, 5).getContext('2d').fillRect(0, 0, 5, 5);";
        }
        if asked {
            code += "getCanvas(5, 5);";
        }
        script.eval::<()>(&code);
        prop_assert_eq!(script.host.main_canvas().is_some(), asked);
        prop_assert_eq!(script.host.export_png().is_some(), asked);
    }

    #[test]
    fn whatever_is_drawn_a_png_comes_out(operations in prop::collection::vec(operation(), 0..25)) {
        let script = Script::new(PIXELS);
        // Calls may throw what the standard says; never anything else.
        let allowed = "['TypeError', 'RangeError', 'IndexSizeError', 'InvalidStateError', 'SyntaxError']";
        let steps: String = operations
            .iter()
            .map(|op| format!("try {{ {op}; }} catch (e) {{ if (!{allowed}.includes(e.name)) throw e; }}\n"))
            .collect();
        script.eval::<()>(&format!("const canvas = getCanvas(64, 48); const ctx = canvas.getContext('2d');\n{steps}"));
        let (bytes, ..) = script.host.export_png().unwrap().unwrap();
        let picture = decode(&bytes);
        prop_assert_eq!((picture.width, picture.height), (64, 48));
    }
}
