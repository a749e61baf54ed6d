// pdf-lib: a file made and read.
import { PDFDocument, StandardFonts, rgb } from 'pdf-lib';
const doc = await PDFDocument.create();
doc.setCreationDate(new Date(0));
doc.setModificationDate(new Date(0));
const font = await doc.embedFont(StandardFonts.Helvetica);
const page = doc.addPage([300, 200]);
page.drawText('Hello', { x: 20, y: 100, font, size: 24, color: rgb(1, 0, 0) });
const bytes = await doc.save();
const again = await PDFDocument.load(bytes);
console.log(bytes.length, again.getPageCount(), again.getPage(0).getSize());
