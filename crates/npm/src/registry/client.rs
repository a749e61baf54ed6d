//! The HTTP client as settings want it: proxies, certificates, patience.
//!
//! Deliberately not here: requests.

use super::names::Names;
use super::network;
use crate::error::NpmError;
use crate::npmrc::Npmrc;
use reqwest::Client;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub const CONNECT: Duration = Duration::from_secs(15);
/// Without a byte for so long, a transfer is broken.
const SILENCE: Duration = Duration::from_secs(30);

pub fn client(npmrc: &Npmrc) -> Result<Client, NpmError> {
    let setting = |key: &str, reason: String| NpmError::Setting {
        key: key.to_owned(),
        reason,
    };
    // A second installer in this process finds it there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("prompt-manager/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .dns_resolver(Arc::new(Names::default()))
        .http2_adaptive_window(true);
    for key in ["https-proxy", "proxy"] {
        let Some(address) = npmrc.get(key).filter(|value| !matches!(*value, "null" | "false")) else {
            continue;
        };
        let proxy = if key == "proxy" {
            reqwest::Proxy::http(address)
        } else {
            reqwest::Proxy::https(address)
        };
        let proxy = proxy.map_err(|error| setting(key, error.to_string()))?;
        let except = npmrc.get("noproxy").and_then(reqwest::NoProxy::from_string);
        builder = builder.proxy(proxy.no_proxy(except));
    }
    if let Some(path) = npmrc.get("cafile") {
        let bytes = crate::files::read_cached(Path::new(path))
            .ok_or_else(|| setting("cafile", format!("{path} cannot be read")))?;
        let certificates = reqwest::Certificate::from_pem_bundle(&bytes)
            .map_err(|error| setting("cafile", error.to_string()))?;
        builder = builder.tls_certs_merge(certificates);
    }
    if npmrc.flag("strict-ssl") == Some(false) {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    builder
        .build()
        .map_err(|error| network("registry", &base::failure::chain(&error)))
}
