// async.
import async from 'async';
async.parallel([(done) => setTimeout(done, 2, null, 1), (done) => done(null, 2)], (error, found) => console.log(error, found));
console.log(await async.mapLimit([1, 2, 3], 2, async (n) => n * 2));
const queue = async.queue((task, done) => { console.log('task', task); done(); }, 1);
queue.push(['a', 'b']);
await queue.drain();
async.waterfall([(done) => done(null, 1), (n, done) => done(new Error(`stopped at ${n}`))], (error) => console.log(error.message));
console.log(await async.retry({ times: 3, interval: 1 }, async () => 'done'));
