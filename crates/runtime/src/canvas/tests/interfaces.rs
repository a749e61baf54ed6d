//! Interfaces as WebIDL wants them: shapes, brands, conversions, overloads, exceptions.

use super::super::{CanvasHost, CanvasLimits};
use super::{PIXELS, Script, check};
use rquickjs::{CatchResultExt, Context, Runtime};

const GLOBALS: &[&str] = &[
    "CanvasFilter",
    "CanvasGradient",
    "CanvasPattern",
    "CanvasRenderingContext2D",
    "DOMMatrix",
    "DOMMatrixReadOnly",
    "DOMPoint",
    "DOMPointReadOnly",
    "DOMQuad",
    "DOMRect",
    "DOMRectReadOnly",
    "FontFace",
    "HTMLCanvasElement",
    "HTMLImageElement",
    "Image",
    "ImageBitmap",
    "ImageData",
    "OffscreenCanvas",
    "OffscreenCanvasRenderingContext2D",
    "Path2D",
    "TextCluster",
    "TextMetrics",
    "WebKitCSSMatrix",
    "createImageBitmap",
    "document",
    "fonts",
    "getCanvas",
    "loadFont",
];

#[test]
fn only_the_interfaces_and_get_canvas_become_globals() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        let names = || -> Vec<String> {
            ctx.eval("Reflect.ownKeys(globalThis).map(String)")
                .catch(&ctx)
                .unwrap_or_else(|e| panic!("{e}"))
        };
        let before = names();
        let _host = CanvasHost::install(&ctx, CanvasLimits { pixels: PIXELS }).unwrap();
        let mut new: Vec<String> = names().into_iter().filter(|n| !before.contains(n)).collect();
        new.sort();
        assert_eq!(new, GLOBALS);
        let seen: Vec<String> = ctx.eval("Object.keys(globalThis)").unwrap();
        assert!(seen.iter().all(|n| !GLOBALS.contains(&n.as_str())), "{seen:?}");
    });
}

#[test]
fn interfaces_have_the_shape_of_interfaces() {
    check(
        "const c = getCanvas(10, 10), ctx = c.getContext('2d'), off = context();
         for (const [object, name] of [
             [c, 'HTMLCanvasElement'], [ctx, 'CanvasRenderingContext2D'],
             [off, 'OffscreenCanvasRenderingContext2D'], [off.canvas, 'OffscreenCanvas'],
             [new Path2D(), 'Path2D'], [ctx.createLinearGradient(0, 0, 1, 1), 'CanvasGradient'],
             [ctx.createPattern(c, ''), 'CanvasPattern'], [new ImageData(1, 1), 'ImageData'],
             [ctx.measureText(''), 'TextMetrics'], [ctx.getTransform(), 'DOMMatrix'],
             [new DOMPoint(), 'DOMPoint'], [new DOMRectReadOnly(), 'DOMRectReadOnly'],
         ]) {
             equal(Object.prototype.toString.call(object), `[object ${name}]`);
             equal(object instanceof globalThis[name], true, name);
             same(object.constructor, globalThis[name]);
             equal(globalThis[name].name, name);
             equal(Object.getOwnPropertyNames(object), [], `${name}: everything is on the prototype`);
             for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(globalThis[name].prototype))) {
                 equal([d.enumerable, d.configurable], [key !== 'constructor', true], `${name}.${key}`);
             }
         }
         same(ctx.canvas, c);
         const P = CanvasRenderingContext2D.prototype;
         equal([P.fillRect.length, P.fillRect.name, P.arc.length, P.fill.length, P.setTransform.length, P.drawImage.length,
                P.getImageData.length, P.roundRect.length], [4, 'fillRect', 5, 0, 0, 3, 4, 4]);
         equal(ctx.fillRect(0, 0, 1, 1), undefined);",
    );
}

