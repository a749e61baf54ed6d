// nodemailer: to a sink on loopback that speaks enough of SMTP, and its transports without a network.
import net from 'node:net';
import nodemailer from 'nodemailer';
const heard = [];
const sink = net.createServer((socket) => {
  let inData = false;
  let kept = '';
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (part) => {
    kept += part;
    for (let end = kept.indexOf('\r\n'); end >= 0; end = kept.indexOf('\r\n')) {
      const line = kept.slice(0, end);
      kept = kept.slice(end + 2);
      heard.push(line);
      if (inData) {
        if (line !== '.') continue;
        inData = false;
        socket.write('250 kept as 17\r\n');
      } else if (/^EHLO/.test(line)) socket.write('250-sink\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME\r\n');
      else if (/^AUTH/.test(line)) socket.write('235 welcome\r\n');
      else if (/^DATA/.test(line)) ((inData = true), socket.write('354 go on\r\n'));
      else if (/^QUIT/.test(line)) socket.end('221 bye\r\n');
      else if (/nobody/.test(line)) socket.write('550 no such box\r\n');
      else socket.write('250 ok\r\n');
    }
  });
});
await new Promise((done) => sink.listen(0, '127.0.0.1', done));
const transport = nodemailer.createTransport({ host: '127.0.0.1', port: sink.address().port, secure: false, name: 'me', auth: { user: 'ada', pass: 'secret' } });
console.log(await transport.verify());
const letter = {
  from: '"Ada ü" <ada@example.org>', to: 'bob@example.org, "Carl" <carl@example.org>', cc: 'dora@example.org', subject: '中文 subject',
  text: 'plain text', html: '<b>rich</b>', messageId: '<fixed@example.org>', date: new Date(0), headers: { 'X-Own': 'yes' },
  attachments: [{ filename: 'a.txt', content: 'hello', contentType: 'text/plain' }, { filename: 'b.bin', content: Buffer.from([0, 1, 2]) }],
};
const sent = await transport.sendMail(letter);
console.log(sent.accepted, sent.rejected, sent.response, sent.envelope, sent.messageId);
const refused = await transport.sendMail({ ...letter, to: 'nobody@example.org', cc: undefined }).catch((error) => error);
console.log(refused.code, refused.responseCode, refused.rejected);
const tamed = (text) => text.replace(/--_NmP-[^"\s-]+/g, 'BOUNDARY').replace(/--_NmP-\S+/g, 'BOUNDARY');
console.log(heard.filter((line) => /^(EHLO|AUTH|MAIL|RCPT|DATA|QUIT|Subject|From|To|Cc|X-Own|Content-|Date)/.test(line)).map(tamed));
transport.close();
const made = await nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' }).sendMail({ ...letter, attachments: [], html: undefined });
console.log(made.message.toString());
console.log(JSON.parse((await nodemailer.createTransport({ jsonTransport: true }).sendMail({ ...letter, attachments: [] })).message).to);
const nobodyThere = await nodemailer.createTransport({ host: '127.0.0.1', port: 1 }).sendMail(letter).catch((error) => error);
console.log(nobodyThere.code, nobodyThere.command);
await new Promise((done) => sink.close(done));
