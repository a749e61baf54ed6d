// net.BlockList and net.SocketAddress: addresses, ranges and subnets to compare with.
const { isIP } = require('internal/net_errors');
const { coded, integer, invalidArgType, invalidArgValue, string } = require('internal/errors');

const FAMILIES = { ipv4: 4, ipv6: 6 };
/** The address as a number; IPv6 may end in an IPv4 address. */
function numberOf(address) {
  if (isIP(address) === 4) return address.split('.').reduce((all, part) => (all << 8n) | BigInt(part), 0n);
  let text = address.split('%')[0];
  const four = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (four) {
    const low = numberOf(four[2]);
    text = `${four[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  }
  const [left, right] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const parts = right === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  return parts.reduce((all, part) => (all << 16n) | BigInt(`0x${part}`), 0n);
}

/** An address as systems write it: small letters, the longest row of noughts left out. */
function written(address) {
  if (isIP(address) === 4) return address;
  const number = numberOf(address);
  if (number >> 32n === 0xffffn) return `::ffff:${[24n, 16n, 8n, 0n].map((by) => (number >> by) & 255n).join('.')}`;
  const parts = Array.from({ length: 8 }, (_, at) => ((number >> BigInt(112 - at * 16)) & 0xffffn).toString(16));
  let [best, size] = [-1, 1];
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (parts[end] === '0') end++;
    if (end - at > size) [best, size] = [at, end - at];
  }
  return best < 0 ? parts.join(':') : `${parts.slice(0, best).join(':')}::${parts.slice(best + size).join(':')}`;
}

class SocketAddress {
  #it;
  constructor(options = {}) {
    if (typeof options !== 'object' || options === null) throw invalidArgType('options', 'object', options);
    const { family = 'ipv4', port = 0, flowlabel = 0 } = options;
    const kind = FAMILIES[String(family).toLowerCase()];
    if (!kind) throw invalidArgValue('options.family', family);
    const { address = kind === 4 ? '127.0.0.1' : '::' } = options;
    string(address, 'options.address');
    integer(port, 'options.port', 0, 65535);
    if (isIP(address) !== kind) throw coded(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');
    this.#it = { address: written(address), port, family: `ipv${kind}`, flowlabel };
  }
  get address() { return this.#it.address; }
  get port() { return this.#it.port; }
  get family() { return this.#it.family; }
  get flowlabel() { return this.#it.flowlabel; }
  toJSON() { return { ...this.#it }; }
  [Symbol.for('nodejs.util.inspect.custom')](depth, options) { return `SocketAddress ${require('util').inspect(this.#it, { ...options, depth: 1 })}`; }
  static isSocketAddress(value) { return typeof value === 'object' && value !== null && #it in value; }
  static parse(text) {
    const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text);
    const address = match?.[1] ?? match?.[2];
    const kind = address === undefined ? 0 : isIP(address);
    if (!kind || Number(match[3] ?? 0) > 65535) return undefined;
    return new SocketAddress({ address, port: Number(match[3] ?? 0), family: `ipv${kind}` });
  }
}

class BlockList {
  #rules = [];
  static isBlockList(value) { return typeof value === 'object' && value !== null && #rules in value; }
  #read(address, family = 'ipv4', name = 'address') {
    if (SocketAddress.isSocketAddress(address)) return { address: address.address, family: FAMILIES[address.family] };
    string(address, name);
    string(family, 'family');
    const kind = FAMILIES[family.toLowerCase()];
    if (!kind) throw invalidArgValue('family', family);
    if (isIP(address) !== kind) throw coded(Error, 'ERR_INVALID_ADDRESS', 'Invalid socket address');
    return { address: written(address), family: kind };
  }
  addAddress(given, family) {
    const { address, family: kind } = this.#read(given, family);
    const number = numberOf(address);
    this.#rules.unshift({ kind, from: number, to: number, text: `Address: IPv${kind} ${address}` });
  }
  addRange(start, end, family) {
    const [from, to] = [this.#read(start, family, 'start'), this.#read(end, family, 'end')];
    if (numberOf(from.address) > numberOf(to.address)) throw invalidArgValue('start', SocketAddress.isSocketAddress(start) ? start : new SocketAddress({ address: start, family: `ipv${from.family}` }), 'must come before end');
    this.#rules.unshift({ kind: from.family, from: numberOf(from.address), to: numberOf(to.address), text: `Range: IPv${from.family} ${from.address}-${to.address}` });
  }
  addSubnet(given, prefix, family) {
    const { address, family: kind } = this.#read(given, family, 'network');
    const bits = kind === 4 ? 32 : 128;
    integer(prefix, 'prefix', 0, bits);
    const rest = BigInt(bits - prefix);
    const from = (numberOf(address) >> rest) << rest;
    this.#rules.unshift({ kind, from, to: from | ((1n << rest) - 1n), text: `Subnet: IPv${kind} ${address}/${prefix}` });
  }
  check(given, family) {
    const { address, family: kind } = this.#read(given, family);
    const number = numberOf(address);
    // An IPv4 address and the IPv6 one that it is inside of are under the rules of both.
    const other = kind === 4 ? (0xffffn << 32n) | number : number >> 32n === 0xffffn ? number & 0xffff_ffffn : undefined;
    return this.#rules.some(({ kind: ruled, from, to }) => {
      const compared = ruled === kind ? number : other;
      return compared !== undefined && compared >= from && compared <= to;
    });
  }
  get rules() { return this.#rules.map(({ text }) => text); }
  toJSON() { return this.rules; }
  fromJSON(data) {
    for (const text of Array.isArray(data) ? data : JSON.parse(data)) {
      const [, kind, family, from, to] = /^(\w+): IPv([46]) ([^-/]+)(?:[-/](.+))?$/.exec(text) ?? [];
      if (kind === 'Address') this.addAddress(from, `ipv${family}`);
      else if (kind === 'Range') this.addRange(from, to, `ipv${family}`);
      else if (kind === 'Subnet') this.addSubnet(from, Number(to), `ipv${family}`);
    }
  }
}
Object.assign(exports, { BlockList, SocketAddress });
