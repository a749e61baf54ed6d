// exceljs: a workbook written, read, streamed, as CSV.
import ExcelJS from 'exceljs';
import { PassThrough } from 'node:stream';
const book = new ExcelJS.Workbook();
book.created = new Date(0);
book.modified = new Date(0);
const sheet = book.addWorksheet('S');
sheet.columns = [
  { header: 'A', key: 'a', width: 10 },
  { header: 'B', key: 'b' },
];
sheet.addRow({ a: 1, b: 'x' });
sheet.addRow([2, new Date(0)]);
sheet.getCell('C1').value = { formula: 'A2+1', result: 2 };
sheet.getRow(1).font = { bold: true };
const bytes = await book.xlsx.writeBuffer();
const again = new ExcelJS.Workbook();
await again.xlsx.load(bytes);
const s = again.getWorksheet('S');
console.log(s.rowCount, s.getCell('A2').value, s.getCell('B3').value, s.getCell('C1').value, s.getRow(1).font);
console.log((await book.csv.writeBuffer()).toString());
const out = new PassThrough();
const w = new ExcelJS.stream.xlsx.WorkbookWriter({ stream: out });
const parts = [];
out.on('data', (p) => parts.push(p));
const sh = w.addWorksheet('X');
for (let i = 0; i < 50; i++) sh.addRow([i, 'v' + i]).commit();
await w.commit();
const third = new ExcelJS.Workbook();
await third.xlsx.load(Buffer.concat(parts));
console.log(third.getWorksheet('X').rowCount);
