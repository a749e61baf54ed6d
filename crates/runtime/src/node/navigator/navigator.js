// navigator: what Node says of itself to code that could run in a browser.
class Navigator {
  constructor() {
    if (navigator !== undefined) throw Object.assign(new TypeError('Illegal constructor'), { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
  }
  get hardwareConcurrency() { return require('os').availableParallelism(); }
  get language() { return Intl.DateTimeFormat().resolvedOptions().locale; }
  get languages() { return Object.freeze([this.language]); }
  get platform() { return require('process').platform; }
  get userAgent() { return `Node.js/${require('process').versions.node.split('.')[0]}`; }
}
let navigator;
navigator = new Navigator();
for (const name of ['hardwareConcurrency', 'language', 'languages', 'platform', 'userAgent']) Object.defineProperty(Navigator.prototype, name, { enumerable: true });
Object.assign(exports, { navigator, Navigator });
