// turndown.
import TurndownService from 'turndown';
const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
console.log(service.turndown('<h1>Title</h1><p>Some <b>bold</b> <a href="http://a.b">link</a></p><ul><li>one</li><li>two</li></ul><pre><code class="language-js">let x;</code></pre><img src="a.png" alt="A">'));
service.addRule('mark', { filter: ['mark'], replacement: (text) => `==${text}==` });
console.log(service.turndown('a <mark>b</mark>'));
