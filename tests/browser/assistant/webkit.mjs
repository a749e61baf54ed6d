// WebKit's own driver, which starts its browser for each session.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { rmSync } from 'node:fs';
import { startScreen } from '../../window/screen.mjs';
import { temporaryFolder } from '../owner.mjs';

const PATIENCE = 30_000;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export async function startWebKit() {
  const screen = await startScreen();
  const home = temporaryFolder('webkit');
  const port = await freePort();
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
  const end = performance.now() + PATIENCE;
  while (!(await fetch(`${address}/status`).then(({ ok }) => ok, () => false))) {
    if (child.exitCode !== null || performance.now() > end) throw new Error('WebKitWebDriver does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    address,
    async stop() {
      const exit = once(child, 'exit');
      // With the browsers that it started.
      process.kill(-child.pid, 'SIGKILL');
      await exit;
      await screen.stop();
      rmSync(home, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
