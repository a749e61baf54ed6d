// marked.
import { marked, Lexer } from 'marked';
console.log(marked.parse('# Title\n\nSome *text* with `code`, [link](http://a.b "t") and\n\n- one\n- [x] two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet x = 1 < 2;\n```\n'));
console.log(Lexer.lex('> quote').map(({ type }) => type));
marked.use({ renderer: { heading: ({ text, depth }) => `<h${depth} id="x">${text}</h${depth}>` } });
console.log(marked('## Two'));
