// canvas: for tools what scripts have as globals, under the names that node-canvas gave them. There
// are no globals here on purpose: libraries take a `document` for a browser.
const { document, Image, ImageData, loadFont } = native.interfaces;

Object.assign(exports, native.interfaces, {
  // 'svg' as in node-canvas: what is drawn is kept as shapes, and toBuffer() gives them.
  createCanvas: (width, height, type = 'image') => {
    if (type !== 'image' && type !== 'svg') throw new TypeError(`createCanvas: '${type}' is not supported, 'image' and 'svg' are`);
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    if (type === 'svg') canvas.getContext('2d', { vector: true });
    return canvas;
  },
  createImageData: (...given) => new ImageData(...given),
  // From bytes, a path or a data: address; what is to come from the network is fetched before.
  loadImage: (source) => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = reject;
    image.src = source instanceof URL ? source.href : source;
  }),
  registerFont: (path, face) => loadFont(path, face),
});
