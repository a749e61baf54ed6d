//! What libraries ask of a canvas as an element, and the newer corners of geometry and values.

use super::check;

#[test]
fn a_canvas_answers_as_an_element() {
    check(
        "const c = document.createElement('canvas');
         equal([c.tagName, c.nodeName, c.localName, c.nodeType], ['CANVAS', 'CANVAS', 'canvas', 1]);
         equal([c.clientWidth, c.offsetHeight, c.getBoundingClientRect().toJSON().right], [300, 150, 300]);
         equal([c.parentNode, c.isConnected], [null, false]);
         same(c.ownerDocument, document);
         c.style.width = '5px'; same(c.style, c.style); equal([c.style.width, c.width], ['5px', 300]);
         c.addEventListener('click', () => {}); c.removeEventListener('click', () => {});
         throws('TypeError', () => c.addEventListener('click'));
         const image = new Image(3, 4);
         equal([image.tagName, image.clientWidth, image.style.x], ['IMG', 3, undefined]);
         const ctx = c.getContext('2d');
         ctx.drawFocusIfNeeded(c); ctx.drawFocusIfNeeded(new Path2D(), image);
         for (const bad of [{}, null, new Path2D(), new OffscreenCanvas(1, 1)]) throws('TypeError', () => ctx.drawFocusIfNeeded(bad));
         equal('drawFocusIfNeeded' in context(), false);",
    );
}

#[test]
fn a_bitmap_is_taken_from_a_canvas_that_has_a_context() {
    check(
        "const off = new OffscreenCanvas(3, 2);
         throws('InvalidStateError', () => off.transferToImageBitmap());
         off.getContext('2d');
         equal(off.transferToImageBitmap().width, 3);",
    );
}

#[test]
fn transform_lists_in_every_unit() {
    check(
        "const of = (text) => [...new DOMMatrix(text).toFloat64Array()].map((v) => Math.round(v * 1e4) / 1e4 + 0);
         equal(of('rotate3d(0, 0, 2, 90deg)'), of('rotate(0.25turn)'));
         equal(of('translate(1in, 2.54cm)'), of('translate(96px, 96px)'));
         equal(of('scale(50%)'), of('scale(.5)'));
         equal(of('rotate(calc(10deg + 5deg)) /* and */ scale(max(2, 3))'), of('rotate(15deg) scale(3)'));
         equal(of('perspective(100px)')[11], -0.01);
         equal(of('perspective(0)')[11], -1);
         equal([new DOMMatrix('rotate3d(1,0,0,0deg)').is2D, new DOMMatrix('scaleX(20%)').is2D], [false, true]);
         for (const bad of ['rotate3d(1,0,0)', 'rotate3d(1,0,0,5)', 'scale(1px)', 'translate(5%)', 'translate(calc(1em))', 'perspective(-1px)']) {
             throws('SyntaxError', () => new DOMMatrix(bad));
         }
         same(WebKitCSSMatrix, DOMMatrix);",
    );
}

#[test]
fn quads_are_four_points() {
    check(
        "const quad = DOMQuad.fromRect({ x: 1, y: 2, width: 3, height: 4 });
         equal([quad.p1.x, quad.p3.y, quad.p3 instanceof DOMPoint], [1, 6, true]);
         same(quad.p2, quad.p2);
         equal(quad.getBounds().toJSON(), { x: 1, y: 2, width: 3, height: 4, top: 2, right: 4, bottom: 6, left: 1 });
         const other = new DOMQuad({ x: 5 }, { x: -1, y: 2 });
         equal([other.getBounds().width, other.toJSON().p1], [6, { x: 5, y: 0, z: 0, w: 1 }]);
         equal(DOMQuad.fromQuad({ p1: { x: 9 } }).p1.x, 9);
         throws('TypeError', () => DOMQuad.prototype.p1);
         equal(Object.prototype.toString.call(quad), '[object DOMQuad]');",
    );
}

#[test]
fn sums_and_comments_are_values() {
    check(
        "const ctx = context();
         ctx.fillStyle = 'rgb(calc(200 + 55) 0 /* none */ 0)'; equal(ctx.fillStyle, '#ff0000');
         ctx.font = 'calc(10px * 2) Arial'; equal(ctx.font, '20px Arial');
         ctx.filter = 'blur(calc(1px + 1px))'; equal(ctx.filter, 'blur(calc(1px + 1px))');
         ctx.font = 'oblique 10deg 12px Arial'; equal(ctx.font, 'oblique 10deg 12px Arial');
         const plain = ctx.measureText('abc').width;
         ctx.fontVariantCaps = 'small-caps';
         if (!(ctx.measureText('abc').width !== plain)) throw new Error('small capitals are of another width');",
    );
}

#[test]
fn a_png_may_be_small() {
    check(
        "const c = getCanvas(200, 200), ctx = c.getContext('2d');
         for (let i = 0; i < 200; i++) { ctx.fillStyle = `hsl(${i} 50% 50%)`; ctx.fillRect(i, 0, 1, 200); }
         const [fast, small] = [c.toBuffer(), c.toBuffer('image/png', { compressionLevel: 9 })];
         equal([small.length < fast.length, c.toBuffer('image/png', { compressionLevel: 6 }).length], [true, fast.length]);
         const pixels = (bytes) => { const image = new Image(); image.src = bytes; const to = context(200, 200); to.drawImage(image, 0, 0);
             return to.getImageData(0, 0, 200, 200).data.join(); };
         equal(pixels(small), pixels(fast));",
    );
}
