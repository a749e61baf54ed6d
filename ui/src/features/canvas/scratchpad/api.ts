/**
 * What a script finds around it, as signatures: what completion offers and shows. The engine's own
 * list of members stands in engineMembers.test.json; a test here and one of the engine hold the three together.
 *
 * A line is `name`, `name: Type`, or `name(parameters)` with `: Type` where the result has members.
 */

const PATH = [
  'closePath()',
  'moveTo(x, y)',
  'lineTo(x, y)',
  'quadraticCurveTo(cpx, cpy, x, y)',
  'bezierCurveTo(cp1x, cp1y, cp2x, cp2y, x, y)',
  'arc(x, y, radius, startAngle, endAngle, counterclockwise = false)',
  'arcTo(x1, y1, x2, y2, radius)',
  'ellipse(x, y, radiusX, radiusY, rotation, startAngle, endAngle, counterclockwise = false)',
  'rect(x, y, width, height)',
  'roundRect(x, y, width, height, radii = 0)',
];

const CONTEXT = [
  'canvas: HTMLCanvasElement',
  ...PATH,
  'save()',
  'restore()',
  'reset()',
  'scale(x, y)',
  'rotate(angle)',
  'translate(x, y)',
  'transform(a, b, c, d, e, f)',
  'setTransform(a, b, c, d, e, f)',
  'getTransform(): DOMMatrix',
  'resetTransform()',
  'beginLayer(filter)',
  'endLayer()',
  'globalAlpha: number',
  'globalCompositeOperation: string',
  'filter: string | CanvasFilter',
  'imageSmoothingEnabled: boolean',
  'imageSmoothingQuality: string',
  'fillStyle: string | CanvasGradient | CanvasPattern',
  'strokeStyle: string | CanvasGradient | CanvasPattern',
  'createLinearGradient(x0, y0, x1, y1): CanvasGradient',
  'createRadialGradient(x0, y0, r0, x1, y1, r1): CanvasGradient',
  'createConicGradient(startAngle, x, y): CanvasGradient',
  'createPattern(image, repetition): CanvasPattern',
  'shadowBlur: number',
  'shadowColor: string',
  'shadowOffsetX: number',
  'shadowOffsetY: number',
  'clearRect(x, y, width, height)',
  'fillRect(x, y, width, height)',
  'strokeRect(x, y, width, height)',
  'beginPath()',
  'fill(path, fillRule = "nonzero")',
  'stroke(path)',
  'clip(path, fillRule = "nonzero")',
  'drawFocusIfNeeded(element)',
  'isPointInPath(path, x, y, fillRule = "nonzero"): boolean',
  'isPointInStroke(path, x, y): boolean',
  'fillText(text, x, y, maxWidth)',
  'strokeText(text, x, y, maxWidth)',
  'measureText(text): TextMetrics',
  'fillTextCluster(cluster, x, y, options)',
  'strokeTextCluster(cluster, x, y, options)',
  'font: string',
  'textAlign: string',
  'textBaseline: string',
  'direction: string',
  'lang: string',
  'letterSpacing: string',
  'wordSpacing: string',
  'fontKerning: string',
  'fontStretch: string',
  'fontVariantCaps: string',
  'textRendering: string',
  'lineWidth: number',
  'lineCap: string',
  'lineJoin: string',
  'miterLimit: number',
  'setLineDash(segments)',
  'getLineDash(): number[]',
  'lineDashOffset: number',
  'drawImage(image, sx, sy, sWidth, sHeight, dx, dy, dWidth, dHeight)',
  'createImageData(width, height): ImageData',
  'getImageData(x, y, width, height): ImageData',
  'putImageData(imageData, x, y, dirtyX, dirtyY, dirtyWidth, dirtyHeight)',
  'getContextAttributes()',
  'isContextLost(): boolean',
];