#[test]
fn constructors_and_calls_on_other_objects_are_illegal() {
    check(
        "const ctx = context();
         for (const name of ['CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D', 'CanvasGradient',
                             'CanvasPattern', 'TextMetrics', 'HTMLCanvasElement']) {
             throws('TypeError', () => new globalThis[name]());
             throws('TypeError', () => globalThis[name]());
         }
         for (const name of ['Path2D', 'OffscreenCanvas', 'ImageData', 'DOMMatrix', 'DOMPoint']) {
             throws('TypeError', () => globalThis[name](10, 10));
         }
         for (const name of ['CanvasRenderingContext2D', 'OffscreenCanvas', 'HTMLCanvasElement', 'Path2D', 'CanvasGradient',
                             'CanvasPattern', 'ImageData', 'TextMetrics', 'DOMMatrix', 'DOMPoint', 'DOMRect']) {
             const prototype = globalThis[name].prototype;
             for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
                 if (key === 'constructor' || key === 'toBlob' || key === 'convertToBlob') continue;
                 for (const other of [{}, undefined, 7, prototype, Object.create(prototype), new Proxy(ctx, {})]) {
                     if (d.get) throws('TypeError', () => d.get.call(other));
                     if (d.set) throws('TypeError', () => d.set.call(other, 1));
                     const sixes = [6, 6, 6, 6, 6, 6, 6];
                     if (typeof d.value === 'function') throws('TypeError', () => d.value.apply(other, sixes));
                 }
             }
         }
         throws('TypeError', () => Path2D.prototype.lineTo.call(ctx, 1, 1));
         throws('TypeError', () => ctx.fillRect.call(new Path2D(), 1, 1, 1, 1));",
    );
}

#[test]
fn missing_arguments_are_type_errors() {
    check(
        "const ctx = context(), g = ctx.createLinearGradient(0, 0, 1, 1), path = new Path2D();
         const counts = { scale: 2, rotate: 1, translate: 2, transform: 6, createLinearGradient: 4, createRadialGradient: 6,
             createConicGradient: 3, createPattern: 2, clearRect: 4, fillRect: 4, strokeRect: 4, moveTo: 2, lineTo: 2,
             quadraticCurveTo: 4, bezierCurveTo: 6, arcTo: 5, rect: 4, roundRect: 4, arc: 5, ellipse: 7, isPointInPath: 2,
             isPointInStroke: 2, fillText: 3, strokeText: 3, measureText: 1, drawImage: 3, createImageData: 1,
             getImageData: 4, putImageData: 3, setLineDash: 1 };
         for (const [name, count] of Object.entries(counts)) {
             for (let n = 0; n < count; n++) throws('TypeError', () => ctx[name](...new Array(n).fill(0)));
         }
         for (let n = 2; n < 6; n++) throws('TypeError', () => ctx.setTransform(...new Array(n).fill(0)));
         throws('TypeError', () => g.addColorStop(0));
         throws('TypeError', () => path.addPath());
         throws('TypeError', () => new OffscreenCanvas(1));
         throws('TypeError', () => new ImageData(1));
         throws('TypeError', () => getCanvas().getContext());",
    );
}

#[test]
fn numbers_are_converted_as_in_webidl() {
    check(
        "const ctx = context();
         ctx.lineWidth = '7'; equal(ctx.lineWidth, 7);
         for (const bad of [0, -1, NaN, Infinity, 'x', undefined]) ctx.lineWidth = bad;
         equal(ctx.lineWidth, 7);
         ctx.lineWidth = { valueOf: () => 3 }; equal(ctx.lineWidth, 3);
         throws('TypeError', () => { ctx.lineWidth = Symbol(); });
         throws('TypeError', () => { ctx.lineWidth = 1n; });
         throws('TypeError', () => ctx.fillRect(0, 0, Symbol(), 1));
         ctx.globalAlpha = 0.25; ctx.globalAlpha = 2; equal(ctx.globalAlpha, 0.25);
         ctx.fillRect(NaN, 0, 10, 10); ctx.fillRect(0, 0, Infinity, 10); ctx.lineTo(NaN, 1);
         equal(pixel(ctx, 1, 1), [0, 0, 0, 0]);
         ctx.globalAlpha = 1; ctx.fillRect('0', null, '10', true); equal(pixel(ctx, 9, 0), [0, 0, 0, 255]);
         throws('TypeError', () => ctx.createLinearGradient(0, 0, NaN, 0));
         throws('TypeError', () => ctx.createRadialGradient(0, 0, Infinity, 0, 0, 0));
         throws('TypeError', () => ctx.getImageData(NaN, 0, 1, 1));
         throws('TypeError', () => ctx.getImageData(0, 0, Infinity, 1));
         throws('TypeError', () => ctx.createImageData(2 ** 31, 1));
         throws('TypeError', () => new OffscreenCanvas(-1, 1));
         throws('TypeError', () => new OffscreenCanvas(NaN, 1));
         ctx.setLineDash([1, '2', 3]); equal(ctx.getLineDash(), [1, 2, 3, 1, 2, 3]);
         ctx.setLineDash(new Set([4, 5])); equal(ctx.getLineDash(), [4, 5]);
         ctx.setLineDash([-1]); ctx.setLineDash([NaN]); equal(ctx.getLineDash(), [4, 5]);
         throws('TypeError', () => ctx.setLineDash(3));
         throws('TypeError', () => ctx.setLineDash(null));",
    );
}

