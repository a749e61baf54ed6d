// Generated from crates/wire by `cargo xtask bindings`; do not edit.

export type ActiveRun = { id: string, subject: string, startedAt: number, actor: Actor, progress?: RunProgress, };

export type ActiveRuns = { runs: Array<ActiveRun>, };

export type Actor = { kind: ActorKind, 
/**
 * `pm`, `web`, a token's name, a client's name…
 */
name: string, };

export type ActorKind = "person" | "mcp_client" | "agent" | "tool";

export type Advisories = { 
/**
 * The registry tells what it knows.
 */
told: boolean, advisories: Array<AdvisoryRow>, };

export type AdvisoryRow = { package: string, 
/**
 * Installed ones that it concerns.
 */
versions: Array<string>, 
/**
 * `low`, `moderate`, `high` or `critical`.
 */
severity: string, title: string, url: string, };

export type ApprovalAnswer = "allow_once" | "allow_for_task" | "deny";

export type ApprovalKind = "command" | "directory" | "network" | "tool" | "unsandboxed" | "full_network" | "script" | "processes" | "site" | "step";

export type ApprovalList = { approvals: Array<ApprovalRow>, total: number, };

export type ApprovalQuery = { 
/**
 * All states when absent.
 */
state?: ApprovalState, page: Page, };

export type ApprovalResolve = { id: string, answer: ApprovalAnswer, };

export type ApprovalRow = { id: string, 
/**
 * A tool's name, or `task:` and the id of a task.
 */
subject: string, kind: ApprovalKind, 
/**
 * The command, the path, the host, the tool.
 */
value: string, 
/**
 * What a person wants to know before answering; its form depends on who asks.
 */
detail: unknown, 
/**
 * Who asks.
 */
actor: Actor, state: ApprovalState, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, resolvedAt?: number, 
/**
 * Who answered; absent when nobody did.
 */
resolver?: Actor, };

export type ApprovalState = "waiting" | "allowed_once" | "allowed_for_task" | "denied" | "expired";

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
url: string, 
/**
 * The same of a PNG of at most 320 x 240 pixels, made once.
 */
thumb: string, };

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
url: string, 
/**
 * The same of a PNG of at most 320 x 240 pixels, made once.
 */
thumb: string, };

export type AssistantChange = { browser?: BrowserKind, 
/**
 * Of CDP or WebDriver: `http://127.0.0.1:9222`.
 */
address?: string, 
/**
 * The service that decides; empty: the default one.
 */
service?: string, 
/**
 * Every step that changes something is asked about, not only what cannot be taken back.
 */
askEach?: boolean, 
/**
 * MCP clients and agents are offered `browser_observe`, `browser_act` and `browser_navigate`.
 */
offered?: boolean, 
/**
 * What a model is told and says is kept in the conversation.
 */
debug?: boolean, 
/**
 * Elements of one look, 10 to 500.
 */
elements?: number, };

export type AssistantMessage = { id: string, type: AssistantMessageType, content: string, 
/**
 * Milliseconds since the epoch.
 */
timestamp: number, isMe: boolean, metadata: AssistantMetadata, };

export type AssistantMessageQuery = { before?: string, 
/**
 * 200 when absent, at most 5,000.
 */
limit?: number, };

export type AssistantMessageType = "user" | "assistant" | "system";

export type AssistantMessages = { messages: Array<AssistantMessage>, 
/**
 * There are older ones.
 */
more: boolean, };

export type AssistantMetadata = { elementCount?: number, 
/**
 * The kind of step.
 */
actionType?: string, 
/**
 * Milliseconds.
 */
executionTime?: number, 
/**
 * Of a step, or of a wish at its end.
 */
success?: boolean, 
/**
 * What a message is: `step`, `end`, `notice`, `prompt`, `reply`; absent for what somebody says.
 */
part?: string, 
/**
 * The wish that it belongs to.
 */
wish?: string, 
/**
 * The element of a step, as it is called.
 */
label?: string, 
/**
 * What was typed, chosen, pressed, or gone to.
 */
value?: string, 
/**
 * Why, in the words of the model.
 */
reason?: string, url?: string, 
/**
 * A picture of the gallery: the file's name.
 */
picture?: string, 
/**
 * The events were made by a script of the page, not by the browser.
 */
synthetic: boolean, error?: WireError, 
/**
 * What helps: `RETRY`, `REGENERATE`, `RESCAN`, `MANUAL_CHECK`, `CHECK_CONFIG`, `REPORT`.
 */
recovery?: string, };

export type AssistantNow = { wish?: AssistantWish, };

export type AssistantOptions = { browser: BrowserKind, address: string, service?: string, askEach: boolean, offered: boolean, debug: boolean, elements: number, };

export type AssistantSend = { 
/**
 * What the person wants, in words.
 */
text: string, };

export type AssistantSent = { 
/**
 * The id of the wish.
 */
wish: string, };

export type AssistantSettle = { 
/**
 * Milliseconds; 20,000 when absent, at most 60,000.
 */
waitMs?: number, };

export type AssistantStatistics = { wishes: number, fulfilled: number, steps: number, stepsDone: number, 
/**
 * Questions to models, those that failed, and answers that were known already.
 */
asked: number, askFailed: number, known: number, 
/**
 * Milliseconds until a model has answered: the median, and what 95 of 100 do not exceed.
 */
median: number, p95: number, };

export type AssistantStep = { type: string, id?: number, selector: string, value?: string, label: string, };

export type AssistantView = { options: AssistantOptions, at?: BrowserAt, wish?: AssistantWish, 
/**
 * Whether there is a model that can be asked.
 */
hasModel: boolean, 
/**
 * Whether a desktop program is there that can open a window.
 */
hasWindow: boolean, statistics: AssistantStatistics, 
/**
 * Sites that may be worked on whenever it is wished, by origin.
 */
sites: Array<string>, };

export type AssistantWish = { id: string, text: string, 
/**
 * Milliseconds since the epoch.
 */
since: number, 
/**
 * The last of what the model says just now.
 */
thinking: string, 
/**
 * The step that is being done.
 */
step?: AssistantStep, };

export type BrokenPrompt = { path: string, problem: WireError, };

export type BrowserAct = { 
/**
 * `click`, `input`, `select`, `scroll`, `hover`, `key`, `wait`, `extract`, `screenshot`.
 */
type: string, 
/**
 * Of an element that the last look listed.
 */
id?: number, value?: string, 
/**
 * Milliseconds to wait at most until the page is quiet; 1,000 when absent, at most 30,000.
 */
waitAfter?: number, reason?: string, };

export type BrowserAt = { url: string, title: string, 
/**
 * What it runs in, as it calls itself.
 */
browser: string, };

export type BrowserDid = { action: AssistantStep, success: boolean, 
/**
 * Milliseconds.
 */
duration: number, 
/**
 * Text that was extracted, or what the page asked.
 */
text?: string, 
/**
 * A picture of the gallery: the file's name.
 */
picture?: string, 
/**
 * The page is another one.
 */
navigated?: boolean, 
/**
 * The events were made by a script of the page, not by the browser.
 */
synthetic?: boolean, url: string, title: string, };

export type BrowserDone = { order: string, 
/**
 * The JSON that the script gave, or nothing where it failed.
 */
json?: string, 
/**
 * The address that the window shows.
 */
url: string, error?: string, };

export type BrowserElement = { id: number, tagName: string, className: string, type: string | null, role: string | null, 
/**
 * At most 50 UTF-16 units.
 */
text: string, 
/**
 * By the rules of accessible names.
 */
name: string, 
/**
 * In CSS pixels of the viewport.
 */
rect: BrowserRect, state: BrowserState, 
/**
 * In the viewport, with nothing over it.
 */
visible: boolean, };

export type BrowserKind = "window" | "cdp" | "webdriver";

export type BrowserNavigate = { 
/**
 * An address of http or https, or `back`, `forward`, `reload`.
 */
to: string, };

export type BrowserObserve = { 
/**
 * Elements at most.
 */
limit?: number, 
/**
 * With a picture of the page, where its browser gives one.
 */
picture: boolean, };

export type BrowserOrder = { id: string, kind: BrowserOrderKind, 
/**
 * The expression, or the address.
 */
text: string, 
/**
 * What is put into each page before its own code; with `open` alone.
 */
script?: string, };

export type BrowserOrderKind = "evaluate" | "open" | "close";

export type BrowserOrders = { order?: BrowserOrder, };

export type BrowserPage = { url: string, title: string, 
/**
 * Those in the viewport first.
 */
elements: Array<BrowserElement>, 
/**
 * How many there are that are not listed.
 */
more: number, 
/**
 * CSS pixels that are further down.
 */
below: number, 
/**
 * Of the viewport, in CSS pixels.
 */
width: number, height: number, 
/**
 * The signed URL of a PNG of the viewport, good until the next one is made.
 */
picture?: string, };

export type BrowserRect = { x: number, y: number, width: number, height: number, };

export type BrowserState = { checked?: boolean, disabled: boolean, expanded?: boolean, 
/**
 * Never of a password field.
 */
value?: string, };

export type BrowserWork = { 
/**
 * Of this desktop program; another one's orders end when it comes.
 */
window: string, done?: BrowserDone, };

export type CanvasChange = { canvas: string, title?: string, 
/**
 * Empty: none.
 */
taskId?: string, paused?: boolean, automatic?: boolean, 
/**
 * A type of cell that does from now on what this says.
 */
kind?: CellKind, };

export type CanvasConvert = { text: string, from: CanvasFormat, to: CanvasFormat, };

export type CanvasCreate = { 
/**
 * Taken from the text, or the day, where there is none.
 */
title?: string, 
/**
 * A document to begin with, read leniently; nothing of it is run.
 */
text?: string, format: CanvasFormat, taskId?: string, };

export type CanvasEntry = { "kind": "cell", cell: CellView, } | { "kind": "log", logs: Array<CellLog>, } | { "kind": "other", text: string, };

export type CanvasExport = { canvas: string, format: CanvasFormat, };

export type CanvasFormat = "acp" | "markdown" | "ipynb";

export type CanvasList = { canvases: Array<CanvasRow>, };

export type CanvasOpen = { canvas: string, 
/**
 * Entries to pass over.
 */
offset: number, 
/**
 * 500 when absent, at most 2000.
 */
limit?: number, };

export type CanvasQuery = { 
/**
 * Those in the trash instead.
 */
removed: boolean, };

export type CanvasRef = { 
/**
 * Its id.
 */
canvas: string, };

export type CanvasRow = { id: string, title: string, 
/**
 * The task in whose workspace its shells run.
 */
taskId?: string, 
/**
 * The name under which the Arena writes its outputs.
 */
arena: string, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, changedAt: number, 
/**
 * How many events made it.
 */
version: number, cells: number, actor: Actor, 
/**
 * Only of one in the trash: since when, in milliseconds since the epoch.
 */
removedAt?: number, };

export type CanvasSettle = { canvas: string, 
/**
 * At most so long, in milliseconds: 20000 when absent, at most 60000.
 */
waitMs?: number, };

export type CanvasSource = { canvas: string, 
/**
 * The whole document; what ran is over.
 */
text: string, 
/**
 * The version that it was made from: another one is a failure. Any when absent.
 */
version?: number, };

export type CanvasView = { canvas: CanvasRow, 
/**
 * A window of what stands in it, in its order.
 */
entries: Array<CanvasEntry>, 
/**
 * How many entries there are.
 */
total: number, 
/**
 * A step runs.
 */
running: boolean, 
/**
 * No step begins.
 */
paused: boolean, 
/**
 * An edit runs what depends on it.
 */
automatic: boolean, 
/**
 * Questions that wait for an INPUT, oldest first.
 */
questions: Array<CellQuestion>, 
/**
 * Cells that another cognitor is to deal with, oldest first.
 */
delegations: Array<CellDelegation>, 
/**
 * Who is to create the next cell (`ThenCreateCell`).
 */
expected: Array<ExpectedCell>, 
/**
 * Cells of types of the document's own that do something.
 */
types: Array<CellKind>, 
/**
 * What would be said of the document as a text.
 */
diagnostics: Array<CellDiagnostic>, };

export type CellAnswer = { canvas: string, 
/**
 * The OUTPUT that asks, or the cell that runs; the oldest question when absent.
 */
question?: CellRef, text: string, };

