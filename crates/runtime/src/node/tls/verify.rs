//! Whether the server is who it should be, and if not, why, by the names that OpenSSL has for it.

use super::certificate::{Certificate, now};
use super::{Failure, roots};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) message: String,
}

#[derive(Debug)]
pub(super) struct Verifier {
    /// None where nobody is trusted.
    inner: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that the caller named: a server may show one of them itself.
    named: Vec<CertificateDer<'static>>,
    reject: bool,
    checks_name: bool,
    problem: Arc<Mutex<Option<Problem>>>,
}

impl Verifier {
    pub(super) fn new(
        ca: Option<&str>,
        extra: Option<&str>,
        reject: bool,
        checks_name: bool,
    ) -> Result<Self, Failure> {
        let named = [ca, extra].into_iter().flatten();
        let named: Vec<CertificateDer<'static>> = named
            .flat_map(|pem| CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(Result::ok))
            .collect();
        let roots = match (ca, named.is_empty()) {
            (None, true) => roots::system(),
            (ca, _) => {
                let mut store = match ca {
                    Some(_) => RootCertStore::empty(),
                    None => (*roots::system()).clone(),
                };
                store.add_parsable_certificates(named.iter().cloned());
                Arc::new(store)
            }
        };
        let provider = Arc::new(ring::default_provider());
        let inner = match roots.is_empty() {
            true => None,
            false => Some(
                WebPkiServerVerifier::builder_with_provider(roots, provider)
                    .build()
                    .map_err(|error| Failure::new("EPROTO", error.to_string()))?,
            ),
        };
        Ok(Verifier {
            inner,
            named,
            reject,
            checks_name,
            problem: Arc::default(),
        })
    }

    pub(super) fn problem(&self) -> Arc<Mutex<Option<Problem>>> {
        self.problem.clone()
    }

    fn judge(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp: &[u8],
        time: UnixTime,
    ) -> Result<(), Error> {
        let judged = match &self.inner {
            Some(inner) => inner.verify_server_cert(end_entity, intermediates, server_name, ocsp, time),
            None => Err(CertificateError::UnknownIssuer.into()),
        };
        match judged {
            Ok(_) => Ok(()),
            // The chain is good by then: the name is looked at last.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(()),
            Err(_) if self.named.contains(end_entity) => self.judge_named(end_entity, server_name),
            Err(error) => Err(error),
        }
    }

    /// The certificate itself was named as trusted, as one that signed itself must be.
    fn judge_named(&self, certificate: &CertificateDer<'_>, name: &ServerName<'_>) -> Result<(), Error> {
        if let Some(Certificate { valid, .. }) = Certificate::parse(certificate) {
            if now() > valid.1 {
                return Err(CertificateError::Expired.into());
            }
            if now() < valid.0 {
                return Err(CertificateError::NotValidYet.into());
            }
        }
        match self.checks_name {
            true => verify_server_name(&ParsedCertificate::try_from(certificate)?, name),
            false => Ok(()),
        }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        time: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let judged = self.judge(end_entity, intermediates, server_name, ocsp_response, time);
        let Err(error) = judged else {
            return Ok(ServerCertVerified::assertion());
        };
        let problem = problem(&error, end_entity, intermediates, server_name);
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        match self.reject {
            true => Err(error),
            // What the caller asked for; it reads in `authorizationError` what it got.
            false => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let schemes = ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, &schemes)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let schemes = ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, &schemes)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        ring::default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}

fn problem(
    error: &Error,
    end_entity: &CertificateDer<'_>,
    intermediates: &[CertificateDer<'_>],
    name: &ServerName<'_>,
) -> Problem {
    let of = |code, message: &str| Problem {
        code,
        message: message.to_owned(),
    };
    let Error::InvalidCertificate(error) = error else {
        return of("EPROTO", &error.to_string());
    };
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            of("CERT_HAS_EXPIRED", "certificate has expired")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            of("CERT_NOT_YET_VALID", "certificate is not yet valid")
        }
        CertificateError::Revoked => of("CERT_REVOKED", "certificate revoked"),
        CertificateError::BadSignature => of("CERT_SIGNATURE_FAILURE", "certificate signature failure"),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            of("INVALID_PURPOSE", "unsuitable certificate purpose")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            let names = Certificate::parse(end_entity)
                .map(|one| one.alternative_names)
                .unwrap_or_default();
            let host = name.to_str();
            let reason = match name {
                ServerName::IpAddress(_) => format!("IP: {host} is not in the cert's list: {names}"),
                _ => format!("Host: {host}. is not in the cert's altnames: {names}"),
            };
            Problem {
                code: "ERR_TLS_CERT_ALTNAME_INVALID",
                message: format!("Hostname/IP does not match certificate's altnames: {reason}"),
            }
        }
        _ => {
            let signed_itself = |der: &CertificateDer<'_>| {
                Certificate::parse(der).is_some_and(|one| one.subject == one.issuer)
            };
            match (signed_itself(end_entity), intermediates.last()) {
                (true, _) => of("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"),
                (false, Some(last)) if signed_itself(last) => of(
                    "SELF_SIGNED_CERT_IN_CHAIN",
                    "self-signed certificate in certificate chain",
                ),
                (false, Some(_)) => of(
                    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
                    "unable to get local issuer certificate",
                ),
                (false, None) => of(
                    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
                    "unable to verify the first certificate",
                ),
            }
        }
    }
}
