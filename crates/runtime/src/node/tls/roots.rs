//! Whom this machine trusts. Read when the first connection is made, and once.

use rustls::RootCertStore;
use rustls::client::Resumption;
use rustls::pki_types::CertificateDer;
use rustls_native_certs::CertificateResult;
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

/// Sessions that may be taken up again.
const SESSIONS: usize = 32;

/// Where systems keep all of them in one file, which is read faster than a folder of links.
const BUNDLES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

thread_local! {
    static SYSTEM: OnceCell<(Vec<CertificateDer<'static>>, Arc<RootCertStore>)> = const { OnceCell::new() };
    static RESUMPTION: OnceCell<Resumption> = const { OnceCell::new() };
}

pub(super) fn system() -> Arc<RootCertStore> {
    SYSTEM.with(|known| known.get_or_init(read).1.clone())
}

/// The system's certificates, each as DER.
pub(super) fn certificates() -> Vec<CertificateDer<'static>> {
    SYSTEM.with(|known| known.get_or_init(read).0.clone())
}

/// As PEM, for `tls.rootCertificates`.
pub(super) fn pem() -> Vec<String> {
    use base64::Engine as _;
    let text = |one: &CertificateDer<'_>| {
        let body = base64::engine::general_purpose::STANDARD.encode(one);
        let lines: Vec<&str> = body
            .as_bytes()
            .chunks(64)
            .filter_map(|line| std::str::from_utf8(line).ok())
            .collect();
        format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----",
            lines.join("\n")
        )
    };
    certificates().iter().map(text).collect()
}

/// The store of sessions that all usual connections share; none for others.
pub(super) fn resumption(usual: bool) -> Resumption {
    match usual {
        true => RESUMPTION.with(|known| {
            known
                .get_or_init(|| Resumption::in_memory_sessions(SESSIONS))
                .clone()
        }),
        false => Resumption::disabled(),
    }
}

fn read() -> (Vec<CertificateDer<'static>>, Arc<RootCertStore>) {
    let bundle = BUNDLES.iter().map(Path::new).find(|path| path.is_file());
    let mut found = match bundle {
        Some(bundle) => rustls_native_certs::load_certs_from_paths(Some(bundle), None),
        None => CertificateResult::default(),
    };
    if found.certs.is_empty() {
        found = rustls_native_certs::load_native_certs();
    }
    let mut store = RootCertStore::empty();
    // One that cannot be read is trusted by nobody.
    store.add_parsable_certificates(found.certs.iter().cloned());
    (found.certs, Arc::new(store))
}
