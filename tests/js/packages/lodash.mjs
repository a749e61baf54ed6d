// lodash.
import _ from 'lodash';
console.log(_.chunk([1, 2, 3, 4, 5], 2), _.groupBy(['one', 'two', 'three'], 'length'), _.camelCase('some kind-of name'), _.get({ a: [{ b: 3 }] }, 'a[0].b'));
console.log(_.template('<b><%- name %></b>')({ name: 'A & B' }), _.isEqual(new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])), _.cloneDeep({ d: new Date(0), r: /x/g, b: Buffer.from('ab') }));
const debounced = _.debounce((x) => console.log('debounced', x), 5);
debounced(1);
debounced(2);