#[test]
fn words_that_are_not_known_are_ignored() {
    check(
        "const ctx = context();
         const known = { lineCap: ['butt', 'round', 'square'], lineJoin: ['miter', 'round', 'bevel'],
             textAlign: ['start', 'end', 'left', 'right', 'center'], direction: ['ltr', 'rtl', 'inherit'],
             textBaseline: ['alphabetic', 'top', 'hanging', 'middle', 'ideographic', 'bottom'],
             imageSmoothingQuality: ['low', 'medium', 'high'],
             globalCompositeOperation: ['source-over', 'xor', 'copy', 'lighter', 'multiply', 'luminosity'] };
         for (const [name, values] of Object.entries(known)) {
             equal(values.includes(ctx[name]), true, name);
             for (const value of values) {
                 ctx[name] = value;
                 for (const bad of ['nonsense', value.toUpperCase(), '', null, `${value} `]) ctx[name] = bad;
                 equal(ctx[name], value, name);
             }
         }
         ctx.imageSmoothingEnabled = 0; equal(ctx.imageSmoothingEnabled, false);
         ctx.imageSmoothingEnabled = 'yes'; equal(ctx.imageSmoothingEnabled, true);
         ctx.font = '20px serif'; ctx.font = 'nonsense'; equal(ctx.font, '20px serif');
         ctx.shadowColor = '#ff0000'; ctx.shadowColor = 'nonsense'; equal(ctx.shadowColor, '#ff0000');
         ctx.fillStyle = 'rgba(1,2,3,0.5)'; equal(ctx.fillStyle, 'rgba(1, 2, 3, 0.5)');
         for (const bad of ['nonsense', {}, null, undefined, 5, '\\ud800']) ctx.fillStyle = bad;
         equal(ctx.fillStyle, 'rgba(1, 2, 3, 0.5)');
         ctx.fillText('lone \\ud800 surrogate', 0, 10);",
    );
}

#[test]
fn paints_are_the_same_objects_through_every_state() {
    check(
        "const ctx = context();
         const g = ctx.createConicGradient(0, 5, 5), p = ctx.createPattern(ctx.canvas, 'no-repeat');
         ctx.fillStyle = g; same(ctx.fillStyle, g); equal(ctx.strokeStyle, '#000000');
         ctx.strokeStyle = p; same(ctx.strokeStyle, p);
         ctx.save();
         ctx.fillStyle = 'nonsense'; same(ctx.fillStyle, g);
         ctx.fillStyle = 'red'; ctx.strokeStyle = g; same(ctx.strokeStyle, g);
         ctx.save(); ctx.fillStyle = p; same(ctx.fillStyle, p); ctx.restore(); equal(ctx.fillStyle, '#ff0000');
         ctx.restore(); same(ctx.fillStyle, g); same(ctx.strokeStyle, p);
         ctx.restore(); same(ctx.fillStyle, g);
         ctx.save(); ctx.reset(); equal(ctx.fillStyle, '#000000'); ctx.restore(); equal(ctx.fillStyle, '#000000');
         ctx.fillStyle = g; ctx.save(); ctx.canvas.width = 9; equal([ctx.fillStyle, ctx.strokeStyle], ['#000000', '#000000']);
         ctx.restore(); equal(ctx.fillStyle, '#000000');
         same(ctx.canvas.getContext('2d'), ctx);",
    );
}

#[test]
fn layers_are_one_picture_and_close_the_canvas_to_readers() {
    check(
        "const ctx = context(20, 20), other = context(20, 20);
         ctx.fillStyle = 'red'; ctx.globalAlpha = 0.5;
         ctx.beginLayer();
         equal([ctx.globalAlpha, ctx.fillStyle], [1, '#ff0000']);
         ctx.fillStyle = 'blue';
         ctx.fillRect(0, 0, 20, 20); ctx.fillRect(0, 0, 20, 20);
         for (const read of [() => ctx.getImageData(0, 0, 1, 1), () => other.drawImage(ctx.canvas, 0, 0),
             () => ctx.putImageData(new ImageData(1, 1), 0, 0), () => ctx.createPattern(ctx.canvas, ''),
             () => ctx.canvas.transferToImageBitmap(), () => ctx.restore()]) throws('InvalidStateError', read);
         ctx.endLayer();
         equal([ctx.globalAlpha, ctx.fillStyle], [0.5, '#ff0000']);
         equal(pixel(ctx, 5, 5), [0, 0, 255, 128]);
         throws('InvalidStateError', () => ctx.endLayer());
         ctx.reset(); ctx.beginLayer({ filter: 'invert(1)' }); ctx.fillRect(0, 0, 20, 20); ctx.endLayer();
         equal(pixel(ctx, 5, 5), [255, 255, 255, 255]);
         for (const bad of ['', 0, true]) throws('TypeError', () => ctx.beginLayer(bad));
         ctx.beginLayer(); ctx.canvas.width = 20; throws('InvalidStateError', () => ctx.endLayer());",
    );
}

