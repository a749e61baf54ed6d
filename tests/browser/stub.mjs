// A model service without a model (crates/llm, `stub`), ended with the test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Whose examples they are. */
const PACKAGES = { model_stub: 'llm', team_stub: 'agents' };

/** Gives its address as OpenAI's protocol has it, and what ends it. `team_stub` plays a team of agents. */
export async function startStub(name = 'model_stub') {
  const program = join(root, 'target/debug/examples', name);
  if (!existsSync(program)) {
    throw new Error(`${program} is missing: cargo build -p ${PACKAGES[name]} --example ${name}`);
  }
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    url,
    async stop() {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}
