// url: the URL of the web, its parameters, and the old url.parse, format and resolve.
import url from 'node:url';
import { args, check, random } from './cases.mjs';

const rng = random(3);
const SCHEMES = ['http:', 'https:', 'HTTP:', 'ftp:', 'file:', 'ws:', 'mailto:', 'data:', 'javascript:', 'x-y.z+1:', 'about:', ':', '', 'blob:', 'urn:'];
const HOSTS = ['example.com', 'EXAMPLE.com', 'a.b', '127.0.0.1', '0x7f.1', '256.1.1.1', '1.2.3', '[::1]', '[1:2::3]', '[::ffff:1.2.3.4]', '[zz]', 'münchen.de', '中文.com', 'xn--mnchen-3ya.de', 'ex ample', 'a%41b', 'localhost', '', 'a_b.c', 'a..b', '-a', '.', 'a<b', 'ＧＯ.com', 'faß.de', '%zz', '1e3', '0', 'a.1'];
const PORTS = ['', '', '', ':80', ':443', ':8080', ':', ':99999', ':0', ':21', ':a'];
const USERS = ['', '', '', 'user@', 'user:pass@', ':p@', 'u%40s:@', 'a@b@', 'ü:中@', '@'];
const PATHS = ['', '/', '/a', '/a/b/../c', '/./..//x', '/%7Efoo', '/ü', '/a b', '\\a\\b', '/C:/x', '/C|/x', '/..', '/a/.', 'x/y', '/%2e%2E/z', '/{}', '/"<>`', '/%zz', '//h/p', '/a;b=c,d', '/\t\n'];
const QUERIES = ['', '', '?', '?a=b', '?a=1&a=2', '?ü=中', '?q=a b+c', "?'\"<>", '?%zz', '?a[]=1', '??'];
const HASHES = ['', '', '#', '#top', '#ü', '#a b"<>`', '#?x'];
const anyUrl = () => {
  const scheme = rng.pick(SCHEMES);
  return rng.pick(['', '', '', ' ', '\t']) + scheme + rng.pick(['//', '//', '//', '//', '/', '', '///', '\\\\']) + rng.pick(USERS) + rng.pick(HOSTS) + rng.pick(PORTS) + rng.pick(PATHS) + rng.pick(QUERIES) + rng.pick(HASHES);
};
const relative = () => rng.pick(['', '', '.', '..', '../..', '/', '//h', '///', 'x', './x', '../x', 'http:', 'http:x', 'file:', 'mailto:']) + rng.pick(PATHS) + rng.pick(QUERIES) + rng.pick(HASHES);
const BASES = ['http://a/b/c/d;p?q#f', 'https://user@h:8080/x/', 'file:///C:/a/b', 'file:///a/b', 'mailto:a@b', 'data:text,x', 'http://a', 'x:/a/b', 'x://h/p/q', 'javascript:x', '/a/b', '//h/a', 'a/b', ''];
const MEMBERS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
const shown = (one) => MEMBERS.map((name) => one[name]);

