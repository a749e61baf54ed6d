//! Properties 1, 2, 3 and 5 of the canvas design. Property 4 is the worker's: it runs the scripts.

use super::{PIXELS, Script, decode};
use proptest::prelude::*;
use std::time::{Duration, Instant};

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
    #![proptest_config(super::at_least(128))]

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

/// Calls and sets whatever the interfaces have, on whatever there is, with whatever there is.
const EVERYTHING: &str = r#"
    let state = SEED;
    const random = (n) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 4294967296) * n);
    };
    const canvas = getCanvas(64, 48);
    const ctx = canvas.getContext('2d', { vector: random(2) === 0, alpha: random(3) > 0, colorSpace: random(3) > 0 ? 'srgb' : 'display-p3' });
    const off = new OffscreenCanvas(20, 20).getContext('2d');
    const objects = [canvas, ctx, off, off.canvas, new Path2D('M0 0L30 9Q9 40 3 3Z'), new DOMMatrix([2, 1, 0, 3, 5, 5]), new DOMPoint(1, 2),
        new ImageData(4, 3), ctx.createLinearGradient(0, 0, 50, 5), ctx.createConicGradient(1, 20, 20), ctx.createRadialGradient(5, 5, 2, 30, 9, 40),
        ctx.createPattern(off.canvas, 'repeat-x'), new CanvasFilter({ name: 'gaussianBlur', stdDeviation: 2 }), ctx.measureText('x'), new Image()];
    const plain = [0, 1, -1, 0.5, 7, 30, 100, -300, 1e6, 2 ** 31, 1e16, 1e38, 1e308, -1e308, 5e-324, NaN, Infinity, -Infinity, undefined, null, true, '',
        'red', 'rgb(1 2 3 / 0.4)', 'blur(3px) opacity(0.5)', 'drop-shadow(90px 1px 3px red)', 'bold 30px serif', 'small-caps calc(1em + 5px) serif', 'rgb(calc(1 + r) /* x */ 3 4)', 'xor', 'source-in', 'multiply',
        'evenodd', 'round', 'center', 'A\u{1f600}e\u0301\u4e2d', '\u8a9e\ud55c\u0645\u0631\u0905', 'image/svg+xml', 'no-repeat', '\ud800', [], [3, 4], [1, 2, 3, 4, 5, 6], {}, { a: 2, e: 5 },
        { name: 'dropShadow', dx: 300 }, { name: 'turbulence', baseFrequency: 0.1 }, { filter: { name: 'colorMatrix', values: Array(20).fill(0.3) } }, { valueOf() { return 12; } }];
    const any = () => (random(4) === 0 ? objects[random(objects.length)] : plain[random(plain.length)]);
    const membersOf = (object) => {
        const members = [];
        for (let p = object; p !== null && p !== Object.prototype; p = Object.getPrototypeOf(p)) {
            for (const name of Object.getOwnPropertyNames(p)) if (name !== 'constructor') members.push([name, Object.getOwnPropertyDescriptor(p, name)]);
        }
        return members;
    };
    const makers = [Path2D, DOMMatrix, DOMPoint, DOMRect, ImageData, OffscreenCanvas, CanvasFilter, FontFace, Image];
    const known = ['TypeError', 'RangeError', 'SyntaxError', 'IndexSizeError', 'InvalidStateError', 'NotSupportedError', 'EncodingError', 'NetworkError'];
    for (let i = 0; i < 120; i++) {
        const args = Array.from({ length: random(10) }, any);
        let what = '';
        try {
            if (random(12) === 0) {
                const Maker = makers[random(makers.length)];
                what = `new ${Maker.name}`;
                const made = new Maker(...args);
                if (objects.length < 40) objects.push(made);
            } else {
                const object = random(3) === 0 ? objects[random(objects.length)] : ctx;
                const members = membersOf(object);
                const [name, member] = members[random(members.length)];
                what = name;
                if (typeof member.value === 'function') {
                    const result = object[name](...args);
                    // What comes later may fail too.
                    if (result instanceof Promise) result.catch(() => {});
                    if (shared(result) && objects.length < 40) objects.push(result);
                } else if (member.set !== undefined) object[name] = args[0];
                else void object[name];
            }
        } catch (error) {
            if (!known.includes(error?.name)) throw new Error(`${what}: ${error?.name}: ${error?.message}`);
        }
    }
    ctx.reset();
    ctx.fillRect(0, 0, 1, 1);
    if (canvas.width * canvas.height === 0) canvas.width = canvas.height = 5;
"#;

proptest! {
    #![proptest_config(super::at_least(200))]

    #[test]
    fn the_whole_interface_takes_anything(seed in any::<u32>()) {
        let start = Instant::now();
        let script = Script::new(1 << 20);
        let object = "const shared = (v) => v !== null && typeof v === 'object' && !(v instanceof Promise);";
        script.eval::<()>(&(object.to_owned() + &EVERYTHING.replace("SEED", &seed.to_string())));
        prop_assert!(script.host.export_png().unwrap().is_ok());
        prop_assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }
}
