// got: requests, streams, pages, failures.
import got, { HTTPError, TimeoutError } from 'got';
import { serve, bodyOf } from './local/server.mjs';
const { url, close } = await serve();
console.log(
  await got(`${url}/json`).json(),
  await got.post(`${url}/echo`, { json: { a: 1 } }).json(),
  await got(`${url}/gzip`).json(),
  (await got(`${url}/bytes`).buffer()).length,
);
console.log(
  (await got(`${url}/missing`, { retry: { limit: 0 } }).catch((e) => e)) instanceof HTTPError,
  (await got(`${url}/never`, { timeout: { request: 50 }, retry: { limit: 0 } }).catch((e) => e)).code,
);
console.log(
  (await bodyOf(got.stream(`${url}/parts`))).toString(),
  (await got(`${url}/away`)).url.endsWith('/json'),
  (await got(`${url}/echo?x=1`, { searchParams: { y: 2 } }).json()).url,
);
console.log(await got.paginate.all(`${url}/json`, { pagination: { transform: (r) => [JSON.parse(r.body).name], paginate: () => false } }));
await close();
