// A screen that nobody sees.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { firstLine } from './processes.mjs';

export async function startScreen() {
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await firstLine(child, child.stdio[3], 'Xvfb');
  return {
    display: `:${number}`,
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
