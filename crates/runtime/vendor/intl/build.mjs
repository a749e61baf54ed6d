// Makes src/node/intl/cldr.pack, what Intl knows of languages, from the CLDR packages of npm
// (npm ci, then node build.mjs).
//
// The pack is: eight bytes that name it, the length of the index (four bytes, little-endian), the
// index, pieces. Each piece and the index is text under brotli, so that a worker unpacks only what a
// formatter asks for. A section has one table (its keys, the place of each locale's piece), and a
// locale's piece has a line a key: nothing where the value is the parent's, U+0000 for no text,
// U+0001 where the parent has a value and this locale none.
//
// What is not taken: calendars but the Gregorian, gender and case of units, variants of names, and
// languages of which CLDR has less than its basic coverage.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const read = (path) => JSON.parse(readFileSync(new URL(`node_modules/${path}`, import.meta.url), 'utf8'));
const supplemental = (name) => read(`cldr-core/supplemental/${name}.json`).supplemental;
const main = (pack, locale, file) => read(`cldr-${pack}-full/main/${locale}/${file}.json`).main[locale];

const UNITS = `acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit
kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond minute month
nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year`.split(/\s+/);
const COMPOUND = ['kilometer-per-hour', 'mile-per-hour', 'meter-per-second', 'liter-per-kilometer', 'mile-per-gallon'];
// Not among ICU's locales.
const NOT = new Set(['bal-Latn', 'be-tarask', 'ca-ES-valencia', 'el-polyton', 'ht', 'nb-SJ', 'za']);

const parents = { ...supplemental('parentLocales').parentLocales.parentLocale };
const parentOf = (locale) => {
  if (parents[locale]) return parents[locale];
  const cut = locale.lastIndexOf('-');
  return cut < 0 ? 'und' : locale.slice(0, cut);
};
const { effectiveCoverageLevels: covered } = read('cldr-core/coverageLevels.json');
const full = new Set(read('cldr-core/availableLocales.json').availableLocales.full);
const wanted = new Set(['und']);
for (const locale of Object.keys(covered)) {
  if (!NOT.has(locale) && full.has(locale)) for (let at = locale; at !== 'und'; at = parentOf(at)) wanted.add(at);
}
const locales = [...wanted].filter((locale) => full.has(locale) || locale === 'und').sort();

function flatten(value, into, at = '') {
  for (const [key, part] of Object.entries(value)) {
    if (key.startsWith('_') || /-alt-(?!short$|narrow$)/.test(key)) continue;
    if (typeof part === 'string') into[at + key] = part;
    else flatten(part, into, `${at}${key}/`);
  }
  return into;
}
const picked = (object, keys) => Object.fromEntries(keys.filter((key) => key in object).map((key) => [key, object[key]]));

