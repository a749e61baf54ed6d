// html-to-text: text, lists, tables.
import { convert } from 'html-to-text';
console.log(
  convert('<h1>Title</h1><p>a <a href="https://x.org">link</a> and a long line that must be broken somewhere near its end</p><ul><li>1<li>2</ul><table><tr><td>x<td>y</table>', {
    wordwrap: 40,
    selectors: [{ selector: 'table', format: 'dataTable' }],
  }),
);
