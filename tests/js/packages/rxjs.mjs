// rxjs.
import { from, interval, map, filter, take, toArray, mergeMap, of, delay, catchError, Subject, debounceTime, reduce, firstValueFrom, throwError } from 'rxjs';
from([1, 2, 3, 4]).pipe(filter((n) => n % 2 === 0), map((n) => n * 10), toArray()).subscribe((list) => console.log(list));
console.log(await firstValueFrom(interval(1).pipe(take(3), reduce((sum, n) => sum + n, 0))));
const subject = new Subject();
subject.pipe(debounceTime(3)).subscribe((value) => console.log('last', value));
subject.next('a');
subject.next('b');
console.log(await firstValueFrom(of(1).pipe(mergeMap((n) => of(n + 1).pipe(delay(1))))), await firstValueFrom(throwError(() => new Error('x')).pipe(catchError((error) => of(error.message)))));