const SECTIONS = {
  numbers(locale) {
    const { minimalPairs, currencies, ...numbers } = main('numbers', locale, 'numbers').numbers;
    const others = Object.fromEntries(Object.entries(numbers).filter(([key]) => !key.startsWith('rational')));
    return flatten(JSON.parse(JSON.stringify(others).replaceAll('-numberSystem-', '/')), {});
  },
  currencies: (locale) => flatten(main('numbers', locale, 'currencies').numbers.currencies, {}),
  units(locale) {
    const { units } = main('units', locale, 'units');
    const into = {};
    for (const length of ['long', 'short', 'narrow']) {
      for (const [key, patterns] of Object.entries(units[length])) {
        const name = key.slice(key.indexOf('-') + 1);
        if (key === 'per') into[`${length}/per`] = patterns.compoundUnitPattern;
        if (!UNITS.includes(name) && !COMPOUND.includes(name)) continue;
        for (const [pattern, text] of Object.entries(patterns)) {
          if (/^(unitPattern-count-[a-z0-9]+|perUnitPattern|displayName)$/.test(pattern)) into[`${length}/${name}/${pattern.replace('unitPattern-count-', '')}`] = text;
        }
      }
    }
    for (const key of ['hm', 'hms', 'ms']) into[key] = units[`durationUnit-type-${key}`].durationUnitPattern;
    return into;
  },
  dates(locale) {
    const { quarters, dateSkeletons, timeSkeletons, 'dateTimeFormats-relative': relative, ...calendar } = main('dates', locale, 'ca-gregorian').dates.calendars.gregorian;
    return flatten(calendar, {});
  },
  fields(locale) {
    const { fields } = main('dates', locale, 'dateFields').dates;
    const known = Object.keys(fields).filter((key) => /^(year|quarter|month|week|day|hour|minute|second)(-short|-narrow)?$|^(era|weekday|dayperiod|zone|weekOfMonth)/.test(key));
    return flatten(picked(fields, known), {});
  },
  zones: (locale) => flatten(main('dates', locale, 'timeZoneNames').dates.timeZoneNames, {}),
  names(locale) {
    const of = (file, key) => (existsSync(new URL(`node_modules/cldr-localenames-full/main/${locale}/${file}.json`, import.meta.url)) ? main('localenames', locale, file).localeDisplayNames[key] : {});
    const { localeDisplayPattern, types, codePatterns } = main('localenames', locale, 'localeDisplayNames').localeDisplayNames;
    return flatten({
      languages: of('languages', 'languages'), scripts: of('scripts', 'scripts'), territories: of('territories', 'territories'),
      localeDisplayPattern, codePatterns, calendar: types?.calendar ?? {}, numbers: types?.numbers ?? {},
    }, {});
  },
  lists: (locale) => flatten(main('misc', locale, 'listPatterns').listPatterns, {}),
};

const pieces = [];
let length = 0;
function piece(text) {
  const bytes = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } });
  pieces.push(bytes);
  length += bytes.length;
  return [length - bytes.length, bytes.length];
}

const index = { sections: {}, supplemental: {} };
for (const [name, make] of Object.entries(SECTIONS)) {
  const values = new Map(locales.map((locale) => [locale, make(locale)]));
  const keys = [...new Set([...values.values()].flatMap((value) => Object.keys(value)))].sort();
  const table = [keys.join('\n')];
  for (const locale of locales) {
    const own = values.get(locale);
    let parent = locale === 'und' ? {} : values.get(parentOf(locale)) ?? values.get('und');
    const lines = keys.map((key) => (own[key] === parent[key] ? '' : own[key] === undefined ? '\u0001' : own[key] === '' ? '\0' : own[key]));
    while (lines.at(-1) === '') lines.pop();
    if (lines.length > 0) table.push(`${locale} ${piece(lines.join('\n')).join(' ')}`);
  }
  const before = length;
  index.sections[name] = piece(`${table[0]}\n\n${table.slice(1).join('\n')}`);
  console.log(name, keys.length, before);
}

