// highlight.js.
import hljs from 'highlight.js';
console.log(hljs.highlight('const x = `a ${1 + 1}`; // note', { language: 'javascript' }).value, hljs.highlight('def f(x):\n  return None', { language: 'python' }).value, hljs.highlightAuto('<p class="a">x</p>').language, hljs.listLanguages().length > 100, hljs.getLanguage('none'));
