//! The table of calls, implemented. Each method finds the room that does it and turns domain
//! values into wire types; nothing else.

mod actors;
mod approvals;
mod artifacts;
mod assistant;
mod cells;
mod checks;
mod commands;
mod grants;
mod lifecycle;
mod logs;
mod model_runs;
mod models;
mod network;
mod npm;
mod owner;
mod pages;
mod prompts;
mod runs;
mod scripts;
mod settings;
mod shipped;
mod skills;
mod society;
mod terminals;
mod tokens;
mod tool_parts;
mod tools;
mod workspaces;

pub(crate) use owner::doctor;
pub(crate) use tokens::seen;

use crate::app::App;
use crate::approvals::Nowhere;
use actors::actor_of;
use base::Failure;
use pages::{PAGE, window};
// Every type of the table.
use wire::*;

impl Api for App {
    async fn server_hello(&self, _: &Caller, _: None) -> Result<Hello, Failure> {
        Ok(owner::hello(self).await)
    }
    async fn server_stop(&self, caller: &Caller, _: None) -> Result<Done, Failure> {
        tracing::info!(by = caller.actor.name, "asked to end");
        self.end();
        Ok(Done {})
    }
    async fn server_link(&self, _: &Caller, _: None) -> Result<Link, Failure> {
        owner::link(self)
    }
    async fn server_token(&self, _: &Caller, _: None) -> Result<Token, Failure> {
        Ok(settings::token(self))
    }
    async fn server_check(&self, _: &Caller, _: None) -> Result<ServerCheck, Failure> {
        Ok(crate::check::check(self).await)
    }
    async fn settings_show(&self, _: &Caller, _: None) -> Result<SettingsView, Failure> {
        Ok(settings::show(self).await)
    }
    async fn settings_sizes(&self, _: &Caller, _: None) -> Result<Sizes, Failure> {
        settings::sizes(self).await
    }
    async fn home_backup(&self, _: &Caller, params: HomeBackup) -> Result<HomeBackedUp, Failure> {
        settings::back_up(self, params.path).await
    }
    async fn settings_change(
        &self,
        caller: &Caller,
        params: SettingsChange,
    ) -> Result<SettingsView, Failure> {
        settings::change(self, caller, params).await
    }
    async fn token_list(&self, _: &Caller, _: None) -> Result<TokenList, Failure> {
        tokens::list(self).await
    }
    async fn token_new(&self, caller: &Caller, params: TokenNew) -> Result<TokenMade, Failure> {
        let TokenNew { name, scope } = params;
        let token = crate::tokens::make(self, &name, scope, actor_of(caller)).await?;
        Ok(TokenMade { name, token })
    }
    async fn token_revoke(&self, caller: &Caller, params: TokenRef) -> Result<Done, Failure> {
        crate::tokens::revoke(self, &params.name, actor_of(caller)).await?;
        Ok(Done {})
    }
    async fn connect_list(&self, _: &Caller, _: None) -> Result<ClientConfigs, Failure> {
        let clients = crate::connect::list(self).await?;
        Ok(ClientConfigs { clients })
    }
    async fn connect_write(&self, _: &Caller, params: ClientRef) -> Result<ClientConfig, Failure> {
        crate::connect::write(self, &params.client).await
    }
    async fn connect_undo(&self, _: &Caller, params: ClientRef) -> Result<ClientConfig, Failure> {
        crate::connect::undo(self, &params.client).await
    }
    async fn doctor_report(&self, _: &Caller, _: None) -> Result<Doctor, Failure> {
        Ok(owner::doctor(self).await)
    }
    async fn server_diagnostics(&self, _: &Caller, _: None) -> Result<Text, Failure> {
        let text = crate::diagnostics::text(self).await?;
        Ok(Text { text })
    }
    async fn tool_list(&self, _: &Caller, _: None) -> Result<ToolList, Failure> {
        let tools = self.inner.toolbox.glance().await?;
        tools::list(self, &tools).await
    }
    async fn tool_show(&self, _: &Caller, params: ToolRef) -> Result<ToolDetail, Failure> {
        tools::show(self, &params.tool).await
    }
    async fn tool_manual(&self, _: &Caller, params: ToolRef) -> Result<Text, Failure> {
        let text = self.inner.toolbox.manual(&tools::name(&params.tool)?).await?;
        Ok(Text { text })
    }
    async fn tool_run(&self, caller: &Caller, params: ToolRun) -> Result<RunResult, Failure> {
        tools::run(self, caller, params).await
    }
    async fn tool_configure(&self, caller: &Caller, params: ToolConfigure) -> Result<Configured, Failure> {
        tools::configure(self, caller, params).await
    }
    async fn tool_validate(&self, _: &Caller, params: ToolValidate) -> Result<ToolValidated, Failure> {
        checks::validate(self, params).await
    }
    async fn tool_variables(&self, _: &Caller, params: ToolRef) -> Result<Variables, Failure> {
        tool_parts::variables(self, &params.tool).await
    }
    async fn tool_secret(&self, caller: &Caller, params: VariableRef) -> Result<Text, Failure> {
        tool_parts::secret(self, caller, params).await
    }
    async fn tool_move_secrets(&self, caller: &Caller, params: ToolRef) -> Result<SecretsMoved, Failure> {
        tool_parts::move_secrets(self, caller, &params.tool).await
    }
    async fn tool_files(&self, _: &Caller, params: FileRef) -> Result<FileList, Failure> {
        tool_parts::files(self, params).await
    }
    async fn tool_file(&self, _: &Caller, params: FileRef) -> Result<FileView, Failure> {
        tool_parts::file(self, params).await
    }
    async fn log_window(&self, _: &Caller, params: LogWindowQuery) -> Result<LogWindow, Failure> {
        logs::window(self, params).await
    }
    async fn log_find(&self, _: &Caller, params: LogFindQuery) -> Result<LogFound, Failure> {
        logs::find(self, params).await
    }
    async fn tool_log(&self, _: &Caller, params: ToolLog) -> Result<LogLines, Failure> {
        tools::log(self, params).await
    }
    async fn tool_rescan(&self, _: &Caller, _: None) -> Result<ToolList, Failure> {
        let tools = self.inner.toolbox.rescan().await?;
        tools::list(self, &tools).await
    }
    async fn tool_grants(&self, _: &Caller, params: ToolRef) -> Result<Grants, Failure> {
        tools::grants(self, &params.tool).await
    }
    async fn tool_grant(&self, caller: &Caller, params: GrantChange) -> Result<Grants, Failure> {
        tools::grant(self, caller, params).await
    }
    async fn tool_revoke(&self, caller: &Caller, params: GrantChange) -> Result<Grants, Failure> {
        tools::revoke(self, caller, params).await
    }
    async fn tool_network(&self, caller: &Caller, params: ToolNetworkChange) -> Result<Grants, Failure> {
        network::of_tool(self, caller, params).await
    }
    async fn tool_processes(&self, caller: &Caller, params: ToolProcessesChange) -> Result<Grants, Failure> {
        network::processes_of_tool(self, caller, params).await
    }
    async fn tool_preview(&self, _: &Caller, params: ToolSource) -> Result<ToolPreview, Failure> {
        lifecycle::preview(self, params).await
    }
    async fn tool_install(&self, caller: &Caller, params: ToolInstall) -> Result<ToolInstalled, Failure> {
        lifecycle::install(self, caller, params).await
    }
    async fn tool_versions(&self, _: &Caller, params: ToolRef) -> Result<ToolVersions, Failure> {
        lifecycle::versions(self, params).await
    }
    async fn tool_rollback(&self, caller: &Caller, params: ToolVersionRef) -> Result<ToolVersionIs, Failure> {
        lifecycle::rollback(self, caller, params).await
    }
    async fn tool_remove(&self, caller: &Caller, params: ToolRemove) -> Result<RemovedToolRef, Failure> {
        lifecycle::remove(self, caller, params).await
    }
    async fn tool_removed(&self, _: &Caller, _: None) -> Result<RemovedTools, Failure> {
        lifecycle::removed(self).await
    }
    async fn external_list(&self, _: &Caller, _: None) -> Result<ExternalList, Failure> {
        let servers = crate::external::list(self)?;
        Ok(ExternalList { servers })
    }
    async fn external_show(&self, _: &Caller, params: ExternalRef) -> Result<ExternalDetail, Failure> {
        crate::external::detail(self, &params.name).await
    }
    async fn external_bundle(
        &self,
        _: &Caller,
        params: ExternalBundleRef,
    ) -> Result<ExternalBundle, Failure> {
        crate::external::look_at_bundle(self, &params.path).await
    }
    async fn external_add(&self, caller: &Caller, params: ExternalAdd) -> Result<ExternalAdded, Failure> {
        crate::external::add(self, &actor_of(caller), params).await
    }
    async fn external_remove(&self, caller: &Caller, params: ExternalRef) -> Result<Done, Failure> {
        crate::external::remove(self, &actor_of(caller), &params.name).await?;
        Ok(Done {})
    }
    async fn external_switch(&self, _: &Caller, params: ExternalSwitch) -> Result<ExternalDetail, Failure> {
        crate::external::switch(self, params).await
    }
    async fn external_restart(&self, _: &Caller, params: ExternalRef) -> Result<ExternalDetail, Failure> {
        crate::external::restart(self, &params.name).await
    }
    async fn external_approve(&self, _: &Caller, params: ExternalApprove) -> Result<ExternalDetail, Failure> {
        crate::external::approve(self, params).await
    }
    async fn external_grant(
        &self,
        caller: &Caller,
        params: ExternalGrant,
    ) -> Result<ExternalDetail, Failure> {
        crate::external::grant(self, &actor_of(caller), params).await
    }
    async fn tool_restore(&self, caller: &Caller, params: RemovedToolRef) -> Result<ToolRef, Failure> {
        lifecycle::restore(self, caller, params).await
    }
    async fn tool_new(&self, caller: &Caller, params: ToolNew) -> Result<ToolMade, Failure> {
        lifecycle::create(self, caller, params).await
    }
    async fn tool_shipped(&self, _: &Caller, params: ToolRef) -> Result<ToolShipped, Failure> {
        shipped::show(self, &params.tool).await
    }
    async fn tool_settle(&self, caller: &Caller, params: ToolSettle) -> Result<ToolShipped, Failure> {
        shipped::settle(self, caller, params).await
    }
    async fn tool_migration(&self, _: &Caller, _: None) -> Result<ToolMigration, Failure> {
        shipped::migration(self).await
    }
    async fn tool_migrate(&self, caller: &Caller, params: ToolMigrate) -> Result<ToolMigration, Failure> {
        shipped::migrate(self, caller, params).await
    }
    async fn tool_script(&self, caller: &Caller, params: ToolScriptChange) -> Result<Done, Failure> {
        npm::script(self, caller, params).await
    }
    async fn tool_dependencies(&self, _: &Caller, params: ToolRef) -> Result<ToolDependencies, Failure> {
        npm::dependencies(self, &params.tool).await
    }
    async fn tool_advisories(&self, _: &Caller, params: ToolRef) -> Result<Advisories, Failure> {
        npm::advisories(self, &params.tool).await
    }
    async fn npm_install(&self, caller: &Caller, params: NpmInstall) -> Result<NpmInstalled, Failure> {
        npm::install(self, caller, params).await
    }
    async fn npm_verify(&self, _: &Caller, params: NpmTarget) -> Result<NpmVerified, Failure> {
        npm::verify(self, params).await
    }
    async fn npm_cache(&self, _: &Caller, _: None) -> Result<NpmCache, Failure> {
        npm::cache(self).await
    }
    async fn npm_cache_verify(&self, _: &Caller, _: None) -> Result<NpmCacheVerified, Failure> {
        npm::cache_verify(self).await
    }
    async fn npm_cache_gc(&self, _: &Caller, _: None) -> Result<NpmCache, Failure> {
        npm::cache_gc(self, std::time::Duration::ZERO).await
    }
    async fn toolm(&self, caller: &Caller, params: ToolmParams) -> Result<McpContent, Failure> {
        Ok(tools::toolm_of_all(self, caller, params).await)
    }
    async fn run_javascript(&self, caller: &Caller, params: ScriptParams) -> Result<ScriptResult, Failure> {
        scripts::run(self, caller, params, self.inner.cancel.child_token()).await
    }
    async fn approval_list(&self, _: &Caller, params: ApprovalQuery) -> Result<ApprovalList, Failure> {
        approvals::list(self, params).await
    }
    async fn approval_resolve(
        &self,
        caller: &Caller,
        params: ApprovalResolve,
    ) -> Result<ApprovalRow, Failure> {
        approvals::resolve(self, caller, params).await
    }
    async fn run_list(&self, _: &Caller, params: RunQuery) -> Result<RunList, Failure> {
        runs::list(self, params).await
    }
    async fn run_show(&self, _: &Caller, params: RunRef) -> Result<RunDetail, Failure> {
        runs::show(self, &params.run).await
    }
    async fn run_active(&self, _: &Caller, _: None) -> Result<ActiveRuns, Failure> {
        Ok(runs::active(self))
    }
    async fn run_watch(&self, _: &Caller, params: RunWatch) -> Result<RunNews, Failure> {
        runs::watch(self, params).await
    }
    async fn run_cancel(&self, caller: &Caller, params: RunRef) -> Result<Done, Failure> {
        runs::cancel(self, caller, &params.run).await
    }
    async fn artifact_list(&self, _: &Caller, params: Page) -> Result<ArtifactList, Failure> {
        artifacts::list(self, params).await
    }
    async fn artifact_show(&self, _: &Caller, params: ArtifactRef) -> Result<ArtifactDetail, Failure> {
        artifacts::show(self, &params.id).await
    }
    async fn artifact_remove(&self, caller: &Caller, params: ArtifactRef) -> Result<Done, Failure> {
        artifacts::remove(self, caller, &params.id).await
    }
    async fn artifact_restore(&self, caller: &Caller, params: ArtifactRef) -> Result<Done, Failure> {
        artifacts::restore(self, caller, &params.id).await
    }
    async fn workspace_list(&self, caller: &Caller, _: None) -> Result<WorkspaceList, Failure> {
        Ok(workspaces::list(self, caller))
    }
    async fn workspace_bind(&self, caller: &Caller, params: WorkspaceBind) -> Result<WorkspaceRow, Failure> {
        workspaces::bind(self, caller, params).await
    }
    async fn workspace_unbind(&self, caller: &Caller, params: WorkspaceRef) -> Result<Unbound, Failure> {
        workspaces::unbind(self, caller, params).await
    }
    async fn workspace_network(
        &self,
        caller: &Caller,
        params: WorkspaceNetworkChange,
    ) -> Result<WorkspaceNetwork, Failure> {
        network::change(self, caller, params).await
    }
    async fn workspace_info(&self, _: &Caller, params: WorkspaceRef) -> Result<WorkspaceNumbers, Failure> {
        workspaces::info(self, params).await
    }
    async fn workspace_ls(&self, _: &Caller, params: WorkspaceFolder) -> Result<WorkspaceEntries, Failure> {
        workspaces::ls(self, params).await
    }
    async fn workspace_read(&self, _: &Caller, params: WorkspaceRead) -> Result<WorkspaceContent, Failure> {
        workspaces::read(self, params).await
    }
    async fn workspace_search(
        &self,
        _: &Caller,
        params: WorkspaceSearch,
    ) -> Result<WorkspaceMatches, Failure> {
        workspaces::search(self, params).await
    }
    async fn workspace_write(
        &self,
        caller: &Caller,
        params: WorkspaceWrite,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::write(self, caller, params).await
    }
    async fn workspace_append(
        &self,
        caller: &Caller,
        params: WorkspaceWrite,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::append(self, caller, params).await
    }
    async fn workspace_edit(
        &self,
        caller: &Caller,
        params: WorkspaceEdit,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::edit(self, caller, params).await
    }
    async fn workspace_move(
        &self,
        caller: &Caller,
        params: WorkspaceMove,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::move_file(self, caller, params).await
    }
    async fn workspace_delete(
        &self,
        caller: &Caller,
        params: WorkspacePath,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::delete(self, caller, params).await
    }
    async fn workspace_run(&self, caller: &Caller, params: WorkspaceRun) -> Result<WorkspaceRan, Failure> {
        commands::run(self, caller, params, &self.cancel, &Nowhere).await
    }
    async fn workspace_commands(
        &self,
        _: &Caller,
        params: WorkspaceCommands,
    ) -> Result<CommandList, Failure> {
        commands::list(self, params).await
    }
    async fn workspace_command(&self, _: &Caller, params: RunRef) -> Result<CommandDetail, Failure> {
        commands::show(self, &params.run).await
    }
    async fn workspace_isolation(
        &self,
        _: &Caller,
        params: WorkspaceRef,
    ) -> Result<WorkspaceIsolation, Failure> {
        grants::isolation(self, params).await
    }
    async fn workspace_history(&self, _: &Caller, params: WorkspaceHistory) -> Result<ChangeList, Failure> {
        workspaces::history(self, params).await
    }
    async fn workspace_version(
        &self,
        _: &Caller,
        params: WorkspaceVersion,
    ) -> Result<VersionContent, Failure> {
        workspaces::version_of(self, params).await
    }
    async fn workspace_diff(&self, _: &Caller, params: WorkspaceCompare) -> Result<WorkspaceDiff, Failure> {
        workspaces::diff(self, params).await
    }
    async fn workspace_restore(
        &self,
        caller: &Caller,
        params: WorkspaceRestore,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::restore(self, caller, params).await
    }
    async fn workspace_trash(&self, _: &Caller, params: WorkspaceRef) -> Result<ChangeList, Failure> {
        workspaces::trash(self, params).await
    }
    async fn workspace_undelete(
        &self,
        caller: &Caller,
        params: WorkspaceUndelete,
    ) -> Result<WorkspaceChanged, Failure> {
        workspaces::undelete(self, caller, params).await
    }
    async fn workspace_empty_trash(
        &self,
        caller: &Caller,
        params: WorkspaceRef,
    ) -> Result<TrashEmptied, Failure> {
        workspaces::empty_trash(self, caller, params).await
    }
    async fn terminal_open(&self, caller: &Caller, params: TerminalOpen) -> Result<TerminalRow, Failure> {
        terminals::open(self, caller, params).await
    }
    async fn terminal_list(&self, _: &Caller, params: TerminalQuery) -> Result<TerminalList, Failure> {
        Ok(terminals::list(self, params))
    }
    async fn terminal_input(&self, _: &Caller, params: TerminalInput) -> Result<Done, Failure> {
        terminals::input(self, params).await
    }
    async fn terminal_resize(&self, _: &Caller, params: TerminalResize) -> Result<Done, Failure> {
        terminals::resize(self, params)
    }
    async fn terminal_watch(&self, _: &Caller, params: TerminalWatch) -> Result<TerminalNews, Failure> {
        terminals::watch(self, params).await
    }
    async fn terminal_close(&self, _: &Caller, params: TerminalRef) -> Result<Done, Failure> {
        terminals::close(self, params).await
    }
    async fn grant_list(&self, _: &Caller, params: GrantQuery) -> Result<GrantList, Failure> {
        grants::list(self, params).await
    }
    async fn grant_add(&self, caller: &Caller, params: GrantRef) -> Result<GrantRow, Failure> {
        grants::add(self, caller, params).await
    }
    async fn grant_revoke(&self, caller: &Caller, params: GrantRef) -> Result<Done, Failure> {
        grants::revoke(self, caller, params).await
    }
    async fn prompt_list(&self, _: &Caller, params: PromptQuery) -> Result<PromptList, Failure> {
        prompts::list(self, params).await
    }
    async fn prompt_show(&self, _: &Caller, params: PromptRef) -> Result<PromptDetail, Failure> {
        prompts::show(self, params).await
    }
    async fn prompt_fill(&self, _: &Caller, params: PromptFill) -> Result<PromptFilled, Failure> {
        prompts::fill(self, params).await
    }
    async fn prompt_create(&self, _: &Caller, params: PromptCreate) -> Result<PromptDetail, Failure> {
        prompts::create(self, params).await
    }
    async fn prompt_save(&self, _: &Caller, params: PromptSave) -> Result<PromptDetail, Failure> {
        prompts::save(self, params).await
    }
    async fn prompt_move(&self, _: &Caller, params: PromptMove) -> Result<PromptDetail, Failure> {
        prompts::relocate(self, params).await
    }
    async fn prompt_remove(&self, _: &Caller, params: PromptPath) -> Result<Done, Failure> {
        prompts::remove(self, params).await
    }
    async fn prompt_switch(&self, _: &Caller, params: PromptSwitch) -> Result<Done, Failure> {
        prompts::switch(self, params).await
    }
    async fn prompt_versions(&self, _: &Caller, params: PromptPath) -> Result<PromptVersions, Failure> {
        prompts::versions(self, params).await
    }
    async fn prompt_version(&self, _: &Caller, params: PromptVersionRef) -> Result<Text, Failure> {
        prompts::version_text(self, params).await
    }
    async fn prompt_diff(&self, _: &Caller, params: PromptVersionRef) -> Result<Text, Failure> {
        prompts::diff(self, params).await
    }
    async fn prompt_restore(&self, _: &Caller, params: PromptVersionRef) -> Result<PromptDetail, Failure> {
        prompts::restore(self, params).await
    }
    async fn prompt_removed(&self, _: &Caller, _: None) -> Result<PromptVersions, Failure> {
        prompts::removed(self).await
    }
    async fn prompt_preview(&self, _: &Caller, params: PromptImport) -> Result<PromptImports, Failure> {
        prompts::preview(self, params).await
    }
    async fn prompt_import(&self, _: &Caller, params: PromptImport) -> Result<PromptImports, Failure> {
        prompts::import(self, params).await
    }
    async fn prompt_try(&self, caller: &Caller, params: PromptTry) -> Result<PromptTried, Failure> {
        model_runs::try_prompt(self, caller, params).await
    }
    async fn prompt_optimise(
        &self,
        caller: &Caller,
        params: PromptOptimise,
    ) -> Result<PromptOptimised, Failure> {
        model_runs::optimise(self, caller, params).await
    }
    async fn models_list(&self, _: &Caller, _: None) -> Result<ModelList, Failure> {
        models::list(self).await
    }
    async fn models_save(&self, caller: &Caller, params: ModelSave) -> Result<ModelList, Failure> {
        models::save(self, caller, params).await
    }
    async fn models_remove(&self, caller: &Caller, params: ModelRef) -> Result<ModelList, Failure> {
        models::remove(self, caller, params).await
    }
    async fn models_default(&self, caller: &Caller, params: ModelRef) -> Result<ModelList, Failure> {
        models::choose(self, caller, params).await
    }
    async fn models_key(&self, caller: &Caller, params: ModelKey) -> Result<ModelList, Failure> {
        models::key(self, caller, params).await
    }
    async fn models_test(&self, caller: &Caller, params: ModelRef) -> Result<ModelTested, Failure> {
        models::test(self, caller, params).await
    }
    async fn skill_list(&self, _: &Caller, params: SkillQuery) -> Result<SkillList, Failure> {
        skills::list(self, params).await
    }
    async fn skill_show(&self, _: &Caller, params: SkillRef) -> Result<SkillDetail, Failure> {
        skills::show(self, params).await
    }
    async fn skill_file(&self, _: &Caller, params: SkillFileRef) -> Result<FileView, Failure> {
        skills::file(self, params).await
    }
    async fn skill_create(&self, _: &Caller, params: SkillCreate) -> Result<SkillDetail, Failure> {
        skills::create(self, params).await
    }
    async fn skill_save(&self, _: &Caller, params: SkillSave) -> Result<SkillDetail, Failure> {
        skills::save(self, params).await
    }
    async fn skill_import(&self, _: &Caller, params: SkillImport) -> Result<SkillImports, Failure> {
        skills::import(self, params).await
    }
    async fn skill_remove(&self, _: &Caller, params: SkillRef) -> Result<SkillVersion, Failure> {
        skills::remove(self, params).await
    }
    async fn skill_switch(&self, _: &Caller, params: SkillSwitch) -> Result<Done, Failure> {
        skills::switch(self, params).await
    }
    async fn skill_versions(&self, _: &Caller, params: SkillRef) -> Result<SkillVersions, Failure> {
        skills::versions(self, params).await
    }
    async fn skill_removed(&self, _: &Caller, _: None) -> Result<SkillVersions, Failure> {
        skills::removed(self).await
    }
    async fn skill_diff(&self, _: &Caller, params: SkillVersionRef) -> Result<Text, Failure> {
        skills::diff(self, params).await
    }
    async fn skill_restore(&self, _: &Caller, params: SkillVersionRef) -> Result<SkillDetail, Failure> {
        skills::restore(self, params).await
    }
    async fn skill_clients(&self, _: &Caller, _: None) -> Result<SkillClients, Failure> {
        skills::clients(self).await
    }
    async fn skill_client(
        &self,
        caller: &Caller,
        params: SkillClientChange,
    ) -> Result<SkillClients, Failure> {
        skills::client(self, caller, params).await
    }
    async fn skill_sync(&self, _: &Caller, _: None) -> Result<SkillsSynced, Failure> {
        skills::sync(self).await
    }
    async fn skill_compare(&self, _: &Caller, params: SkillPlaceRef) -> Result<SkillDifferences, Failure> {
        skills::compare(self, params).await
    }
    async fn skill_resolve(&self, _: &Caller, params: SkillResolve) -> Result<SkillDetail, Failure> {
        skills::resolve(self, params).await
    }
    async fn cells_list(&self, _: &Caller, params: CanvasQuery) -> Result<CanvasList, Failure> {
        cells::list(self, params).await
    }
    async fn cells_create(&self, caller: &Caller, params: CanvasCreate) -> Result<CanvasView, Failure> {
        cells::create(self, caller, params).await
    }
    async fn cells_open(&self, _: &Caller, params: CanvasOpen) -> Result<CanvasView, Failure> {
        cells::open(self, params).await
    }
    async fn cells_append(&self, caller: &Caller, params: CellAppend) -> Result<CellChanged, Failure> {
        cells::append(self, caller, params).await
    }
    async fn cells_run(&self, caller: &Caller, params: CellRun) -> Result<CellChanged, Failure> {
        cells::run(self, caller, params).await
    }
    async fn cells_run_stale(&self, caller: &Caller, params: CellRun) -> Result<CellChanged, Failure> {
        cells::run_stale(self, caller, params).await
    }
    async fn cells_edit(&self, caller: &Caller, params: CellEdit) -> Result<CellChanged, Failure> {
        cells::edit(self, caller, params).await
    }
    async fn cells_answer(&self, caller: &Caller, params: CellAnswer) -> Result<CellChanged, Failure> {
        cells::answer(self, caller, params).await
    }
    async fn cells_refuse(&self, caller: &Caller, params: CellRefuse) -> Result<CellChanged, Failure> {
        cells::refuse(self, caller, params).await
    }
    async fn cells_interrupt(&self, caller: &Caller, params: CellInterrupt) -> Result<CellChanged, Failure> {
        cells::interrupt(self, caller, params).await
    }
    async fn cells_settle(&self, _: &Caller, params: CanvasSettle) -> Result<CanvasView, Failure> {
        cells::settle(self, params).await
    }
    async fn cells_stale(&self, _: &Caller, params: CanvasRef) -> Result<StaleCells, Failure> {
        cells::stale(self, &params.canvas).await
    }
    async fn cells_change(&self, caller: &Caller, params: CanvasChange) -> Result<CellChanged, Failure> {
        cells::change(self, caller, params).await
    }
    async fn cells_source(&self, caller: &Caller, params: CanvasSource) -> Result<CanvasView, Failure> {
        cells::source(self, caller, params).await
    }
    async fn cells_export(&self, _: &Caller, params: CanvasExport) -> Result<Text, Failure> {
        cells::export(self, params).await
    }
    async fn cells_convert(&self, _: &Caller, params: CanvasConvert) -> Result<Text, Failure> {
        cells::convert(params)
    }
    async fn cells_check(&self, _: &Caller, params: CellText) -> Result<CellChecked, Failure> {
        cells::check(self, &params.text)
    }
    async fn cells_remove(&self, caller: &Caller, params: CanvasRef) -> Result<Done, Failure> {
        cells::remove(self, caller, &params.canvas).await
    }
    async fn cells_restore(&self, caller: &Caller, params: CanvasRef) -> Result<Done, Failure> {
        cells::restore(self, caller, &params.canvas).await
    }
    async fn society_list(&self, _: &Caller, params: SocietyQuery) -> Result<SocietyTasks, Failure> {
        society::list(self, params).await
    }
    async fn society_teams(&self, _: &Caller, _: None) -> Result<SocietyTeams, Failure> {
        society::teams(self).await
    }
    async fn society_team(&self, _: &Caller, params: SocietyTeamRef) -> Result<Text, Failure> {
        society::team(self, params).await
    }
    async fn society_submit(
        &self,
        caller: &Caller,
        params: SocietySubmit,
    ) -> Result<SocietySubmitted, Failure> {
        society::submit(self, caller, params).await
    }
    async fn society_replay(&self, caller: &Caller, by: SocietyReplay) -> Result<SocietySubmitted, Failure> {
        society::replay(self, caller, by).await
    }
    async fn society_open(&self, caller: &Caller, params: SocietyOpen) -> Result<SocietyView, Failure> {
        society::open(self, caller, params).await
    }
    async fn society_settle(&self, caller: &Caller, params: SocietySettle) -> Result<SocietyView, Failure> {
        society::settle(self, caller, params).await
    }
    async fn society_messages(
        &self,
        _: &Caller,
        params: SocietyMessageQuery,
    ) -> Result<SocietyMessages, Failure> {
        society::messages(self, params).await
    }
    async fn society_story(&self, _: &Caller, params: SocietyStoryQuery) -> Result<SocietyStory, Failure> {
        society::story(self, params).await
    }
    async fn society_artifact(&self, _: &Caller, params: SocietyArtifactRef) -> Result<Text, Failure> {
        society::artifact(self, params).await
    }
    async fn society_steps(&self, _: &Caller, params: SocietyStepQuery) -> Result<SocietySteps, Failure> {
        society::steps(self, params).await
    }
    async fn society_post(&self, _: &Caller, params: SocietyPost) -> Result<Done, Failure> {
        society::post(self, params).await
    }
    async fn society_pause(&self, _: &Caller, params: SocietyRef) -> Result<Done, Failure> {
        society::pause(self, params).await
    }
    async fn society_resume(&self, _: &Caller, params: SocietyRef) -> Result<Done, Failure> {
        society::resume(self, params).await
    }
    async fn society_stop(&self, _: &Caller, params: SocietyStop) -> Result<Done, Failure> {
        society::stop(self, params).await
    }
    async fn society_budget(&self, _: &Caller, params: SocietyBudgeted) -> Result<Done, Failure> {
        society::budget(self, params).await
    }
    async fn society_rename(&self, _: &Caller, params: SocietyRename) -> Result<Done, Failure> {
        society::rename(self, params).await
    }
    async fn society_export(&self, _: &Caller, params: SocietyRef) -> Result<Text, Failure> {
        society::export(self, params).await
    }
    async fn society_remove(&self, caller: &Caller, params: SocietyRef) -> Result<Done, Failure> {
        society::remove(self, caller, params).await
    }
    async fn society_restore(&self, caller: &Caller, params: SocietyRef) -> Result<Done, Failure> {
        society::restore(self, caller, params).await
    }
    async fn assistant_show(&self, _: &Caller, _: None) -> Result<AssistantView, Failure> {
        assistant::show(self).await
    }
    async fn assistant_now(&self, _: &Caller, _: None) -> Result<AssistantNow, Failure> {
        Ok(AssistantNow {
            wish: assistant::wish(self),
        })
    }
    async fn assistant_change(
        &self,
        caller: &Caller,
        params: AssistantChange,
    ) -> Result<AssistantView, Failure> {
        assistant::change(self, caller, params).await
    }
    async fn assistant_messages(
        &self,
        _: &Caller,
        params: AssistantMessageQuery,
    ) -> Result<AssistantMessages, Failure> {
        assistant::messages(self, params).await
    }
    async fn assistant_send(&self, _: &Caller, params: AssistantSend) -> Result<AssistantSent, Failure> {
        let wish = crate::assistant::send(self, &params.text).await?;
        Ok(AssistantSent { wish })
    }
    async fn assistant_stop(&self, _: &Caller, _: None) -> Result<Done, Failure> {
        self.inner.assistant.stop();
        Ok(Done {})
    }
    async fn assistant_settle(&self, _: &Caller, params: AssistantSettle) -> Result<AssistantView, Failure> {
        assistant::settle(self, params).await
    }
    async fn assistant_clear(&self, caller: &Caller, _: None) -> Result<Done, Failure> {
        assistant::clear(self, caller).await
    }
    async fn assistant_forget_site(&self, caller: &Caller, params: BrowserNavigate) -> Result<Done, Failure> {
        assistant::forget_site(self, caller, params.to).await
    }
    async fn assistant_open(&self, _: &Caller, params: BrowserNavigate) -> Result<BrowserAt, Failure> {
        assistant::open(self, &params.to).await
    }
    async fn assistant_look(&self, _: &Caller, params: BrowserObserve) -> Result<BrowserPage, Failure> {
        assistant::look(self, params).await
    }
    async fn assistant_close(&self, _: &Caller, _: None) -> Result<Done, Failure> {
        assistant::close(self).await
    }
    async fn assistant_work(&self, _: &Caller, params: BrowserWork) -> Result<BrowserOrders, Failure> {
        let order = self.inner.browsers.window.work(&params.window, params.done).await;
        Ok(BrowserOrders { order })
    }
    async fn browser_observe(&self, caller: &Caller, params: BrowserObserve) -> Result<BrowserPage, Failure> {
        assistant::observe(self, caller, params, &self.cancel).await
    }
    async fn browser_act(&self, caller: &Caller, params: BrowserAct) -> Result<BrowserDid, Failure> {
        crate::assistant::act(self, caller, params, &self.cancel).await
    }
    async fn browser_navigate(
        &self,
        caller: &Caller,
        params: BrowserNavigate,
    ) -> Result<BrowserDid, Failure> {
        crate::assistant::navigate(self, caller, params.to, &self.cancel).await
    }
    async fn policy_check(&self, _: &Caller, params: PolicyCheck) -> Result<PolicyVerdict, Failure> {
        workspaces::check(self, params).await
    }
}

pub(crate) use actors::{actor, wire_actor};
pub(crate) use artifacts::id_of;
pub(crate) use cells::waited_for;
pub(crate) use commands::{OpenCommands, run as run_command};
pub(crate) use npm::cache_gc;
pub(crate) use prompts::with as with_library;
pub(crate) use scripts::run as run_script;
pub(crate) use tools::{parameters_schema, toolm};
