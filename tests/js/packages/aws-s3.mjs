// aws-s3: (@aws-sdk/client-s3) against a stub: objects, lists, failures.
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { bodyOf, serve } from './local/server.mjs';
const heard = [];
const list = (_, response) =>
  response
    .setHeader('content-type', 'application/xml')
    .end('<ListBucketResult><Contents><Key>key</Key><Size>5</Size></Contents><IsTruncated>false</IsTruncated></ListBucketResult>');
const { url, close } = await serve({
  '/bucket': list,
  '/bucket/': list,
  '/bucket/none': (_, response) => response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code><Message>none</Message></Error>'),
  '/bucket/key': async (request, response) => {
    heard.push([request.method, request.headers['x-amz-content-sha256'], (await bodyOf(request)).toString()]);
    return request.method === 'GET' ? response.setHeader('content-type', 'text/plain').end('object text') : response.setHeader('etag', '"e"').end();
  },
});
const client = new S3Client({ region: 'us-east-1', endpoint: url, forcePathStyle: true, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
const Bucket = 'bucket';
console.log(
  await (await client.send(new GetObjectCommand({ Bucket, Key: 'key' }))).Body.transformToString(),
  (await client.send(new PutObjectCommand({ Bucket, Key: 'key', Body: 'hello' }))).ETag,
  (await client.send(new ListObjectsV2Command({ Bucket }))).Contents,
  heard,
  (await client.send(new GetObjectCommand({ Bucket, Key: 'none' })).catch((error) => error)).name,
);
await close();
