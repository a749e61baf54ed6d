// luxon.
import { DateTime, Duration, Interval } from 'luxon';
const time = DateTime.fromISO('2024-03-10T12:30:00Z', { zone: 'utc' });
console.log(time.plus({ days: 30 }).toISO(), time.toFormat('yyyy LLL dd HH:mm'), Duration.fromObject({ hours: 30 }).shiftTo('days', 'hours').toObject(), Interval.fromDateTimes(time, time.plus({ hours: 5 })).length('minutes'), time.startOf('week').toISODate());
console.log(time.setZone('Asia/Shanghai').toISO(), time.setLocale('zh-CN').toLocaleString(DateTime.DATE_FULL), DateTime.fromFormat('bad', 'yyyy').isValid);