// What can be asked for: also the country that a language's data is of, and a country without the
// script that is usual there.
const { defaultContent } = read('cldr-core/defaultContent.json');
const likely = supplemental('likelySubtags').likelySubtags;
const available = new Set(locales.filter((locale) => locale !== 'und'));
for (const locale of defaultContent) if (available.has(parentOf(locale)) || available.has(locale.slice(0, locale.lastIndexOf('-')))) available.add(locale);
for (const locale of [...available]) {
  const [language, script, region] = locale.split('-');
  if (region && (likely[`${language}-${region}`] ?? likely[language])?.split('-')[1] === script) available.add(`${language}-${region}`);
}
const currencyData = supplemental('currencyData').currencyData;
const zoneFiles = read('cldr-bcp47/bcp47/timezone.json').keyword.u.tz;
const metazoneInfo = {};
(function walk(value, at) {
  if (Array.isArray(value)) metazoneInfo[at] = value.map(({ usesMetazone: { _mzone, _from, _to } }) => [_mzone, _from ?? '', _to ?? '']);
  else for (const [key, part] of Object.entries(value)) walk(part, at ? `${at}/${key}` : key);
})(supplemental('metaZones').metaZones.metazoneInfo.timezone, '');
const plurals = (file, kind) => Object.fromEntries(Object.entries(supplemental(file)[kind]).filter(([locale]) => wanted.has(locale)).map(([locale, rules]) => [
  locale, Object.fromEntries(Object.entries(rules).map(([key, text]) => [key.replace('pluralRule-count-', ''), text.split('@')[0].trim()]).filter(([key]) => key !== 'other')),
]));
const week = supplemental('weekData').weekData;
const SUPPLEMENTAL = {
  locales: { locales, parents, available: [...available] },
  keywords: Object.fromEntries(['calendar', 'collation', 'currency', 'measure', 'number', 'timezone', 'variant', 'segmentation'].flatMap((file) => Object.entries(read(`cldr-bcp47/bcp47/${file}.json`).keyword?.u ?? {}).filter(([key]) => key !== 'tz').map(([key, values]) => [
    key, Object.fromEntries(Object.entries(values).filter(([, value]) => value?._alias || value?._preferred).map(([name, { _alias, _preferred }]) => [name, { alias: _alias, preferred: _preferred }])),
  ]))),
  plurals: { cardinal: plurals('plurals', 'plurals-type-cardinal'), ordinal: plurals('ordinals', 'plurals-type-ordinal'), ranges: supplemental('pluralRanges').plurals },
  currencies: {
    current: [...new Set(Object.values(currencyData.region).flatMap((list) => list.flatMap((entry) => Object.entries(entry)).filter(([, { _to, _tender }]) => _to === undefined && _tender !== 'false').map(([code]) => code)))].sort(),
    fractions: Object.fromEntries(Object.entries(currencyData.fractions).map(([code, { _digits, _rounding }]) => [code, [Number(_digits), Number(_rounding)]])),
  },
  systems: Object.fromEntries(Object.entries(supplemental('numberingSystems').numberingSystems).filter(([, { _type }]) => _type === 'numeric').map(([name, { _digits }]) => [name, _digits])),
  week: { firstDay: week.firstDay, minDays: week.minDays, weekendStart: week.weekendStart, weekendEnd: week.weekendEnd },
  hours: Object.fromEntries(Object.entries(supplemental('timeData').timeData).map(([region, { _allowed, _preferred }]) => [region, [_preferred, _allowed]])),
  periods: supplemental('dayPeriods').dayPeriodRuleSet,
  calendars: supplemental('calendarPreferenceData').calendarPreferenceData,
  zones: {
    // Each by its short name: the canonical one first, then the others.
    ids: Object.fromEntries(Object.entries(zoneFiles).filter(([, value]) => value?._alias && !value._deprecated).map(([short, { _alias, _iana }]) => [short, _iana ? [_alias, _iana] : [_alias]])),
    metazones: metazoneInfo,
    golden: supplemental('metaZones').metaZones.metazones.reduce((into, { mapZone: { _other, _territory, _type } }) => ({ ...into, [`${_other}/${_territory}`]: _type }), {}),
    primary: supplemental('primaryZones').primaryZones,
  },
};
for (const [name, value] of Object.entries(SUPPLEMENTAL)) index.supplemental[name] = piece(JSON.stringify(value));

const head = brotliCompressSync(JSON.stringify(index));
const size = Buffer.alloc(4);
size.writeUInt32LE(head.length);
const pack = Buffer.concat([Buffer.from('PMCLDR01'), size, head, ...pieces]);
const here = (path) => new URL(path, import.meta.url);
writeFileSync(here('../../src/node/intl/cldr.pack'), pack);
const hash = createHash('sha256');
for (const file of ['package-lock.json', 'build.mjs']) hash.update(readFileSync(here(file)));
writeFileSync(here('../../src/node/intl/SOURCE.sha256'), `${hash.digest('hex')}\n`);
console.log(`${locales.length} locales, ${pack.length} bytes`);