export type CellAppend = { canvas: string, cell: CellDraft, };

export type CellChanged = { version: number, 
/**
 * The cell that it was about; of one that was appended its name, which may have been inferred.
 */
cell?: CellRef, };

export type CellChecked = { diagnostics: Array<CellDiagnostic>, 
/**
 * The canonical form.
 */
formatted: string, canvases: number, cells: number, };

export type CellDelegation = { cell: CellRef, to: string, context?: string, text: string, };

export type CellDiagnostic = { code: string, severity: CellSeverity, line: number, column: number, message: string, };

export type CellDraft = { 
/**
 * Of a person: `User`. Of others: the name of the caller; they can take no other.
 */
originator?: string, type?: string, targetCognitor?: string, executionContext?: string, dependsOn: Array<CellRef>, text: string, flags: Array<string>, };

export type CellEdit = { canvas: string, cell: CellRef, text: string, };

export type CellInterrupt = { canvas: string, 
/**
 * Its run ends, also one that waits; all runs when absent.
 */
cell?: CellRef, };

export type CellKind = { name: string, 
/**
 * Cells of it run; otherwise they are kept.
 */
executes: boolean, context?: string, };

export type CellLog = { originator?: string, 
/**
 * `TRACE`, `DEBUG`, `INFO`, `WARN`, `ERROR`, or another word.
 */
level?: string, seq: number, message: string, type?: string, };

export type CellQuestion = { 
/**
 * The cell that runs.
 */
cell: CellRef, 
/**
 * The OUTPUT that asks.
 */
question: CellRef, 
/**
 * Whose answer it wants.
 */
from: string, hint: string, };

export type CellRef = { originator: string, seq: number, };

export type CellRefuse = { canvas: string, 
/**
 * One that was delegated.
 */
cell: CellRef, reason: string, };

export type CellRun = { canvas: string, cell: CellRef, };

export type CellSeverity = "info" | "warning" | "error";

export type CellState = "idle" | "queued" | "running" | "waiting" | "delegated" | "done" | "failed" | "stopped" | "stale";

export type CellStdout = { seq: number, text: string, };

export type CellText = { text: string, };

export type CellValue = { text: string, 
/**
 * `NORMAL`, `INPUT_HINT`, or another word.
 */
type: string, };

export type CellView = { originator: string, seq: number, 
/**
 * `EXEC`, `OUTPUT`, `INPUT`, or a type of the document's own.
 */
type: string, targetCognitor?: string, executionContext?: string, requester?: string, dependsOn: Array<CellRef>, value?: CellValue, stdout: Array<CellStdout>, logs: Array<CellLog>, flags: Array<string>, attributes: { [key in string]: string }, state: CellState, 
/**
 * File names of its pictures, as `artifact.show` and the asset addresses have them.
 */
pictures: Array<string>, 
/**
 * Who deals with it when it runs, of a cell that does: `javascript`, `python`, `plain`, `shell`,
 * `model`, `delegate`, or the name of its context.
 */
route?: string, 
/**
 * While it runs: the run to watch and to cancel.
 */
run?: string, };

export type ChangeList = { changes: Array<ChangeRow>, total: number, };

export type ChangeRow = { id: string, 
/**
 * `write`, `append`, `edit`, `move`, `delete`, `restore`, `undelete`.
 */
op: string, 
/**
 * `file`, `directory`, `symlink`, `other`.
 */
kind: string, path: string, 
/**
 * Where a moved thing came from.
 */
from?: string, 
/**
 * Bytes of the file before it; absent when there was none.
 */
sizeBefore?: number, 
/**
 * Bytes of the file after it; absent when there is none.
 */
sizeAfter?: number, 
/**
 * The change that a restoration brought back.
 */
origin?: string, 
/**
 * Bytes that lie in the trash because of it; absent when there is nothing.
 */
trashed?: number, 
/**
 * Milliseconds since the epoch.
 */
at: number, actor: Actor, };

export type CheckFinding = { layer: CheckLayer, severity: CheckSeverity, 
/**
 * What it is, and as the hint how to mend it.
 */
about: WireError, place?: CheckPlace, };

export type CheckLayer = "files" | "interface" | "metadata" | "schema" | "methods" | "parameters" | "results" | "errors" | "dependencies" | "environment" | "integration";

export type CheckLevel = "basic" | "full";

export type CheckPlace = { file: string, 
/**
 * From 1, as the column.
 */
line: number, column: number, };

export type CheckSeverity = "error" | "warning" | "note";

export type CheckState = "passed" | "warned" | "failed" | "unchecked";

export type CheckedLayer = { layer: CheckLayer, state: CheckState, 
/**
 * How many checks it has at this level.
 */
checks: number, };

export type ClientConfig = { 
/**
 * `claude-desktop`, `claude-code`, `cursor`, `vs-code`, `windsurf`, `zed`, `gemini` or `codex`.
 */
client: string, 
/**
 * The file in which it keeps its servers.
 */
file: string, 
/**
 * A whole file that holds our entry alone.
 */
text: string, state: ClientState, 
/**
 * Why the file cannot be read.
 */
problem?: string, 
/**
 * Its folder is there: the client was probably started once.
 */
installed: boolean, canUndo: boolean, 
/**
 * When it was last here, in milliseconds since the epoch.
 */
seen?: number, };

export type ClientConfigs = { clients: Array<ClientConfig>, };

export type ClientRef = { client: string, };

export type ClientSeen = { 
/**
 * A token's, or as it was named or calls itself.
 */
name: string, 
/**
 * Milliseconds since the epoch.
 */
at: number, };

export type ClientState = "absent" | "written" | "different" | "unreadable";

export type CommandDetail = { stdout: string, stderr: string, run: string, 
/**
 * At most 2000 characters; secrets masked.
 */
command: string, state: CommandState, 
/**
 * Milliseconds since the epoch.
 */
startedAt: number, durationMs?: number, 
/**
 * 128 + n when signal n ended it; absent when it did not end by itself.
 */
exitCode?: number, 
/**
 * Absent while it has not run.
 */
tier?: Tier, 
/**
 * Bytes of each stream that its caller did not get.
 */
cut?: CutBytes, 
/**
 * Why it did not run to its end, worded.
 */
error?: WireError, 
/**
 * The rule of the policy that blocked it or asked about it.
 */
rule?: string, actor: Actor, };

export type CommandList = { commands: Array<CommandRow>, 
/**
 * There are older ones.
 */
more: boolean, };

export type CommandRow = { run: string, 
/**
 * At most 2000 characters; secrets masked.
 */
command: string, state: CommandState, 
/**
 * Milliseconds since the epoch.
 */
startedAt: number, durationMs?: number, 
/**
 * 128 + n when signal n ended it; absent when it did not end by itself.
 */
exitCode?: number, 
/**
 * Absent while it has not run.
 */
tier?: Tier, 
/**
 * Bytes of each stream that its caller did not get.
 */
cut?: CutBytes, 
/**
 * Why it did not run to its end, worded.
 */
error?: WireError, 
/**
 * The rule of the policy that blocked it or asked about it.
 */
rule?: string, actor: Actor, };

export type CommandState = "asking" | "running" | "exited" | "ended" | "refused";

export type ConfigurationState = "configured" | "partly" | "unconfigured";

export type Configured = { text: string, warnings: Array<string>, };

export type CutBytes = { stdout: number, stderr: number, };

export type DependencyFrom = "npm" | "python" | "local" | "command";

export type DependencyRow = { name: string, 
/**
 * As it is declared; empty when any will do.
 */
range: string, from: DependencyFrom, 
/**
 * The tool declares it; else a person added it to `package.json`.
 */
byTool: boolean, 
/**
 * It is there, in a version that fits.
 */
there: boolean, 
/**
 * Of a package: what the lock says and what lies there.
 */
package?: PackageRow, };

export type Direction = "forward" | "backward";

export type Doctor = { 
/**
 * `full`, `reduced` or `none`: what all that is started gets.
 */
tier: string, 
/**
 * A better tier was promised and its walls did not hold: which, and what is used instead.
 */
instead?: string, 
/**
 * What the system offers.
 */
checks: Array<DoctorCheck>, 
/**
 * Every tier that could be tried, the best first.
 */
tiers: Array<DoctorTier>, 
/**
 * What to do for a better tier, or for limits that are missing.
 */
advice: Array<string>, };

export type DoctorCheck = { name: string, ok: boolean, detail: string, };

export type DoctorTier = { 
/**
 * `full` or `reduced`.
 */
tier: string, 
/**
 * Tools, scripts and commands run in it; the others were only tried.
 */
inUse: boolean, 
/**
 * A process behind these walls could not do what the owner can.
 */
proved: boolean, 
/**
 * All of that in words.
 */
text: string, checks: Array<DoctorCheck>, 
/**
 * What this tier does not give to commands here, in words.
 */
weaker: Array<string>, };

export type Done = Record<string, never>;

export type ExpectedCell = { originator: string, after: CellRef, };

export type ExternalAdd = { 
/**
 * Of the one server; a text that names its servers needs none.
 */
name?: string, entry?: ExternalEntry, 
/**
 * JSON: `{"mcpServers": {…}}`, `{"servers": {…}}`, `{NAME: {…}}`, or one entry.
 */
text?: string, bundle?: ExternalBundleAdd, 
/**
 * Granted with it.
 */
directories: Array<string>, hosts: Array<string>, };

export type ExternalAdded = { servers: Array<ExternalAddedOne>, };

export type ExternalAddedOne = { server: ExternalRow, 
/**
 * What stood in its entry and means nothing here.
 */
ignored: Array<string>, };

export type ExternalApprove = { name: string, 
/**
 * Names as the server has them, each with the definition that was looked at.
 */
tools: Array<ExternalLooked>, };

export type ExternalBundle = { 
/**
 * What its server would be called here; empty where its own name makes none.
 */
name: string, title: string, version: string, description: string, author: string, 
/**
 * `node`, `binary`, `python` or `uv`.
 */
kind: string, settings: Array<ExternalSetting>, files: number, bytes: number, 
/**
 * To be given back by who adds it.
 */
digest: string, 
/**
 * What is there under this name, and would be replaced.
 */
installed?: ExternalBundleThere, };

export type ExternalBundleAdd = { path: string, digest: string, 
/**
 * By key; several values stand on a line each.
 */
values: Record<string, string>, };

export type ExternalBundleRef = { path: string, };

export type ExternalBundleThere = { version: string, 
/**
 * Keys of what was set.
 */
settings: Array<string>, directories: Array<string>, hosts: Array<string>, };

export type ExternalDefinition = { title: string, description: string, inputSchema: unknown, outputSchema?: unknown, annotations?: unknown, };

export type ExternalDetail = { server: ExternalRow, 
/**
 * As it calls itself, with its version; empty until it was here.
 */
implementation: string, 
/**
 * What it tells models about itself.
 */
instructions: string, env: Array<ExternalValue>, headers: Array<ExternalValue>, 
/**
 * Folders that it was granted.
 */
directories: Array<string>, 
/**
 * Hosts that it was granted; `localhost:PORT` is a port of this machine.
 */
hosts: Array<string>, 
/**
 * Its own folder.
 */
folder: string, tools: Array<ExternalTool>, };

export type ExternalEntry = { command?: string, args: Array<string>, env: Record<string, string>, 
/**
 * Of its endpoint for streamable HTTP.
 */
url?: string, headers: Record<string, string>, 
/**
 * Until it has said which tools it has; 30 unless said.
 */
startSeconds?: number, 
/**
 * Without a word about a call; 120 unless said.
 */
callSeconds?: number, };

export type ExternalGrant = { name: string, directories: Array<string>, hosts: Array<string>, 
/**
 * Granted, or taken back.
 */
granted: boolean, };

export type ExternalList = { servers: Array<ExternalRow>, };

export type ExternalLooked = { tool: string, listed: ExternalDefinition, };

export type ExternalRef = { name: string, };

export type ExternalRow = { name: string, 
/**
 * The command line, secrets masked, or the address.
 */
target: string, 
/**
 * Reached by HTTP; else a program.
 */
remote: boolean, enabled: boolean, state: ExternalState, problem?: WireError, 
/**
 * Tools that are offered.
 */
offered: number, 
/**
 * Tools that wait for a person.
 */
waiting: number, };

