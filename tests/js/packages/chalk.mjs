// chalk.
import chalk, { Chalk } from 'chalk';
const forced = new Chalk({ level: 3 });
console.log(JSON.stringify(forced.red.bold('x') + forced.hex('#123456').bgBlue('y') + forced.dim(`a ${forced.green('b')} c`)), chalk.level, chalk.red('plain'));