const MATRIX = [
  ...'a b c d e f m11 m12 m13 m14 m21 m22 m23 m24 m31 m32 m33 m34 m41 m42 m43 m44'
    .split(' ')
    .map((name) => `${name}: number`),
  'is2D: boolean',
  'isIdentity: boolean',
  'flipX(): DOMMatrix',
  'flipY(): DOMMatrix',
  'inverse(): DOMMatrix',
  'invertSelf(): DOMMatrix',
  'multiply(other): DOMMatrix',
  'multiplySelf(other): DOMMatrix',
  'preMultiplySelf(other): DOMMatrix',
  'rotate(rotX, rotY, rotZ): DOMMatrix',
  'rotateSelf(rotX, rotY, rotZ): DOMMatrix',
  'rotateAxisAngle(x, y, z, angle): DOMMatrix',
  'rotateAxisAngleSelf(x, y, z, angle): DOMMatrix',
  'rotateFromVector(x, y): DOMMatrix',
  'rotateFromVectorSelf(x, y): DOMMatrix',
  'scale(x, y, z, originX, originY, originZ): DOMMatrix',
  'scaleSelf(x, y, z, originX, originY, originZ): DOMMatrix',
  'scale3d(scale, originX, originY, originZ): DOMMatrix',
  'scale3dSelf(scale, originX, originY, originZ): DOMMatrix',
  'scaleNonUniform(x, y): DOMMatrix',
  'setMatrixValue(text): DOMMatrix',
  'skewX(degrees): DOMMatrix',
  'skewXSelf(degrees): DOMMatrix',
  'skewY(degrees): DOMMatrix',
  'skewYSelf(degrees): DOMMatrix',
  'translate(x, y, z): DOMMatrix',
  'translateSelf(x, y, z): DOMMatrix',
  'transformPoint(point): DOMPoint',
  'toFloat32Array()',
  'toFloat64Array()',
  'toJSON()',
  'toString(): string',
];

const numbers = (names: string) => names.split(' ').map((name) => `${name}: number`);

const MATH = [
  ...numbers('E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2'),
  ...(
    'abs acos acosh asin asinh atan atanh cbrt ceil clz32 cos cosh exp expm1 f16round floor fround ' +
    'log log10 log1p log2 round sign sin sinh sqrt tan tanh trunc'
  )
    .split(' ')
    .map((name) => `${name}(x)`),
  'atan2(y, x)',
  'hypot(...values)',
  'imul(a, b)',
  'max(...values)',
  'min(...values)',
  'pow(base, exponent)',
  'random()',
  'sumPrecise(values)',
];

const CONSOLE = [
  ...'debug error group groupCollapsed info log trace warn'
    .split(' ')
    .map((name) => `${name}(...values)`),
  ...'count countReset time timeEnd'.split(' ').map((name) => `${name}(label)`),
  'assert(condition, ...values)',
  'dir(value)',
  'dirxml(...values)',
  'groupEnd()',
  'table(rows)',
  'timeLog(label, ...values)',
];

const SIZE = ['width: number', 'height: number', 'getContext("2d"): CanvasRenderingContext2D'];

/** What libraries ask of an element. */
const ELEMENT = [
  ...'localName nodeName tagName'.split(' ').map((name) => `${name}: string`),
  ...numbers('clientHeight clientWidth nodeType offsetHeight offsetWidth'),
  'getBoundingClientRect(): DOMRect',
  'isConnected: boolean',
  'ownerDocument: document',
  'parentElement',
  'parentNode',
  'style',
  'addEventListener(type, listener)',
  'removeEventListener(type, listener)',
];