for (let n = 0; n < 500; n++) {
  const input = anyUrl();
  check(`new URL(${args(input)})`, () => shown(new URL(input)));
  check(`canParse(${args(input)})`, () => URL.canParse(input));
}
for (let n = 0; n < 250; n++) {
  const [input, base] = [relative(), rng.pick(BASES)];
  check(`new URL(${args(input, base)})`, () => shown(new URL(input, base)));
}
const VALUES = { href: anyUrl, protocol: () => rng.pick(SCHEMES), username: () => rng.text(4), password: () => rng.text(4), host: () => rng.pick(HOSTS) + rng.pick(PORTS), hostname: () => rng.pick(HOSTS), port: () => rng.pick(['', '80', '8080', '65536', '1a', ' 9', 'x', '0']), pathname: () => rng.pick(PATHS) + rng.text(3), search: () => rng.pick(QUERIES) + rng.text(3), hash: () => rng.pick(HASHES) + rng.text(3) };
for (let n = 0; n < 300; n++) {
  const start = rng.pick(['http://h/p?q#f', 'https://u:p@h:8080/', 'file:///a', 'x://h/', 'mailto:a@b', 'http://[::1]/']);
  const name = rng.pick(Object.keys(VALUES));
  const value = VALUES[name]();
  check(`${start} ${name} = ${args(value)}`, () => {
    const one = new URL(start);
    one[name] = value;
    return shown(one);
  });
}
for (let n = 0; n < 150; n++) {
  const init = rng.pick([() => rng.pick(QUERIES) + rng.text(6), () => rng.times(rng.int(0, 3), () => [rng.text(3), rng.text(3)]), () => Object.fromEntries(rng.times(rng.int(0, 3), () => [rng.text(2), rng.int(0, 9)])), () => [['a']], () => [1], () => null, () => new Map([['a', 'b']]), () => 5])();
  const steps = rng.times(rng.int(0, 4), () => [rng.pick(['append', 'delete', 'set', 'sort', 'has', 'get', 'getAll']), rng.pick(['a', 'b', 'ü', '']), rng.pick(['1', ' ', '中', '&='])]);
  check(`URLSearchParams(${args(init, steps)})`, () => {
    const params = new URLSearchParams(init);
    const came = steps.map(([name, key, value]) => params[name](...(['append', 'set'].includes(name) ? [key, value] : [key])) ?? null);
    return [came, params.toString(), [...params], params.size];
  });
}
const PARTS = ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href'];
const old = (one) => PARTS.map((name) => one[name]);
for (let n = 0; n < 450; n++) {
  const input = rng.chance(0.6) ? anyUrl() : relative();
  const [query, slashes] = [rng.chance(0.3), rng.chance(0.3)];
  check(`parse(${args(input, query, slashes)})`, () => old(url.parse(input, query, slashes)));
  check(`format(parse(${args(input)}))`, () => url.format(url.parse(input)));
}
for (let n = 0; n < 250; n++) {
  const [base, to] = [rng.pick(BASES), rng.chance(0.7) ? relative() : anyUrl()];
  check(`resolve(${args(base, to)})`, () => url.resolve(base, to));
}
for (let n = 0; n < 100; n++) {
  const parts = Object.fromEntries(rng.some([['protocol', 'http'], ['protocol', 'x:'], ['slashes', true], ['auth', 'a:b'], ['auth', 'ü@'], ['host', 'h:1'], ['hostname', 'h'], ['hostname', '::1'], ['port', 80], ['pathname', '/a?#b'], ['pathname', 'x'], ['search', 'q=1'], ['search', '?a#b'], ['query', { a: [1, 2] }], ['hash', 'f'], ['hash', '#f']], 0, 6));
  check(`format(${args(parts)})`, () => url.format(parts));
}
for (let n = 0; n < 120; n++) {
  const path = rng.times(rng.int(1, 4), () => rng.pick(['/', 'a', 'b c', '%', '#', '?', 'ü', '\\', '~', '..', '\n', '[', '|', '中', ':'])).join('');
  check(`pathToFileURL(${args(path)})`, () => url.pathToFileURL(`/${path}`).href);
  const file = rng.pick(['file:///', 'file://h/', 'file:', 'http://h/', 'file://localhost/']) + rng.pick(['a', 'a%20b', '%2F', 'ü', '%E4%BD%A0', 'a/../b', '%zz', 'c:/x', '']);
  check(`fileURLToPath(${args(file)})`, () => url.fileURLToPath(file));
  const domain = rng.pick(HOSTS);
  check(`domainToASCII(${args(domain)})`, () => [url.domainToASCII(domain), url.domainToUnicode(domain)]);
}
for (const odd of [undefined, null, 1, {}, [], true, Symbol('s')]) {
  check(`new URL(${args(odd)})`, () => shown(new URL(odd)));
  check(`parse(${args(odd)})`, () => old(url.parse(odd)));
  check(`fileURLToPath(${args(odd)})`, () => url.fileURLToPath(odd));
  check(`pathToFileURL(${args(odd)})`, () => url.pathToFileURL(odd).href);
  check(`format(${args(odd)})`, () => url.format(odd));
}
for (let n = 0; n < 40; n++) {
  const input = anyUrl();
  const options = Object.fromEntries(rng.some(['fragment', 'unicode', 'search', 'auth'].map((name) => [name, false]).concat([['unicode', true]]), 0, 3));
  check(`format(new URL(${args(input)}), ${args(options)})`, () => url.format(new URL(input), options));
  check(`urlToHttpOptions(${args(input)})`, () => url.urlToHttpOptions(new URL(input)));
}
check('members', () => Object.keys(url).sort());
