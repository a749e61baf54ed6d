//! The bindings as a script sees them, and the host's side of getCanvas().

mod drawing;
mod elements;
mod interfaces;
mod limits;
mod pictures;
mod properties;
mod references;
mod vector;

use super::{CanvasHost, CanvasLimits};
use rquickjs::{CatchResultExt, Context, FromJs, Runtime};
use std::rc::Rc;

const PIXELS: u64 = 67_000_000;

/// Shared by all scripts below: assertions that name what they saw.
const PRELUDE: &str = r#"
    const equal = (got, want, what = '') => {
        const [g, w] = [JSON.stringify(got) ?? String(got), JSON.stringify(want) ?? String(want)];
        if (g !== w) throw new Error(`${what} expected ${w}, got ${g}`);
    };
    const same = (got, want, what = '') => {
        if (!Object.is(got, want)) throw new Error(`${what} is not the same: ${String(got)}, ${String(want)}`);
    };
    // The exception's name, and its constructor's for the built-in ones.
    const throws = (name, f) => {
        let seen = 'nothing';
        try { f(); } catch (e) { seen = e.name; if (seen === name && e.message !== '') return; }
        throw new Error(`${f} should throw ${name}, threw ${seen}`);
    };
    const context = (w = 100, h = 50) => new OffscreenCanvas(w, h).getContext('2d');
    const pixel = (ctx, x, y) => Array.from(ctx.getImageData(x, y, 1, 1).data);
"#;

/// A script in an interpreter of its own.
struct Script {
    host: Rc<CanvasHost>,
    context: Context,
    runtime: Runtime,
}

impl Script {
    fn new(pixels: u64) -> Script {
        let runtime = Runtime::new().unwrap();
        let context = Context::full(&runtime).unwrap();
        let host = context.with(|ctx| {
            let host = CanvasHost::install(&ctx, CanvasLimits { pixels }).catch(&ctx);
            host.unwrap_or_else(|e| panic!("{e}"))
        });
        Script {
            host,
            context,
            runtime,
        }
    }

    fn eval<R>(&self, code: &str) -> R
    where
        R: for<'js> FromJs<'js>,
    {
        let code = format!("(() => {{ 'use strict'; {PRELUDE}\n{code}\n}})()");
        self.context.with(|ctx| {
            ctx.eval::<R, _>(code.clone())
                .catch(&ctx)
                .unwrap_or_else(|e| panic!("{e}"))
        })
    }

    /// The exported picture, decoded by another library than the one under test needs to be.
    fn picture(&self) -> Picture {
        let (bytes, width, height) = self.host.export_png().expect("getCanvas was called").unwrap();
        assert_eq!(self.host.main_canvas(), Some((width, height)));
        let picture = decode(&bytes);
        assert_eq!((picture.width, picture.height), (width, height));
        picture
    }
}

/// Random cases of a property; more where `PROPTEST_CASES` asks for them.
fn at_least(cases: u32) -> proptest::prelude::ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|cases| cases.parse().ok()).unwrap_or(0);
    proptest::prelude::ProptestConfig::with_cases(cases.max(asked))
}

/// Runs a script that asserts for itself.
fn check(code: &str) {
    Script::new(PIXELS).eval::<()>(code);
}

struct Picture {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Picture {
    fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let start = ((y * self.width + x) * 4) as usize;
        self.rgba[start..start + 4].try_into().unwrap()
    }

    /// How many pixels are not fully transparent.
    fn inked(&self) -> usize {
        self.rgba.as_chunks::<4>().0.iter().filter(|p| p[3] != 0).count()
    }
}

fn decode(bytes: &[u8]) -> Picture {
    assert_eq!(bytes[..8], [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a]);
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut rgba = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut rgba).unwrap();
    assert_eq!(
        (frame.color_type, frame.bit_depth),
        (png::ColorType::Rgba, png::BitDepth::Eight)
    );
    Picture {
        width: frame.width,
        height: frame.height,
        rgba,
    }
}
