// xlsx.
import XLSX from 'xlsx';
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(book, XLSX.utils.json_to_sheet([{ name: 'Ada', age: 36 }, { name: '中文', age: 1.5 }]), 'People');
const bytes = XLSX.write(book, { type: 'buffer', bookType: 'xlsx' });
const again = XLSX.read(bytes);
console.log(again.SheetNames, XLSX.utils.sheet_to_json(again.Sheets.People), XLSX.utils.sheet_to_csv(again.Sheets.People), XLSX.utils.decode_range('A1:C3'));
const packed = XLSX.write(book, { type: 'buffer', bookType: 'xlsx', compression: true });
console.log(XLSX.utils.sheet_to_json(XLSX.read(packed).Sheets.People).length);
