// uuid.
import { v1, v3, v4, v5, v7, validate, version, parse, stringify } from 'uuid';
console.log(v5('hello', v5.URL), v3('hello', v3.DNS), validate(v4()), version(v7()), version(v1()));
console.log(stringify(parse('9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d')), validate('no'));
