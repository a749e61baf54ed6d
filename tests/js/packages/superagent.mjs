// superagent: requests, forms, failures.
import request from 'superagent';
import { serve } from './local/server.mjs';
const { url, close } = await serve();
console.log(
  (await request.get(`${url}/json`)).body,
  (await request.post(`${url}/echo`).send({ a: 1 }).set('x-own', '1')).body,
  (await request.get(`${url}/missing`).catch((e) => e)).status,
);
console.log(
  (await request.post(`${url}/echo`).field('a', '1').attach('f', Buffer.from('hi'), 'a.txt')).body.method,
  (
    await request
      .get(`${url}/never`)
      .timeout(50)
      .catch((e) => e)
  ).code,
);
await close();
