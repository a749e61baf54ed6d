// xml2js: both ways.
import xml2js from 'xml2js';
console.log(
  JSON.stringify(await xml2js.parseStringPromise('<a x="1"><b>t</b><b/><c>中</c></a>')),
  new xml2js.Builder({ xmldec: { version: '1.0' } }).buildObject({ r: { $: { a: 1 }, b: ['x', 'y'] } }),
  (await xml2js.parseStringPromise('<a>').catch((e) => e)).message,
);
