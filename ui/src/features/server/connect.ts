/** What to put into an MCP client, ready to paste. Names and formats are the clients' own. */

export interface Endpoint {
  /** Where `/mcp` answers. */
  url: string;
  token: string;
}

export interface ClientConfig {
  /** Key of its words below `server.client`. */
  name: 'claudeCode' | 'cursor' | 'vsCode' | 'other';
  /** File that it belongs into; a command has none. */
  file?: string;
  text: string;
}

const NAME = 'prompt-manager';

export function mcpUrl(address: string): string {
  return new URL('/mcp', address).href;
}

export function configurations({ url, token }: Endpoint): ClientConfig[] {
  const headers = { Authorization: `Bearer ${token}` };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      name: 'claudeCode',
      text: `claude mcp add --transport http ${NAME} ${url} --header "Authorization: Bearer ${token}"`,
    },
    {
      name: 'cursor',
      file: '~/.cursor/mcp.json',
      text: json({ mcpServers: { [NAME]: { url, headers } } }),
    },
    {
      name: 'vsCode',
      file: '.vscode/mcp.json',
      text: json({ servers: { [NAME]: { type: 'http', url, headers } } }),
    },
    {
      name: 'other',
      text: json({ mcpServers: { [NAME]: { type: 'http', url, headers } } }),
    },
  ];
}

/** The same length whatever the token is: not even that is told. */
const MASK = '•'.repeat(16);

export function masked(text: string, token: string): string {
  return token === '' ? text : text.replaceAll(token, MASK);
}