/** Members by interface. */
export const MEMBERS = {
  CanvasRenderingContext2D: CONTEXT,
  HTMLCanvasElement: [
    ...SIZE,
    'toDataURL(type = "image/png", quality): string',
    'toBlob(callback, type = "image/png", quality)',
    'toBuffer(type = "image/png", options): Uint8Array',
    'getAttribute(name): string',
    'hasAttribute(name): boolean',
    'setAttribute(name, value)',
    'removeAttribute(name)',
    ...ELEMENT,
  ],
  OffscreenCanvas: [...SIZE, 'convertToBlob(options)', 'transferToImageBitmap(): ImageBitmap'],
  Path2D: ['addPath(path, transform)', ...PATH],
  CanvasGradient: ['addColorStop(offset, color)'],
  CanvasPattern: ['setTransform(matrix)'],
  CanvasFilter: [],
  ImageBitmap: [...numbers('width height'), 'close()'],
  Image: [
    'src: string',
    ...numbers('width height naturalWidth naturalHeight'),
    'complete: boolean',
    'decode()',
    'onload',
    'onerror',
    ...ELEMENT,
    ...'alt crossOrigin currentSrc decoding loading'.split(' ').map((name) => `${name}: string`),
  ],
  FontFace: [
    'load()',
    'loaded',
    ...'family status stretch style weight'.split(' ').map((name) => `${name}: string`),
  ],
  TextCluster: [...numbers('start end x y'), 'align: string', 'baseline: string'],
  ImageData: [...numbers('width height'), 'data', 'colorSpace: string', 'pixelFormat: string'],
  TextMetrics: [
    ...numbers(
      'width actualBoundingBoxLeft actualBoundingBoxRight actualBoundingBoxAscent ' +
        'actualBoundingBoxDescent fontBoundingBoxAscent fontBoundingBoxDescent emHeightAscent ' +
        'emHeightDescent hangingBaseline alphabeticBaseline ideographicBaseline',
    ),
    'getSelectionRects(start, end)',
    'getActualBoundingBox(start, end): DOMRect',
    'getIndexFromOffset(offset): number',
    'getTextClusters(start, end, options)',
  ],
  DOMMatrix: MATRIX,
  DOMPoint: [...numbers('x y z w'), 'matrixTransform(matrix): DOMPoint', 'toJSON()'],
  DOMRect: [...numbers('x y width height top right bottom left'), 'toJSON()'],
  document: ['createElement(name): HTMLCanvasElement | Image', 'fonts: fonts'],
  fonts: [
    'add(face)',
    'check(font, text): boolean',
    'forEach(callback)',
    'has(face): boolean',
    'load(font, text)',
    'ready',
    'size: number',
    'status: string',
  ],
  Math: MATH,
  console: CONSOLE,
} satisfies Record<string, string[]>;

export type Interface = keyof typeof MEMBERS;

/** What stands in the scope of a script. */
export const GLOBALS = [
  'getCanvas(width = 800, height = 600): HTMLCanvasElement',
  'input',
  'OffscreenCanvas(width, height): OffscreenCanvas',
  'Path2D(path): Path2D',
  'ImageData(width, height): ImageData',
  'Image(width, height): Image',
  'createImageBitmap(image, options)',
  'CanvasFilter(filters): CanvasFilter',
  'FontFace(family, source, descriptors): FontFace',
  'fonts: fonts',
  'loadFont(path, family)',
  'document: document',
  'DOMMatrix(init): DOMMatrix',
  'DOMPoint(x, y, z, w): DOMPoint',
  'DOMRect(x, y, width, height): DOMRect',
  'Math: Math',
  'console: console',
  'JSON',
  'setTimeout(callback, ms)',
  'clearTimeout(timer)',
  'setInterval(callback, ms)',
  'clearInterval(timer)',
  'queueMicrotask(callback)',
  'structuredClone(value)',
  'performance',
  'crypto',
];

export interface Signature {
  name: string;
  /** `(x, y)`; absent for what is not called. */
  parameters?: string;
  /** What comes out, or what it is. */
  type?: string;
}

export function signatureOf(line: string): Signature {
  const [, name = line, parameters, type] = /^(\w+)(\(.*\))?(?:: (.+))?$/.exec(line) ?? [];
  return { name, ...(parameters && { parameters }), ...(type && { type }) };
}

export function isInterface(name: string | undefined): name is Interface {
  return name !== undefined && Object.hasOwn(MEMBERS, name);
}
