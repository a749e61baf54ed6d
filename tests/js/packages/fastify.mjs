// fastify: routes, schemas, failures, inject.
import Fastify from 'fastify';
const app = Fastify();
app.get('/hi/:n', { schema: { params: { type: 'object', properties: { n: { type: 'integer' } } } } }, async (r) => ({ n: r.params.n, q: r.query }));
app.post('/b', async (r, p) => p.code(201).send(r.body));
app.get('/fail', async () => {
  throw new Error('no');
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
for (const p of ['/hi/5?a=1', '/hi/x', '/none', '/fail']) {
  const r = await fetch(url + p);
  console.log(r.status, await r.text());
}
const r = await fetch(url + '/b', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' });
console.log(r.status, await r.text(), (await app.inject('/hi/3')).json());
await app.close();
