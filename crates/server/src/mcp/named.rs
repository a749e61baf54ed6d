//! Each tool of the toolbox as a tool of MCP of its own, where settings say so (`toolsByName`): for
//! clients and models that choose better among tools than among the words of one.

use crate::calls::parameters_schema;
use base::name::ToolName;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;
use wire::ToolmParams;

/// Those that can be described; one that is called like a tool of ours is reached by `toolm` alone.
pub(super) fn list(installed: &[Arc<toolbox::Tool>]) -> impl Iterator<Item = Tool> {
    installed.iter().filter_map(|tool| {
        let description = tool.description.as_ref().ok()?;
        let name = tool.name.to_string();
        if super::tool_names().any(|own| own == name) {
            return None;
        }
        let schema = super::tools::object(parameters_schema(description));
        let metadata = &description.metadata;
        let listed = Tool::new(name, metadata.description.clone(), schema)
            .with_title(metadata.name.clone())
            .with_annotations(ToolAnnotations::new().read_only(false).open_world(true));
        Some(listed)
    })
}

/// As `toolm` takes it.
pub(super) fn request(tool: &ToolName, parameters: Value) -> ToolmParams {
    let request = json!({"tool": format!("tool://{tool}"), "mode": "execute", "parameters": parameters});
    ToolmParams { yaml: Some(request) }
}
