// mammoth: HTML, text and Markdown of a document made here.
import AdmZip from 'adm-zip';
import mammoth from 'mammoth';
const run = (text, marks = '') => `<w:r><w:rPr>${marks}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (inner, style) => `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}${inner}</w:p>`;
const cell = (text) => `<w:tc>${paragraph(run(text))}</w:tc>`;
const zip = new AdmZip();
const put = (name, text) => zip.addFile(name, Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`));
put('[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>');
put('_rels/.rels', '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>');
put('word/_rels/document.xml.rels', '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="l1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://example.org/?a=1&amp;b=2" TargetMode="External"/></Relationships>');
put('word/styles.xml', '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>');
put('word/document.xml', `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>${paragraph(run('The title'), 'Heading1')}${paragraph(run('Plain, ') + run('bold', '<w:b/>') + run(' and ') + run('slanted', '<w:i/>') + run(' 中文 &amp; ü'))}${paragraph(`<w:hyperlink r:id="l1">${run('a link')}</w:hyperlink>`)}<w:tbl><w:tr>${cell('1')}${cell('2')}</w:tr></w:tbl>${paragraph(run('odd'), 'Unknown')}</w:body></w:document>`);
const buffer = zip.toBuffer();
const html = await mammoth.convertToHtml({ buffer });
console.log(html.value, html.messages);
console.log(JSON.stringify((await mammoth.extractRawText({ buffer })).value), (await mammoth.convertToMarkdown({ buffer })).value);
console.log((await mammoth.convertToHtml({ buffer }, { styleMap: ["b => em", "p[style-name='heading 1'] => h2.own:fresh"] })).value);
console.log((await mammoth.convertToHtml({ buffer: Buffer.from('no zip') }).catch((error) => error)).message);
