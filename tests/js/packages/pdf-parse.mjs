// pdf-parse 2: the class, text, information, tables.
import './local/quiet.mjs';
import { PDFParse } from 'pdf-parse';
import { makePdf } from './local/pdf.mjs';
const parser = new PDFParse({ data: makePdf(['First page, hello', 'Second page']) });
const text = await parser.getText();
console.log(text.total, text.pages.map(({ num, text }) => [num, text.trim()]));
const information = await parser.getInfo();
console.log(information.total, information.info.Title, information.info.Author, information.info.PDFFormatVersion);
await parser.destroy();
const part = new PDFParse({ data: makePdf(['one', 'two', 'three']) });
console.log((await part.getText({ partial: [2] })).text.trim());
await part.destroy();
const broken = new PDFParse({ data: new Uint8Array(Buffer.from('no pdf at all')) });
console.log((await broken.getText().catch((error) => error)).name);
