// bluebird.
import Promise from 'bluebird';
console.log(await Promise.map([3, 1, 2], (n) => Promise.delay(n).return(n * 2), { concurrency: 2 }), await Promise.props({ a: 1, b: Promise.resolve(2) }));
console.log(await Promise.reject(new TypeError('x')).catch(RangeError, () => 'no').catch(TypeError, () => 'typed'), await Promise.delay(20).timeout(1).catch(Promise.TimeoutError, () => 'too late'));
console.log(await Promise.reduce([1, 2, 3], (a, b) => a + b, 0), await Promise.promisify((x, done) => done(null, x + 1))(1), await Promise.each([1, 2], (n) => console.log(n)));
