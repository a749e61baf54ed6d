// moment.
import moment from 'moment';
import 'moment/locale/zh-cn.js';
moment.locale('en');
const day = moment.utc('2024-02-29T12:00:00Z');
console.log(day.clone().add(1, 'year').format(), day.format('dddd, MMMM Do YYYY, h:mm:ss a'), day.locale('zh-cn').format('LLLL'), moment.duration(3661, 'seconds').humanize(), moment('31/12/2020', 'DD/MM/YYYY', true).isValid(), day.isBefore('2025-01-01'), moment.utc('nonsense', 'YYYY', true).isValid());
