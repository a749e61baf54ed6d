// zod.
import { z } from 'zod';
const User = z.object({ name: z.string().min(2), age: z.number().int().positive().optional(), tags: z.array(z.enum(['a', 'b'])).default([]), when: z.coerce.date() });
console.log(User.parse({ name: 'Ada', when: '2020-01-01' }));
const wrong = User.safeParse({ name: 'A', age: -1, tags: ['c'], when: 'never' });
console.log(wrong.success, wrong.error.issues.map(({ path, code, message }) => [path.join('.'), code, message]));
console.log(z.union([z.string(), z.number()]).transform((x) => `${x}!`).parse(5), JSON.stringify(z.toJSONSchema(User, { unrepresentable: 'any' })).length > 50);
