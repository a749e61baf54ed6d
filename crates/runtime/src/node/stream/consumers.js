// stream/consumers: all that a stream or an iterable gives, at once.
const { Buffer } = require('buffer');

async function parts(stream, keep) {
  for await (const part of stream) keep(part);
}
async function blob(stream) {
  const all = [];
  await parts(stream, (part) => all.push(part));
  return new Blob(all);
}
async function arrayBuffer(stream) {
  return (await blob(stream)).arrayBuffer();
}
async function text(stream) {
  const decoder = new TextDecoder();
  let whole = '';
  await parts(stream, (part) => (whole += typeof part === 'string' ? part : decoder.decode(part, { stream: true })));
  return whole + decoder.decode();
}
Object.assign(exports, {
  arrayBuffer, blob, text,
  buffer: async (stream) => Buffer.from(await arrayBuffer(stream)),
  bytes: async (stream) => new Uint8Array(await arrayBuffer(stream)),
  json: async (stream) => JSON.parse(await text(stream)),
});
