// Generated from crates/wire by `cargo xtask bindings`; do not edit.

export type Actor = { kind: ActorKind, 
/**
 * `pm`, `web`, a token's name, a client's name…
 */
name: string, };

export type ActorKind = "person" | "mcp_client" | "agent" | "tool";

export type ArtifactDetail = { 
/**
 * The script that drew it.
 */
code: string, id: string, file: string, title: string, 
/**
 * `image/png` or `application/json`.
 */
kind: string, 
/**
 * Bytes.
 */
size: number, width: number, height: number, source: string, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, actor: Actor, 
/**
 * Signed, for this artifact alone; expires.
 */
url: string, };

export type ArtifactList = { artifacts: Array<ArtifactRow>, total: number, };

export type ArtifactRef = { 
/**
 * A UUID; `{uuid}.png` and `artifact:{uuid}` are understood.
 */
id: string, };

export type ArtifactRow = { id: string, file: string, title: string, 
/**
 * `image/png` or `application/json`.
 */
kind: string, 
/**
 * Bytes.
 */
size: number, width: number, height: number, source: string, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, actor: Actor, 
/**
 * Signed, for this artifact alone; expires.
 */
url: string, };

export type Configured = { text: string, warnings: Array<string>, };

export type Doctor = { 
/**
 * `full`, `reduced` or `none`.
 */
tier: string, checks: Array<DoctorCheck>, 
/**
 * What to do for a better tier; empty at `full`.
 */
advice: Array<string>, };

export type DoctorCheck = { name: string, ok: boolean, detail: string, };

export type Done = Record<string, never>;

export type GrantChange = { tool: string, 
/**
 * Absolute, or with `~`.
 */
directory: string, };

export type Grants = { tool: string, requested: Array<string>, granted: Array<string>, 
/**
 * Directories that a run of the tool really gets now.
 */
effective: Array<string>, };

