// csv-parse.
import { parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
console.log(parseSync('a,b\n1,"x ""y"""\n', { columns: true, cast: true }));
const rows = [];
const parser = parse({ delimiter: ';', trim: true });
parser.on('readable', () => { for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row); });
parser.on('end', () => console.log(rows));
parser.write('1; 2\n');
parser.write('3;4\n');
parser.end();
try { parseSync('a,b\n1', {}); } catch (error) { console.log(error.code); }
