// pdfjs-dist: text, places, information, operators.
import './local/quiet.mjs';
import { OPS, getDocument, version } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { makePdf } from './local/pdf.mjs';
const task = getDocument({ data: makePdf(['First page, hello', 'Second page']), verbosity: 0 });
const file = await task.promise;
const { info } = await file.getMetadata();
console.log(version, file.numPages, info.Title, info.Author);
for (let at = 1; at <= file.numPages; at += 1) {
  const page = await file.getPage(at);
  const { items } = await page.getTextContent();
  const { width, height } = page.getViewport({ scale: 2 });
  console.log(width, height, items.map(({ str, transform }) => [str, transform]));
  const { fnArray } = await page.getOperatorList();
  console.log(fnArray.filter((one) => one === OPS.showText).length);
}
console.log(await file.getOutline(), (await file.getData()).length);
await task.destroy();
console.log((await getDocument({ data: new Uint8Array([1, 2, 3]), verbosity: 0 }).promise.catch((error) => error)).name);