export type ExternalSetting = { key: string, title: string, description: string, 
/**
 * `string`, `number`, `boolean`, `directory` or `file`.
 */
kind: string, required: boolean, sensitive: boolean, multiple: boolean, default?: unknown, };

export type ExternalState = "off" | "idle" | "starting" | "running" | "failed";

export type ExternalSwitch = { name: string, tool?: string, enabled: boolean, };

export type ExternalTool = { name: string, 
/**
 * What clients call it.
 */
offeredAs: string, 
/**
 * A person lets it be offered.
 */
enabled: boolean, state: ExternalToolState, 
/**
 * As the server describes it now.
 */
listed: ExternalDefinition, 
/**
 * As it was approved, where that is something else.
 */
approved?: ExternalDefinition, 
/**
 * From what was approved to what it says now, as a unified diff.
 */
difference?: string, };

export type ExternalToolState = "approved" | "new" | "changed";

export type ExternalValue = { name: string, value: string, };

export type FavouriteChange = { tool: string, on: boolean, };

export type FileEntry = { name: string, kind: FileKind, 
/**
 * Bytes; 0 for folders.
 */
size: number, 
/**
 * Milliseconds since the epoch.
 */
modified: number, };

export type FileKind = "file" | "directory" | "link" | "other";

export type FileList = { path: string, 
/**
 * Folders first, then by name.
 */
entries: Array<FileEntry>, 
/**
 * There are more than are listed.
 */
truncated: boolean, };

export type FileRef = { tool: string, 
/**
 * Relative to the tool's folder, `/` between names; empty is the folder itself.
 */
path: string, };

export type FileView = { path: string, 
/**
 * Bytes of the whole file.
 */
size: number, modified: number, 
/**
 * The beginning, at most 256 KiB; absent when the file is not UTF-8 text.
 */
text?: string, truncated: boolean, 
/**
 * Values were masked: the file is `.env`.
 */
masked: boolean, };

export type GrantChange = { tool: string, 
/**
 * Absolute, or with `~`.
 */
directory: string, };

export type GrantList = { grants: Array<GrantRow>, total: number, };

export type GrantQuery = { 
/**
 * Only those of this tool or task.
 */
subject?: string, page: Page, };

export type GrantRef = { subject: string, kind: ApprovalKind, value: string, };

export type GrantRow = { 
/**
 * A tool's name, or `task:` and the id of a task.
 */
subject: string, kind: ApprovalKind, 
/**
 * The command, the path, the host, the tool; empty for `unsandboxed`.
 */
value: string, scope: GrantScope, 
/**
 * Who gave it.
 */
actor: Actor, 
/**
 * Milliseconds since the epoch.
 */
at: number, };

export type GrantScope = "task" | "code" | "tool";

export type Grants = { tool: string, 
/**
 * Directories.
 */
requested: Array<string>, granted: Array<string>, 
/**
 * Directories that a run of the tool really gets now.
 */
effective: Array<string>, network: ToolNetwork, processes: ToolProcesses, };

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

export type HomeBackedUp = { path: string, files: number, 
/**
 * Of their contents, and of the file that was written.
 */
bytes: number, packed: number, };

export type HomeBackup = { 
/**
 * The file to be written, absolute, on the machine of the server. Nothing may be there.
 */
path: string, };

export type ImportedPrompt = { file: string, proposal: PromptProposal, 
/**
 * Where it would lie or lies; of `same`, the one that is there.
 */
path?: string, problem?: WireError, };

