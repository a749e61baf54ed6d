// dns: the host resolves, and only what may be reached. Addresses of granted names; no other records.
const { callback: checkCallback, coded, invalidArgType, invalidArgValue } = require('internal/errors');
const { isIP, unresolved } = require('internal/net_errors');
const network = require('_network');

async function find(hostname) {
  try {
    return await network.resolve(hostname);
  } catch (error) {
    if (error.code === 'network_resolve_failed' || error.code === 'network_host_invalid') throw unresolved(hostname);
    throw Object.assign(error, { syscall: 'getaddrinfo', hostname });
  }
}

const FAMILIES = { 0: 0, 4: 4, 6: 6, IPv4: 4, IPv6: 6 };

async function lookup(hostname, options) {
  const given = typeof options === 'object' && options !== null ? options : { family: options };
  const family = FAMILIES[given.family ?? 0];
  if (family === undefined) throw invalidArgValue('family', given.family, 'must be one of: 0, 4, 6');
  if (hostname !== undefined && hostname !== null && hostname !== '' && typeof hostname !== 'string') throw invalidArgType('hostname', 'string', hostname);
  if (!hostname) return given.all ? [] : { address: null, family: family === 6 ? 6 : 4 };
  let found = isIP(hostname) ? [hostname] : await find(hostname);
  found = found.map((address) => ({ address, family: isIP(address) }));
  if (family && !isIP(hostname)) found = found.filter((one) => one.family === family);
  if (found.length === 0) throw unresolved(hostname);
  const order = given.order ?? (given.verbatim === false ? 'ipv4first' : 'verbatim');
  if (order !== 'verbatim') {
    const first = order === 'ipv6first' ? 6 : 4;
    found.sort((a, b) => Number(b.family === first) - Number(a.family === first));
  }
  return given.all ? found : found[0];
}

async function addresses(hostname, wanted, name, options) {
  if (typeof hostname !== 'string') throw invalidArgType('name', 'string', hostname);
  let found;
  try {
    found = (await find(hostname)).filter((address) => isIP(address) === wanted);
  } catch (error) {
    if (error.code === 'ENOTFOUND') throw query('ENOTFOUND', name, hostname);
    throw error;
  }
  if (found.length === 0) throw query('ENODATA', name, hostname);
  return options?.ttl ? found.map((address) => ({ address, ttl: 0 })) : found;
}

const query = (code, syscall, hostname) => Object.assign(coded(Error, code, `${syscall} ${code} ${hostname}`), { errno: undefined, syscall, hostname });

const OTHERS = ['resolveAny', 'resolveCaa', 'resolveCname', 'resolveMx', 'resolveNaptr', 'resolveNs', 'resolvePtr', 'resolveSoa', 'resolveSrv', 'resolveTlsa', 'resolveTxt', 'reverse'];
const promised = {
  lookup,
  resolve4: (hostname, options) => addresses(hostname, 4, 'queryA', options),
  resolve6: (hostname, options) => addresses(hostname, 6, 'queryAaaa', options),
  async resolve(hostname, type = 'A') {
    if (type === 'A') return promised.resolve4(hostname);
    if (type === 'AAAA') return promised.resolve6(hostname);
    throw query('ENOTIMP', `query${type}`, hostname);
  },
  async lookupService(address) {
    throw Object.assign(coded(Error, 'ENOTFOUND', `getnameinfo ENOTFOUND ${address}`), { syscall: 'getnameinfo' });
  },
};
for (const name of OTHERS) {
  promised[name] = async (hostname) => {
    throw query('ENOTIMP', `query${name.replace(/^resolve/, '')}`, hostname);
  };
}

const called = {};
for (const [name, work] of Object.entries(promised)) {
  called[name] = (...args) => {
    const done = args.pop();
    checkCallback(done, 'callback');
    const all = typeof args[1] === 'object' && args[1]?.all;
    work(...args).then(
      (found) => {
        if (name === 'lookup' && !all) process.nextTick(done, null, found.address, found.family);
        else process.nextTick(done, null, found);
      },
      (error) => process.nextTick(done, error),
    );
    return {};
  };
}

const settings = { getServers: () => [], setServers() {}, getDefaultResultOrder: () => 'verbatim', setDefaultResultOrder() {} };
const resolver = (functions) =>
  {
    class Resolver {
      cancel() {}
      getServers() { return []; }
      setServers() {}
      setLocalAddress() {}
    }
    for (const [name, value] of Object.entries(functions)) {
      if (name.startsWith('resolve') || name === 'reverse') Object.defineProperty(Resolver.prototype, name, { value, writable: true, configurable: true });
    }
    return Resolver;
  };

const CODES = {
  NODATA: 'ENODATA', FORMERR: 'EFORMERR', SERVFAIL: 'ESERVFAIL', NOTFOUND: 'ENOTFOUND', NOTIMP: 'ENOTIMP', REFUSED: 'EREFUSED', BADQUERY: 'EBADQUERY',
  BADNAME: 'EBADNAME', BADFAMILY: 'EBADFAMILY', BADRESP: 'EBADRESP', CONNREFUSED: 'ECONNREFUSED', TIMEOUT: 'ETIMEOUT', EOF: 'EOF', FILE: 'EFILE',
  NOMEM: 'ENOMEM', DESTRUCTION: 'EDESTRUCTION', BADSTR: 'EBADSTR', BADFLAGS: 'EBADFLAGS', NONAME: 'ENONAME', BADHINTS: 'EBADHINTS',
  NOTINITIALIZED: 'ENOTINITIALIZED', LOADIPHLPAPI: 'ELOADIPHLPAPI', ADDRGETNETWORKPARAMS: 'EADDRGETNETWORKPARAMS', CANCELLED: 'ECANCELLED',
  ADDRCONFIG: 32, V4MAPPED: 8, ALL: 16,
};
exports.promises = { ...promised, ...settings, ...CODES, Resolver: resolver(promised) };
Object.assign(exports, called, settings, CODES, { Resolver: resolver(called) });