#[test]
fn wide_canvases_and_halves() {
    check(
        "const p3 = { colorSpace: 'display-p3' };
         const ctx = new OffscreenCanvas(4, 4).getContext('2d', p3), plain = context(4, 4);
         equal([ctx.getContextAttributes().colorSpace, plain.getContextAttributes().colorSpace], ['display-p3', 'srgb']);
         ctx.fillStyle = '#f00'; ctx.fillRect(0, 0, 4, 4);
         equal(pixel(ctx, 1, 1), [234, 51, 35, 255]);
         equal([...ctx.getImageData(1, 1, 1, 1, { colorSpace: 'srgb' }).data], [255, 0, 0, 255]);
         equal([ctx.getImageData(0, 0, 1, 1).colorSpace, ctx.createImageData(1, 1).colorSpace], ['display-p3', 'display-p3']);
         plain.putImageData(new ImageData(new Uint8ClampedArray([5, 250, 128, 255]), 1, 1, p3), 0, 0);
         equal(pixel(plain, 0, 0), [0, 255, 112, 255]);
         plain.drawImage(ctx.canvas, 0, 0); equal(pixel(plain, 2, 2), [255, 0, 0, 255]);
         const half = new ImageData(2, 1, { pixelFormat: 'rgba-float16' });
         equal([half.pixelFormat, half.data.constructor.name, half.data.length], ['rgba-float16', 'Float16Array', 8]);
         half.data.set([0.5, 2, -1, 1, NaN, 0, 0, 1]);
         plain.putImageData(half, 0, 0); equal([...plain.getImageData(0, 0, 2, 1).data], [128, 255, 0, 255, 0, 0, 0, 255]);
         const back = plain.getImageData(0, 0, 1, 1, { pixelFormat: 'rgba-float16' });
         equal([back.data[1], back.data[2], Math.abs(back.data[0] - 0.5) < 0.01], [1, 0, true]);
         equal(plain.createImageData(back).pixelFormat, 'rgba-float16');
         throws('InvalidStateError', () => new ImageData(new Float16Array(4), 1, 1));
         throws('InvalidStateError', () => new ImageData(new Uint8ClampedArray(4), 1, 1, { pixelFormat: 'rgba-float16' }));
         for (const bad of [{ colorSpace: 'rec2020' }, { pixelFormat: 'x' }]) throws('TypeError', () => new ImageData(1, 1, bad));
         throws('TypeError', () => new OffscreenCanvas(1, 1).getContext('2d', { colorSpace: 'x' }));",
    );
}

