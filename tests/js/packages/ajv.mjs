// ajv.
import Ajv from 'ajv';
const ajv = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true });
const validate = ajv.compile({ type: 'object', required: ['name'], additionalProperties: false, properties: { name: { type: 'string', minLength: 2, pattern: '^[a-z]+$' }, age: { type: 'integer', minimum: 0 }, tags: { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true, default: [] }, child: { $ref: '#' } } });
const good = { name: 'ada', age: '36' };
console.log(validate(good), good);
console.log(validate({ name: 'A', age: -1, tags: ['c', 'c'], more: 1, child: {} }), validate.errors.map(({ instancePath, message }) => `${instancePath} ${message}`));
