// showdown: Markdown to HTML.
import showdown from 'showdown';
const converter = new showdown.Converter({ tables: true, strikethrough: true });
console.log(converter.makeHtml('# a\n*b* ~~c~~\n\n* 1\n* 2\n\n```js\nx < 1\n```\n\n|a|b|\n|-|-|\n|1|2|\n\n[l](http://x.org "t")'), converter.makeMarkdown === undefined);
