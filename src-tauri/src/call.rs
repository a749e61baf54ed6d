//! The one command of the window: a call of wire's table, passed on to the owner.
//!
//! Nothing is checked here. The owner checks names, parameters and access, and words its
//! errors; failures of the way to it carry a code that the page words itself.

use base::Failure;
use serde_json::Value;
use tauri::State;
use wire::{Client, ClientError, WireError};

/// `invoke('call', {name, params})`.
#[tauri::command]
pub async fn call(client: State<'_, Client>, name: String, params: Value) -> Result<Value, WireError> {
    client.call(&name, &params).await.map_err(to_wire)
}

fn to_wire(error: ClientError) -> WireError {
    match error {
        ClientError::Call(error) => error,
        other => {
            let failure = Failure::from(other);
            tracing::debug!(%failure, "call");
            WireError {
                code: failure.code,
                message: String::new(),
                hint: None,
                args: failure.args,
            }
        }
    }
}

#[cfg(test)]
mod tests;