#[test]
fn exceptions_have_their_names() {
    check(
        "const ctx = context(), empty = new OffscreenCanvas(0, 5), path = new Path2D();
         equal([empty.width, empty.height], [0, 5]);
         for (const target of [ctx, path]) {
             throws('IndexSizeError', () => target.arc(0, 0, -1, 0, 1));
             throws('IndexSizeError', () => target.ellipse(0, 0, 1, -1, 0, 0, 1));
             throws('IndexSizeError', () => target.arcTo(0, 0, 1, 1, -1));
             throws('RangeError', () => target.roundRect(0, 0, 10, 10, -1));
             throws('RangeError', () => target.roundRect(0, 0, 10, 10, [1, { x: 1, y: -1 }]));
             throws('RangeError', () => target.roundRect(0, 0, 10, 10, []));
             throws('RangeError', () => target.roundRect(0, 0, 10, 10, [1, 2, 3, 4, 5]));
             throws('TypeError', () => target.roundRect(0, 0, 10, 10, Symbol()));
         }
         throws('IndexSizeError', () => ctx.createRadialGradient(0, 0, -1, 0, 0, 1));
         const g = ctx.createLinearGradient(0, 0, 1, 1);
         throws('IndexSizeError', () => g.addColorStop(2, 'red'));
         throws('SyntaxError', () => g.addColorStop(0, 'nonsense'));
         throws('TypeError', () => g.addColorStop(NaN, 'red'));
         throws('IndexSizeError', () => ctx.getImageData(0, 0, 0, 1));
         throws('IndexSizeError', () => ctx.createImageData(0, 1));
         throws('InvalidStateError', () => ctx.drawImage(empty, 0, 0));
         throws('InvalidStateError', () => ctx.createPattern(empty, ''));
         ctx.drawImage(empty, NaN, 0);
         throws('SyntaxError', () => ctx.createPattern(ctx.canvas, 'sideways'));
         throws('SyntaxError', () => ctx.createPattern(ctx.canvas, undefined));
         for (const bad of [null, {}, 'x', ctx, new Path2D()]) {
             throws('TypeError', () => ctx.drawImage(bad, 0, 0));
             throws('TypeError', () => ctx.createPattern(bad, ''));
         }
         for (const n of [3, 5, 6, 7]) throws('TypeError', () => ctx.drawImage(ctx.canvas, ...new Array(n).fill(1)));
         throws('TypeError', () => ctx.putImageData({}, 0, 0));
         for (const n of [1, 2, 3]) throws('TypeError', () => ctx.putImageData(new ImageData(1, 1), 0, 0, ...new Array(n).fill(1)));
         throws('TypeError', () => new OffscreenCanvas(1, 1).getContext('nonsense'));
         equal(new OffscreenCanvas(1, 1).getContext('webgl'), null);
         equal(getCanvas(1, 1).getContext('webgl'), null);
         try { ctx.arc(0, 0, -1, 0, 1); } catch (e) { equal([e instanceof DOMException, e.code], [true, 1]); }",
    );
}

#[test]
fn overloads_of_painting_and_hit_tests() {
    check(
        "const ctx = context();
         const ring = new Path2D();
         ring.rect(0, 0, 40, 40); ring.rect(10, 10, 20, 20);
         ctx.fill(ring, 'evenodd'); equal([pixel(ctx, 5, 5)[3], pixel(ctx, 20, 20)[3]], [255, 0]);
         ctx.fill(ring); equal(pixel(ctx, 20, 20)[3], 255);
         equal([ctx.isPointInPath(ring, 20, 20), ctx.isPointInPath(ring, 20, 20, 'evenodd')], [true, false]);
         equal([ctx.isPointInStroke(ring, 10, 20), ctx.isPointInStroke(ring, 20, 20)], [true, false]);
         ctx.beginPath(); ctx.rect(50, 0, 20, 20); ctx.rect(55, 5, 10, 10);
         equal([ctx.isPointInPath(60, 10), ctx.isPointInPath(60, 10, 'evenodd'), ctx.isPointInPath('60', 10, 'nonzero')],
               [true, false, true]);
         equal(ctx.isPointInPath(NaN, 10), false);
         ctx.fill('evenodd'); equal([pixel(ctx, 52, 2)[3], pixel(ctx, 60, 10)[3]], [255, 0]);
         ctx.fill(undefined); equal(pixel(ctx, 60, 10)[3], 255);
         for (const bad of ['x', null, {}, 5]) throws('TypeError', () => ctx.fill(bad));
         throws('TypeError', () => ctx.fill('evenodd', 'evenodd'));
         throws('TypeError', () => ctx.fill(ring, 'x'));
         throws('TypeError', () => ctx.stroke({}));
         throws('TypeError', () => ctx.stroke(undefined));
         throws('TypeError', () => ctx.isPointInPath({}, 1, 1, 'nonzero'));
         throws('TypeError', () => ctx.isPointInPath(1, 1, 'x'));
         ctx.stroke(); ctx.stroke(ring); ctx.clip(); ctx.clip('evenodd'); ctx.clip(ring); ctx.clip(ring, 'nonzero');",
    );
}

