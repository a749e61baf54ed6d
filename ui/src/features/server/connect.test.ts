import { describe, expect, it } from 'vitest';
import { configurations, masked, wordsOf } from './connect';

const endpoint = { url: 'http://127.0.0.1:5621/mcp', token: 'pmt_secret' };
const all = configurations(endpoint);
const of = (name: string) => all.find(({ client }) => client === name)?.text ?? '';

describe('configurations of clients', () => {
  it('has each client once, and each its own form', () => {
    expect(all.map(({ client }) => client)).toEqual([
      'claude-code',
      'cursor',
      'vs-code',
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
    expect(server('vs-code', 'servers')).toEqual({ type: 'http', url: endpoint.url, headers });
    expect(server('windsurf', 'mcpServers')).toEqual({ serverUrl: endpoint.url, headers });
    expect(server('zed', 'context_servers')).toEqual({ url: endpoint.url, headers });
    expect(server('gemini', 'mcpServers')).toEqual({ httpUrl: endpoint.url, headers });
    expect(of('codex')).toBe(
      '[mcp_servers.prompt-manager]\nurl = "http://127.0.0.1:5621/mcp"\n' +
        'http_headers = { Authorization = "Bearer pmt_secret" }',
    );
  });

  it('finds the words of each', () => {
    expect(wordsOf('vs-code')).toBe('vsCode');
    expect(wordsOf('cursor')).toBe('cursor');
  });

  it('shows no secret', () => {
    for (const { text } of all) expect(masked(text, endpoint.token)).not.toContain('pmt_secret');
  });
});
