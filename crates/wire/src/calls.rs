//! The table. A row reads: name, method, parameters -> result, who may, what it does to which tags.

use crate::client::{Client, ClientError};
use crate::table::{Access, CallInfo, Caller, Effect};
use crate::types::*;
use base::Failure;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

macro_rules! calls {
    ($($(#[doc = $doc:literal])* $name:literal $method:ident($params:ty) -> $result:ty, $access:ident $effect:ident [$($tag:literal),*];)*) => {
        /// Every call, in the table's order.
        pub const CALLS: &[CallInfo] = &[
            $(CallInfo { name: $name, access: Access::$access, effect: Effect::$effect, tags: &[$($tag),*] },)*
        ];

        /// What the server implements, one method a row.
        pub trait Api: Send + Sync {
            $($(#[doc = $doc])* fn $method(&self, caller: &Caller, params: $params)
                -> impl Future<Output = Result<$result, Failure>> + Send;)*
        }

        /// Checks access, reads the parameters, calls, writes the result.
        pub async fn dispatch<A: Api>(api: &A, caller: &Caller, name: &str, params: Value) -> Result<Value, Failure> {
            let info = CALLS.iter().find(|call| call.name == name)
                .ok_or_else(|| Failure::new("unknown_call").with("call", name))?;
            caller.check(info)?;
            let call = match name {
                $($name => called(name, params, |params| api.$method(caller, params))?,)*
                _ => return Err(Failure::new("unknown_call").with("call", name)),
            };
            call.await
        }

        impl Client {
            $($(#[doc = $doc])* pub async fn $method(&self, params: $params) -> Result<$result, ClientError> {
                self.call($name, &params).await
            })*
        }

        /// Rows of the TypeScript map: name, parameter type, result type, effect, tags.
        pub(crate) fn typescript_rows(cfg: &ts_rs::Config) -> Vec<(&'static str, String, String)> {
            vec![$(($name, <$params as ts_rs::TS>::name(cfg), <$result as ts_rs::TS>::name(cfg)),)*]
        }

        /// Declarations of every type that the table mentions, by type name.
        pub(crate) fn typescript_types(cfg: &ts_rs::Config, into: &mut crate::typescript::Declarations) {
            $(into.add::<$params>(cfg); into.add::<$result>(cfg);)*
        }
    };
}

calls! {
    /// Build, version, process, data home and address of the owner.
    "server.hello" server_hello(None) -> Hello, Client Reads ["server"];
    /// Lets running calls finish, then ends the owner.
    "server.stop" server_stop(None) -> Done, Ui Changes ["server"];
    /// A link that opens the web page once, with its own session.
    "server.link" server_link(None) -> Link, Ui Changes [];
    /// The bearer token that programs send.
    "server.token" server_token(None) -> Token, Ui Reads ["server"];
    /// Proves that the MCP endpoint answers, by asking it over its own address.
    "server.check" server_check(None) -> ServerCheck, Ui Reads ["check"];
    /// What somebody who helps wants to know, without secrets: versions, machine, isolation, crashes, the log's end.
    "server.diagnostics" server_diagnostics(None) -> Text, Ui Reads ["server"];
    /// What a person can change.
    "settings.show" settings_show(None) -> SettingsView, Ui Reads ["settings"];
    /// What the data home takes, by kind. Looking takes a moment; an answer holds for some seconds.
    "settings.sizes" settings_sizes(None) -> Sizes, Ui Reads ["sizes"];
    /// Writes the whole data home into one new file; `pm restore` brings it back.
    "home.backup" home_backup(HomeBackup) -> HomeBackedUp, Ui Changes [];
    /// Changes what is given, leaves the rest.
    "settings.change" settings_change(SettingsChange) -> SettingsView, Ui Changes ["settings", "server", "tools"];
    /// Tokens of MCP clients, without their secrets, and when each client was last here.
    "token.list" token_list(None) -> TokenList, Ui Reads ["tokens"];
    /// A token for one client. Its secret is in this answer and nowhere else.
    "token.new" token_new(TokenNew) -> TokenMade, Ui Changes ["tokens"];
    /// Takes a token back; its client's sessions end.
    "token.revoke" token_revoke(TokenRef) -> Done, Ui Changes ["tokens"];
    /// Configurations of MCP clients on this machine, and whether each is written down.
    "connect.list" connect_list(None) -> ClientConfigs, Ui Reads ["clients"];
    /// Writes our entry into the file of a client; what was there is kept for undoing.
    "connect.write" connect_write(ClientRef) -> ClientConfig, Ui Changes ["clients"];
    /// Takes it out again: the file as it was, or without the entry where others changed it since.
    "connect.undo" connect_undo(ClientRef) -> ClientConfig, Ui Changes ["clients"];
    /// What isolation this machine gives and why.
    "doctor.report" doctor_report(None) -> Doctor, Client Reads ["doctor"];

    /// All tools with their state.
    "tool.list" tool_list(None) -> ToolList, Agent Reads ["tools"];
    /// One tool with its schema and configuration.
    "tool.show" tool_show(ToolRef) -> ToolDetail, Agent Reads ["tools"];
    /// The manual as Markdown.
    "tool.manual" tool_manual(ToolRef) -> Text, Agent Reads ["tools"];
    /// Runs a tool; a tool's own failure is a result, not an error.
    "tool.run" tool_run(ToolRun) -> RunResult, Agent Changes ["runs", "artifacts"];
    /// Writes `.env` values, if any, and shows the configuration.
    "tool.configure" tool_configure(ToolConfigure) -> Configured, Ui Changes ["tools", "grants"];
    /// The configuration as rows; secrets masked.
    "tool.variables" tool_variables(ToolRef) -> Variables, Client Reads ["tools"];
    /// The value of one secret, as it is.
    "tool.secret" tool_secret(VariableRef) -> Text, Ui Reads ["tools"];
    /// Moves the secrets that stand in `.env` to where new ones are kept.
    "tool.move_secrets" tool_move_secrets(ToolRef) -> SecretsMoved, Ui Changes ["tools"];
    /// Entries of one folder of a tool.
    "tool.files" tool_files(FileRef) -> FileList, Ui Reads ["tools"];
    /// The beginning of one file of a tool.
    "tool.file" tool_file(FileRef) -> FileView, Ui Reads ["tools"];
    /// Looks a tool over, layer by layer; `full` runs it, in a copy of its folder and with no rights.
    "tool.validate" tool_validate(ToolValidate) -> ToolValidated, Client Reads ["tools", "dependencies"];
    /// Lines of `run.log`.
    "tool.log" tool_log(ToolLog) -> LogLines, Agent Reads ["runs"];
    /// A window of records of `run.log` by number; waits while nothing differs from `unlike`.
    "log.window" log_window(LogWindowQuery) -> LogWindow, Ui Reads ["log"];
    /// The next record that holds a text.
    "log.find" log_find(LogFindQuery) -> LogFound, Ui Reads ["log"];
    /// Scans the toolbox again.
    "tool.rescan" tool_rescan(None) -> ToolList, Ui Changes ["tools"];
    /// What a tool asks for and what it was granted.
    "tool.grants" tool_grants(ToolRef) -> Grants, Client Reads ["grants"];
    /// Grants a directory.
    "tool.grant" tool_grant(GrantChange) -> Grants, Ui Changes ["grants", "tools"];
    /// Takes a grant back.
    "tool.revoke" tool_revoke(GrantChange) -> Grants, Ui Changes ["grants"];
    /// Grants hosts to a tool, or takes them back.
    "tool.network" tool_network(ToolNetworkChange) -> Grants, Ui Changes ["grants"];
    "tool.processes" tool_processes(ToolProcessesChange) -> Grants, Ui Changes ["grants"];

    /// Allows install scripts of a package of the tool, or takes that back; run before its next run.
    "tool.script" tool_script(ToolScriptChange) -> Done, Ui Changes ["grants", "dependencies"];

    /// What a source holds, what that asks for, and what is different from what is there. Nothing changes.
    "tool.preview" tool_preview(ToolSource) -> ToolPreview, Ui Reads ["tools", "grants"];
    /// Takes in what was looked at, as it was looked at; what does not work in its place is taken back.
    "tool.install" tool_install(ToolInstall) -> ToolInstalled, Ui Changes ["tools", "grants", "dependencies", "runs"];
    /// Where a tool came from, and the versions that can be gone back to.
    "tool.versions" tool_versions(ToolRef) -> ToolVersions, Ui Reads ["tools"];
    /// Puts a kept version in its place; what is there is kept in turn.
    "tool.rollback" tool_rollback(ToolVersionRef) -> ToolVersionIs, Ui Changes ["tools", "grants", "dependencies"];
    /// Moves a tool to the trash, whence it can be restored for 30 days.
    "tool.remove" tool_remove(ToolRemove) -> RemovedToolRef, Ui Changes ["tools", "dependencies"];
    /// Tools in the trash.
    "tool.removed" tool_removed(None) -> RemovedTools, Ui Reads ["tools"];
    /// Brings a removed tool back.
    "tool.restore" tool_restore(RemovedToolRef) -> ToolRef, Ui Changes ["tools", "dependencies"];

    /// External MCP servers and how they are.
    "external.list" external_list(None) -> ExternalList, Client Reads ["servers"];
    /// One of them, with its tools and rights; values that are secret masked.
    "external.show" external_show(ExternalRef) -> ExternalDetail, Ui Reads ["servers", "grants"];
    /// What a bundle of MCP holds, and what has to be set for it. Nothing changes.
    "external.bundle" external_bundle(ExternalBundleRef) -> ExternalBundle, Ui Reads ["servers"];
    /// Adds servers and asks each for its tools, which are approved with it.
    "external.add" external_add(ExternalAdd) -> ExternalAdded, Ui Changes ["servers", "grants"];
    /// Takes a server out, with its rights and its own folder.
    "external.remove" external_remove(ExternalRef) -> Done, Ui Changes ["servers", "grants"];
    /// Switches a server, or one of its tools, on or off.
    "external.switch" external_switch(ExternalSwitch) -> ExternalDetail, Ui Changes ["servers"];
    /// Ends a server and starts it again, whatever it failed with.
    "external.restart" external_restart(ExternalRef) -> ExternalDetail, Ui Changes ["servers"];
    /// Approves tools as they were looked at.
    "external.approve" external_approve(ExternalApprove) -> ExternalDetail, Ui Changes ["servers"];
    /// Grants a server folders and hosts, or takes them back; it ends, to be started with them.
    "external.grant" external_grant(ExternalGrant) -> ExternalDetail, Ui Changes ["servers", "grants"];
    /// A new tool to begin with.
    "tool.new" tool_new(ToolNew) -> ToolMade, Ui Changes ["tools"];

    /// How a tool stands to what comes with the program, and what a person changed in it.
    "tool.shipped" tool_shipped(ToolRef) -> ToolShipped, Ui Reads ["tools"];
    /// Does what a person decided about a file that she changed in a built-in tool.
    "tool.settle" tool_settle(ToolSettle) -> ToolShipped, Ui Changes ["tools", "grants"];
    /// What became of the tools of the old layout.
    "tool.migration" tool_migration(None) -> ToolMigration, Ui Reads ["tools"];
    /// Brings in what is left of the old layout, or takes all of it back.
    "tool.migrate" tool_migrate(ToolMigrate) -> ToolMigration, Ui Changes ["tools"];

    /// What a tool depends on, and what of it is locked and installed.
    "tool.dependencies" tool_dependencies(ToolRef) -> ToolDependencies, Client Reads ["dependencies", "tools"];
    /// Known weaknesses of a tool's packages, where the registry tells them.
    "tool.advisories" tool_advisories(ToolRef) -> Advisories, Client Reads ["dependencies"];
    /// Installs the packages of a tool or of a folder.
    "npm.install" npm_install(NpmInstall) -> NpmInstalled, Ui Changes ["dependencies", "tools", "runs"];
    /// What is installed beside what the lock says.
    "npm.verify" npm_verify(NpmTarget) -> NpmVerified, Ui Reads ["dependencies"];
    /// What the store of packages holds.
    "npm.cache" npm_cache(None) -> NpmCache, Client Reads ["sizes"];
    /// Checks every file of the store; what is damaged leaves.
    "npm.cache_verify" npm_cache_verify(None) -> NpmCacheVerified, Ui Changes ["sizes"];
    /// Drops packages that no tool uses.
    "npm.cache_gc" npm_cache_gc(None) -> NpmCache, Ui Changes ["sizes"];

    /// Exactly what the MCP tool `toolm` does.
    "toolm" toolm(ToolmParams) -> McpContent, Agent Changes ["runs", "tools"];
    /// Exactly what the MCP tool `run_javascript` does.
    "run_javascript" run_javascript(ScriptParams) -> ScriptResult, Agent Changes ["runs", "artifacts"];

    /// Questions that wait for a person, and answered ones; newest first.
    "approval.list" approval_list(ApprovalQuery) -> ApprovalList, Ui Reads ["approvals"];
    /// Answers a question; the first answer counts.
    "approval.resolve" approval_resolve(ApprovalResolve) -> ApprovalRow, Ui Changes ["approvals", "grants"];

    /// Newest first.
    "run.list" run_list(RunQuery) -> RunList, Client Reads ["runs"];
    /// One finished run with what it was given and what it gave.
    "run.show" run_show(RunRef) -> RunDetail, Client Reads ["runs"];
    /// Runs that are open now, oldest first.
    "run.active" run_active(None) -> ActiveRuns, Client Reads ["runs"];
    /// Progress and new lines of an open run; waits until there is something new.
    "run.watch" run_watch(RunWatch) -> RunNews, Ui Reads ["watch"];
    /// Asks an open run to end.
    "run.cancel" run_cancel(RunRef) -> Done, Ui Changes ["runs"];

    /// Newest first.
    "artifact.list" artifact_list(Page) -> ArtifactList, Client Reads ["artifacts"];
    /// One artifact with the code that made it.
    "artifact.show" artifact_show(ArtifactRef) -> ArtifactDetail, Client Reads ["artifacts"];
    /// Moves it to the trash, whence it can be restored for 30 days.
    "artifact.remove" artifact_remove(ArtifactRef) -> Done, Ui Changes ["artifacts"];
    /// Brings a removed artifact back.
    "artifact.restore" artifact_restore(ArtifactRef) -> Done, Ui Changes ["artifacts"];

    /// Makes a folder a task's workspace. The same again is fine.
    "workspace.bind" workspace_bind(WorkspaceBind) -> WorkspaceRow, Ui Changes ["workspaces"];
    /// Takes the binding away, never files.
    "workspace.unbind" workspace_unbind(WorkspaceRef) -> Unbound, Ui Changes ["workspaces"];
    /// Says whom commands of a task can reach, if it is said, and shows it.
    "workspace.network" workspace_network(WorkspaceNetworkChange) -> WorkspaceNetwork, Ui Changes ["grants", "isolation"];
    /// All tasks that have a workspace.
    "workspace.list" workspace_list(None) -> WorkspaceList, Client Reads ["workspaces"];
    /// How many files and folders, how large, changed when.
    "workspace.info" workspace_info(WorkspaceRef) -> WorkspaceNumbers, Agent Reads ["workspace-files"];
    /// What is in a folder.
    "workspace.ls" workspace_ls(WorkspaceFolder) -> WorkspaceEntries, Agent Reads ["workspace-files"];
    /// A file, whole or a part of it.
    "workspace.read" workspace_read(WorkspaceRead) -> WorkspaceContent, Agent Reads ["workspace-files"];
    /// Lines that match a regular expression.
    "workspace.search" workspace_search(WorkspaceSearch) -> WorkspaceMatches, Agent Reads ["workspace-files"];
    /// Writes a whole file, with the folders that are missing.
    "workspace.write" workspace_write(WorkspaceWrite) -> WorkspaceChanged, Agent Changes ["workspace-files"];
    /// Appends to a file, which is made if it is missing.
    "workspace.append" workspace_append(WorkspaceWrite) -> WorkspaceChanged, Agent Changes ["workspace-files"];
    /// Replaces a text of a file by another, exactly.
    "workspace.edit" workspace_edit(WorkspaceEdit) -> WorkspaceChanged, Agent Changes ["workspace-files"];
    /// Moves a file or a folder within the workspace.
    "workspace.move" workspace_move(WorkspaceMove) -> WorkspaceChanged, Agent Changes ["workspace-files"];
    /// Moves a file or a folder to the trash.
    "workspace.delete" workspace_delete(WorkspacePath) -> WorkspaceChanged, Agent Changes ["workspace-files"];
    /// Runs a command in the workspace, behind the sandbox. It ends when its caller goes away.
    "workspace.run" workspace_run(WorkspaceRun) -> WorkspaceRan, Agent Changes ["workspace-files", "commands"];
    /// Commands of a task that run or ran, refused ones included.
    "workspace.commands" workspace_commands(WorkspaceCommands) -> CommandList, Client Reads ["commands"];
    /// One that has ended, with its output.
    "workspace.command" workspace_command(RunRef) -> CommandDetail, Client Reads ["commands"];
    /// The walls around commands and terminals of a task.
    "workspace.isolation" workspace_isolation(WorkspaceRef) -> WorkspaceIsolation, Client Reads ["grants", "isolation"];
    /// Changes made through us, newest first.
    "workspace.history" workspace_history(WorkspaceHistory) -> ChangeList, Ui Reads ["workspace-files"];
    /// What a file held at one time.
    "workspace.version" workspace_version(WorkspaceVersion) -> VersionContent, Ui Reads ["workspace-files"];
    /// What is different between two versions.
    "workspace.diff" workspace_diff(WorkspaceCompare) -> WorkspaceDiff, Ui Reads ["workspace-files"];
    /// Brings a version back, as a change of its own.
    "workspace.restore" workspace_restore(WorkspaceRestore) -> WorkspaceChanged, Ui Changes ["workspace-files"];
    /// What was deleted and can be brought back.
    "workspace.trash" workspace_trash(WorkspaceRef) -> ChangeList, Ui Reads ["workspace-files"];
    /// Moves what a change deleted back to its place.
    "workspace.undelete" workspace_undelete(WorkspaceUndelete) -> WorkspaceChanged, Ui Changes ["workspace-files"];
    /// Removes what is in the task's trash for good.
    "workspace.empty_trash" workspace_empty_trash(WorkspaceRef) -> TrashEmptied, Ui Changes ["workspace-files"];

    /// Opens a terminal in the workspace, behind the same walls as commands.
    "terminal.open" terminal_open(TerminalOpen) -> TerminalRow, Ui Changes ["terminals"];
    /// Open terminals.
    "terminal.list" terminal_list(TerminalQuery) -> TerminalList, Ui Reads ["terminals"];
    /// Types.
    "terminal.input" terminal_input(TerminalInput) -> Done, Ui Changes [];
    /// Tells the terminal its new size.
    "terminal.resize" terminal_resize(TerminalResize) -> Done, Ui Changes [];
    /// What came on the screen; waits until there is something.
    "terminal.watch" terminal_watch(TerminalWatch) -> TerminalNews, Ui Reads ["watch"];
    /// Ends everything in it and forgets it.
    "terminal.close" terminal_close(TerminalRef) -> Done, Ui Changes ["terminals"];

    /// All rights that a person gave.
    "grant.list" grant_list(GrantQuery) -> GrantList, Ui Reads ["grants"];
    /// Gives a task a right. For now `unsandboxed`; tools get theirs by `tool.grant`.
    "grant.add" grant_add(GrantRef) -> GrantRow, Ui Changes ["grants", "isolation"];
    /// Takes any right back.
    "grant.revoke" grant_revoke(GrantRef) -> Done, Ui Changes ["grants", "tools", "isolation"];

    /// Prompts, all or those that were looked for, with groups and files that are none.
    "prompt.list" prompt_list(PromptQuery) -> PromptList, Client Reads ["prompts"];
    /// One prompt with its file.
    "prompt.show" prompt_show(PromptRef) -> PromptDetail, Client Reads ["prompts"];
    /// Its messages with values in place of `{{variables}}`.
    "prompt.fill" prompt_fill(PromptFill) -> PromptFilled, Client Reads ["prompts"];
    /// A new prompt, in a file named after it.
    "prompt.create" prompt_create(PromptCreate) -> PromptDetail, Ui Changes ["prompts"];
    /// Replaces a prompt; the text before it becomes a version.
    "prompt.save" prompt_save(PromptSave) -> PromptDetail, Ui Changes ["prompts"];
    /// Gives it another name or group.
    "prompt.move" prompt_move(PromptMove) -> PromptDetail, Ui Changes ["prompts"];
    /// Takes it out of the library; its last version stays.
    "prompt.remove" prompt_remove(PromptPath) -> Done, Ui Changes ["prompts"];
    /// Switches a group, with everything in it.
    "prompt.switch" prompt_switch(PromptSwitch) -> Done, Ui Changes ["prompts"];
    /// Earlier texts of a prompt.
    "prompt.versions" prompt_versions(PromptPath) -> PromptVersions, Ui Reads ["prompts"];
    /// The text of a version.
    "prompt.version" prompt_version(PromptVersionRef) -> Text, Ui Reads ["prompts"];
    /// From a version to what is there now, as a unified diff.
    "prompt.diff" prompt_diff(PromptVersionRef) -> Text, Ui Reads ["prompts"];
    /// Brings a version back; what is there becomes one.
    "prompt.restore" prompt_restore(PromptVersionRef) -> PromptDetail, Ui Changes ["prompts"];
    /// Prompts that are gone, each with its last version.
    "prompt.removed" prompt_removed(None) -> PromptVersions, Ui Reads ["prompts"];
    /// What would come of importing a file or folder.
    "prompt.preview" prompt_preview(PromptImport) -> PromptImports, Ui Reads [];
    /// Imports a file or folder.
    "prompt.import" prompt_import(PromptImport) -> PromptImports, Ui Changes ["prompts"];

    /// Asks a model what the filled prompt says. Its words come as lines of the run.
    "prompt.try" prompt_try(PromptTry) -> PromptTried, Ui Changes ["runs"];
    /// Asks a model for a better text of the prompt; nothing is written.
    "prompt.optimise" prompt_optimise(PromptOptimise) -> PromptOptimised, Ui Changes ["runs"];

    /// Services that can be asked, without their keys.
    "models.list" models_list(None) -> ModelList, Ui Reads ["models"];
    /// A new service, or another description of one.
    "models.save" models_save(ModelSave) -> ModelList, Ui Changes ["models"];
    /// Takes a service out, and its key.
    "models.remove" models_remove(ModelRef) -> ModelList, Ui Changes ["models"];
    /// The one that is meant where nobody names one.
    "models.default" models_default(ModelRef) -> ModelList, Ui Changes ["models"];
    /// Keeps a service's key, or forgets it.
    "models.key" models_key(ModelKey) -> ModelList, Ui Changes ["models"];
    /// Asks a service for one word. It ends when its caller goes away.
    "models.test" models_test(ModelRef) -> ModelTested, Ui Changes ["runs"];

    /// Skills, all or those that were looked for.
    "skill.list" skill_list(SkillQuery) -> SkillList, Client Reads ["skills"];
    /// One skill with its text, its files and how it stands at each client.
    "skill.show" skill_show(SkillRef) -> SkillDetail, Client Reads ["skills"];
    /// One file of a skill.
    "skill.file" skill_file(SkillFileRef) -> FileView, Client Reads ["skills"];
    /// A new skill, with a text to be filled in.
    "skill.create" skill_create(SkillCreate) -> SkillDetail, Ui Changes ["skills"];
    /// Replaces its text; the one before it becomes a version.
    "skill.save" skill_save(SkillSave) -> SkillDetail, Ui Changes ["skills"];
    /// Copies a folder, or the folders in it. Nothing is replaced.
    "skill.import" skill_import(SkillImport) -> SkillImports, Ui Changes ["skills"];
    /// Into the trash, and out of the clients' folders.
    "skill.remove" skill_remove(SkillRef) -> SkillVersion, Ui Changes ["skills"];
    /// Gives it to the clients that are on, or to none.
    "skill.switch" skill_switch(SkillSwitch) -> Done, Ui Changes ["skills"];
    /// What it was before.
    "skill.versions" skill_versions(SkillRef) -> SkillVersions, Ui Reads ["skills"];
    /// Skills that are gone, each with its last folder.
    "skill.removed" skill_removed(None) -> SkillVersions, Ui Reads ["skills"];
    /// From a version of the text to what is there now, as a unified diff.
    "skill.diff" skill_diff(SkillVersionRef) -> Text, Ui Reads ["skills"];
    /// Brings a version back; what is there becomes one.
    "skill.restore" skill_restore(SkillVersionRef) -> SkillDetail, Ui Changes ["skills"];
    /// Programs that read skills, and whether they are given ours.
    "skill.clients" skill_clients(None) -> SkillClients, Client Reads ["skills"];
    /// Turns a client on or off.
    "skill.client" skill_client(SkillClientChange) -> SkillClients, Ui Changes ["skills"];
    /// Puts right what is not as it should be in the clients' folders.
    "skill.sync" skill_sync(None) -> SkillsSynced, Ui Changes ["skills"];
    /// What differs between ours and what lies at a client.
    "skill.compare" skill_compare(SkillPlaceRef) -> SkillDifferences, Ui Reads ["skills"];
    /// Ends a conflict.
    "skill.resolve" skill_resolve(SkillResolve) -> SkillDetail, Ui Changes ["skills"];

    /// Canvases of cells.
    "cells.list" cells_list(CanvasQuery) -> CanvasList, Agent Reads ["cells"];
    /// A new canvas, empty or from a text.
    "cells.create" cells_create(CanvasCreate) -> CanvasView, Agent Changes ["cells"];
    /// A canvas as it is now.
    "cells.open" cells_open(CanvasOpen) -> CanvasView, Agent Reads ["cells"];
    /// Puts a cell behind the others. What runs, runs; it is not waited for.
    "cells.append" cells_append(CellAppend) -> CellChanged, Agent Changes ["cells"];
    /// Runs a cell again.
    "cells.run" cells_run(CellRun) -> CellChanged, Agent Changes ["cells"];
    /// Runs a cell, where it is stale, and everything stale that depends on it.
    "cells.run_stale" cells_run_stale(CellRun) -> CellChanged, Agent Changes ["cells"];
    /// Another text for a cell; what depends on it is stale.
    "cells.edit" cells_edit(CellEdit) -> CellChanged, Agent Changes ["cells"];
    /// Answers a question with an INPUT.
    "cells.answer" cells_answer(CellAnswer) -> CellChanged, Agent Changes ["cells"];
    /// The cognitor to whom a cell was delegated does not want to.
    "cells.refuse" cells_refuse(CellRefuse) -> CellChanged, Agent Changes ["cells"];
    /// Ends a run, or all.
    "cells.interrupt" cells_interrupt(CellInterrupt) -> CellChanged, Agent Changes ["cells"];
    /// Waits until nothing runs; what waits for answers may wait.
    "cells.settle" cells_settle(CanvasSettle) -> CanvasView, Agent Reads [];
    /// Which cells are stale, in the order of the document.
    "cells.stale" cells_stale(CanvasRef) -> StaleCells, Agent Reads ["cells"];
    /// Title, task, pause, what an edit does, types of cells.
    "cells.change" cells_change(CanvasChange) -> CellChanged, Ui Changes ["cells"];
    /// Replaces the document by a text.
    "cells.source" cells_source(CanvasSource) -> CanvasView, Ui Changes ["cells"];
    /// The document as a text.
    "cells.export" cells_export(CanvasExport) -> Text, Agent Reads ["cells"];
    /// A document in another format, without its pictures. Nothing is kept.
    "cells.convert" cells_convert(CanvasConvert) -> Text, Agent Reads [];
    /// What is to be said of a text, and its canonical form. Nothing is kept.
    "cells.check" cells_check(CellText) -> CellChecked, Agent Reads [];
    /// Moves a canvas to the trash.
    "cells.remove" cells_remove(CanvasRef) -> Done, Ui Changes ["cells"];
    /// Takes it out again.
    "cells.restore" cells_restore(CanvasRef) -> Done, Ui Changes ["cells"];

    /// Tasks of societies.
    "society.list" society_list(SocietyQuery) -> SocietyTasks, Client Reads ["society"];
    /// Teams that a task can begin with: ours, and those in the data home.
    "society.teams" society_teams(None) -> SocietyTeams, Client Reads ["society-teams"];
    /// The file of a team, as a beginning for one's own.
    "society.team" society_team(SocietyTeamRef) -> Text, Client Reads ["society-teams"];
    /// A new task, whose agents begin at once.
    "society.submit" society_submit(SocietySubmit) -> SocietySubmitted, Ui Changes ["society", "workspaces"];
    /// A new task in which the models' answers of another are given again, and its tools are called anew: no model is
    /// asked.
    "society.replay" society_replay(SocietyReplay) -> SocietySubmitted, Ui Changes ["society", "workspaces"];
    /// A task with its agents and artifacts.
    "society.open" society_open(SocietyOpen) -> SocietyView, Client Reads ["society"];
    /// The same, when nobody has anything to do any more, or it is paused, or the time is over.
    "society.settle" society_settle(SocietySettle) -> SocietyView, Client Reads [];
    /// What was said in a task.
    "society.messages" society_messages(SocietyMessageQuery) -> SocietyMessages, Client Reads ["society"];
    /// What an agent remembers: what it heard, said and called.
    "society.story" society_story(SocietyStoryQuery) -> SocietyStory, Client Reads ["society"];
    /// The content of an artifact.
    "society.artifact" society_artifact(SocietyArtifactRef) -> Text, Client Reads ["society"];
    /// What happened, event by event.
    "society.steps" society_steps(SocietyStepQuery) -> SocietySteps, Client Reads ["society"];
    /// Says something to an agent.
    "society.post" society_post(SocietyPost) -> Done, Ui Changes ["society"];
    /// Begins nothing more; what was begun comes to its end.
    "society.pause" society_pause(SocietyRef) -> Done, Ui Changes ["society"];
    "society.resume" society_resume(SocietyRef) -> Done, Ui Changes ["society"];
    /// Ends an agent and all below it, and what they run.
    "society.stop" society_stop(SocietyStop) -> Done, Ui Changes ["society"];
    /// Another budget for a task.
    "society.budget" society_budget(SocietyBudgeted) -> Done, Ui Changes ["society"];
    "society.rename" society_rename(SocietyRename) -> Done, Ui Changes ["society"];
    /// All that was said and kept, as Markdown.
    "society.export" society_export(SocietyRef) -> Text, Client Reads ["society"];
    /// Into the trash; one that works is stopped before.
    "society.remove" society_remove(SocietyRef) -> Done, Ui Changes ["society"];
    "society.restore" society_restore(SocietyRef) -> Done, Ui Changes ["society"];

    /// The assistant: its browser, what it works on, its settings.
    "assistant.show" assistant_show(None) -> AssistantView, Ui Reads ["assistant"];
    /// What it works on, alone: for whoever watches it being done.
    "assistant.now" assistant_now(None) -> AssistantNow, Ui Reads ["assistant", "assistant-now"];
    /// Changes what is given, leaves the rest.
    "assistant.change" assistant_change(AssistantChange) -> AssistantView, Ui Changes ["assistant"];
    /// What was said and done.
    "assistant.messages" assistant_messages(AssistantMessageQuery) -> AssistantMessages, Ui Reads ["assistant-messages"];
    /// A wish, which is worked on at once. One at a time.
    "assistant.send" assistant_send(AssistantSend) -> AssistantSent, Ui Changes ["assistant", "assistant-messages"];
    /// Ends what is worked on, amid a step.
    "assistant.stop" assistant_stop(None) -> Done, Ui Changes ["assistant"];
    /// The view, when nothing is worked on any more, or the time is over.
    "assistant.settle" assistant_settle(AssistantSettle) -> AssistantView, Ui Reads [];
    /// Forgets the conversation.
    "assistant.clear" assistant_clear(None) -> Done, Ui Changes ["assistant", "assistant-messages"];
    /// Takes back that a site may be worked on whenever it is wished.
    "assistant.forget_site" assistant_forget_site(BrowserNavigate) -> Done, Ui Changes ["assistant"];
    /// Opens an address in the browser for the person herself.
    "assistant.open" assistant_open(BrowserNavigate) -> BrowserAt, Ui Changes ["assistant"];
    /// The page as the person may see it: no model is told.
    "assistant.look" assistant_look(BrowserObserve) -> BrowserPage, Ui Reads [];
    /// Closes the page and forgets what its browser kept.
    "assistant.close" assistant_close(None) -> Done, Ui Changes ["assistant"];
    /// Of the desktop program: the next order for its page window.
    "assistant.work" assistant_work(BrowserWork) -> BrowserOrders, Ui Reads [];

    /// What can be used on the page that is open. The site is asked about the first time.
    "browser.observe" browser_observe(BrowserObserve) -> BrowserPage, Agent Reads [];
    /// One step on it; what cannot be taken back is asked about each time.
    "browser.act" browser_act(BrowserAct) -> BrowserDid, Agent Changes ["assistant"];
    "browser.navigate" browser_navigate(BrowserNavigate) -> BrowserDid, Agent Changes ["assistant"];

    /// What the policy says of a command, which is not run.
    "policy.check" policy_check(PolicyCheck) -> PolicyVerdict, Client Reads [];
}

/// Parameters may be absent, `null` or an object.
type Called<'a> = Pin<Box<dyn Future<Output = Result<Value, Failure>> + Send + 'a>>;

/// A call that is about to be made, on the heap: all of them together in one future, as arms of one
/// match, took more stack than a thread has.
fn called<'a, P, R, F>(name: &str, params: Value, call: impl FnOnce(P) -> F) -> Result<Called<'a>, Failure>
where
    P: DeserializeOwned,
    R: Serialize,
    F: Future<Output = Result<R, Failure>> + Send + 'a,
{
    let called = call(read(name, params)?);
    Ok(Box::pin(async move { write(called.await?) }))
}

fn read<T: DeserializeOwned>(name: &str, params: Value) -> Result<T, Failure> {
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    serde_json::from_value(params).map_err(|error| {
        Failure::new("invalid_args")
            .with("call", name)
            .with("reason", error.to_string())
    })
}

fn write<T: Serialize>(result: T) -> Result<Value, Failure> {
    serde_json::to_value(result).map_err(|error| Failure::new("internal").detail(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ActorKind;

    #[test]
    fn names_are_unique_and_agents_cannot_configure() {
        let mut names: Vec<_> = CALLS.iter().map(|call| call.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CALLS.len());
        let mut agent = Caller::mcp_client("test");
        agent.access = Access::Agent;
        agent.actor.kind = ActorKind::Agent;
        for call in CALLS {
            let person_only = matches!(
                call.name,
                "tool.grant"
                    | "tool.revoke"
                    | "tool.network"
                    | "tool.script"
                    | "tool.configure"
                    | "tool.secret"
                    | "tool.move_secrets"
                    | "tool.file"
                    | "tool.shipped"
                    | "tool.settle"
                    | "tool.migration"
                    | "tool.migrate"
                    | "server.stop"
                    | "server.token"
                    | "token.list"
                    | "token.new"
                    | "token.revoke"
                    | "connect.list"
                    | "connect.write"
                    | "connect.undo"
                    | "settings.change"
                    | "run.cancel"
                    | "npm.install"
                    | "npm.verify"
                    | "npm.cache_verify"
                    | "npm.cache_gc"
                    | "approval.list"
                    | "approval.resolve"
                    | "workspace.bind"
                    | "workspace.unbind"
                    | "workspace.network"
                    | "workspace.restore"
                    | "workspace.undelete"
                    | "workspace.empty_trash"
                    | "workspace.version"
                    | "grant.list"
                    | "grant.add"
                    | "grant.revoke"
                    | "prompt.try"
                    | "prompt.optimise"
                    | "cells.change"
                    | "cells.source"
                    | "cells.remove"
                    | "cells.restore"
                    | "society.submit"
                    | "society.replay"
                    | "society.post"
                    | "society.pause"
                    | "society.resume"
                    | "society.stop"
                    | "society.budget"
                    | "society.rename"
                    | "society.remove"
                    | "society.restore"
            ) || ["terminal.", "models.", "assistant."]
                .iter()
                .any(|room| call.name.starts_with(room));
            if person_only {
                assert!(agent.check(call).is_err(), "{}", call.name);
                assert!(Caller::mcp_client("x").check(call).is_err(), "{}", call.name);
            }
            assert!(Caller::person("pm").check(call).is_ok());
        }
    }
}
