// dayjs.
import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc.js';
import relative from 'dayjs/plugin/relativeTime.js';
import 'dayjs/locale/zh-cn.js';
dayjs.extend(utc);
dayjs.extend(relative);
const day = dayjs.utc('2024-02-28T23:30:00Z');
console.log(day.add(1, 'day').format('YYYY-MM-DD HH:mm:ss'), day.diff(dayjs.utc('2024-01-01'), 'day'), day.locale('zh-cn').format('MMMM dddd'), day.from(day.add(3, 'hour')), day.isValid());
