//! Image, ImageBitmap, fonts that a script brings, and the text attributes beside `font`.

use super::{PIXELS, Script};

/// A PNG of 4x4 red pixels, as an address, and what a script needs to make others.
const RED: &str = "
    const red = (() => {
        const canvas = new OffscreenCanvas(4, 4);
        const ctx = canvas.getContext('2d');
        ctx.fillStyle = 'red';
        ctx.fillRect(0, 0, 4, 4);
        const shown = getCanvas(4, 4);
        shown.getContext('2d').drawImage(canvas, 0, 0);
        return shown.toDataURL();
    })();
    const seen = globalThis.seen = [];
";

/// The script, then what came after it: one word an event.
fn events(code: &str) -> Vec<String> {
    let script = Script::new(PIXELS);
    script.eval::<()>(&format!("{RED}{code}"));
    script.context.with(|ctx| {
        while ctx.execute_pending_job() {}
        ctx.eval("seen.map(String)").unwrap()
    })
}

#[test]
fn an_image_is_there_after_its_event_and_can_be_drawn() {
    let seen = events(
        "const image = new Image();
        image.onload = () => {
            const ctx = context(8, 8);
            ctx.drawImage(image, 2, 2);
            seen.push(image.complete, image.naturalWidth, pixel(ctx, 3, 3), pixel(ctx, 1, 1));
        };
        image.src = red;
        // Not there yet: nothing is drawn, and nothing is wrong.
        const ctx = context(8, 8);
        ctx.drawImage(image, 0, 0);
        same(ctx.createPattern(image, 'repeat'), null);
        seen.push(image.complete, pixel(ctx, 0, 0));
        image.decode().then(() => seen.push('decoded'));",
    );
    assert_eq!(
        seen,
        [
            "false",
            "0,0,0,0",
            "true",
            "4",
            "255,0,0,255",
            "0,0,0,0",
            "decoded"
        ]
    );
}

#[test]
fn bytes_are_there_at_once_and_broken_ones_are_said() {
    let seen = events(
        "const bytes = new Uint8Array(8);
        const image = new Image();
        image.onerror = (error) => seen.push(error.name, error.type);
        image.src = bytes;
        seen.push(image.complete);
        throws('InvalidStateError', () => context().drawImage(image, 0, 0));
        throws('InvalidStateError', () => context().createPattern(image, 'repeat'));
        const far = new Image();
        far.addEventListener('error', (error) => seen.push(error.name), { once: true });
        far.src = 'https://example.invalid/a.png';",
    );
    assert_eq!(seen, ["true", "EncodingError", "error", "NetworkError"]);
}

#[test]
fn bitmaps_are_cut_scaled_and_closed() {
    let seen = events(
        "const two = context(2, 1);
        two.fillStyle = '#0f0';
        two.fillRect(1, 0, 1, 1);
        (async () => {
            const part = await createImageBitmap(two.canvas, 1, 0, 1, 1, { resizeWidth: 3, resizeHeight: 2 });
            const ctx = context(9, 9);
            ctx.drawImage(part, 0, 0);
            seen.push([part.width, part.height], pixel(ctx, 2, 1), pixel(ctx, 3, 1));
            part.close();
            seen.push(part.width);
            throws('InvalidStateError', () => ctx.drawImage(part, 0, 0));
            const outside = await createImageBitmap(two.canvas, -1, 0, 2, 1);
            ctx.clearRect(0, 0, 9, 9);
            ctx.drawImage(outside, 0, 0);
            seen.push(pixel(ctx, 0, 0)[3], pixel(ctx, 1, 0)[3]);
            const taken = two.canvas.transferToImageBitmap();
            seen.push(pixel(two, 1, 0)[3], taken.width);
            await createImageBitmap(new OffscreenCanvas(0, 2)).catch((error) => seen.push(error.name));
            const data = await createImageBitmap(new ImageData(new Uint8ClampedArray([9, 8, 7, 255]), 1));
            ctx.drawImage(data, 5, 5);
            seen.push(pixel(ctx, 5, 5));
        })().catch((error) => seen.push(error));",
    );
    assert_eq!(
        seen,
        [
            "3,2",
            "0,255,0,255",
            "0,0,0,0",
            "0",
            "0",
            "0",
            "0",
            "2",
            "InvalidStateError",
            "9,8,7,255"
        ]
    );
}

#[test]
fn fonts_are_loaded_from_bytes_and_noise_is_refused() {
    let seen = events(
        "const face = new FontFace('Noise', new Uint8Array(10));
        face.loaded.catch((error) => seen.push(error.name, face.status));
        new FontFace('Far', 'url(nothing.ttf)').load().catch((error) => seen.push(error.code ?? error.name));
        throws('SyntaxError', () => loadFont(new Uint8Array(10), 'Noise'));
        throws('TypeError', () => loadFont(new Uint8Array(10), ''));",
    );
    assert_eq!(seen, ["NetworkError", "error", "ENOENT"]);
}

#[test]
fn text_attributes_take_known_words_and_lengths_alone() {
    let script = Script::new(PIXELS);
    script.eval::<()>(
        "const ctx = context();
        ctx.font = '20px Arial';
        const plain = ctx.measureText('spaced').width;
        ctx.letterSpacing = '0.5em';
        equal(Math.round(ctx.measureText('spaced').width - plain), 60);
        ctx.save();
        ctx.letterSpacing = 'wide';
        equal(ctx.letterSpacing, '0.5em');
        ctx.letterSpacing = '0';
        equal(ctx.letterSpacing, '0px');
        ctx.restore();
        equal(ctx.letterSpacing, '0.5em');
        ctx.fontVariantCaps = 'small-caps';
        ctx.fontVariantCaps = 'Normal';
        equal(ctx.fontVariantCaps, 'small-caps');
        equal([ctx.fontKerning, ctx.fontStretch, ctx.textRendering, ctx.lang], ['auto', 'normal', 'auto', 'inherit']);
        ctx.reset();
        equal(ctx.fontVariantCaps, 'normal');",
    );
}
