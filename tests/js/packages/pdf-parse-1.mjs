// pdf-parse 1: a function over a buffer.
import pdf from 'pdf-parse-1';
import { makePdf } from './local/pdf.mjs';
const bufferOf = (lines) => Buffer.from(makePdf(lines));
const { numpages, numrender, info, text, version } = await pdf(bufferOf(['First page, hello', 'Second page']));
console.log(numpages, numrender, info.Title, info.Author, JSON.stringify(text), version);
const own = await pdf(bufferOf(['one', 'two', 'three']), { max: 2, pagerender: async (page) => (await page.getTextContent()).items.map(({ str }) => str).join('|') });
console.log(own.numrender, JSON.stringify(own.text));
console.log((await pdf(Buffer.from('no pdf at all'.padEnd(5000))).catch((error) => error)).name);
