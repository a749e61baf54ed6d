//! Tokens of clients, as a person sees them.

use crate::app::App;
use base::Failure;
use std::collections::BTreeMap;
use wire::{ClientSeen, TokenList, TokenRow, TokenScope};

pub(super) async fn list(app: &App) -> Result<TokenList, Failure> {
    let rows = app.inner.store.tokens().await?.into_iter();
    let tokens = rows.filter(|row| row.revoked_at.is_none()).map(|row| {
        let scope: TokenScope = serde_json::from_value(row.scope).map_err(store::StoreError::from)?;
        Ok(TokenRow {
            name: row.name,
            scope,
            created_at: row.created_at as f64,
            actor: super::wire_actor(row.actor),
        })
    });
    let tokens = tokens.collect::<Result<_, Failure>>()?;
    let mut seen: Vec<_> = seen(app).await?.into_iter().collect();
    seen.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    let seen = seen
        .into_iter()
        .map(|(name, at)| ClientSeen { name, at: at as f64 });
    Ok(TokenList {
        tokens,
        seen: seen.collect(),
    })
}

/// When each client was last here, in milliseconds since the epoch.
pub(crate) async fn seen(app: &App) -> Result<BTreeMap<String, i64>, Failure> {
    let mut seen: BTreeMap<String, i64> = app.inner.store.clients().await?.into_iter().collect();
    // What was not written down yet is newer.
    seen.extend(app.inner.tokens.seen());
    Ok(seen)
}
