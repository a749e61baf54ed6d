// yargs: commands, options, help.
import yargs from 'yargs';
const out = [];
const y = yargs(['build', '--n', '3', '--flag', '-x', 'a', 'b'])
  .command(
    'build [what]',
    'builds',
    (b) => b.option('n', { type: 'number', default: 1 }),
    (a) => out.push(a.n, a.flag, a.x, a._),
  )
  .exitProcess(false);
await y.parseAsync();
console.log(out);
console.log(await yargs([]).scriptName('t').option('a', { describe: 'an a' }).getHelp());