export type ImportedSkill = { source: string, skill?: string, 
/**
 * The same was there already.
 */
same: boolean, problem?: WireError, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type Link = { url: string, };

export type LogCounts = { debug: number, info: number, warn: number, error: number, };

export type LogFindQuery = { tool: string, levels?: Array<LogLevel>, 
/**
 * Case does not matter.
 */
text: string, 
/**
 * Searched from this record on, itself included; goes round once at the end.
 */
from: number, direction: Direction, };

export type LogFound = { 
/**
 * Number of the record; absent when no record holds the text.
 */
index?: number, 
/**
 * Records that hold the text.
 */
matches: number, 
/**
 * Which of them `index` is, from 1.
 */
ordinal: number, generation: string, };

export type LogLevel = "DEBUG" | "INFO" | "WARN" | "ERROR";

export type LogLines = { text: string, };

export type LogRecord = { 
/**
 * Milliseconds since the epoch; 0 where the file has no readable time.
 */
at: number, level: LogLevel, 
/**
 * Continuation lines included, at most 16 KiB.
 */
text: string, 
/**
 * There is more than `text`.
 */
truncated: boolean, };

export type LogWindow = { 
/**
 * `generation:bytes`. A new generation means that old records left and numbers moved.
 */
stamp: string, 
/**
 * Changes when records leave (rotation), so numbers of another generation mean nothing.
 */
generation: string, 
/**
 * Records of the wanted levels.
 */
total: number, 
/**
 * Records of each level.
 */
counts: LogCounts, 
/**
 * Bytes of the file.
 */
bytes: number, first: number, records: Array<LogRecord>, };

export type LogWindowQuery = { tool: string, 
/**
 * Only these levels; empty means all. Numbers below count what is left.
 */
levels?: Array<LogLevel>, 
/**
 * Number of the first record wanted; absent means the last `count`.
 */
first?: number, 
/**
 * At most 500.
 */
count: number, 
/**
 * `stamp` of an earlier answer: the call waits up to 20 s while the log is still like that.
 */
unlike?: string, };

export type McpContent = { content: Array<Record<string, unknown>>, isError: boolean, };

export type ModelFinish = "done" | "length" | "withheld";

export type ModelKey = { name: string, 
/**
 * Absent: the key is removed.
 */
key?: string, };

export type ModelList = { services: Array<ModelRow>, 
/**
 * The file in which keys are kept.
 */
keysFile: string, };

export type ModelProtocol = "openai" | "anthropic" | "gemini" | "ollama";

export type ModelRef = { name: string, };

export type ModelRow = { name: string, protocol: ModelProtocol, 
/**
 * Absent: where the protocol's maker is.
 */
baseUrl?: string, 
/**
 * As the service calls it.
 */
model: string, terms: ModelTerms, 
/**
 * A key is kept for it.
 */
hasKey: boolean, 
/**
 * Meant where nobody names one.
 */
default: boolean, };

export type ModelSave = { 
/**
 * Its name until now; absent for a new one.
 */
was?: string, name: string, protocol: ModelProtocol, baseUrl?: string, model: string, 
/**
 * Absent: they stay as they are.
 */
terms?: ModelTerms, 
/**
 * Absent: the key stays as it is. Empty: there is none.
 */
key?: string, };

export type ModelTerms = { 
/**
 * Tokens that the model can see, its answer among them.
 */
window?: number, 
/**
 * Tokens that an answer may have.
 */
output?: number, 
/**
 * What a million tokens cost that are read, in the currency of budgets.
 */
inputPrice?: number, 
/**
 * The same of those that are written.
 */
outputPrice?: number, 
/**
 * Whether it can be shown pictures; absent, it can.
 */
pictures?: boolean, };

export type ModelTested = { 
/**
 * What it said, or its beginning.
 */
text: string, 
/**
 * Until the first word.
 */
firstMs: number, totalMs: number, };

export type ModelUse = { service: string, model: string, 
/**
 * Tokens.
 */
input?: number, output?: number, finish: ModelFinish, durationMs: number, };

export type NetworkMode = "off" | "hosts" | "full";

export type None = Record<string, never>;

export type NpmCache = { packages: number, files: number, bytes: number, };

export type NpmCacheVerified = { packages: number, 
/**
 * Removed; the next install fetches them again.
 */
damaged: Array<string>, };

export type NpmDifference = { what: NpmDifferenceKind, path: string, locked?: string, found?: string, };

export type NpmDifferenceKind = "missing" | "extraneous" | "version" | "changed";

export type NpmInstall = { 
/**
 * A lock that does not answer `package.json` is an error.
 */
frozen?: boolean, 
/**
 * Only what the cache holds.
 */
offline?: boolean, 
/**
 * Builds the tree anew even if nothing seems to be to do.
 */
again?: boolean, 
/**
 * A UUID that the caller chose for the run, so that it can watch and cancel it.
 */
run?: string, tool?: string, 
/**
 * Absolute; has a `package.json`.
 */
folder?: string, };

export type NpmInstalled = { run: string, 
/**
 * False: everything was there already.
 */
changed: boolean, packages: number, 
/**
 * Downloaded now; the others were in the store.
 */
fetched: number, 
/**
 * Bytes that came over the network.
 */
bytes: number, 
/**
 * Packages that want scripts to run which nobody allowed: they were not.
 */
scripts: Array<string>, 
/**
 * Packages whose scripts were run.
 */
scriptsRun: Array<string>, 
/**
 * `name@version: reason`.
 */
deprecated: Array<string>, 
/**
 * Optional packages that are not for this machine or could not be had.
 */
skipped: Array<string>, durationMs: number, };

export type NpmTarget = { tool?: string, 
/**
 * Absolute; has a `package.json`.
 */
folder?: string, };

export type NpmVerified = { 
/**
 * Between the lock and what is installed.
 */
differences: Array<NpmDifference>, };

export type OldTool = { tool: string, state: OldToolState, 
/**
 * Milliseconds since the epoch.
 */
at: number, reason?: string, };

export type OldToolState = "moving" | "moved" | "taken" | "no_tool" | "failed" | "undoing" | "undone";

export type OptimiseWay = "quick" | "deep" | "wish";

export type OutputStream = "stdout" | "stderr";

export type PackageRow = { 
/**
 * `node_modules/a/node_modules/b`.
 */
place: string, name: string, locked: string, installed?: string, 
/**
 * It is for another machine and rightly not there.
 */
elsewhere: boolean, license?: string, deprecated?: string, integrity?: string, 
/**
 * Bytes of its files, where they are known.
 */
size?: number, 
/**
 * It wants to run a script when it is installed.
 */
script: boolean, 
/**
 * A person allowed that, for this tool and just this content.
 */
scriptAllowed: boolean, };

export type Page = { offset: number, 
/**
 * At most 500.
 */
limit: number, };

export type PolicyCheck = { command: string, };

export type PolicyDecision = "block" | "ask" | "allow";

export type PolicyVerdict = { decision: PolicyDecision, blocked: boolean, 
/**
 * In words; empty when it is allowed.
 */
reason: string, };

export type PromptArgument = { name: string, description: string, type: PromptArgumentType, required: boolean, default?: unknown, };

export type PromptArgumentType = "string" | "number" | "integer" | "boolean" | "array" | "object";

export type PromptContent = { name: string, description: string, arguments: Array<PromptArgument>, messages: Array<PromptMessage>, 
/**
 * Its own switch.
 */
enabled: boolean, };

export type PromptCreate = { 
/**
 * Folder; empty is the top.
 */
group: string, content: PromptContent, };

export type PromptDetail = { row: PromptRow, content: PromptContent, 
/**
 * The file as it is.
 */
text: string, 
/**
 * Of the text; what `expected` means.
 */
version: string, 
/**
 * Names of the variables in the messages, in their order.
 */
variables: Array<string>, };

export type PromptFill = { prompt: string, values: Record<string, unknown>, };

export type PromptFilled = { messages: Array<PromptMessage>, 
/**
 * Required and not given: still in braces.
 */
missing: Array<string>, 
/**
 * In the text and neither declared nor given: still in braces.
 */
undeclared: Array<string>, 
/**
 * Given and not in the text.
 */
unused: Array<string>, };

export type PromptGroup = { 
/**
 * Path of the folder.
 */
path: string, enabled: boolean, usable: boolean, };

export type PromptImport = { 
/**
 * A file or folder of this machine.
 */
source: string, 
/**
 * Folder of the library; empty is the top.
 */
group: string, };

export type PromptImports = { files: Array<ImportedPrompt>, };

export type PromptList = { 
/**
 * Best first where something was looked for, else by path.
 */
prompts: Array<PromptRow>, 
/**
 * Found, of which `prompts` may be a part.
 */
total: number, 
/**
 * In the library, whether they fit or not.
 */
all: number, groups: Array<PromptGroup>, broken: Array<BrokenPrompt>, };

export type PromptMessage = { role: PromptRole, text: string, };

export type PromptMove = { path: string, to: string, };

export type PromptOptimise = { 
/**
 * As it is now, saved or not.
 */
content: PromptContent, way: OptimiseWay, 
/**
 * Of `wish`.
 */
wish?: string, service?: string, run?: string, };

export type PromptOptimised = { run: string, 
/**
 * In the place of those of the prompt: as many, in the same roles.
 */
messages: Array<PromptMessage>, 
/**
 * A unified diff.
 */
diff: string, 
/**
 * Of `deep`.
 */
review?: string, 
/**
 * Variables that are missing in the proposal.
 */
lost: Array<string>, 
/**
 * Variables that the prompt had not.
 */
added: Array<string>, use: ModelUse, };

export type PromptPath = { path: string, };

export type PromptProposal = "new" | "same" | "taken" | "broken";

export type PromptQuery = { 
/**
 * Empty: all.
 */
words: string, search: PromptSearch, 
/**
 * Path of a group: what is in it and in the groups below. Empty: everywhere.
 */
group: string, page: Page, };

export type PromptRef = { prompt: string, };

export type PromptRole = "user" | "assistant" | "system";

export type PromptRow = { path: string, 
/**
 * Eight hex digits.
 */
id: string, name: string, description: string, 
/**
 * Its own switch.
 */
enabled: boolean, 
/**
 * It and every group it is in are on: clients are offered it.
 */
usable: boolean, arguments: number, 
/**
 * Milliseconds since the epoch.
 */
modified: number, };

export type PromptSave = { path: string, content?: PromptContent, 
/**
 * The whole file.
 */
text?: string, 
/**
 * The version that was edited; absent: whatever is there.
 */
expected?: string, };

export type PromptSearch = "names" | "full_text";

export type PromptSwitch = { 
/**
 * Folder; empty is the whole library.
 */
group: string, enabled: boolean, };

export type PromptTried = { run: string, text: string, use: ModelUse, };

export type PromptTry = { prompt: string, values: Record<string, unknown>, 
/**
 * Name of a service; absent: the default one.
 */
service?: string, 
/**
 * A UUID that the caller chose for the run, so that it can watch and cancel it.
 */
run?: string, };

export type PromptVersion = { path: string, version: string, 
/**
 * When it was replaced or removed, milliseconds since the epoch.
 */
replaced: number, bytes: number, };

export type PromptVersionRef = { path: string, version: string, };

export type PromptVersions = { versions: Array<PromptVersion>, };

export type RemovedTool = { id: string, tool: string, version: string, 
/**
 * Milliseconds since the epoch.
 */
at: number, dataStayed: boolean, };

export type RemovedToolRef = { id: string, };

export type RemovedTools = { tools: Array<RemovedTool>, };

export type RunDetail = { 
/**
 * What a tool was given, secrets masked; of a script `{code, input}`, of a command `{command}`.
 */
parameters?: unknown, result?: unknown, 
/**
 * The result was over the limit and is not kept, bytes.
 */
resultSize?: number, 
/**
 * Markdown help for a failure, as models get it.
 */
help?: string, 
/**
 * The failure, worded.
 */
failure?: WireError, 
/**
 * Last lines of its log, oldest first.
 */
lines: Array<RunLine>, id: string, 
/**
 * Tool name, `run_javascript`, or `task:` and the id of a task for a command.
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
memory?: number, 
/**
 * What it was given, in one line, secrets masked: parameters, a command, the first words of a
 * script.
 */
about?: string, };

export type RunLine = { 
/**
 * Milliseconds since the epoch.
 */
at: number, level: LogLevel, 
/**
 * Of a command.
 */
stream?: OutputStream, text: string, };

export type RunList = { runs: Array<RunRow>, total: number, };

export type RunNews = { 
/**
 * `waiting` before the run is known, `running`, `ended`.
 */
state: RunState, progress?: RunProgress, 
/**
 * Lines from `from` on; the oldest leave when there are too many.
 */
lines: Array<RunLine>, 
/**
 * Number of the line after the last of `lines`.
 */
next: number, version: number, };

export type RunProgress = { done: number, 
/**
 * 0 when the tool does not know it.
 */
total: number, text: string, };

export type RunQuery = { tool?: string, 
/**
 * Only runs that failed.
 */
failed?: boolean, page: Page, };

export type RunRef = { run: string, };

export type RunResult = { run: string, success: boolean, result: unknown, error?: WireError, 
/**
 * Markdown help for a failure, as models get it.
 */
help?: string, durationMs: number, };

export type RunRow = { id: string, 
/**
 * Tool name, `run_javascript`, or `task:` and the id of a task for a command.
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
memory?: number, 
/**
 * What it was given, in one line, secrets masked: parameters, a command, the first words of a
 * script.
 */
about?: string, };

export type RunState = "waiting" | "running" | "ended";

export type RunWatch = { run: string, 
/**
 * `next` of the last answer; 0 at first.
 */
from: number, 
/**
 * `version` of the last answer; the call waits up to 20 s while nothing differs.
 */
version: number, };

export type ScriptParams = { 
/**
 * Body of an async function; a value that is not a string is `invalid_args`.
 */
code: string, input?: unknown, 
/**
 * A UUID that the caller chose for the run, so that it can watch and cancel it.
 */
run?: string, };

export type ScriptResult = { run: string, success: boolean, value: unknown, durationMs: number, 
/**
 * What the script wrote to its console.
 */
log: Array<string>, };

export type SecretPlace = "keychain" | "file";

export type SecretsMoved = { 
/**
 * Of the variables.
 */
names: Array<string>, };

export type ServerCheck = { ok: boolean, 
/**
 * `http://127.0.0.1:5621/mcp`; absent while there is none.
 */
address?: string, 
/**
 * Names of the MCP tools that the endpoint listed.
 */
tools: Array<string>, milliseconds: number, problem?: WireError, };

export type SettingsChange = { language?: string, openMcpOnLoopback?: boolean, askInMcpClients?: boolean, paused?: boolean, favourite?: FavouriteChange, };

export type SettingsView = { 
/**
 * `zh-CN` or `en`.
 */
language: string, 
/**
 * A person has chosen it; otherwise it is what is spoken when nobody has.
 */
languageChosen: boolean, host: string, 
/**
 * The port that is tried first.
 */
port: number, 
/**
 * Loopback clients may use `/mcp` without the token.
 */
openMcpOnLoopback: boolean, 
/**
 * MCP clients that can put questions about commands to their person, beside the window.
 */
askInMcpClients: boolean, 
/**
 * No run begins, whoever asks for it.
 */
paused: boolean, 
/**
 * Names of the favourite tools, in the order in which they were chosen.
 */
favourites: Array<string>, 
/**
 * Why the person's own rules about commands do not hold as they stand in the file, worded. The
 * last good ones do.
 */
rulesError?: WireError, };

export type SizeRow = { 
/**
 * `toolbox`, `artifacts`, `records`, `trash`, `backups`, `logs` or `other`.
 */
kind: string, bytes: number, files: number, };

export type Sizes = { sizes: Array<SizeRow>, };

export type SkillClient = { client: string, folder: string, way: SkillWay, 
/**
 * Its folder, or the one above it, is there.
 */
installed: boolean, skills: number, conflicts: number, };

export type SkillClientChange = { client: string, way: SkillWay, };

export type SkillClients = { clients: Array<SkillClient>, };

export type SkillCreate = { skill: string, description: string, };

export type SkillDetail = { row: SkillRow, 
/**
 * Its folder, as shown to people.
 */
folder: string, 
/**
 * `SKILL.md` as it is.
 */
text: string, 
/**
 * Of the text, to be given back with a change.
 */
version: string, fields: Array<SkillField>, problems: Array<SkillProblem>, files: Array<SkillFile>, places: Array<SkillPlace>, };

export type SkillDifference = { path: string, side: SkillSide, 
/**
 * From ours to theirs, unified; absent when it is no text or too long.
 */
diff?: string, };

export type SkillDifferences = { files: Array<SkillDifference>, };

export type SkillField = { field: string, value: string, };

export type SkillFile = { 
/**
 * Below the skill's folder.
 */
path: string, bytes: number, executable: boolean, };

export type SkillFileRef = { skill: string, path: string, };

export type SkillImport = { 
/**
 * A folder of this machine with a `SKILL.md`, or with such folders.
 */
source: string, };

export type SkillImports = { skills: Array<ImportedSkill>, };

export type SkillList = { skills: Array<SkillRow>, 
/**
 * Before the words are looked for.
 */
all: number, };

export type SkillPlace = { client: string, path: string, standing: SkillStanding, problem?: WireError, };

export type SkillPlaceRef = { skill: string, client: string, };

export type SkillProblem = { 
/**
 * In `SKILL.md`, counted from one; zero when it is about no line.
 */
line: number, problem: WireError, };

export type SkillQuery = { 
/**
 * Every word stands in name or description; empty is all.
 */
words: string, };

export type SkillRef = { skill: string, };

export type SkillResolve = { skill: string, client: string, take: SkillTake, };

export type SkillRow = { skill: string, description: string, 
/**
 * Given to the clients that are on.
 */
enabled: boolean, files: number, bytes: number, 
/**
 * Of its text, milliseconds since the epoch.
 */
modified: number, problems: number, 
/**
 * Clients at which somebody has to decide, or where it could not be put.
 */
conflicts: number, };

export type SkillSave = { skill: string, text: string, 
/**
 * The version that was changed; without it whatever is there is replaced.
 */
expected?: string, };

export type SkillSide = "ours" | "theirs" | "both";

export type SkillStanding = "waiting" | "linked" | "copied" | "theirs" | "both" | "occupied" | "left" | "failed";

export type SkillSwitch = { skill: string, enabled: boolean, };

export type SkillTake = "ours" | "theirs" | "leave";

export type SkillVersion = { skill: string, version: string, kind: SkillVersionKind, 
/**
 * Of a folder: `removed`, `replaced`, or the client in whose folder it lay.
 */
was?: string, 
/**
 * When it was replaced or removed, milliseconds since the epoch.
 */
replaced: number, };

export type SkillVersionKind = "text" | "folder";

export type SkillVersionRef = { skill: string, version: string, };

export type SkillVersions = { versions: Array<SkillVersion>, };

export type SkillWay = "off" | "link" | "copy";

export type SkillsSynced = { places: Array<SyncedSkill>, };

export type SocietyAgent = { 
/**
 * Within its task: the root is 1.
 */
id: number, parent?: number, 
/**
 * The root has none.
 */
role?: string, 
/**
 * Of the root what the person wants.
 */
objective: string, state: SocietyAgentState, 
/**
 * The tool that is called.
 */
tool?: string, 
/**
 * Why it could not go on.
 */
failure?: WireError, 
/**
 * Messages that it has not heard yet.
 */
inbox: number, 
/**
 * With all below it.
 */
spent: SocietySpent, budget: SocietyBudget, 
/**
 * How full its context is, from 0 to 1, where its model was asked since the program began.
 */
context?: number, };

export type SocietyAgentState = "thinking" | "calling" | "resting" | "waiting" | "failed" | "ended";

export type SocietyArtifact = { id: number, by: number, name: string, kind: string, 
/**
 * Bytes.
 */
size: number, };

export type SocietyArtifactRef = { task: string, artifact: number, };

export type SocietyBudget = { 
/**
 * Of models, in and out.
 */
tokens?: number, 
/**
 * Millionths of the currency that prices are given in.
 */
money?: number, 
/**
 * Milliseconds of work.
 */
time?: number, 
/**
 * Of tools and models.
 */
calls?: number, 
/**
 * Agents made, the root not counted.
 */
agents?: number, 
/**
 * Agents above one another.
 */
depth?: number, };

export type SocietyBudgeted = { task: string, budget: SocietyBudget, };

export type SocietyCall = { tool: string, 
/**
 * As the model wrote them.
 */
arguments: string, 
/**
 * What it gave; it is still to be done without.
 */
result?: string, isError?: boolean, 
/**
 * Pictures of the gallery that it made.
 */
pictures?: Array<string>, };

export type SocietyEntry = { "message": SocietyMessage } | { "said": { text: string, calls: Array<SocietyCall>, } } | { "summary": string };

export type SocietyMessage = { id: number, from: SocietyParty, to: SocietyParty, kind: SocietyMessageKind, text: string, 
/**
 * Ids.
 */
artifacts?: Array<number>, 
/**
 * Milliseconds since the epoch.
 */
at: number, };

export type SocietyMessageKind = "sent" | "brief" | "answer" | "notice";

export type SocietyMessageQuery = { task: string, version?: number, 
/**
 * Only what this agent sent or was sent.
 */
agent?: number, 
/**
 * Only what is said to the person and by her.
 */
person: boolean, 
/**
 * Those with smaller ids; the newest without it.
 */
before?: number, limit?: number, };

export type SocietyMessages = { 
/**
 * The oldest first.
 */
messages: Array<SocietyMessage>, 
/**
 * There are older ones.
 */
more: boolean, };

export type SocietyOpen = { task: string, 
/**
 * As it was behind so many events; as it is now without it.
 */
version?: number, };

export type SocietyParty = "user" | "society" | { "agent": number };

export type SocietyPost = { task: string, 
/**
 * The root without it.
 */
agent?: number, text: string, };

export type SocietyQuery = { 
/**
 * Those in the trash instead.
 */
removed: boolean, };

export type SocietyRef = { 
/**
 * The task's id.
 */
task: string, };

export type SocietyRename = { task: string, title: string, };

export type SocietyReplay = { 
/**
 * The task that is done again.
 */
task: string, 
/**
 * Absolute; made where it is missing. Without one the new task gets a folder of its own in the data home.
 */
workspacePath?: string, };

export type SocietyRow = { id: string, title: string, standing: SocietyStanding, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, changedAt: number, 
/**
 * How many events made it.
 */
version: number, agents: number, messages: number, 
/**
 * Messages to the person.
 */
told: number, actor: Actor, removedAt?: number, };

export type SocietySettle = { task: string, 
/**
 * How long is waited at most, in milliseconds; at most 60,000.
 */
waitMs?: number, };

export type SocietySpent = { tokens: number, money: number, time: number, calls: number, agents: number, };

export type SocietyStanding = "working" | "waiting" | "paused" | "stopped";

export type SocietyStep = { 
/**
 * The task as it was behind it is that of this version.
 */
version: number, 
/**
 * `begun`, `posted`, `heard`, `said`, `gave`, `rested`…
 */
kind: string, agent?: number, 
/**
 * The beginning of what was said, or the tool that was called.
 */
text: string, 
/**
 * Milliseconds since the epoch.
 */
at: number, };

export type SocietyStepQuery = { task: string, 
/**
 * From this event on.
 */
from: number, limit?: number, };

export type SocietySteps = { steps: Array<SocietyStep>, versions: number, };

export type SocietyStop = { task: string, 
/**
 * It and all below it; the whole task without it.
 */
agent?: number, };

export type SocietyStory = { 
/**
 * The oldest first.
 */
entries: Array<SocietyEntry>, 
/**
 * The number of the first of them.
 */
first: number, };

export type SocietyStoryQuery = { task: string, version?: number, agent: number, 
/**
 * Entries before this one; the newest without it.
 */
before?: number, limit?: number, };

export type SocietySubmit = { 
/**
 * What the person wants, in words.
 */
text: string, 
/**
 * Taken from the text, where there is none.
 */
title?: string, 
/**
 * Absolute; made where it is missing. Without one the task gets a folder of its own in the data home.
 */
workspacePath?: string, 
/**
 * A team whose roles the task has.
 */
team?: string, 
/**
 * The model service that speaks for agents of roles that name none; the default one without it.
 */
service?: string, 
/**
 * What it does not name is as usual.
 */
budget?: SocietyBudget, };

export type SocietySubmitted = { taskId: string, workspacePath: string, };

export type SocietyTasks = { tasks: Array<SocietyRow>, };

export type SocietyTeam = { name: string, title: string, description: string, roles: Array<string>, 
/**
 * Its file, where it is the person's own, relative to the data home.
 */
file?: string, 
/**
 * Its file is not what a team's file is.
 */
failure?: WireError, };

export type SocietyTeamRef = { team: string, };

export type SocietyTeams = { teams: Array<SocietyTeam>, };

export type SocietyView = { task: SocietyRow, 
/**
 * What the person wants, as she wrote it or her team words it.
 */
text: string, 
/**
 * The task whose models' answers are given again, as long as they are.
 */
replays?: string, 
/**
 * Why it is paused, where that is not the person's wish.
 */
failure?: WireError, 
/**
 * The root is the first.
 */
agents: Array<SocietyAgent>, artifacts: Array<SocietyArtifact>, 
/**
 * How many events there are by now.
 */
versions: number, 
/**
 * Absolute, for the person alone.
 */
workspacePath?: string, };

export type StaleCells = { cells: Array<CellRef>, };

export type SyncedSkill = { skill: string, place: SkillPlace, };

export type TerminalInput = { id: string, 
/**
 * What is typed, control characters included; at most 64 KiB.
 */
data: string, };

export type TerminalList = { terminals: Array<TerminalRow>, };

export type TerminalNews = { 
/**
 * Bytes for the screen as base64; characters may be cut at its ends.
 */
data: string, 
/**
 * Bytes that nobody kept, between the last answer and these.
 */
cut: number, 
/**
 * Number of the byte after these.
 */
next: number, 
/**
 * The shell has ended, and everything it wrote up to `next` is all there is.
 */
exitCode?: number, };

export type TerminalOpen = { taskId: string, 
/**
 * 1 to 1000, as `rows`.
 */
cols: number, rows: number, };

export type TerminalQuery = { 
/**
 * Those of all tasks when absent.
 */
taskId?: string, };

export type TerminalRef = { id: string, };

export type TerminalResize = { id: string, cols: number, rows: number, };

export type TerminalRow = { id: string, taskId: string, cols: number, rows: number, tier: Tier, 
/**
 * What it was opened with; it ends when that is more than a person grants now.
 */
network: NetworkMode, 
/**
 * Milliseconds since the epoch.
 */
openedAt: number, 
/**
 * Of its shell, once that has ended: nothing can be typed any more.
 */
exitCode?: number, };

export type TerminalWatch = { id: string, 
/**
 * `next` of the last answer; 0 at first. The call waits up to 20 s while nothing comes after it.
 */
from: number, };

export type Text = { text: string, };

export type Tier = "none" | "reduced" | "full";

export type Token = { token: string, };

export type TokenList = { tokens: Array<TokenRow>, seen: Array<ClientSeen>, };

export type TokenMade = { name: string, 
/**
 * Shown this once: only its hash is kept.
 */
token: string, };

export type TokenNew = { 
/**
 * Letters, digits, `.`, `_` and `-`, at most 64.
 */
name: string, scope: TokenScope, };

export type TokenRef = { name: string, };

export type TokenRow = { name: string, scope: TokenScope, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, 
/**
 * Who made it.
 */
actor: Actor, };

export type TokenScope = { 
/**
 * Names of MCP tools (`run_javascript`, `read_file`…), and of tools of the toolbox (`tool://NAME`);
 * `toolm` is all of those.
 */
tools?: Array<string>, 
/**
 * Ids of tasks whose workspaces it may work in.
 */
workspaces?: Array<string>, };

export type ToolConfigure = { tool: string, values: Record<string, unknown>, 
/**
 * Variables taken out of `.env`, so that their defaults hold again.
 */
remove?: Array<string>, };

export type ToolDependencies = { tool: string, 
/**
 * In the order of names.
 */
declared: Array<DependencyRow>, 
/**
 * Every place of the tree, those of `declared` as well.
 */
packages: Array<PackageRow>, 
/**
 * There is a `package-lock.json`.
 */
locked: boolean, 
/**
 * Everything is as it is wanted: a run installs nothing.
 */
settled: boolean, 
/**
 * The run that installs now.
 */
installing?: string, };

export type ToolDependencyChange = { name: string, before?: string, after?: string, };

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

export type ToolEdit = { path: string, runs: ToolEditRuns, state: ToolEditState, 
/**
 * Where the edit lies, in the tool's folder.
 */
file: string, 
/**
 * From what was built in before to the edit, as a unified difference; absent where that is not known any more.
 */
yours?: string, 
/**
 * From what was built in before to what is now.
 */
now?: string, 
/**
 * From what is built in now to the edit; absent where one is no text or too long.
 */
difference?: string, 
/**
 * Places that both changed.
 */
conflicts?: number, 
/**
 * The file in which both are brought together, in the tool's folder.
 */
merged?: string, 
/**
 * Nothing is left to decide in it.
 */
mergedWhole: boolean, };

export type ToolEditRuns = "built_in" | "yours";

export type ToolEditState = "undecided" | "decided" | "until_start";

export type ToolFileChange = { path: string, what: ToolFileChangeKind, };

export type ToolFileChangeKind = "added" | "changed" | "removed";

export type ToolInstall = { source: string, tool: string, digest: string, 
/**
 * It may take the place of the version that is there.
 */
replace?: boolean, 
/**
 * What it is given of what it asks for, beside what it has.
 */
allow: Array<ToolPermission>, 
/**
 * A UUID that the caller chose for the run, so that it can watch and cancel it.
 */
run?: string, };

export type ToolInstalled = { run: string, tool: string, version: string, 
/**
 * The version that was there.
 */
before?: string, };

export type ToolLanguage = "javascript" | "python";

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

export type ToolMade = { tool: string, 
/**
 * Absolute.
 */
folder: string, };

export type ToolMigrate = { 
/**
 * Folders go back to where they lay, what became of the tools into the trash.
 */
undo?: boolean, };

export type ToolMigration = { tools: Array<OldTool>, 
/**
 * Where their folders are kept.
 */
backup: string, };

export type ToolNetwork = { 
/**
 * What it asks for in `getRuntimeConfig()`.
 */
requested: Array<string>, 
/**
 * What a person granted.
 */
granted: Array<string>, 
/**
 * What a run reaches now: what is in both, or all that one that came with the program asks for.
 */
effective: Array<string>, };

export type ToolNetworkChange = { tool: string, grant?: Array<string>, revoke?: Array<string>, };

export type ToolNew = { tool: string, language?: ToolLanguage, };

export type ToolPermission = { kind: ToolPermissionKind, 
/**
 * The directory, the host; empty for programs.
 */
value: string, };

export type ToolPermissionAsked = { 
/**
 * What was given to the version that is there covers it.
 */
granted: boolean, 
/**
 * The version that is there does not ask for it.
 */
added: boolean, kind: ToolPermissionKind, 
/**
 * The directory, the host; empty for programs.
 */
value: string, };

export type ToolPermissionKind = "directory" | "network" | "processes";

export type ToolPreview = { 
/**
 * To be given to `tool.install` as it is.
 */
source: string, kind: ToolSourceKind, 
/**
 * Of a package: the version that was found.
 */
found?: string, 
/**
 * Of all files; `tool.install` takes in nothing else.
 */
digest: string, tool: string, title: string, version: string, description: string, author: string, files: number, bytes: number, 
/**
 * What of the source is not taken in: data, packages, repositories.
 */
leftOut: Array<string>, installed?: ToolThere, 
/**
 * Configuration and data that a removed tool of this name left: it is given them. The digest covers that.
 */
inherits: Array<string>, permissions: Array<ToolPermissionAsked>, 
/**
 * Variables that hold secrets.
 */
secrets: Array<string>, 
/**
 * It runs in the machine's Node.
 */
node: boolean, 
/**
 * It runs in the machine's Python.
 */
python: boolean, dependencies: Array<ToolDependencyChange>, 
/**
 * The first of the files that are different from those that are there.
 */
changes: Array<ToolFileChange>, changesTotal: number, warnings: Array<WireError>, };

export type ToolProcesses = { 
/**
 * It says so in `getRuntimeConfig()`.
 */
requested: boolean, granted: boolean, 
/**
 * A run may now.
 */
effective: boolean, };

export type ToolProcessesChange = { tool: string, allow: boolean, };

export type ToolRef = { tool: string, };

export type ToolRemove = { tool: string, 
/**
 * Configuration, data and log stay for whatever comes under this name.
 */
keepData?: boolean, };

export type ToolRow = { name: string, 
/**
 * The name its author gave it; `name` is the folder's.
 */
title: string, version: string, description: string, author: string, tags: Array<string>, builtIn: boolean, state: ToolState, 
/**
 * Why it is not ready.
 */
problem?: WireError, };

export type ToolRun = { tool: string, parameters: Record<string, unknown>, 
/**
 * A UUID that the caller chose for the run, so that it can watch and cancel it.
 */
run?: string, };

export type ToolScriptChange = { tool: string, 
/**
 * `name@version`, as the tool's lock has it.
 */
package: string, 
/**
 * Allow, or take that back.
 */
allowed: boolean, };

export type ToolSettle = { tool: string, path: string, take: ToolTake, };

export type ToolShipped = { tool: string, standing: ToolStanding, 
/**
 * Version of the program that put it there, where that is another one.
 */
program?: string, 
/**
 * The checkout that it comes from.
 */
checkout?: string, edits: Array<ToolEdit>, };

export type ToolSource = { source?: string, 
/**
 * It has to be this tool.
 */
tool?: string, };

export type ToolSourceKind = "folder" | "git" | "file" | "archive" | "npm";

export type ToolStanding = "own" | "built_in" | "newer" | "retired";

export type ToolState = "describing" | "ready" | "needs_configuration" | "dependencies_missing" | "broken";

export type ToolTake = "mine" | "new" | "merge" | "merged";

export type ToolThere = { 
/**
 * Absent where it cannot be described.
 */
version?: string, 
/**
 * It came with the very same files.
 */
same: boolean, };

export type ToolValidate = { tool: string, level?: CheckLevel, };

export type ToolValidated = { tool: string, level: CheckLevel, 
/**
 * All eleven, in their order.
 */
layers: Array<CheckedLayer>, 
/**
 * In the order of layers.
 */
findings: Array<CheckFinding>, errors: number, warnings: number, tookMs: number, };

export type ToolVersion = { id: string, version: string, 
/**
 * When another one took its place, milliseconds since the epoch.
 */
at: number, };

export type ToolVersionIs = { tool: string, version: string, };

export type ToolVersionRef = { tool: string, id: string, };

export type ToolVersions = { 
/**
 * Where what is there came from, if it is known.
 */
source?: string, 
/**
 * Newest first.
 */
versions: Array<ToolVersion>, };

export type ToolmParams = { yaml?: JsonValue, };

export type TrashEmptied = { 
/**
 * How many things are gone for good.
 */
removed: number, };

export type Unbound = { 
/**
 * Whether the task had a workspace.
 */
removed: boolean, };

export type VariableRef = { tool: string, name: string, };

export type VariableRow = { name: string, description: string, 
/**
 * JSON schema of the value: type, enum, minimum…; empty for what is not declared.
 */
schema: Record<string, unknown>, declared: boolean, required: boolean, secret: boolean, 
/**
 * Where the value comes from.
 */
source: VariableSource, 
/**
 * The value in force, masked when it is secret; empty when unset.
 */
value: string, default?: string, 
/**
 * Why the value breaks its schema, or cannot be had.
 */
problem?: WireError, 
/**
 * `.env` names the value, and it is kept there.
 */
kept?: SecretPlace, };

export type VariableSource = "file" | "default" | "unset";

export type Variables = { state: ConfigurationState, 
/**
 * `~/.prompt-manager/toolbox/{tool}/.env`.
 */
file: string, 
/**
 * Declared ones in the schema's order, then those that only `.env` has.
 */
variables: Array<VariableRow>, 
/**
 * Where the secrets can go that stand in `.env` as they are; absent: nowhere, or there are none.
 */
secretsGo?: SecretPlace, };

export type VersionContent = { 
/**
 * Absent when there was no file then.
 */
content?: WorkspaceContent, };

export type VersionRef = { "before": string } | { "after": string } | { "current": string };

export type Weakness = { code: string, text: string, };

export type WireError = { code: string, message: string, hint?: string, args?: Record<string, unknown>, };

export type WireEvent = { 
/**
 * `epoch:seq`; give it back to continue from here.
 */
cursor: string, kind: string, tags: Array<string>, data: unknown, };

export type WorkspaceBind = { taskId: string, 
/**
 * Absolute; created when it is missing.
 */
workspacePath: string, };

export type WorkspaceChanged = { ok: boolean, 
/**
 * Its id in the history, by which it can be taken back.
 */
change: string, };

export type WorkspaceCommands = { taskId: string, 
/**
 * Only older ones than this run, the last of the page before.
 */
before?: string, 
/**
 * 50 when absent; at most 100.
 */
limit?: number, };

export type WorkspaceCompare = { taskId: string, old: VersionRef, new: VersionRef, };

export type WorkspaceContent = { content: string, 
/**
 * Bytes of the whole file.
 */
size: number, 
/**
 * How `content` is to be read: `utf-8`, `base64` for what is no text, or what was asked for.
 */
encoding: string, 
/**
 * There is more after it.
 */
truncated?: boolean, 
/**
 * Where to go on.
 */
nextOffset?: number, };

export type WorkspaceDiff = { oldPath: string, newPath: string, 
/**
 * Bytes; absent when there was no file.
 */
oldSize?: number, newSize?: number, 
/**
 * Unified; absent when one side is no text or too large to compare.
 */
text?: string, truncated: boolean, };

export type WorkspaceEdit = { taskId: string, path: string, 
/**
 * To the letter, with its line ends.
 */
old: string, new: string, 
/**
 * How often `old` must be there (1); every one is replaced.
 */
count?: number, };

export type WorkspaceEntries = { files: Array<WorkspaceEntry>, 
/**
 * There are more.
 */
truncated?: boolean, };

export type WorkspaceEntry = { name: string, 
/**
 * `file`, `directory`, `symlink`, `other`.
 */
type: string, 
/**
 * Bytes of a file; 0 for everything else.
 */
size: number, };

export type WorkspaceFolder = { taskId: string, 
/**
 * The workspace itself when absent.
 */
path?: string, };

export type WorkspaceHistory = { taskId: string, 
/**
 * Only changes that touched this path.
 */
path?: string, page: Page, };

export type WorkspaceIsolation = { 
/**
 * What this machine gives. With `none` commands are refused, unless `unsandboxed`.
 */
tier: Tier, 
/**
 * What the tier lacks, worded.
 */
weaker: Array<Weakness>, network: NetworkMode, 
/**
 * The granted ones, with `hosts`.
 */
hosts: Array<string>, 
/**
 * A person allowed this task to run commands without any wall where the machine has none.
 */
unsandboxed: boolean, 
/**
 * Commands can run: there is a wall, or a person went without.
 */
available: boolean, };

export type WorkspaceList = { workspaces: Array<WorkspaceRow>, };

export type WorkspaceMatch = { path: string, 
/**
 * From 1.
 */
line: number, text: string, };

export type WorkspaceMatches = { matches: Array<WorkspaceMatch>, 
/**
 * There may be more.
 */
truncated: boolean, };

export type WorkspaceMove = { taskId: string, from: string, to: string, 
/**
 * Replace a file that is there; never a folder.
 */
overwrite: boolean, };

export type WorkspaceNetwork = { mode: NetworkMode, 
/**
 * With `hosts`, in the form in which they are kept.
 */
hosts: Array<string>, };

export type WorkspaceNetworkChange = { taskId: string, 
/**
 * Nothing is changed when it is absent.
 */
mode?: NetworkMode, 
/**
 * With `hosts`: all of them, each `host`, `*.host` or `*`, with `:port` or for every port.
 */
hosts?: Array<string>, };

export type WorkspaceNumbers = { fileCount: number, 
/**
 * Without the workspace itself.
 */
dirCount: number, 
/**
 * Bytes of all files.
 */
totalSize: number, 
/**
 * ISO 8601, UTC: the latest change of a file's content or of a folder's entries.
 */
lastModified: string, 
/**
 * Folders that could not be looked into.
 */
unreadable?: number, };

export type WorkspacePath = { taskId: string, path: string, };

export type WorkspaceRan = { stdout: string, stderr: string, 
/**
 * 128 + n when signal n ended it. Whatever it is, the command ran.
 */
exitCode: number, 
/**
 * Something was left out in the middle of a stream.
 */
truncated?: boolean, };

export type WorkspaceRead = { taskId: string, path: string, 
/**
 * Lines to pass over; bytes with base64.
 */
offset?: number, 
/**
 * Lines to give at most; bytes with base64.
 */
limit?: number, 
/**
 * `utf-8`, `base64`, or a name of the Encoding Standard such as `gb18030`.
 */
encoding?: string, };

export type WorkspaceRef = { taskId: string, };

export type WorkspaceRestore = { taskId: string, version: VersionRef, };

export type WorkspaceRow = { taskId: string, 
/**
 * For the person; absent for everybody else.
 */
workspacePath?: string, 
/**
 * Milliseconds since the epoch.
 */
createdAt: number, };

export type WorkspaceRun = { taskId: string, 
/**
 * Text for `sh -c`; the workspace is its folder.
 */
command: string, 
/**
 * 60000 when absent, at most 600000.
 */
timeoutMs?: number, 
/**
 * A UUID that the caller chose for the run, so that it can watch and cancel it.
 */
run?: string, };

export type WorkspaceSearch = { taskId: string, 
/**
 * A regular expression, matched line by line.
 */
pattern: string, 
/**
 * A file or a folder; the workspace itself when absent.
 */
path?: string, 
/**
 * As in `.gitignore`.
 */
glob?: string, ignoreCase: boolean, 
/**
 * Matches to give at most (200); at most 2000.
 */
limit?: number, };

export type WorkspaceUndelete = { taskId: string, 
/**
 * The change that deleted it.
 */
change: string, };

export type WorkspaceVersion = { taskId: string, version: VersionRef, };

export type WorkspaceWrite = { taskId: string, path: string, content: string, };

/** Parameters and result of every call. */
export interface Calls {
  "server.hello": { params: None; result: Hello };
  "server.stop": { params: None; result: Done };
  "server.link": { params: None; result: Link };
  "server.token": { params: None; result: Token };
  "server.check": { params: None; result: ServerCheck };
  "server.diagnostics": { params: None; result: Text };
  "settings.show": { params: None; result: SettingsView };
  "settings.sizes": { params: None; result: Sizes };
  "home.backup": { params: HomeBackup; result: HomeBackedUp };
  "settings.change": { params: SettingsChange; result: SettingsView };
  "token.list": { params: None; result: TokenList };
  "token.new": { params: TokenNew; result: TokenMade };
  "token.revoke": { params: TokenRef; result: Done };
  "connect.list": { params: None; result: ClientConfigs };
  "connect.write": { params: ClientRef; result: ClientConfig };
  "connect.undo": { params: ClientRef; result: ClientConfig };
  "doctor.report": { params: None; result: Doctor };
  "tool.list": { params: None; result: ToolList };
  "tool.show": { params: ToolRef; result: ToolDetail };
  "tool.manual": { params: ToolRef; result: Text };
  "tool.run": { params: ToolRun; result: RunResult };
  "tool.configure": { params: ToolConfigure; result: Configured };
  "tool.variables": { params: ToolRef; result: Variables };
  "tool.secret": { params: VariableRef; result: Text };
  "tool.move_secrets": { params: ToolRef; result: SecretsMoved };
  "tool.files": { params: FileRef; result: FileList };
  "tool.file": { params: FileRef; result: FileView };
  "tool.validate": { params: ToolValidate; result: ToolValidated };
  "tool.log": { params: ToolLog; result: LogLines };
  "log.window": { params: LogWindowQuery; result: LogWindow };
  "log.find": { params: LogFindQuery; result: LogFound };
  "tool.rescan": { params: None; result: ToolList };
  "tool.grants": { params: ToolRef; result: Grants };
  "tool.grant": { params: GrantChange; result: Grants };
  "tool.revoke": { params: GrantChange; result: Grants };
  "tool.network": { params: ToolNetworkChange; result: Grants };
  "tool.processes": { params: ToolProcessesChange; result: Grants };
  "tool.script": { params: ToolScriptChange; result: Done };
  "tool.preview": { params: ToolSource; result: ToolPreview };
  "tool.install": { params: ToolInstall; result: ToolInstalled };
  "tool.versions": { params: ToolRef; result: ToolVersions };
  "tool.rollback": { params: ToolVersionRef; result: ToolVersionIs };
  "tool.remove": { params: ToolRemove; result: RemovedToolRef };
  "tool.removed": { params: None; result: RemovedTools };
  "tool.restore": { params: RemovedToolRef; result: ToolRef };
  "external.list": { params: None; result: ExternalList };
  "external.show": { params: ExternalRef; result: ExternalDetail };
  "external.bundle": { params: ExternalBundleRef; result: ExternalBundle };
  "external.add": { params: ExternalAdd; result: ExternalAdded };
  "external.remove": { params: ExternalRef; result: Done };
  "external.switch": { params: ExternalSwitch; result: ExternalDetail };
  "external.restart": { params: ExternalRef; result: ExternalDetail };
  "external.approve": { params: ExternalApprove; result: ExternalDetail };
  "external.grant": { params: ExternalGrant; result: ExternalDetail };
  "tool.new": { params: ToolNew; result: ToolMade };
  "tool.shipped": { params: ToolRef; result: ToolShipped };
  "tool.settle": { params: ToolSettle; result: ToolShipped };
  "tool.migration": { params: None; result: ToolMigration };
  "tool.migrate": { params: ToolMigrate; result: ToolMigration };
  "tool.dependencies": { params: ToolRef; result: ToolDependencies };
  "tool.advisories": { params: ToolRef; result: Advisories };
  "npm.install": { params: NpmInstall; result: NpmInstalled };
  "npm.verify": { params: NpmTarget; result: NpmVerified };
  "npm.cache": { params: None; result: NpmCache };
  "npm.cache_verify": { params: None; result: NpmCacheVerified };
  "npm.cache_gc": { params: None; result: NpmCache };
  "toolm": { params: ToolmParams; result: McpContent };
  "run_javascript": { params: ScriptParams; result: ScriptResult };
  "approval.list": { params: ApprovalQuery; result: ApprovalList };
  "approval.resolve": { params: ApprovalResolve; result: ApprovalRow };
  "run.list": { params: RunQuery; result: RunList };
  "run.show": { params: RunRef; result: RunDetail };
  "run.active": { params: None; result: ActiveRuns };
  "run.watch": { params: RunWatch; result: RunNews };
  "run.cancel": { params: RunRef; result: Done };
  "artifact.list": { params: Page; result: ArtifactList };
  "artifact.show": { params: ArtifactRef; result: ArtifactDetail };
  "artifact.remove": { params: ArtifactRef; result: Done };
  "artifact.restore": { params: ArtifactRef; result: Done };
  "workspace.bind": { params: WorkspaceBind; result: WorkspaceRow };
  "workspace.unbind": { params: WorkspaceRef; result: Unbound };
  "workspace.network": { params: WorkspaceNetworkChange; result: WorkspaceNetwork };
  "workspace.list": { params: None; result: WorkspaceList };
  "workspace.info": { params: WorkspaceRef; result: WorkspaceNumbers };
  "workspace.ls": { params: WorkspaceFolder; result: WorkspaceEntries };
  "workspace.read": { params: WorkspaceRead; result: WorkspaceContent };
  "workspace.search": { params: WorkspaceSearch; result: WorkspaceMatches };
  "workspace.write": { params: WorkspaceWrite; result: WorkspaceChanged };
  "workspace.append": { params: WorkspaceWrite; result: WorkspaceChanged };
  "workspace.edit": { params: WorkspaceEdit; result: WorkspaceChanged };
  "workspace.move": { params: WorkspaceMove; result: WorkspaceChanged };
  "workspace.delete": { params: WorkspacePath; result: WorkspaceChanged };
  "workspace.run": { params: WorkspaceRun; result: WorkspaceRan };
  "workspace.commands": { params: WorkspaceCommands; result: CommandList };
  "workspace.command": { params: RunRef; result: CommandDetail };
  "workspace.isolation": { params: WorkspaceRef; result: WorkspaceIsolation };
  "workspace.history": { params: WorkspaceHistory; result: ChangeList };
  "workspace.version": { params: WorkspaceVersion; result: VersionContent };
  "workspace.diff": { params: WorkspaceCompare; result: WorkspaceDiff };
  "workspace.restore": { params: WorkspaceRestore; result: WorkspaceChanged };
  "workspace.trash": { params: WorkspaceRef; result: ChangeList };
  "workspace.undelete": { params: WorkspaceUndelete; result: WorkspaceChanged };
  "workspace.empty_trash": { params: WorkspaceRef; result: TrashEmptied };
  "terminal.open": { params: TerminalOpen; result: TerminalRow };
  "terminal.list": { params: TerminalQuery; result: TerminalList };
  "terminal.input": { params: TerminalInput; result: Done };
  "terminal.resize": { params: TerminalResize; result: Done };
  "terminal.watch": { params: TerminalWatch; result: TerminalNews };
  "terminal.close": { params: TerminalRef; result: Done };
  "grant.list": { params: GrantQuery; result: GrantList };
  "grant.add": { params: GrantRef; result: GrantRow };
  "grant.revoke": { params: GrantRef; result: Done };
  "prompt.list": { params: PromptQuery; result: PromptList };
  "prompt.show": { params: PromptRef; result: PromptDetail };
  "prompt.fill": { params: PromptFill; result: PromptFilled };
  "prompt.create": { params: PromptCreate; result: PromptDetail };
  "prompt.save": { params: PromptSave; result: PromptDetail };
  "prompt.move": { params: PromptMove; result: PromptDetail };
  "prompt.remove": { params: PromptPath; result: Done };
  "prompt.switch": { params: PromptSwitch; result: Done };
  "prompt.versions": { params: PromptPath; result: PromptVersions };
  "prompt.version": { params: PromptVersionRef; result: Text };
  "prompt.diff": { params: PromptVersionRef; result: Text };
  "prompt.restore": { params: PromptVersionRef; result: PromptDetail };
  "prompt.removed": { params: None; result: PromptVersions };
  "prompt.preview": { params: PromptImport; result: PromptImports };
  "prompt.import": { params: PromptImport; result: PromptImports };
  "prompt.try": { params: PromptTry; result: PromptTried };
  "prompt.optimise": { params: PromptOptimise; result: PromptOptimised };
  "models.list": { params: None; result: ModelList };
  "models.save": { params: ModelSave; result: ModelList };
  "models.remove": { params: ModelRef; result: ModelList };
  "models.default": { params: ModelRef; result: ModelList };
  "models.key": { params: ModelKey; result: ModelList };
  "models.test": { params: ModelRef; result: ModelTested };
  "skill.list": { params: SkillQuery; result: SkillList };
  "skill.show": { params: SkillRef; result: SkillDetail };
  "skill.file": { params: SkillFileRef; result: FileView };
  "skill.create": { params: SkillCreate; result: SkillDetail };
  "skill.save": { params: SkillSave; result: SkillDetail };
  "skill.import": { params: SkillImport; result: SkillImports };
  "skill.remove": { params: SkillRef; result: SkillVersion };
  "skill.switch": { params: SkillSwitch; result: Done };
  "skill.versions": { params: SkillRef; result: SkillVersions };
  "skill.removed": { params: None; result: SkillVersions };
  "skill.diff": { params: SkillVersionRef; result: Text };
  "skill.restore": { params: SkillVersionRef; result: SkillDetail };
  "skill.clients": { params: None; result: SkillClients };
  "skill.client": { params: SkillClientChange; result: SkillClients };
  "skill.sync": { params: None; result: SkillsSynced };
  "skill.compare": { params: SkillPlaceRef; result: SkillDifferences };
  "skill.resolve": { params: SkillResolve; result: SkillDetail };
  "cells.list": { params: CanvasQuery; result: CanvasList };
  "cells.create": { params: CanvasCreate; result: CanvasView };
  "cells.open": { params: CanvasOpen; result: CanvasView };
  "cells.append": { params: CellAppend; result: CellChanged };
  "cells.run": { params: CellRun; result: CellChanged };
  "cells.run_stale": { params: CellRun; result: CellChanged };
  "cells.edit": { params: CellEdit; result: CellChanged };
  "cells.answer": { params: CellAnswer; result: CellChanged };
  "cells.refuse": { params: CellRefuse; result: CellChanged };
  "cells.interrupt": { params: CellInterrupt; result: CellChanged };
  "cells.settle": { params: CanvasSettle; result: CanvasView };
  "cells.stale": { params: CanvasRef; result: StaleCells };
  "cells.change": { params: CanvasChange; result: CellChanged };
  "cells.source": { params: CanvasSource; result: CanvasView };
  "cells.export": { params: CanvasExport; result: Text };
  "cells.convert": { params: CanvasConvert; result: Text };
  "cells.check": { params: CellText; result: CellChecked };
  "cells.remove": { params: CanvasRef; result: Done };
  "cells.restore": { params: CanvasRef; result: Done };
  "society.list": { params: SocietyQuery; result: SocietyTasks };
  "society.teams": { params: None; result: SocietyTeams };
  "society.team": { params: SocietyTeamRef; result: Text };
  "society.submit": { params: SocietySubmit; result: SocietySubmitted };
  "society.replay": { params: SocietyReplay; result: SocietySubmitted };
  "society.open": { params: SocietyOpen; result: SocietyView };
  "society.settle": { params: SocietySettle; result: SocietyView };
  "society.messages": { params: SocietyMessageQuery; result: SocietyMessages };
  "society.story": { params: SocietyStoryQuery; result: SocietyStory };
  "society.artifact": { params: SocietyArtifactRef; result: Text };
  "society.steps": { params: SocietyStepQuery; result: SocietySteps };
  "society.post": { params: SocietyPost; result: Done };
  "society.pause": { params: SocietyRef; result: Done };
  "society.resume": { params: SocietyRef; result: Done };
  "society.stop": { params: SocietyStop; result: Done };
  "society.budget": { params: SocietyBudgeted; result: Done };
  "society.rename": { params: SocietyRename; result: Done };
  "society.export": { params: SocietyRef; result: Text };
  "society.remove": { params: SocietyRef; result: Done };
  "society.restore": { params: SocietyRef; result: Done };
  "assistant.show": { params: None; result: AssistantView };
  "assistant.now": { params: None; result: AssistantNow };
  "assistant.change": { params: AssistantChange; result: AssistantView };
  "assistant.messages": { params: AssistantMessageQuery; result: AssistantMessages };
  "assistant.send": { params: AssistantSend; result: AssistantSent };
  "assistant.stop": { params: None; result: Done };
  "assistant.settle": { params: AssistantSettle; result: AssistantView };
  "assistant.clear": { params: None; result: Done };
  "assistant.forget_site": { params: BrowserNavigate; result: Done };
  "assistant.open": { params: BrowserNavigate; result: BrowserAt };
  "assistant.look": { params: BrowserObserve; result: BrowserPage };
  "assistant.close": { params: None; result: Done };
  "assistant.work": { params: BrowserWork; result: BrowserOrders };
  "browser.observe": { params: BrowserObserve; result: BrowserPage };
  "browser.act": { params: BrowserAct; result: BrowserDid };
  "browser.navigate": { params: BrowserNavigate; result: BrowserDid };
  "policy.check": { params: PolicyCheck; result: PolicyVerdict };
}

/** Whether a call changes something, and the cache tags it shows or makes stale. */
export const calls = {
  "server.hello": { changes: false, tags: ["server"] },
  "server.stop": { changes: true, tags: ["server"] },
  "server.link": { changes: true, tags: [] },
  "server.token": { changes: false, tags: ["server"] },
  "server.check": { changes: false, tags: ["check"] },
  "server.diagnostics": { changes: false, tags: ["server"] },
  "settings.show": { changes: false, tags: ["settings"] },
  "settings.sizes": { changes: false, tags: ["sizes"] },
  "home.backup": { changes: true, tags: [] },
  "settings.change": { changes: true, tags: ["settings", "server", "tools"] },
  "token.list": { changes: false, tags: ["tokens"] },
  "token.new": { changes: true, tags: ["tokens"] },
  "token.revoke": { changes: true, tags: ["tokens"] },
  "connect.list": { changes: false, tags: ["clients"] },
  "connect.write": { changes: true, tags: ["clients"] },
  "connect.undo": { changes: true, tags: ["clients"] },
  "doctor.report": { changes: false, tags: ["doctor"] },
  "tool.list": { changes: false, tags: ["tools"] },
  "tool.show": { changes: false, tags: ["tools"] },
  "tool.manual": { changes: false, tags: ["tools"] },
  "tool.run": { changes: true, tags: ["runs", "artifacts"] },
  "tool.configure": { changes: true, tags: ["tools", "grants"] },
  "tool.variables": { changes: false, tags: ["tools"] },
  "tool.secret": { changes: false, tags: ["tools"] },
  "tool.move_secrets": { changes: true, tags: ["tools"] },
  "tool.files": { changes: false, tags: ["tools"] },
  "tool.file": { changes: false, tags: ["tools"] },
  "tool.validate": { changes: false, tags: ["tools", "dependencies"] },
  "tool.log": { changes: false, tags: ["runs"] },
  "log.window": { changes: false, tags: ["log"] },
  "log.find": { changes: false, tags: ["log"] },
  "tool.rescan": { changes: true, tags: ["tools"] },
  "tool.grants": { changes: false, tags: ["grants"] },
  "tool.grant": { changes: true, tags: ["grants", "tools"] },
  "tool.revoke": { changes: true, tags: ["grants"] },
  "tool.network": { changes: true, tags: ["grants"] },
  "tool.processes": { changes: true, tags: ["grants"] },
  "tool.script": { changes: true, tags: ["grants", "dependencies"] },
  "tool.preview": { changes: false, tags: ["tools", "grants"] },
  "tool.install": { changes: true, tags: ["tools", "grants", "dependencies", "runs"] },
  "tool.versions": { changes: false, tags: ["tools"] },
  "tool.rollback": { changes: true, tags: ["tools", "grants", "dependencies"] },
  "tool.remove": { changes: true, tags: ["tools", "dependencies"] },
  "tool.removed": { changes: false, tags: ["tools"] },
  "tool.restore": { changes: true, tags: ["tools", "dependencies"] },
  "external.list": { changes: false, tags: ["servers"] },
  "external.show": { changes: false, tags: ["servers", "grants"] },
  "external.bundle": { changes: false, tags: ["servers"] },
  "external.add": { changes: true, tags: ["servers", "grants"] },
  "external.remove": { changes: true, tags: ["servers", "grants"] },
  "external.switch": { changes: true, tags: ["servers"] },
  "external.restart": { changes: true, tags: ["servers"] },
  "external.approve": { changes: true, tags: ["servers"] },
  "external.grant": { changes: true, tags: ["servers", "grants"] },
  "tool.new": { changes: true, tags: ["tools"] },
  "tool.shipped": { changes: false, tags: ["tools"] },
  "tool.settle": { changes: true, tags: ["tools", "grants"] },
  "tool.migration": { changes: false, tags: ["tools"] },
  "tool.migrate": { changes: true, tags: ["tools"] },
  "tool.dependencies": { changes: false, tags: ["dependencies", "tools"] },
  "tool.advisories": { changes: false, tags: ["dependencies"] },
  "npm.install": { changes: true, tags: ["dependencies", "tools", "runs"] },
  "npm.verify": { changes: false, tags: ["dependencies"] },
  "npm.cache": { changes: false, tags: ["sizes"] },
  "npm.cache_verify": { changes: true, tags: ["sizes"] },
  "npm.cache_gc": { changes: true, tags: ["sizes"] },
  "toolm": { changes: true, tags: ["runs", "tools"] },
  "run_javascript": { changes: true, tags: ["runs", "artifacts"] },
  "approval.list": { changes: false, tags: ["approvals"] },
  "approval.resolve": { changes: true, tags: ["approvals", "grants"] },
  "run.list": { changes: false, tags: ["runs"] },
  "run.show": { changes: false, tags: ["runs"] },
  "run.active": { changes: false, tags: ["runs"] },
  "run.watch": { changes: false, tags: ["watch"] },
  "run.cancel": { changes: true, tags: ["runs"] },
  "artifact.list": { changes: false, tags: ["artifacts"] },
  "artifact.show": { changes: false, tags: ["artifacts"] },
  "artifact.remove": { changes: true, tags: ["artifacts"] },
  "artifact.restore": { changes: true, tags: ["artifacts"] },
  "workspace.bind": { changes: true, tags: ["workspaces"] },
  "workspace.unbind": { changes: true, tags: ["workspaces"] },
  "workspace.network": { changes: true, tags: ["grants", "isolation"] },
  "workspace.list": { changes: false, tags: ["workspaces"] },
  "workspace.info": { changes: false, tags: ["workspace-files"] },
  "workspace.ls": { changes: false, tags: ["workspace-files"] },
  "workspace.read": { changes: false, tags: ["workspace-files"] },
  "workspace.search": { changes: false, tags: ["workspace-files"] },
  "workspace.write": { changes: true, tags: ["workspace-files"] },
  "workspace.append": { changes: true, tags: ["workspace-files"] },
  "workspace.edit": { changes: true, tags: ["workspace-files"] },
  "workspace.move": { changes: true, tags: ["workspace-files"] },
  "workspace.delete": { changes: true, tags: ["workspace-files"] },
  "workspace.run": { changes: true, tags: ["workspace-files", "commands"] },
  "workspace.commands": { changes: false, tags: ["commands"] },
  "workspace.command": { changes: false, tags: ["commands"] },
  "workspace.isolation": { changes: false, tags: ["grants", "isolation"] },
  "workspace.history": { changes: false, tags: ["workspace-files"] },
  "workspace.version": { changes: false, tags: ["workspace-files"] },
  "workspace.diff": { changes: false, tags: ["workspace-files"] },
  "workspace.restore": { changes: true, tags: ["workspace-files"] },
  "workspace.trash": { changes: false, tags: ["workspace-files"] },
  "workspace.undelete": { changes: true, tags: ["workspace-files"] },
  "workspace.empty_trash": { changes: true, tags: ["workspace-files"] },
  "terminal.open": { changes: true, tags: ["terminals"] },
  "terminal.list": { changes: false, tags: ["terminals"] },
  "terminal.input": { changes: true, tags: [] },
  "terminal.resize": { changes: true, tags: [] },
  "terminal.watch": { changes: false, tags: ["watch"] },
  "terminal.close": { changes: true, tags: ["terminals"] },
  "grant.list": { changes: false, tags: ["grants"] },
  "grant.add": { changes: true, tags: ["grants", "isolation"] },
  "grant.revoke": { changes: true, tags: ["grants", "tools", "isolation"] },
  "prompt.list": { changes: false, tags: ["prompts"] },
  "prompt.show": { changes: false, tags: ["prompts"] },
  "prompt.fill": { changes: false, tags: ["prompts"] },
  "prompt.create": { changes: true, tags: ["prompts"] },
  "prompt.save": { changes: true, tags: ["prompts"] },
  "prompt.move": { changes: true, tags: ["prompts"] },
  "prompt.remove": { changes: true, tags: ["prompts"] },
  "prompt.switch": { changes: true, tags: ["prompts"] },
  "prompt.versions": { changes: false, tags: ["prompts"] },
  "prompt.version": { changes: false, tags: ["prompts"] },
  "prompt.diff": { changes: false, tags: ["prompts"] },
  "prompt.restore": { changes: true, tags: ["prompts"] },
  "prompt.removed": { changes: false, tags: ["prompts"] },
  "prompt.preview": { changes: false, tags: [] },
  "prompt.import": { changes: true, tags: ["prompts"] },
  "prompt.try": { changes: true, tags: ["runs"] },
  "prompt.optimise": { changes: true, tags: ["runs"] },
  "models.list": { changes: false, tags: ["models"] },
  "models.save": { changes: true, tags: ["models"] },
  "models.remove": { changes: true, tags: ["models"] },
  "models.default": { changes: true, tags: ["models"] },
  "models.key": { changes: true, tags: ["models"] },
  "models.test": { changes: true, tags: ["runs"] },
  "skill.list": { changes: false, tags: ["skills"] },
  "skill.show": { changes: false, tags: ["skills"] },
  "skill.file": { changes: false, tags: ["skills"] },
  "skill.create": { changes: true, tags: ["skills"] },
  "skill.save": { changes: true, tags: ["skills"] },
  "skill.import": { changes: true, tags: ["skills"] },
  "skill.remove": { changes: true, tags: ["skills"] },
  "skill.switch": { changes: true, tags: ["skills"] },
  "skill.versions": { changes: false, tags: ["skills"] },
  "skill.removed": { changes: false, tags: ["skills"] },
  "skill.diff": { changes: false, tags: ["skills"] },
  "skill.restore": { changes: true, tags: ["skills"] },
  "skill.clients": { changes: false, tags: ["skills"] },
  "skill.client": { changes: true, tags: ["skills"] },
  "skill.sync": { changes: true, tags: ["skills"] },
  "skill.compare": { changes: false, tags: ["skills"] },
  "skill.resolve": { changes: true, tags: ["skills"] },
  "cells.list": { changes: false, tags: ["cells"] },
  "cells.create": { changes: true, tags: ["cells"] },
  "cells.open": { changes: false, tags: ["cells"] },
  "cells.append": { changes: true, tags: ["cells"] },
  "cells.run": { changes: true, tags: ["cells"] },
  "cells.run_stale": { changes: true, tags: ["cells"] },
  "cells.edit": { changes: true, tags: ["cells"] },
  "cells.answer": { changes: true, tags: ["cells"] },
  "cells.refuse": { changes: true, tags: ["cells"] },
  "cells.interrupt": { changes: true, tags: ["cells"] },
  "cells.settle": { changes: false, tags: [] },
  "cells.stale": { changes: false, tags: ["cells"] },
  "cells.change": { changes: true, tags: ["cells"] },
  "cells.source": { changes: true, tags: ["cells"] },
  "cells.export": { changes: false, tags: ["cells"] },
  "cells.convert": { changes: false, tags: [] },
  "cells.check": { changes: false, tags: [] },
  "cells.remove": { changes: true, tags: ["cells"] },
  "cells.restore": { changes: true, tags: ["cells"] },
  "society.list": { changes: false, tags: ["society"] },
  "society.teams": { changes: false, tags: ["society-teams"] },
  "society.team": { changes: false, tags: ["society-teams"] },
  "society.submit": { changes: true, tags: ["society", "workspaces"] },
  "society.replay": { changes: true, tags: ["society", "workspaces"] },
  "society.open": { changes: false, tags: ["society"] },
  "society.settle": { changes: false, tags: [] },
  "society.messages": { changes: false, tags: ["society"] },
  "society.story": { changes: false, tags: ["society"] },
  "society.artifact": { changes: false, tags: ["society"] },
  "society.steps": { changes: false, tags: ["society"] },
  "society.post": { changes: true, tags: ["society"] },
  "society.pause": { changes: true, tags: ["society"] },
  "society.resume": { changes: true, tags: ["society"] },
  "society.stop": { changes: true, tags: ["society"] },
  "society.budget": { changes: true, tags: ["society"] },
  "society.rename": { changes: true, tags: ["society"] },
  "society.export": { changes: false, tags: ["society"] },
  "society.remove": { changes: true, tags: ["society"] },
  "society.restore": { changes: true, tags: ["society"] },
  "assistant.show": { changes: false, tags: ["assistant"] },
  "assistant.now": { changes: false, tags: ["assistant", "assistant-now"] },
  "assistant.change": { changes: true, tags: ["assistant"] },
  "assistant.messages": { changes: false, tags: ["assistant-messages"] },
  "assistant.send": { changes: true, tags: ["assistant", "assistant-messages"] },
  "assistant.stop": { changes: true, tags: ["assistant"] },
  "assistant.settle": { changes: false, tags: [] },
  "assistant.clear": { changes: true, tags: ["assistant", "assistant-messages"] },
  "assistant.forget_site": { changes: true, tags: ["assistant"] },
  "assistant.open": { changes: true, tags: ["assistant"] },
  "assistant.look": { changes: false, tags: [] },
  "assistant.close": { changes: true, tags: ["assistant"] },
  "assistant.work": { changes: false, tags: [] },
  "browser.observe": { changes: false, tags: [] },
  "browser.act": { changes: true, tags: ["assistant"] },
  "browser.navigate": { changes: true, tags: ["assistant"] },
  "policy.check": { changes: false, tags: [] },
} as const satisfies Record<keyof Calls, { changes: boolean; tags: readonly string[] }>;
