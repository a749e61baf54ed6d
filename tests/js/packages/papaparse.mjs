// papaparse.
import Papa from 'papaparse';
console.log(Papa.parse('name,age\n"Ada, L.",36\nBob,"4""2"\n', { header: true, dynamicTyping: true, skipEmptyLines: true }).data, Papa.unparse([{ a: 1, b: 'x,y' }, { a: 2, b: 'say "hi"' }]));
console.log(Papa.parse('a;b\n1;2').meta.delimiter, Papa.parse('"open', {}).errors.map(({ code }) => code));
Papa.parse('a,b\n1,2\n3,4', { step: ({ data }) => console.log('step', data), complete: () => console.log('complete') });