#[test]
fn paths_are_copied_joined_and_rounded() {
    check(
        "const ctx = context(100, 100);
         const inside = (path, x, y) => ctx.isPointInPath(path, x, y);
         const svg = new Path2D('M 10 10 h 20 v 20 h -20 z');
         equal([inside(svg, 20, 20), inside(svg, 5, 5)], [true, false]);
         const copy = new Path2D(svg);
         svg.rect(50, 50, 10, 10);
         equal([inside(svg, 55, 55), inside(copy, 55, 55), inside(copy, 20, 20)], [true, false, true]);
         const sum = new Path2D();
         sum.addPath(copy, { e: 40 }); sum.addPath(copy, new DOMMatrix([1, 0, 0, 1, 0, 40]));
         equal([inside(sum, 60, 20), inside(sum, 20, 60), inside(sum, 20, 20)], [true, true, false]);
         sum.addPath(sum); equal(inside(sum, 60, 20), true);
         throws('TypeError', () => sum.addPath({}));
         throws('TypeError', () => sum.addPath(copy, 5));
         class Mine extends Path2D {} equal([new Mine() instanceof Mine, inside(new Mine(copy), 20, 20)], [true, true]);
         for (const radii of [10, [10], [10, 10], { x: 10, y: 10 }, [{ x: 10, y: 10 }, 10, 10], new Set([10])]) {
             const round = new Path2D(); round.roundRect(0, 0, 40, 40, radii);
             equal([inside(round, 20, 20), inside(round, 1, 1)], [true, false]);
         }
         for (const radii of [undefined, 0, [0], null, {}, [{}]]) {
             const sharp = new Path2D(); sharp.roundRect(0, 0, 40, 40, radii);
             equal(inside(sharp, 1, 1), true);
         }
         ctx.beginPath(); ctx.roundRect(0, 0, 40, 40, [20, 0]);
         equal([ctx.isPointInPath(1, 1), ctx.isPointInPath(39, 1), ctx.isPointInPath(39, 39)], [false, true, false]);",
    );
}

#[test]
fn transforms_in_all_their_forms() {
    check(
        "const ctx = context();
         const now = () => { const { a, b, c, d, e, f } = ctx.getTransform(); return [a, b, c, d, e, f]; };
         equal(now(), [1, 0, 0, 1, 0, 0]);
         ctx.setTransform(1, 2, 3, 4, 5, 6); equal(now(), [1, 2, 3, 4, 5, 6]);
         ctx.setTransform({ a: 2, m22: 3, e: 7 }); equal(now(), [2, 0, 0, 3, 7, 0]);
         ctx.setTransform(new DOMMatrix('translate(3px, 4px) scale(2)')); equal(now(), [2, 0, 0, 2, 3, 4]);
         ctx.setTransform(); equal(now(), [1, 0, 0, 1, 0, 0]);
         ctx.translate(10, 20); ctx.scale(2, 4); equal(now(), [2, 0, 0, 4, 10, 20]);
         ctx.transform(1, 0, 0, 1, 1, 1); equal(now(), [2, 0, 0, 4, 12, 24]);
         ctx.resetTransform(); equal(ctx.getTransform().isIdentity, true);
         throws('TypeError', () => ctx.setTransform({ a: 1, m11: 2 }));
         throws('TypeError', () => ctx.setTransform(5));
         const pattern = ctx.createPattern(ctx.canvas, '');
         pattern.setTransform(); pattern.setTransform({ e: 5 }); pattern.setTransform(new DOMMatrix());
         throws('TypeError', () => pattern.setTransform(3));",
    );
}

