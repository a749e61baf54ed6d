// docx: a document, read back.
import { Document, Packer, Paragraph, TextRun, Table, TableRow, TableCell, HeadingLevel } from 'docx';
import mammoth from 'jszip';
const doc = new Document({
  sections: [
    {
      children: [
        new Paragraph({ text: 'Title', heading: HeadingLevel.HEADING_1 }),
        new Paragraph({ children: [new TextRun({ text: 'bold', bold: true })] }),
        new Table({ rows: [new TableRow({ children: [new TableCell({ children: [new Paragraph('c')] })] })] }),
      ],
    },
  ],
});
const b = await Packer.toBuffer(doc);
const z = await mammoth.loadAsync(b);
console.log(Object.keys(z.files).sort(), (await z.file('word/document.xml').async('string')).length);
