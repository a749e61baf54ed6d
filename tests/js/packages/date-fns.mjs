// date-fns.
import { addMonths, differenceInDays, eachDayOfInterval, format, formatDistance, formatISO, isValid, parse, parseISO, startOfWeek } from 'date-fns';
import { zhCN } from 'date-fns/locale';
const date = new Date(2024, 0, 31, 10, 5);
console.log(format(date, "yyyy-MM-dd HH:mm 'o''clock' EEEE do MMM"), format(date, 'PPPP', { locale: zhCN }), format(addMonths(date, 1), 'yyyy-MM-dd'), differenceInDays(new Date(2024, 2, 1), date), formatDistance(date, new Date(2024, 0, 1)), eachDayOfInterval({ start: new Date(2024, 0, 1), end: new Date(2024, 0, 3) }).length);
console.log(isValid(parse('31.02.2024', 'dd.MM.yyyy', new Date())), format(parse('5 March 2020', 'd MMMM yyyy', new Date()), 'yyyyMMdd'), formatISO(parseISO('2020-02-02'), { representation: 'date' }), format(startOfWeek(date, { weekStartsOn: 1 }), 'dd'));
