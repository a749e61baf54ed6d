import { describe, expect, it } from 'vitest';
import { configurations, masked } from './connect';

const endpoint = { url: 'http://127.0.0.1:5621/mcp', token: 'pmt_secret' };
const all = configurations(endpoint);
const of = (name: string) => all.find((one) => one.name === name)?.text ?? '';

describe('configurations of clients', () => {
  it('has each client once, and each its own form', () => {
    expect(all.map(({ name }) => name)).toEqual([
      'claudeDesktop',
      'claudeCode',
      'cursor',
      'vsCode',
      'windsurf',
      'zed',
      'gemini',
      'codex',
      'other',
    ]);
    const server = (name: string, key: string) =>
      (JSON.parse(of(name)) as Record<string, Record<string, unknown>>)[key]?.['prompt-manager'];
    const headers = { Authorization: 'Bearer pmt_secret' };
    expect(server('cursor', 'mcpServers')).toEqual({ url: endpoint.url, headers });
    expect(server('vsCode', 'servers')).toEqual({ type: 'http', url: endpoint.url, headers });
    expect(server('windsurf', 'mcpServers')).toEqual({ serverUrl: endpoint.url, headers });
    expect(server('zed', 'context_servers')).toEqual({ url: endpoint.url, headers });
    expect(server('gemini', 'mcpServers')).toEqual({ httpUrl: endpoint.url, headers });
    expect(of('codex')).toBe(
      '[mcp_servers.prompt-manager]\nurl = "http://127.0.0.1:5621/mcp"\n' +
        'http_headers = { Authorization = "Bearer pmt_secret" }',
    );
  });

  it('starts pm without a secret for a client that starts its servers', () => {
    expect(of('claudeDesktop')).toContain('"claude-desktop"');
    expect(of('claudeDesktop')).not.toContain('pmt_secret');
  });

  it('shows no secret', () => {
    for (const { text } of all) expect(masked(text, endpoint.token)).not.toContain('pmt_secret');
  });
});