export type Hello = { product: string, version: string, 
/**
 * Orders builds: a client with a newer one asks the owner to hand over.
 */
build: string, pid: number, home: string, 
/**
 * `http://127.0.0.1:5621`; absent while the owner serves only its socket.
 */
address?: string, 
/**
 * `full`, `reduced` or `none`.
 */
isolation: string, 
/**
 * `zh-CN` or `en`.
 */
language: string, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type Link = { url: string, };

export type LogLines = { text: string, };

export type McpContent = { content: Array<Record<string, unknown>>, isError: boolean, };

export type None = Record<string, never>;

export type Page = { offset: number, 
/**
 * At most 500.
 */
limit: number, };

export type RunList = { runs: Array<RunRow>, total: number, };

export type RunQuery = { tool?: string, page: Page, };

export type RunResult = { run: string, success: boolean, result: unknown, error?: WireError, 
/**
 * Markdown help for a failure, as models get it.
 */
help?: string, durationMs: number, };

export type RunRow = { id: string, 
/**
 * Tool name, or `run_javascript`.
 */
subject: string, 
/**
 * Milliseconds since the epoch.
 */
startedAt: number, durationMs: number, success: boolean, 
/**
 * Code of the failure.
 */
error?: string, actor: Actor, 
/**
 * Peak memory of the worker, bytes.
 */
memory?: number, };

export type ScriptParams = { 
/**
 * Body of an async function; a value that is not a string is `invalid_args`.
 */
code: string, input?: unknown, };

export type ScriptResult = { run: string, success: boolean, value: unknown, durationMs: number, 
/**
 * What the script wrote to its console.
 */
log: Array<string>, };

export type Text = { text: string, };

export type ToolConfigure = { tool: string, values: Record<string, unknown>, };

export type ToolDetail = { 
/**
 * `~/.prompt-manager/toolbox/{tool}` as shown to people.
 */
folder: string, 
/**
 * JSON schema of the parameters, as the tool gives it.
 */
parameters: unknown, environment: unknown, runtime: unknown, dependencies: { [key in string]: string }, warnings: Array<WireError>, name: string, 
/**
 * The name its author gave it; `name` is the folder's.
 */
title: string, version: string, description: string, author: string, tags: Array<string>, builtIn: boolean, state: ToolState, 
/**
 * Why it is not ready.
 */
problem?: WireError, };

export type ToolList = { tools: Array<ToolRow>, };

export type ToolLog = { tool: string, 
/**
 * `tail` (default), `head` or `all`.
 */
action?: string, lines?: number, 
/**
 * Lowest level shown: DEBUG, INFO, WARN, ERROR.
 */
level?: string, search?: string, };

export type ToolRef = { tool: string, };

export type ToolRow = { name: string, 
/**
 * The name its author gave it; `name` is the folder's.
 */
title: string, version: string, description: string, author: string, tags: Array<string>, builtIn: boolean, state: ToolState, 
/**
 * Why it is not ready.
 */
problem?: WireError, };

export type ToolRun = { tool: string, parameters: Record<string, unknown>, };

export type ToolState = "ready" | "needs_configuration" | "dependencies_missing" | "broken";

export type ToolmParams = { yaml?: JsonValue, };

export type WireError = { code: string, message: string, hint?: string, args?: Record<string, unknown>, };

export type WireEvent = { 
/**
 * `epoch:seq`; give it back to continue from here.
 */
cursor: string, kind: string, tags: Array<string>, data: unknown, };

/** Parameters and result of every call. */
export interface Calls {
  "server.hello": { params: None; result: Hello };
  "server.stop": { params: None; result: Done };
  "server.link": { params: None; result: Link };
  "doctor.report": { params: None; result: Doctor };
  "tool.list": { params: None; result: ToolList };
  "tool.show": { params: ToolRef; result: ToolDetail };
  "tool.manual": { params: ToolRef; result: Text };
  "tool.run": { params: ToolRun; result: RunResult };
  "tool.configure": { params: ToolConfigure; result: Configured };
  "tool.log": { params: ToolLog; result: LogLines };
  "tool.rescan": { params: None; result: ToolList };
  "tool.grants": { params: ToolRef; result: Grants };
  "tool.grant": { params: GrantChange; result: Grants };
  "tool.revoke": { params: GrantChange; result: Grants };
  "toolm": { params: ToolmParams; result: McpContent };
  "run_javascript": { params: ScriptParams; result: ScriptResult };
  "run.list": { params: RunQuery; result: RunList };
  "artifact.list": { params: Page; result: ArtifactList };
  "artifact.show": { params: ArtifactRef; result: ArtifactDetail };
  "artifact.remove": { params: ArtifactRef; result: Done };
}

/** Whether a call changes something, and the cache tags it shows or makes stale. */
export const calls = {
  "server.hello": { changes: false, tags: ["server"] },
  "server.stop": { changes: true, tags: ["server"] },
  "server.link": { changes: true, tags: [] },
  "doctor.report": { changes: false, tags: ["doctor"] },
  "tool.list": { changes: false, tags: ["tools"] },
  "tool.show": { changes: false, tags: ["tools"] },
  "tool.manual": { changes: false, tags: ["tools"] },
  "tool.run": { changes: true, tags: ["runs", "artifacts"] },
  "tool.configure": { changes: true, tags: ["tools"] },
  "tool.log": { changes: false, tags: ["runs"] },
  "tool.rescan": { changes: true, tags: ["tools"] },
  "tool.grants": { changes: false, tags: ["grants"] },
  "tool.grant": { changes: true, tags: ["grants"] },
  "tool.revoke": { changes: true, tags: ["grants"] },
  "toolm": { changes: true, tags: ["runs", "tools"] },
  "run_javascript": { changes: true, tags: ["runs", "artifacts"] },
  "run.list": { changes: false, tags: ["runs"] },
  "artifact.list": { changes: false, tags: ["artifacts"] },
  "artifact.show": { changes: false, tags: ["artifacts"] },
  "artifact.remove": { changes: true, tags: ["artifacts"] },
} as const satisfies Record<keyof Calls, { changes: boolean; tags: readonly string[] }>;
