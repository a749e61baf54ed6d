// FontFace, the set `fonts`, loadFont, and as much of `document` as pictures need.
(function (native, shared) {
  'use strict';
  const { need, dictionary } = shared;

  const WEIGHTS = { normal: 400, bold: 700 };
  const weightOf = (word) => {
    if (word === undefined) return undefined;
    const number = WEIGHTS[word] ?? Number(word);
    // A range of a variable font: the file says the rest.
    return Number.isFinite(number) ? number : undefined;
  };
  const STRETCHES = {
    normal: 100, 'ultra-condensed': 50, 'extra-condensed': 62.5, condensed: 75, 'semi-condensed': 87.5,
    'semi-expanded': 112.5, expanded: 125, 'extra-expanded': 150, 'ultra-expanded': 200,
  };
  const stretchOf = (word) => {
    if (word === undefined) return undefined;
    const number = STRETCHES[word] ?? Number(/^([\d.]+)%$/.exec(word)?.[1]);
    return Number.isFinite(number) ? number : undefined;
  };
  const italicOf = (word) => (word === undefined ? undefined : /^(italic|oblique)/.test(word));

  const addressOf = (source) => {
    const found = /^\s*url\(\s*(?:"([^"]*)"|'([^']*)'|([^)]*?))\s*\)/i.exec(source);
    if (found === null) throw new DOMException('FontFace: the source is no url(…)', 'SyntaxError');
    return found[1] ?? found[2] ?? found[3];
  };

  let bytesOfFace;
  class FontFace {
    #family;
    #descriptors;
    #source;
    #bytes = null;
    #status = 'unloaded';
    #loaded;
    #settle;

    constructor(family, source, descriptors = undefined) {
      need('FontFace', arguments.length, 2);
      this.#family = `${family}`;
      this.#descriptors = { ...dictionary('FontFace', descriptors) };
      this.#source = shared.isBytes(source) ? shared.plainBytes(source) : `${source}`;
      this.#loaded = new Promise((resolve, reject) => { this.#settle = { resolve, reject }; });
      // Nobody need listen: status says the same.
      this.#loaded.catch(() => {});
      if (typeof this.#source !== 'string') this.load();
    }

    load() {
      if (this.#status !== 'unloaded') return this.#loaded;
      this.#status = 'loading';
      const read = () => {
        try {
          const bytes = typeof this.#source === 'string' ? shared.bytesAt(addressOf(this.#source)) : this.#source;
          if (!native.fontReadable(bytes)) throw new DOMException('FontFace: the data is not a font', 'NetworkError');
          this.#bytes = bytes;
          this.#status = 'loaded';
          this.#settle.resolve(this);
        } catch (error) {
          this.#status = 'error';
          this.#settle.reject(error);
        }
      };
      if (typeof this.#source === 'string') Promise.resolve().then(read);
      else read();
      return this.#loaded;
    }

    get family() { return this.#family; }
    get status() { return this.#status; }
    get loaded() { return this.#loaded; }
    get weight() { return `${this.#descriptors.weight ?? 'normal'}`; }
    get style() { return `${this.#descriptors.style ?? 'normal'}`; }
    get stretch() { return `${this.#descriptors.stretch ?? 'normal'}`; }
    // What is set after a face was loaded and added comes too late.
    set weight(value) { this.#descriptors.weight = `${value}`; }
    set style(value) { this.#descriptors.style = `${value}`; }
    set stretch(value) { this.#descriptors.stretch = `${value}`; }

    static {
      bytesOfFace = (face) => [
        face.#family, face.#bytes, weightOf(face.#descriptors.weight), italicOf(face.#descriptors.style),
        stretchOf(face.#descriptors.stretch),
      ];
    }
  }
  shared.publish(FontFace);

  // Faces that were added are drawn with to the end of the process: there is no taking back.
  const faces = new Set();
  const register = (face) => native.registerFont(...bytesOfFace(face));
  const fonts = {
    add(face) {
      if (!(face instanceof FontFace)) throw new TypeError('fonts.add: argument 1 is not a FontFace');
      if (faces.has(face)) return fonts;
      faces.add(face);
      if (face.status === 'loaded') register(face);
      else face.load().then(register, () => faces.delete(face));
      return fonts;
    },
    has: (face) => faces.has(face),
    get size() { return faces.size; },
    get status() { return [...faces].some((face) => face.status === 'loading') ? 'loading' : 'loaded'; },
    get ready() { return Promise.allSettled([...faces].map((face) => face.loaded)).then(() => fonts); },
    load: async () => [...faces],
    check: () => [...faces].every((face) => face.status === 'loaded'),
    forEach(callback, self) { faces.forEach((face) => callback.call(self, face, face, fonts)); },
    [Symbol.iterator]: () => faces.values(),
  };
  shared.global('fonts', fonts);

  // loadFont(path or bytes, family | { family, weight, style }): drawn with from now on.
  shared.global('loadFont', function loadFont(source, given) {
    need('loadFont', arguments.length, 2);
    const { family, weight, style } = typeof given === 'string' ? { family: given } : dictionary('loadFont', given);
    if (typeof family !== 'string' || family === '') throw new TypeError('loadFont: a family is expected');
    const bytes = shared.isBytes(source) ? shared.plainBytes(source) : shared.bytesAt(`${source}`);
    native.registerFont(family, bytes, weightOf(weight), italicOf(style));
  });

  const document = {
    fonts,
    createElement(name) {
      need('createElement', arguments.length, 1);
      switch (`${name}`.toLowerCase()) {
        case 'canvas': return shared.newCanvas(300, 150);
        case 'img': return shared.newImage();
        default: throw new DOMException(`createElement: '${name}' is not supported, 'canvas' and 'img' are`, 'NotSupportedError');
      }
    },
  };
  shared.document = document;
  shared.global('document', document);
})