#[test]
fn matrices_points_and_rectangles() {
    check(
        "const m = new DOMMatrix([1, 2, 3, 4, 5, 6]);
         equal([m.a, m.b, m.c, m.d, m.e, m.f, m.m11, m.m42, m.m33, m.is2D], [1, 2, 3, 4, 5, 6, 1, 6, 1, true]);
         equal(m.toString(), 'matrix(1, 2, 3, 4, 5, 6)');
         equal(m.multiply({ a: 2, d: 2 }).toString(), 'matrix(2, 4, 6, 8, 5, 6)');
         equal(new DOMMatrix().translateSelf(10, 5).scale(2).toString(), 'matrix(2, 0, 0, 2, 10, 5)');
         const p = new DOMMatrix().translate(1, 2).scale(3, 4).transformPoint({ x: 1, y: 1 });
         equal([p.x, p.y, p.z, p.w, p instanceof DOMPoint], [4, 6, 0, 1, true]);
         const turned = new DOMMatrix().rotate(90).transformPoint(new DOMPoint(1, 0));
         if (Math.abs(turned.x) > 1e-12 || Math.abs(turned.y - 1) > 1e-12) throw new Error('rotate');
         equal(m.inverse().multiply(m).toFloat64Array().map((v) => Math.round(v * 1e9) / 1e9).join(), new DOMMatrix().toFloat64Array().join());
         equal([new DOMMatrix([1, 1, 1, 1, 0, 0]).inverse().is2D, isNaN(new DOMMatrix([0, 0, 0, 0, 0, 0]).inverse().a)], [false, true]);
         const deep = new DOMMatrix([1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1]);
         equal([deep.is2D, deep.inverse().m33, deep.inverse().m43, deep.inverse().m42], [false, 0.25, -0.75, -1]);
         equal(DOMMatrix.fromMatrix({ a: 3, f: 4 }).toString(), 'matrix(3, 0, 0, 1, 0, 4)');
         equal(DOMMatrixReadOnly.fromFloat32Array(new Float32Array([1, 0, 0, 1, 2, 3])).e, 2);
         equal(new DOMMatrix('matrix(1,2,3,4,5,6)').toJSON().m41, 5);
         equal(new DOMMatrix('none').isIdentity && new DOMMatrix('').isIdentity, true);
         for (const bad of ['x', 'matrix(1)', 'translate(1em)', 'rotate(5)', 'scale(1px)', 'constructor(1)']) {
             throws('SyntaxError', () => new DOMMatrix(bad));
         }
         throws('TypeError', () => new DOMMatrix([1, 2, 3]));
         throws('TypeError', () => DOMMatrix.fromMatrix({ a: 1, m11: 2 }));
         equal(new DOMMatrix(new DOMMatrix([1, 2, 3, 4, 5, 6])).f, 6);
         throws('InvalidStateError', () => new DOMMatrix([NaN, 0, 0, 0, 0, 0]).toString());
         m.a = '9'; m.m12 = 8; equal([m.m11, m.b], [9, 8]);
         m.m13 = 1; equal(m.is2D, false);
         equal(new DOMMatrixReadOnly().a, 1);
         throws('TypeError', () => { new DOMMatrixReadOnly().a = 3; });
         const rect = new DOMRect(10, 20, -5, 7);
         equal([rect.left, rect.right, rect.top, rect.bottom, rect.width], [5, 10, 20, 27, -5]);
         equal(DOMRect.fromRect({ x: 1 }).toJSON(), { x: 1, y: 0, width: 0, height: 0, top: 0, right: 1, bottom: 0, left: 1 });
         equal(DOMPoint.fromPoint({ y: 2 }).matrixTransform({ d: 3 }).y, 6);",
    );
}

#[test]
fn image_data_in_all_its_forms() {
    check(
        "const bytes = new Uint8ClampedArray(32);
         const image = new ImageData(bytes, 4);
         equal([image.width, image.height, image.colorSpace], [4, 2, 'srgb']); same(image.data, bytes);
         equal([new ImageData(3, 2).data.length, new ImageData(bytes, 2, 4).height], [24, 4]);
         throws('IndexSizeError', () => new ImageData(0, 1));
         throws('IndexSizeError', () => new ImageData(bytes, 3));
         throws('IndexSizeError', () => new ImageData(bytes, 4, 3));
         throws('InvalidStateError', () => new ImageData(new Uint8ClampedArray(7), 1));
         throws('InvalidStateError', () => new ImageData(new Uint8ClampedArray(0), 1));
         throws('TypeError', () => new ImageData(new Uint8Array(4), 1));
         throws('TypeError', () => new ImageData(NaN, 1));
         throws('TypeError', () => new ImageData(1, 1, { colorSpace: 'nonsense' }));
         throws('TypeError', () => { image.width = 3; });
         equal(new ImageData(1, 1, { colorSpace: 'srgb' }).colorSpace, 'srgb');",
    );
}

#[test]
fn canvases_give_their_bytes() {
    check(
        "const c = getCanvas(3, 2);
         const url = c.toDataURL(), bytes = c.toBuffer('image/png');
         equal([url.startsWith('data:image/png;base64,iVBORw0KGgo'), bytes instanceof Uint8Array], [true, true]);
         equal(Array.from(bytes.slice(1, 4)), [80, 78, 71]);
         equal(atob(url.slice(22)).length, bytes.length);
         equal(c.toDataURL('image/bmp'), url);
         equal(c.toDataURL('image/jpeg', 0.5).slice(0, 23), 'data:image/jpeg;base64,');
         equal(Array.from(c.toBuffer('image/jpeg', { quality: 0.5 }).slice(0, 3)), [255, 216, 255]);
         equal(Array.from(c.toBuffer('image/jpeg', 50)), Array.from(c.toBuffer('image/jpeg', 0.5)));
         equal(String.fromCharCode(...c.toBuffer('image/webp').slice(8, 12)), 'WEBP');
         throws('TypeError', () => c.toBuffer('image/bmp'));
         c.width = '7'; c.height = -1; equal([c.width, c.height], [7, 150]);
         c.width = 0; equal(c.toDataURL(), 'data:,'); throws('InvalidStateError', () => c.toBuffer());
         equal(['toBlob' in c, 'convertToBlob' in new OffscreenCanvas(1, 1)], [false, false]);",
    );
}

