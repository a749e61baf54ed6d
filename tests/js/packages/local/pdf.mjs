// A small PDF, one line of text a page: what readers of PDF are given.
import { deflateSync } from 'node:zlib';
export function makePdf(lines) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, at) => `${5 + at * 2} 0 R`).join(' ')}] >>`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>', '<< /Title (A title) /Author (Ada) >>'];
  for (const [at, line] of lines.entries()) {
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${6 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`);
    const packed = deflateSync(Buffer.from(`BT /F1 18 Tf 20 100 Td (${line}) Tj ET`)).toString('latin1');
    objects.push(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`);
  }
  // Old versions of pdf.js read a small buffer wrongly in Node, which takes it from a pool: hence the comment.
  let text = `%PDF-1.4\n%${' '.repeat(5000)}\n`;
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f\r\n${places.map((place) => `${String(place).padStart(10, '0')} 00000 n\r\n`).join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(text, 'latin1'));
}
