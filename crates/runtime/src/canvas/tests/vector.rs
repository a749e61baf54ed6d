//! SVG out of canvases and into them, and filters as objects.

use super::{PIXELS, Script, check};

#[test]
fn a_canvas_that_keeps_shapes_gives_svg() {
    check(
        "const canvas = getCanvas(40, 30);
         const ctx = canvas.getContext('2d', { vector: true });
         ctx.fillStyle = 'teal'; ctx.fillRect(1, 2, 3, 4);
         const text = (bytes) => String.fromCharCode(...bytes);
         const svg = text(canvas.toBuffer('image/svg+xml'));
         if (!/^<svg [^>]*width=\"40\" height=\"30\"/.test(svg) || !svg.includes('fill=\"#008080\"')) throw new Error(svg);
         equal(text(canvas.toBuffer()), svg, 'where nothing else is asked for');
         equal(text(canvas.toBuffer('image/png').slice(1, 4)), 'PNG');
         canvas.width = 20;
         if (text(canvas.toBuffer()).includes('#008080')) throw new Error('a new size is a new drawing');
         ctx.beginLayer();
         throws('InvalidStateError', () => canvas.toBuffer());",
    );
    check(
        "const canvas = getCanvas(40, 30);
         canvas.getContext('2d').fillRect(0, 0, 9, 9);
         throws('InvalidStateError', () => canvas.toBuffer('image/svg+xml'));
         equal(canvas.toBuffer()[1], 80, 'PNG');
         // Asked for too late: the first call made the context.
         canvas.getContext('2d', { vector: true });
         throws('InvalidStateError', () => canvas.toBuffer('image/svg+xml'));",
    );
}

#[test]
fn an_svg_is_drawn_in_the_size_that_is_asked_for() {
    let script = Script::new(PIXELS);
    script.eval::<()>(
        "const seen = globalThis.seen = [];
         const image = new Image();
         image.onload = async () => {
             const ctx = context(200, 200);
             ctx.drawImage(image, 0, 0, 200, 200);
             seen.push(image.naturalWidth, pixel(ctx, 39, 100), pixel(ctx, 40, 100));
             const large = await createImageBitmap(image, { resizeWidth: 100, resizeHeight: 100 });
             ctx.clearRect(0, 0, 200, 200);
             ctx.drawImage(large, 0, 0);
             seen.push(large.width, pixel(ctx, 19, 50), pixel(ctx, 20, 50));
             const tiles = context(20, 20);
             tiles.fillStyle = tiles.createPattern(image, 'repeat');
             tiles.fillRect(0, 0, 20, 20);
             seen.push(pixel(tiles, 15, 15), pixel(tiles, 11, 11));
         };
         image.onerror = (error) => seen.push(error);
         image.src = `data:image/svg+xml,${encodeURIComponent(
             '<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"><path fill=\"#00f\" d=\"M2 2h6v6h-6z\"/></svg>')}`;",
    );
    let seen: Vec<String> = script.context.with(|ctx| {
        while ctx.execute_pending_job() {}
        ctx.eval("seen.map(String)").unwrap()
    });
    let (clear, blue) = ("0,0,0,0", "0,0,255,255");
    assert_eq!(seen, ["10", clear, blue, "100", clear, blue, blue, clear]);
}

#[test]
fn filters_are_objects_too() {
    check(
        "const ctx = context(60, 60);
         const red = new CanvasFilter({ name: 'colorMatrix', values: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0] });
         ctx.filter = red;
         same(ctx.filter, red);
         equal(`${ctx.filter}`, '[object CanvasFilter]');
         ctx.fillRect(0, 0, 10, 10);
         equal([pixel(ctx, 5, 5), pixel(ctx, 15, 5)], [[255, 0, 0, 255], [0, 0, 0, 0]]);
         ctx.save();
         ctx.filter = 'blur(1px)';
         equal(ctx.filter, 'blur(1px)');
         ctx.filter = 'no filter';
         equal(ctx.filter, 'blur(1px)');
         ctx.restore();
         same(ctx.filter, red);
         ctx.filter = new CanvasFilter([
             { name: 'unheard' },
             { name: 'componentTransfer', funcG: { type: 'linear', slope: 0, intercept: 0.5 }, funcB: { type: 'table', tableValues: [1, 0] } },
         ]);
         ctx.fillRect(20, 0, 10, 10);
         equal(pixel(ctx, 25, 5), [0, 128, 255, 255]);
         ctx.filter = new CanvasFilter({ name: 'convolveMatrix', kernelMatrix: [[0, 0, 1]], divisor: 1 });
         ctx.fillStyle = '#000';
         ctx.fillRect(20, 20, 10, 10);
         equal([19, 20, 21, 30, 31].map((x) => pixel(ctx, x, 25)[3]), [0, 0, 255, 255, 0]);
         ctx.reset();
         equal(ctx.filter, 'none');
         ctx.beginLayer({ filter: { name: 'dropShadow', dx: 20, dy: 0, stdDeviation: 0, floodColor: 'lime' } });
         ctx.fillRect(0, 0, 10, 10);
         ctx.endLayer();
         equal(pixel(ctx, 25, 5), [0, 255, 0, 255]);
         ctx.beginLayer({ filter: [] }); ctx.endLayer();
         for (const bad of [{ name: 'gaussianBlur' }, { name: 'gaussianBlur', stdDeviation: [1, 2, 3] }, { name: 'dropShadow', dx: NaN },
             { name: 'dropShadow', floodColor: 'no colour' }, { name: 'dropShadow', floodColor: undefined }, { name: 'convolveMatrix', kernelMatrix: [[], []] }, { name: 'colorMatrix', values: 'foo' }, { name: 'convolveMatrix', kernelMatrix: [[1, 2], []] },
             { name: 'componentTransfer', funcR: { type: 'table', tableValues: 1 } }, { name: 'turbulence', baseFrequency: [0, -1] },
             { name: 'turbulence', numOctaves: -1 }, { name: 'turbulence', seed: undefined }, { name: 'turbulence', type: 'noise' }, 7]) {
             throws('TypeError', () => new CanvasFilter(bad));
         }
         new CanvasFilter({ name: 'convolveMatrix', kernelMatrix: [[]] });
         throws('RangeError', () => new CanvasFilter({ name: 'convolveMatrix', kernelMatrix: Array(30).fill(Array(30).fill(1)) }));
         ctx.reset();
         ctx.filter = new CanvasFilter({ name: 'turbulence', baseFrequency: 0.1, numOctaves: 2, seed: 3, stitchTiles: 'stitch', type: 'fractalNoise' });
         ctx.fillRect(0, 0, 1, 1);
         const [near, far] = [pixel(ctx, 5, 5), pixel(ctx, 50, 50)];
         equal([near[3] > 0, far[3] > 0, `${near}` === `${far}`], [true, true, false]);",
    );
}
