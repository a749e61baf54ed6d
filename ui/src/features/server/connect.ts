/** What to put into an MCP client, ready to paste. Names and formats are the clients' own. */

export interface Endpoint {
  /** Where `/mcp` answers. */
  url: string;
  token: string;
}

export interface ClientConfig {
  /** Key of its words below `server.client`. */
  name:
    | 'claudeDesktop'
    | 'claudeCode'
    | 'cursor'
    | 'vsCode'
    | 'windsurf'
    | 'zed'
    | 'gemini'
    | 'codex'
    | 'other';
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
      // Starts its servers itself, over standard input and output.
      name: 'claudeDesktop',
      file: '~/.config/Claude/claude_desktop_config.json',
      text: json({
        mcpServers: { [NAME]: { command: 'pm', args: ['mcp', '--client', 'claude-desktop'] } },
      }),
    },
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
      name: 'windsurf',
      file: '~/.codeium/windsurf/mcp_config.json',
      text: json({ mcpServers: { [NAME]: { serverUrl: url, headers } } }),
    },
    {
      name: 'zed',
      file: '~/.config/zed/settings.json',
      text: json({ context_servers: { [NAME]: { url, headers } } }),
    },
    {
      name: 'gemini',
      file: '~/.gemini/settings.json',
      text: json({ mcpServers: { [NAME]: { httpUrl: url, headers } } }),
    },
    {
      name: 'codex',
      file: '~/.codex/config.toml',
      text: `[mcp_servers.${NAME}]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${token}" }`,
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
