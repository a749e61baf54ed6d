// mime-types.
import mime from 'mime-types';
console.log(mime.lookup('a.json'), mime.lookup('x.unknown'), mime.contentType('.md'), mime.extension('text/html; charset=utf-8'), mime.charset('text/plain'));
