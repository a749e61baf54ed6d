// ramda.
import * as R from 'ramda';
console.log(R.pipe(R.filter((n) => n > 1), R.map(R.multiply(2)), R.sum)([1, 2, 3]), R.assocPath(['a', 'b'], 1, {}), R.groupBy(R.prop('t'), [{ t: 'x' }, { t: 'y' }, { t: 'x' }]), R.equals({ a: [1] }, { a: [1] }), R.curry((a, b, c) => a + b + c)(1)(2)(3), R.view(R.lensPath(['a', 0]), { a: [7] }), R.toString({ a: [1, 'x'] }));
