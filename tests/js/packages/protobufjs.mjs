// protobufjs: messages both ways.
import protobuf from 'protobufjs';
const root = protobuf.parse('syntax="proto3"; message A { string n = 1; repeated int32 l = 2; int64 big = 3; }').root;
const A = root.lookupType('A');
const b = A.encode(A.create({ n: 'é', l: [1, 2], big: 5 })).finish();
console.log(Buffer.from(b).toString('hex'), JSON.stringify(A.decode(b)), A.verify({ n: 1 }));
