// form-data.
import FormData from 'form-data';
const form = new FormData();
form.append('field', 'value ü');
form.append('file', Buffer.from('content'), { filename: 'a.txt', contentType: 'text/plain' });
const boundary = form.getBoundary();
console.log(form.getBuffer().toString().replaceAll(boundary, 'BOUNDARY'), form.getHeaders()['content-type'].replace(boundary, 'BOUNDARY'), form.getLengthSync() === form.getBuffer().length, form.hasKnownLength());
