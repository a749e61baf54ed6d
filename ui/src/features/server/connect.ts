import type { Hello } from '@/generated/calls';

/** Stands for the secret: the page never holds the token that clients use. */
const TOKEN = '<token>';

export interface Connection {
  url: string;
  header: string;
  /** File that holds the token. */
  tokenFile: string;
  /** The form that most clients' configuration files have. */
  json: string;
}

/** What an MCP client needs; `undefined` while the owner has no address. */
export function connection(hello: Pick<Hello, 'address' | 'home'>): Connection | undefined {
  if (hello.address === undefined) return undefined;
  const url = new URL('/mcp', hello.address).href;
  const value = `Bearer ${TOKEN}`;
  const entry = { type: 'http', url, headers: { Authorization: value } };
  return {
    url,
    header: `Authorization: ${value}`,
    tokenFile: `${hello.home}/token`,
    json: JSON.stringify({ mcpServers: { 'prompt-manager': entry } }, null, 2),
  };
}
