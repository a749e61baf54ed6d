// WebKit's own driver, which starts its browser for each session.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { until } from '../../window/page.mjs';
import { freePorts } from '../../window/processes.mjs';
import { startScreen } from '../../window/screen.mjs';
import { temporaryFolder } from '../owner.mjs';

export async function startWebKit() {
  const screen = await startScreen();
  const home = temporaryFolder('webkit');
  const [port] = await freePorts(1);
  const child = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: {
      ...process.env,
      DISPLAY: screen.display,
      GDK_BACKEND: 'x11',
      HOME: home,
      LIBGL_ALWAYS_SOFTWARE: '1',
      NO_AT_BRIDGE: '1',
      // Pages of this machine alone.
      no_proxy: '127.0.0.1',
      // Root runs these tests too, where the engine's own walls do not stand.
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    },
  });
  const address = `http://127.0.0.1:${port}`;
  const ended = once(child, 'exit');
  const stop = async () => {
    // With the browsers that it started.
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    await screen.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    await until('WebKitWebDriver', async () => (await fetch(`${address}/status`)).ok);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}
