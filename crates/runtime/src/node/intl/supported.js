// Intl.supportedValuesOf.
const { supplemental } = require('internal/intl/data');

const VALUES = {
  calendar: () => ['gregory', 'iso8601'],
  collation: () => [...require('internal/intl/collator').COLLATIONS],
  currency: () => supplemental('currencies').current,
  numberingSystem: () => Object.keys(supplemental('systems')),
  timeZone: () => require('internal/intl/zones').all().filter((name) => name !== 'UTC'),
  unit: () => [...require('internal/intl/number').UNITS],
};
function valuesOf(key) {
  if (!Object.hasOwn(VALUES, key)) throw new RangeError(`Invalid key : ${key}`);
  return [...VALUES[key]()].sort();
}

module.exports = { valuesOf };
