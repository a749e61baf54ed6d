// util.parseArgs: options of a command line, as Node reads them.
const { coded, invalidArgType, invalidArgValue } = require('internal/errors');

const problem = (code, message) => coded(TypeError, code, message);

exports.parseArgs = (config = {}) => {
  const { args = require('process').argv.slice(2), options = {}, strict = true, allowPositionals = !strict, allowNegative = false, tokens: wantTokens = false } = config;
  for (const [name, option] of Object.entries(options)) {
    if (option.type !== 'string' && option.type !== 'boolean') throw invalidArgType(`options.${name}.type`, "'string' or 'boolean'", option.type);
    if (option.short !== undefined && option.short.length !== 1) throw invalidArgValue(`options.${name}.short`, option.short, 'must be a single character');
  }
  const long = (short) => Object.entries(options).find(([, option]) => option.short === short)?.[0];
  const values = { __proto__: null };
  const positionals = [];
  const tokens = [];
  const keep = (name, rawName, value, index, inlineValue) => {
    let stored = value;
    if (allowNegative && name.startsWith('no-') && value === undefined && options[name.slice(3)]?.type === 'boolean') {
      name = name.slice(3);
      stored = false;
    }
    const known = options[name];
    tokens.push({ kind: 'option', name, rawName, index, value, inlineValue: value === undefined ? undefined : inlineValue });
    if (strict) {
      if (!known) {
        const hint = allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${rawName}"` : '';
        throw problem('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${rawName}'${hint}`);
      }
      const shown = `${known.short ? `-${known.short}, ` : ''}--${name}`;
      if (known.type === 'string' && value === undefined) throw problem('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
      if (known.type === 'boolean' && value !== undefined) throw problem('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
    }
    if (name === '__proto__') return;
    const final = stored ?? true;
    if (known?.multiple) (values[name] ??= []).push(final);
    else values[name] = final;
  };
  const positional = (value, index) => {
    if (!allowPositionals) throw problem('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${value}'. This command does not take positional arguments`);
    positionals.push(value);
    tokens.push({ kind: 'positional', index, value });
  };
  const takes = (name) => options[name]?.type === 'string';
  const ambiguous = (value, rawName, name) => {
    if (strict && value !== undefined && value.length > 1 && value.startsWith('-')) {
      throw problem('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use '--${name}=-XYZ'${rawName.startsWith('--') ? '' : ` or '${rawName}-XYZ'`}.`);
    }
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === '--') {
      tokens.push({ kind: 'option-terminator', index: at });
      for (let rest = at + 1; rest < args.length; rest++) {
        positional(args[rest], rest);
      }
      break;
    }
    const equals = arg.indexOf('=');
    if (arg.startsWith('--')) {
      const name = equals > 2 ? arg.slice(2, equals) : arg.slice(2);
      if (equals > 2) {
        keep(name, `--${name}`, arg.slice(equals + 1), at, true);
      } else if (takes(name) && at + 1 < args.length) {
        ambiguous(args[at + 1], arg, name);
        keep(name, arg, args[at + 1], at++, false);
      } else {
        keep(name, arg, undefined, at);
      }
    } else if (arg.startsWith('-') && arg.length > 1) {
      for (let letter = 1; letter < arg.length; letter++) {
        const short = arg[letter];
        const name = long(short) ?? short;
        if (takes(name)) {
          const rest = arg.slice(letter + 1);
          if (rest !== '') {
            keep(name, `-${short}`, rest, at, true);
          } else if (at + 1 < args.length) {
            ambiguous(args[at + 1], `-${short}`, name);
            keep(name, `-${short}`, args[at + 1], at++, false);
          } else {
            keep(name, `-${short}`, undefined, at);
          }
          break;
        }
        keep(name, `-${short}`, undefined, at);
      }
    } else {
      positional(arg, at);
    }
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  }
  return wantTokens ? { values, positionals, tokens } : { values, positionals };
};
