// iconv-lite.
import iconv from 'iconv-lite';
for (const encoding of ['gbk', 'gb18030', 'big5', 'shift_jis', 'euc-kr', 'win1251', 'utf16', 'latin1']) console.log(encoding, iconv.decode(iconv.encode('中文 Привет é', encoding), encoding), iconv.encode('中é', encoding));
console.log(iconv.encodingExists('none'));
const stream = iconv.decodeStream('gbk');
stream.on('data', (text) => console.log('piece', text));
stream.end(iconv.encode('流', 'gbk'));
