// markdown-it.
import MarkdownIt from 'markdown-it';
const md = new MarkdownIt({ html: false, linkify: true, typographer: true, breaks: true });
console.log(md.render('# A\n\n"quoted" -- http://example.com <b>x</b>\nline\n\n1. a\n2. b\n\n| x |\n|---|\n| 1 |\n\n~~gone~~'), md.parse('*a*', {}).map(({ type }) => type), md.renderInline('`c`'));
