//! The table. A row reads: name, method, parameters -> result, who may, what it does to which tags.

use crate::client::{Client, ClientError};
use crate::table::{Access, CallInfo, Caller, Effect};
use crate::types::*;
use base::Failure;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;

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
            match name {
                $($name => write(api.$method(caller, read(name, params)?).await?),)*
                _ => Err(Failure::new("unknown_call").with("call", name)),
            }
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
    "tool.configure" tool_configure(ToolConfigure) -> Configured, Ui Changes ["tools"];
    /// Lines of `run.log`.
    "tool.log" tool_log(ToolLog) -> LogLines, Agent Reads ["runs"];
    /// Scans the toolbox again.
    "tool.rescan" tool_rescan(None) -> ToolList, Ui Changes ["tools"];
    /// What a tool asks for and what it was granted.
    "tool.grants" tool_grants(ToolRef) -> Grants, Client Reads ["grants"];
    /// Grants a directory.
    "tool.grant" tool_grant(GrantChange) -> Grants, Ui Changes ["grants"];
    /// Takes a grant back.
    "tool.revoke" tool_revoke(GrantChange) -> Grants, Ui Changes ["grants"];

    /// Exactly what the MCP tool `toolm` does.
    "toolm" toolm(ToolmParams) -> McpContent, Agent Changes ["runs", "tools"];
    /// Exactly what the MCP tool `run_javascript` does.
    "run_javascript" run_javascript(ScriptParams) -> ScriptResult, Agent Changes ["runs", "artifacts"];

    /// Newest first.
    "run.list" run_list(RunQuery) -> RunList, Client Reads ["runs"];

    /// Newest first.
    "artifact.list" artifact_list(Page) -> ArtifactList, Client Reads ["artifacts"];
    /// One artifact with the code that made it.
    "artifact.show" artifact_show(ArtifactRef) -> ArtifactDetail, Client Reads ["artifacts"];
    /// Moves the bytes to the trash and drops the row.
    "artifact.remove" artifact_remove(ArtifactRef) -> Done, Ui Changes ["artifacts"];
}

/// Parameters may be absent, `null` or an object.
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
                "tool.grant" | "tool.revoke" | "tool.configure" | "server.stop"
            );
            if person_only {
                assert!(agent.check(call).is_err(), "{}", call.name);
                assert!(Caller::mcp_client("x").check(call).is_err(), "{}", call.name);
            }
            assert!(Caller::person("pm").check(call).is_ok());
        }
    }
}
