// nanoid.
import { nanoid, customAlphabet, urlAlphabet } from 'nanoid';
import { nanoid as plain } from 'nanoid/non-secure';
console.log(nanoid().length, nanoid(5).length, /^[abc]{8}$/.test(customAlphabet('abc', 8)()), urlAlphabet.length, plain(4).length, new Set(Array.from({ length: 500 }, () => nanoid())).size);
