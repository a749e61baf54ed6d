// url: file URLs. The URL class comes with the complete Node layer.
function fileURLToPath(url) {
  const text = typeof url === 'string' ? url : url.href;
  if (!text.startsWith('file:')) {
    throw Object.assign(new TypeError('The URL must be of scheme file'), { code: 'ERR_INVALID_URL_SCHEME' });
  }
  const path = text.slice(5).replace(/^\/\/(localhost)?(?=\/)/, '').replace(/[?#].*$/, '');
  if (/%2f/i.test(path)) {
    throw Object.assign(new TypeError('File URL path must not include encoded / characters'), { code: 'ERR_INVALID_FILE_URL_PATH' });
  }
  return decodeURIComponent(path);
}

function pathToFileURL(path) {
  const absolute = require('path').resolve(path);
  const href = 'file://' + encodeURI(absolute).replace(/[?#]/g, encodeURIComponent);
  return { href, protocol: 'file:', pathname: href.slice(7), toString: () => href };
}

Object.assign(exports, { fileURLToPath, pathToFileURL });
