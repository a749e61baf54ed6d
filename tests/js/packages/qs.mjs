// qs.
import qs from 'qs';
console.log(qs.parse('a[b][c]=1&list[]=x&list[]=y&d=2020%2D01&e.f=1', { allowDots: true }), qs.stringify({ a: { b: [1, 2] }, date: new Date(0), n: null, u: undefined, 'ü': 'ä' }), qs.stringify({ a: [1, 2] }, { arrayFormat: 'comma', encode: false }));
