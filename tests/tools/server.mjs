// What the network tools are tried against: one server on loopback that answers, redirects, is slow,
// endless or wrong. It says its port in its first line and runs until it is ended.
import http from 'node:http';

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
};
const send = (response, status, headers, body = '') => response.writeHead(status, headers).end(body);
const html = { 'content-type': 'text/html; charset=utf-8' };

const ARTICLE = `<!doctype html><html lang="zh"><head><title>标题 &amp; 副题</title>
<meta name="description" content="一句话的介绍"><meta property="og:site_name" content="站点">
<link rel="canonical" href="/canonical"><script>var x = "<p>not text</p>";</script><style>p { color: red }</style></head>
<body><header><nav><a href="/">首页</a> <a href="/about">关于</a></nav></header>
<aside class="sidebar"><p>广告，请点击这里，很长的广告文字，一点用处也没有。</p></aside>
<main><article><h1>正文的标题</h1><p>第一段，<b>粗</b>和<a href="next?a=1&amp;b=2">链接</a>。这一段足够长，可以看作正文的一部分，后面还有。</p>
<h2>列表</h2><ul><li>甲</li><li>乙<ol><li>一</li></ol></li></ul>
<pre><code class="language-js">if (a &lt; b) {
  go();
}</code></pre>
<table><tr><th>名</th><th>量</th></tr><tr><td>a|b</td><td>3</td></tr></table>
<blockquote><p>引用的话</p></blockquote><p>图：<img src="/pic.png" alt="说明"><br>换行<p>没有关上的段落 &copy; &#x4e2d;&#25991; &nosuch;
<p hidden>看不见</p></article></main><footer>页脚 2024</footer></body></html>`;

const pages = {
  '/hello': (request, response) => send(response, 200, { 'content-type': 'text/plain' }, 'hello'),
  '/article': (request, response) => send(response, 200, html, ARTICLE),
  '/wrapped': (request, response) => send(response, 200, html, '<body><div class="Layout has-sidebar"><div class="sidebar">菜单</div><div class="content"><p>正文在这里。</p></div></div>'),
  '/banner': (request, response) => send(response, 200, html, '<body><div class="banner"><p>这里的字比别处多，它就是正文。</p></div><div class="menu">菜单</div>'),
  '/related': (request, response) =>
    send(response, 200, html, '<body><div class="no-sidebar with-nav"><article><p>唯一的正文。</p></article></div><div class="related"><article>另一篇</article><article>又一篇</article></div>'),
  '/half': (request, response) => send(response, 200, { 'content-type': 'text/plain; charset=utf-8' }, '中文内容'),
  '/bare': (request, response) => send(response, 200, html, '<p>只有一段'),
  '/gbk.html': (request, response) =>
    send(response, 200, { 'content-type': 'text/html' }, Buffer.concat([Buffer.from('<meta charset="gbk"><p>'), Buffer.from('d6d0cec4d2b3c3e6', 'hex')])),
  '/nested': (request, response) => send(response, 200, html, `${'<div>'.repeat(100000)}deep`),
  '/empty': (request, response) => send(response, 204, {}),
  '/missing': (request, response) => send(response, 404, { 'content-type': 'application/json' }, '{"error": "gone"}'),
  '/not-json': (request, response) => send(response, 200, { 'content-type': 'application/json' }, '{broken'),
  '/cookies': (request, response) => send(response, 200, { 'set-cookie': ['a=1', 'b=2'], 'content-type': 'text/plain' }, 'x'),
  '/bytes': (request, response) => send(response, 200, { 'content-type': 'application/octet-stream' }, Buffer.from([0, 1, 2, 255])),
  '/data.csv': (request, response) => send(response, 200, { 'content-type': 'text/csv; charset=gbk' }, Buffer.from('612cd6d00a', 'hex')),
  '/circle': (request, response) => send(response, 302, { location: '/circle' }),
  '/to-file': (request, response) => send(response, 302, { location: 'file:///etc/passwd' }),
  '/to-network': (request, response) => send(response, 302, { location: 'http://192.168.0.1/admin' }),
  '/to-metadata': (request, response) => send(response, 307, { location: 'http://169.254.169.254/latest/meta-data/' }),
  '/to-port': (request, response) => send(response, 302, { location: 'http://127.0.0.1:9/' }),
  '/to-other-origin': (request, response) => send(response, 302, { location: `http://localhost:${server.address().port}/echo` }),
  '/303': (request, response) => send(response, 303, { location: '/echo' }),
  '/307': (request, response) => send(response, 307, { location: '/echo' }),
  '/silent': () => {},
  '/endless': (request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = () => {
      while (response.write('x'.repeat(65536)));
    };
    response.on('drain', more);
    more();
  },
  '/echo': async (request, response) => {
    const { method, url, headers } = request;
    send(response, 200, { 'content-type': 'application/json' }, JSON.stringify({ method, url, headers, body: await bodyOf(request) }));
  },
};

// The part of Ollama's protocol that the tool speaks.
const lines = (response, all) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  // Cut in the middle of a line and of a character, as networks do.
  const bytes = Buffer.from(all.map((one) => `${JSON.stringify(one)}\n`).join(''));
  for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
  response.end();
};
const ollama = {
  'GET /api/tags': (request, response) =>
    send(response, 200, { 'content-type': 'application/json' }, '{"models":[{"name":"tiny:latest","size":1234,"modified_at":"2025-01-01T00:00:00Z","details":{"family":"llama","parameter_size":"1B","quantization_level":"Q4_0"}}]}'),
  'GET /api/version': (request, response) => send(response, 200, { 'content-type': 'application/json' }, '{"version":"0.5.0"}'),
  'POST /api/show': async (request, response) => {
    const { model } = JSON.parse(await bodyOf(request));
    if (model !== 'tiny') return send(response, 404, { 'content-type': 'application/json' }, `{"error":"model '${model}' not found"}`);
    return send(response, 200, { 'content-type': 'application/json' }, '{"details":{"family":"llama"},"capabilities":["completion"],"model_info":{"llama.context_length":2048},"template":"{{ .Prompt }}","license":"long"}');
  },
  'POST /api/chat': async (request, response) => {
    const asked = JSON.parse(await bodyOf(request));
    if (asked.model === 'cut') return response.writeHead(200).end('{"message":{"content":"half"},"done":false}\n');
    if (asked.model === 'breaks') return lines(response, [{ message: { content: 'a' } }, { error: 'out of memory' }]);
    if (asked.model !== 'tiny') return send(response, 404, { 'content-type': 'application/json' }, `{"error":"model '${asked.model}' not found"}`);
    const said = asked.messages.map((one) => `${one.role}:${one.content}`).join('|');
    return lines(response, [
      { message: { role: 'assistant', content: '你好，' }, done: false },
      { message: { role: 'assistant', content: said }, done: false },
      { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 7, total_duration: 2000000 },
    ]);
  },
  'POST /api/generate': async (request, response) => {
    const asked = JSON.parse(await bodyOf(request));
    return lines(response, [
      { response: `${asked.system ?? ''}>${asked.prompt}>`, done: false },
      { response: JSON.stringify(asked.options ?? {}), done: true, done_reason: 'length', eval_count: 2 },
    ]);
  },
  'POST /api/embed': async (request, response) => {
    const { input } = JSON.parse(await bodyOf(request));
    send(response, 200, { 'content-type': 'application/json' }, JSON.stringify({ embeddings: input.map((text) => [text.length, 0.5]) }));
  },
};

const server = http.createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x');
  const page = ollama[`${request.method} ${pathname}`] ?? pages[pathname] ?? pages['/missing'];
  page(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
