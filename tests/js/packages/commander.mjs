// commander.
import { Command, Option } from 'commander';
const program = new Command('tool').description('does things').version('1.2.3').exitOverride().configureOutput({ writeOut: (text) => console.log(text), writeErr: (text) => console.log(text) });
program.command('add <file> [more...]').option('-f, --force', 'at once').addOption(new Option('-l, --level <n>', 'how').choices(['1', '2']).default('1')).action((file, more, options) => console.log(file, more, options));
program.parse(['add', 'a', 'b', 'c', '-f', '--level', '2'], { from: 'user' });
console.log(program.helpInformation());
for (const line of [['add'], ['add', 'x', '--level', '3'], ['none'], ['--version']]) {
  try { program.parse(line, { from: 'user' }); } catch (error) { console.log(error.code, error.exitCode); }
}
