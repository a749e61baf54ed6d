//! Whom the commands of a task and whom a tool can reach: what a person says, and what holds.

use super::{actor_of, tools};
use crate::app::App;
use base::Failure;
use wire::{
    Caller, Grants, NetworkMode, ToolNetworkChange, ToolProcessesChange, WorkspaceNetwork,
    WorkspaceNetworkChange,
};
use workspace::network::Reach;

pub(super) async fn change(
    app: &App,
    caller: &Caller,
    params: WorkspaceNetworkChange,
) -> Result<WorkspaceNetwork, Failure> {
    // Only for a task that has a workspace: a slip of the pen would wait for a later one.
    app.inner.workspaces.get(&params.task_id)?;
    let networks = &app.inner.networks;
    let wanted = match params.mode {
        None => return Ok(shown(networks.of(&params.task_id).await?)),
        Some(NetworkMode::Off) => Reach::Off,
        Some(NetworkMode::Hosts) => Reach::Hosts(params.hosts),
        Some(NetworkMode::Full) => Reach::Full,
    };
    let reach = networks.set(&params.task_id, wanted, actor_of(caller)).await?;
    Ok(shown(reach))
}

pub(super) fn shown(reach: Reach) -> WorkspaceNetwork {
    let (mode, hosts) = match reach {
        Reach::Off => (NetworkMode::Off, Vec::new()),
        Reach::Hosts(hosts) => (NetworkMode::Hosts, hosts),
        Reach::Full => (NetworkMode::Full, Vec::new()),
    };
    WorkspaceNetwork { mode, hosts }
}

pub(super) async fn of_tool(
    app: &App,
    caller: &Caller,
    params: ToolNetworkChange,
) -> Result<Grants, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&tools::name(&params.tool)?).await?;
    let actor = actor_of(caller);
    for host in &params.grant {
        toolbox.grant_host(&tool, host, &actor).await?;
    }
    for host in &params.revoke {
        if !toolbox.revoke_host(&tool.name, host, &actor).await? {
            return Err(Failure::new("grant_not_found").with("directory", host.as_str()));
        }
    }
    tools::grants(app, &params.tool).await
}

pub(super) async fn processes_of_tool(
    app: &App,
    caller: &Caller,
    params: ToolProcessesChange,
) -> Result<Grants, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&tools::name(&params.tool)?).await?;
    let actor = actor_of(caller);
    if params.allow {
        toolbox.grant_processes(&tool, &actor).await?;
    } else if !toolbox.revoke_processes(&tool.name, &actor).await? {
        return Err(Failure::new("grant_not_found").with("directory", "processes"));
    }
    tools::grants(app, &params.tool).await
}
