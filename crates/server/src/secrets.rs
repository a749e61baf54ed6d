//! The secrets that this program knows, and keeping records free of them.
//!
//! Deliberately not here: how a text is masked (`toolbox::run_log`), which records there are (`store`), and
//! how values are kept (the room `secrets`).

use crate::app::App;
use crate::auth::Auth;
use crate::external::Externals;
use crate::models::Services;
use ::secrets::Vault;
use base::{DataHome, Failure};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Masking, Store, StoreError};
use toolbox::Toolbox;
use toolbox::env_secrets;
use toolbox::run_log::Secrets;

/// Looks again which there are. From now on the store masks them, and those that the vault gives out later.
pub(crate) async fn learn(
    toolbox: &Toolbox,
    services: &Services,
    externals: &Externals,
    auth: &Auth,
    store: &Store,
    vault: &Arc<Vault>,
) -> Result<Secrets, StoreError> {
    let mut values = toolbox.secrets().await;
    values.extend(services.secrets().await);
    values.extend(externals.secrets());
    values.push(auth.token().to_owned());
    let known = Known {
        vault: Arc::clone(vault),
        others: values,
        all: Mutex::default(),
    };
    let secrets = known.all();
    let masking = Masking {
        mask: Box::new(move |text| known.all().mask(text)),
        mark: Box::new(auth.marker()),
    };
    store.mask(masking).await?;
    Ok(secrets)
}

/// What is masked in records. A value that could not be had when it was learnt (a keychain that was locked)
/// is among them as soon as a run has got it.
struct Known {
    vault: Arc<Vault>,
    others: Vec<String>,
    /// With as many of the vault's.
    all: Mutex<Option<(usize, Secrets)>>,
}

impl Known {
    fn all(&self) -> Secrets {
        let count = self.vault.known_count();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        match &*all {
            Some((known, secrets)) if *known == count => secrets.clone(),
            _ => {
                let values = self.others.iter().cloned().chain(self.vault.known());
                let secrets = Secrets::new(values);
                *all = Some((count, secrets.clone()));
                secrets
            }
        }
    }
}

/// Removes what a kill left in the vault without a name. Blocking, and before any tool can move.
pub(crate) fn swept(home: &DataHome, vault: &Vault, services: &Services) {
    let done = services
        .keys
        .references()
        .map_err(Failure::from)
        .and_then(|models| env_secrets::sweep(home, vault, models));
    match done {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "secrets that nothing names were removed"),
        // They are in nobody's way.
        Err(failure) => tracing::warn!(%failure, "secrets that nothing names stay"),
    }
}

/// Keys of model services that an older program wrote down as they are.
pub(crate) async fn move_keys(app: &App) {
    let keys = Arc::clone(&app.inner.services.keys);
    match tokio::task::spawn_blocking(move || keys.move_plain()).await {
        Ok(Ok(0)) => {}
        Ok(Ok(count)) => tracing::info!(count, "keys of model services were moved out of the plain file"),
        Ok(Err(error)) => {
            tracing::warn!(error = %base::failure::chain(&error), "keys of model services stay as they are");
        }
        // The program ends before it was begun: the next start does it.
        Err(error) if error.is_cancelled() => {}
        Err(error) => tracing::error!(%error, "keys of model services stay as they are"),
    }
}