#[test]
fn sizes_are_attributes_and_other_attributes_are_kept() {
    check(
        "const c = getCanvas(30, 20);
         c.setAttribute('WIDTH', '12px'); equal([c.width, c.getAttribute('width')], [12, '12px']);
         c.width = 9; equal(c.getAttribute('width'), '9');
         c.removeAttribute('width'); equal([c.width, c.hasAttribute('width')], [300, false]);
         c.setAttribute('height', 'x'); equal(c.height, 150);
         c.setAttribute('data-x', 5); equal(c.getAttribute('data-x'), '5');
         equal(c.getAttribute('none'), null);",
    );
}

#[test]
fn without_alpha_a_canvas_is_black_and_stays_opaque() {
    check(
        "const c = getCanvas(4, 4), ctx = c.getContext('2d', { alpha: false });
         const at = (x, y) => Array.from(ctx.getImageData(x, y, 1, 1).data);
         equal(ctx.getContextAttributes().alpha, false);
         equal(at(0, 0), [0, 0, 0, 255]);
         ctx.fillStyle = 'rgba(255, 0, 0, 0.5)'; ctx.fillRect(0, 0, 2, 2); equal(at(0, 0), [128, 0, 0, 255]);
         ctx.globalCompositeOperation = 'copy'; ctx.fillRect(0, 0, 1, 1);
         equal([at(0, 0), at(1, 1)], [[128, 0, 0, 255], [0, 0, 0, 255]]);
         ctx.clearRect(0, 0, 1, 1); equal(at(0, 0), [0, 0, 0, 255]);
         ctx.putImageData(new ImageData(new Uint8ClampedArray([9, 8, 7, 0]), 1), 3, 3);
         equal(at(3, 3), [9, 8, 7, 255]);
         c.width = 4; equal(at(3, 3), [0, 0, 0, 255]);
         equal(c.getContext('2d', { alpha: true }) === ctx, true);",
    );
}

#[test]
fn objects_of_channels_are_colours_and_texts_win() {
    check(
        "const ctx = context();
         ctx.fillStyle = { r: 1, g: 0.2, b: -4 }; equal(ctx.fillStyle, '#ff3300');
         ctx.fillStyle = { r: 0, g: 0, b: 1, a: 0.5 }; equal(ctx.fillStyle, 'rgba(0, 0, 255, 0.5)');
         ctx.fillStyle = { r: 255, g: 0, b: 0, toString: () => 'lime' }; equal(ctx.fillStyle, '#00ff00');
         ctx.fillStyle = { r: 1 }; equal(ctx.fillStyle, '#00ff00');",
    );
}

#[test]
fn text_is_measured() {
    check(
        "const ctx = context();
         ctx.font = '20px sans-serif';
         const short = ctx.measureText('i'), long = ctx.measureText('mmmm');
         equal([short.width > 0, long.width > 3 * short.width], [true, true]);
         const numbers = Object.keys(TextMetrics.prototype).filter((key) => typeof long[key] !== 'function');
         for (const key of numbers) equal(Number.isFinite(long[key]), true, key);
         equal(numbers.length, 12);
         equal(ctx.measureText('').width, 0);",
    );
}

#[test]
fn blobs_exist_where_the_host_has_them() {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    let script = "globalThis.Blob = class { constructor(parts, { type }) { this.size = parts[0].byteLength; this.type = type; } };";
    context.with(|ctx| {
        ctx.eval::<(), _>(script).unwrap();
        let _host = CanvasHost::install(&ctx, CanvasLimits { pixels: PIXELS }).unwrap();
        let code = "globalThis.seen = [];
            getCanvas(2, 2).toBlob((b) => seen.push(b.type, b.size > 50));
            new OffscreenCanvas(2, 2).convertToBlob().then((b) => seen.push(b.type));
            new OffscreenCanvas(0, 2).convertToBlob().catch((e) => seen.push(e.name));";
        ctx.eval::<(), _>(code)
            .catch(&ctx)
            .unwrap_or_else(|e| panic!("{e}"));
        while ctx.execute_pending_job() {}
        let mut seen: Vec<String> = ctx.eval("seen.map(String)").unwrap();
        seen.sort();
        assert_eq!(seen, ["IndexSizeError", "image/png", "image/png", "true"]);
    });
    let plain = Script::new(PIXELS);
    assert!(plain.eval::<bool>("return typeof getCanvas(1, 1).toBlob === 'undefined';"));
}
