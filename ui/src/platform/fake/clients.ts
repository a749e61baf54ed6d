/** MCP clients of this machine and their files. */

import type { ClientConfig, ClientRef } from '@/generated/calls';
import { CallError } from '../transport';
import type { FakeHandlers, Scene } from '.';

const FILES: Record<string, string> = {
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  'claude-code': '.claude.json',
  cursor: '.cursor/mcp.json',
  'vs-code': '.config/Code/User/mcp.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
  zed: '.config/zed/settings.json',
  gemini: '.gemini/settings.json',
  codex: '.codex/config.toml',
};

/** Made anew for each page: tests share what a module holds, and it would grow old. */
const states = (): Partial<Record<string, Partial<ClientConfig>>> => ({
  'claude-code': { state: 'written', canUndo: true, seen: Date.now() - 180_000 },
  cursor: { state: 'different' },
  zed: { state: 'unreadable', problem: 'Unexpected token on line 12 column 3' },
  windsurf: { installed: false },
});

function text(client: string): string {
  if (client === 'codex') {
    return '[mcp_servers.prompt-manager]\ncommand = "/usr/bin/pm"\nargs = ["mcp", "--client", "codex"]\n';
  }
  const entry = { command: '/usr/bin/pm', args: ['mcp', '--client', client] };
  return `${JSON.stringify({ mcpServers: { 'prompt-manager': entry } }, null, 2)}\n`;
}

export default function clients(scene: Scene): FakeHandlers {
  const known = scene === 'empty' ? {} : states();
  let all = Object.entries(FILES).map(([client, file]): ClientConfig => ({
    client,
    file: `/home/lin/${file}`,
    text: text(client),
    state: 'absent',
    installed: scene !== 'empty',
    canUndo: false,
    ...known[client],
  }));
  const now = (name: string, change: Partial<ClientConfig>): ClientConfig => {
    all = all.map((one) => (one.client === name ? { ...one, ...change } : one));
    const found = all.find(({ client }) => client === name);
    if (!found) throw new CallError({ code: 'unknown_client', args: { name } });
    return found;
  };
  return {
    'connect.list': () => ({ clients: all }),
    'connect.write': ({ client }: ClientRef) => now(client, { state: 'written', canUndo: true }),
    'connect.undo': ({ client }: ClientRef) => now(client, { state: 'absent', canUndo: false }),
  };
}
