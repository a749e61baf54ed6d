//! What happened, kept: runs, audit, grants, approvals, artifacts, events, descriptions of tools,
//! workspaces and what was changed in them, canvases of cells and tasks of societies as the events that made them.
//!
//! One SQLite database (`pm.db`, WAL), one thread that owns its connection; only the owner
//! process opens it. Rows are small: bytes of artifacts, logs and code are plain files whose
//! rows are written after them. `synchronous=NORMAL`: after a kill nothing that was answered is
//! lost; after a power cut the last moments may be, the file stays whole.
//!
//! Deliberately not here: what the records mean. Callers pass finished records in.

mod approvals;
mod artifacts;
mod assistant;
mod audit;
mod canvases;
mod changes;
mod connection;
mod descriptions;
mod error;
mod events;
mod grants;
mod masking;
mod migrations;
mod reconcile;
mod runs;
mod society;
mod text_index;
mod tokens;
mod workspaces;

pub use approvals::{Approval, ApprovalState, NewApproval, Resolution};
pub use artifacts::{Artifact, NewArtifact};
pub use assistant::{AssistantCounts, AssistantSaid};
pub use audit::AuditEntry;
pub use canvases::{Canvas, CanvasEvent, NewCanvas};
pub use changes::{Change, ChangeOp, Content};
pub use connection::Store;
pub use error::StoreError;
pub use events::{Cursor, Since, StoredEvent};
pub use grants::{Grant, GrantKind, Granted};
pub use masking::Masking;
pub use runs::{Run, RunFilter};
pub use society::{SocietyEvent, SocietyShown, SocietyTask};
pub use text_index::{Document, TextIndex};
pub use tokens::TokenRow;
pub use workspaces::Binding;

/// Who did it (HOUSE, "One declaration"). Kind is one of `person`, `mcp_client`, `agent`, `tool`;
/// `owner` is what this program decided by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    pub kind: String,
    pub name: String,
}

impl Actor {
    pub(crate) fn owner() -> Self {
        Actor {
            kind: "owner".to_owned(),
            name: "pm".to_owned(),
        }
    }
}

/// A window of a newest-first list.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub offset: u32,
    pub limit: u32,
}
