// fast-xml-parser.
import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@' });
const read = parser.parse('<?xml version="1.0"?><a x="1"><b>1</b><b>two &amp; three</b><c><![CDATA[<raw>]]></c></a>');
console.log(read, new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', format: true }).build(read), XMLValidator.validate('<a><b></a>').err.code);
