//! The pixel budget, sizes, and memory that must come back.

use super::{PIXELS, Script, check};

#[test]
fn get_canvas_has_defaults_for_undefined_only() {
    let script = Script::new(PIXELS);
    assert_eq!(
        script.eval::<Vec<u32>>("const c = getCanvas(); return [c.width, c.height];"),
        [800, 600]
    );
    let script = Script::new(PIXELS);
    assert_eq!(
        script.eval::<Vec<u32>>("const c = getCanvas(undefined, 7); return [c.width, c.height];"),
        [800, 7]
    );
    check(
        "for (const bad of [null, 0, -1, 1.5, 16385, NaN, Infinity, '100', {}, true]) {
             throws('RangeError', () => getCanvas(bad, 10));
             throws('RangeError', () => getCanvas(10, bad));
         }
         equal([getCanvas(16384, 1).width, getCanvas(5, 5).height], [16384, 1]);",
    );
}

#[test]
fn over_the_budget_is_a_range_error_that_names_the_limit() {
    let script = Script::new(10_000);
    script.eval::<()>(
        "throws('RangeError', () => getCanvas(101, 100));
         const first = new OffscreenCanvas(50, 100);
         const second = new OffscreenCanvas(50, 50);
         let message = '';
         try { new OffscreenCanvas(51, 50); } catch (e) { message = e.message; }
         if (!message.includes('10000')) throw new Error(message);
         throws('RangeError', () => { second.width = 101; });
         equal([second.width, second.height], [50, 50], 'unchanged by the refusal');
         second.width = 100;
         throws('RangeError', () => first.getContext('2d').createPattern(first, ''));
         throws('RangeError', () => first.getContext('2d').getImageData(0, 0, 10001, 1));
         second.height = 0;
         first.getContext('2d').createPattern(first, '');",
    );
}

#[test]
fn open_layers_count_until_they_end() {
    let script = Script::new(10_000);
    script.eval::<()>(
        "const ctx = context(50, 50);
         for (let i = 0; i < 100; i++) { ctx.beginLayer(); ctx.fillRect(0, 0, 9, 9); ctx.endLayer(); }
         for (let i = 0; i < 3; i++) ctx.beginLayer();
         throws('RangeError', () => ctx.beginLayer());
         ctx.endLayer(); ctx.beginLayer(); ctx.reset();
         globalThis.keep = ctx;",
    );
    assert_eq!(script.host.budget.used(), 2500);
}

#[test]
fn a_refused_size_is_not_charged() {
    let script = Script::new(PIXELS);
    script.eval::<()>(
        "const c = new OffscreenCanvas(10, 10);
         throws('RangeError', () => { c.width = 70000; });
         throws('RangeError', () => new OffscreenCanvas(70000, 1));
         throws('RangeError', () => new OffscreenCanvas(Number.MAX_SAFE_INTEGER, 0));
         equal([c.width, c.height], [10, 10]);
         globalThis.keep = c;",
    );
    assert_eq!(script.host.budget.used(), 100);
}

#[test]
fn a_thousand_canvases_in_a_row_need_the_room_of_one() {
    let script = Script::new(20_000);
    script.eval::<()>(
        "for (let i = 0; i < 1000; i++) {
             const ctx = context(100, 100);
             ctx.fillStyle = ctx.createPattern(ctx.canvas, 'repeat');
             ctx.save();
             ctx.fillRect(0, 0, 100, 100);
         }",
    );
    script.context.with(|ctx| ctx.run_gc());
    assert_eq!(script.host.budget.used(), 0);
}

#[test]
fn what_went_is_found_long_before_the_budget_is_full() {
    let script = Script::new(1 << 40);
    let most = script
        .eval::<f64>("let i = 0; for (; i < 100; i++) context(800, 600).fillRect(0, 0, 9, 9); return i;");
    assert_eq!(most, 100.0);
    let used = script.host.budget.used();
    assert!(used < 4 << 20, "{used} pixels are still held");
}

#[test]
fn pixels_that_find_no_memory_are_a_range_error() {
    let script = Script::new(PIXELS);
    script.runtime.set_memory_limit(32 << 20);
    script.eval::<()>(
        "const ctx = context(9, 9);
         throws('RangeError', () => ctx.createImageData(16000, 16000));
         throws('RangeError', () => ctx.createImageData(16000, 16000, { pixelFormat: 'rgba-float16' }));
         throws('RangeError', () => ctx.getImageData(0, 0, 4000, 3000));
         equal([ctx.createImageData(8, 7).data.length, pixel(ctx, 0, 0)], [224, [0, 0, 0, 0]]);",
    );
}

#[test]
fn the_main_canvas_can_be_resized_and_emptied() {
    let script = Script::new(PIXELS);
    script.eval::<()>("const c = getCanvas(10, 10); c.width = 20; c.height = 30;");
    assert_eq!(script.host.main_canvas(), Some((20, 30)));
    assert_eq!(script.picture().width, 20);
    script.eval::<()>("getCanvas().width = 0;");
    let error = script.host.export_png().unwrap().unwrap_err();
    assert_eq!(error.dom_name(), "InvalidStateError");
}

#[test]
fn script_inside_a_conversion_finds_no_canvas_borrowed() {
    check(
        "const canvas = new OffscreenCanvas(20, 20);
         const ctx = canvas.getContext('2d');
         const evil = { valueOf() { canvas.width = 5; ctx.fillRect(0, 0, 1, 1); return 3; },
                        toString() { canvas.height = 4; ctx.save(); return 'red'; } };
         ctx.fillRect(evil, evil, evil, evil);
         ctx.fillStyle = evil; equal(ctx.fillStyle, '#ff0000');
         ctx.drawImage(canvas, evil, evil);
         ctx.setTransform(evil, evil, evil, evil, evil, evil);
         ctx.setLineDash([evil, evil]);
         ctx.fillText(evil, evil, evil);
         ctx.measureText(evil);
         const image = new ImageData(2, 2);
         throws('InvalidStateError', () => ctx.putImageData(
             image, { valueOf() { image.data.buffer.transfer(0); return 0; } }, 0));",
    );
}
