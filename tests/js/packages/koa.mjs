// koa: middleware and failures.
import Koa from 'koa';
const app = new Koa();
app.silent = true;
app.use(async (c, n) => {
  await n();
  c.set('x-t', '1');
});
app.use(async (c) => {
  if (c.path === '/fail') c.throw(400, 'bad');
  c.body = { path: c.path, q: c.query };
});
const s = app.listen(0, '127.0.0.1');
await new Promise((r) => s.once('listening', r));
const url = `http://127.0.0.1:${s.address().port}`;
for (const p of ['/a?b=1', '/fail']) {
  const r = await fetch(url + p);
  console.log(r.status, r.headers.get('x-t'), await r.text());
}
s.closeAllConnections();
s.close();
