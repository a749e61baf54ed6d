//! The secrets that this program knows, and keeping records free of them.
//!
//! Deliberately not here: how a text is masked (`toolbox::run_log`), and which records there are
//! (`store`).

use crate::auth::Auth;
use crate::external::Externals;
use crate::models::Services;
use store::{Masking, Store, StoreError};
use toolbox::Toolbox;
use toolbox::run_log::Secrets;

/// Looks again which there are. From now on the store masks them.
pub(crate) async fn learn(
    toolbox: &Toolbox,
    services: &Services,
    externals: &Externals,
    auth: &Auth,
    store: &Store,
) -> Result<Secrets, StoreError> {
    let mut values = toolbox.secrets().await;
    values.extend(services.secrets().await);
    values.extend(externals.secrets());
    values.push(auth.token().to_owned());
    let secrets = Secrets::new(values);
    let masks = secrets.clone();
    let masking = Masking {
        mask: Box::new(move |text| masks.mask(text)),
        mark: Box::new(auth.marker()),
    };
    store.mask(masking).await?;
    Ok(secrets)
}
