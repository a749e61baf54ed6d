/** What to put into an MCP client that comes over HTTP, ready to paste. Names and formats are the clients' own. */

export interface Endpoint {
  /** Where `/mcp` answers. */
  url: string;
  token: string;
}

export interface HttpConfig {
  /** As `connect.list` calls it. */
  client: string;
  /** File that it belongs into; a command has none. */
  file?: string;
  text: string;
}

/** The form that most clients understand. */
export const OTHER = 'other';

/** Key of a client's words below `server.client`. */
export function wordsOf(client: string): string {
  return client.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

const NAME = 'prompt-manager';

export function mcpUrl(address: string): string {
  return new URL('/mcp', address).href;
}

export function configurations({ url, token }: Endpoint): HttpConfig[] {
  const headers = { Authorization: `Bearer ${token}` };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      client: 'claude-code',
      text: `claude mcp add --transport http ${NAME} ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      client: 'cursor',
      file: '~/.cursor/mcp.json',
      text: json({ mcpServers: { [NAME]: { url, headers } } }),
    },
    {
      client: 'vs-code',
      file: '.vscode/mcp.json',
      text: json({ servers: { [NAME]: { type: 'http', url, headers } } }),
    },
    {
      client: 'windsurf',
      file: '~/.codeium/windsurf/mcp_config.json',
      text: json({ mcpServers: { [NAME]: { serverUrl: url, headers } } }),
    },
    {
      client: 'zed',
      file: '~/.config/zed/settings.json',
      text: json({ context_servers: { [NAME]: { url, headers } } }),
    },
    {
      client: 'gemini',
      file: '~/.gemini/settings.json',
      text: json({ mcpServers: { [NAME]: { httpUrl: url, headers } } }),
    },
    {
      client: 'codex',
      file: '~/.codex/config.toml',
      text: `[mcp_servers.${NAME}]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }`,
    },
    {
      client: OTHER,
      text: json({ mcpServers: { [NAME]: { type: 'http', url, headers } } }),
    },
  ];
}

/** The same length whatever the token is: not even that is told. */
const MASK = '•'.repeat(16);

export function masked(text: string, token: string): string {
  return token === '' ? text : text.replaceAll(token, MASK);
}
