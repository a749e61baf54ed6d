//! Model services of this owner: what the settings say of them, with their keys.
//!
//! The settings are read whenever a service is needed: a person may edit the file. Deliberately not
//! here: how a service is spoken to (`llm`), changes (`calls/models.rs`).

use crate::app::App;
use crate::work::blocking;
use base::settings::{ModelService, ModelSettings};
use base::{DataHome, Failure, Settings};
use llm::{Keys, ModelError, Models, Service};
use secrets::Vault;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) struct Services {
    pub(crate) models: Models,
    pub(crate) keys: Arc<Keys>,
    settings: PathBuf,
}

impl Services {
    pub(crate) fn new(home: &DataHome, vault: Arc<Vault>) -> Self {
        Services {
            models: Models::default(),
            keys: Arc::new(Keys::at(home.model_keys(), vault)),
            settings: home.settings(),
        }
    }

    /// A service by its name, or the default one.
    pub(crate) async fn find(&self, name: Option<String>) -> Result<Service, Failure> {
        let (path, keys) = (self.settings.clone(), Arc::clone(&self.keys));
        let found = move || {
            let models = Settings::load(&path)?.models;
            let described = find(&models, name.as_deref())?;
            let key = keys.get(&described.name)?;
            Ok::<_, Failure>(Service::new(described, key)?)
        };
        blocking(found).await?
    }

    /// The keys, for masking; none where they cannot be read, which is said.
    pub(crate) async fn secrets(&self) -> Vec<String> {
        let keys = Arc::clone(&self.keys);
        match tokio::task::spawn_blocking(move || keys.all()).await {
            Ok(Ok(keys)) => keys.iter().map(|key| key.secret().to_owned()).collect(),
            Ok(Err(error)) => {
                tracing::warn!(error = %base::failure::chain(&error), "keys of models are not known");
                Vec::new()
            }
            Err(error) => {
                tracing::error!(%error, "keys of models are not known");
                Vec::new()
            }
        }
    }
}

impl App {
    /// A service by its name, or the default one.
    pub(crate) async fn service(&self, name: Option<String>) -> Result<Service, Failure> {
        self.inner.services.find(name).await
    }
}

/// The one of that name; without a name the default, or the only one there is.
pub(crate) fn find<'m>(
    models: &'m ModelSettings,
    name: Option<&str>,
) -> Result<&'m ModelService, ModelError> {
    let named = |name: &str| models.services.iter().find(|service| service.name == name);
    match name {
        Some(name) => named(name).ok_or_else(|| ModelError::Unknown(base::text::cut(name, 100))),
        None => default(models).ok_or(ModelError::None),
    }
}

/// The default; the first, where the settings name none that is there.
pub(crate) fn default(models: &ModelSettings) -> Option<&ModelService> {
    let chosen = models.default.as_deref();
    let chosen = models
        .services
        .iter()
        .find(|service| Some(service.name.as_str()) == chosen);
    chosen.or(models.services.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Coded;
    use base::settings::ModelProtocol;

    #[test]
    fn a_default_that_is_gone_is_the_first() {
        let service = |name: &str| ModelService {
            name: name.to_owned(),
            protocol: ModelProtocol::Ollama,
            base_url: None,
            model: "m".to_owned(),
            terms: base::settings::ModelTerms::default(),
        };
        let mut models = ModelSettings {
            default: Some("b".to_owned()),
            services: vec![service("a"), service("b")],
        };
        assert_eq!(find(&models, None).unwrap().name, "b");
        assert_eq!(find(&models, Some("a")).unwrap().name, "a");
        assert_eq!(find(&models, Some("c")).unwrap_err().code(), "model_unknown");
        models.default = Some("c".to_owned());
        assert_eq!(find(&models, None).unwrap().name, "a");
        models.services.clear();
        assert_eq!(find(&models, None).unwrap_err().code(), "model_none");
    }
}
