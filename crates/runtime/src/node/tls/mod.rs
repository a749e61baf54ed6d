//! TLS as a machine without a wire: bytes of the peer in, bytes for the peer out, and what they carry.
//! JavaScript brings both to and from whatever the connection stands on.
//!
//! Deliberately not here: sockets, certificates that servers ask their clients for, sessions that
//! outlive the process.

mod certificate;
mod roots;
mod verify;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray, Value};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    AlertDescription, ClientConfig, ClientConnection, Connection, Error, ServerConfig, ServerConnection,
    SupportedProtocolVersion,
};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use verify::{Problem, Verifier};

/// Bytes that are encrypted at a time.
const PART: usize = 64 * 1024;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("client", Function::new(ctx.clone(), client)?)?;
    native.set("server", Function::new(ctx.clone(), server)?)?;
    native.set("roots", Function::new(ctx.clone(), roots::pem)?)?;
    native.set("certificate", Function::new(ctx.clone(), certificate::view)?)?;
    native.set("ciphers", Function::new(ctx.clone(), ciphers)?)?;
    Ok(native)
}

struct Session {
    connection: Connection,
    problem: Arc<std::sync::Mutex<Option<Problem>>>,
    plain: Vec<u8>,
    closed: bool,
}

/// What went wrong, by its name in Node.
#[derive(Clone, Debug)]
struct Trouble {
    code: String,
    message: String,
}

impl Trouble {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Trouble {
            code: code.to_owned(),
            message: message.into(),
        }
    }

    fn throw(self, ctx: &Ctx<'_>) -> rquickjs::Error {
        let thrown = Exception::from_message(ctx.clone(), &self.message);
        let thrown = thrown.and_then(|error| error.as_object().set("code", self.code).map(|()| error));
        match thrown {
            Ok(error) => error.throw(),
            Err(error) => error,
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let alert = |alert: AlertDescription| {
            let name = format!("{alert:?}");
            let mut words = String::new();
            for (at, letter) in name.chars().enumerate() {
                if letter.is_ascii_uppercase() && at > 0 && !words.ends_with('_') {
                    words.push('_');
                }
                words.push(letter.to_ascii_uppercase());
            }
            let words = words.replace("C_A", "CA");
            let family = match u8::from(alert) {
                116 | 109 => "TLSV13",
                10..=47 => "SSLV3",
                _ => "TLSV1",
            };
            format!("{family}_ALERT_{words}")
        };
        match &error {
            Error::AlertReceived(AlertDescription::UnknownCA) => {
                Trouble::new("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "tlsv1 alert unknown ca")
            }
            Error::AlertReceived(description) => {
                let name = alert(*description);
                let words = name.to_lowercase().replace('_', " ");
                Trouble::new(&format!("ERR_SSL_{name}"), words)
            }
            Error::InvalidMessage(_) => Trouble::new("ERR_SSL_WRONG_VERSION_NUMBER", "wrong version number"),
            Error::PeerIncompatible(_) => Trouble::new("ERR_SSL_UNSUPPORTED_PROTOCOL", error.to_string()),
            Error::NoApplicationProtocol => Trouble::new(
                "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
                "tlsv1 alert no application protocol",
            ),
            Error::DecryptError => {
                Trouble::new("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC", error.to_string())
            }
            _ => Trouble::new("EPROTO", error.to_string()),
        }
    }
}

/// A side that begins. Options: `servername`, `ca` (PEM, or nothing for the system's), `extra` (PEM
/// beside them), `cert` and `key`, `alpn`, `reject`, `checksName`, `min`, `max`.
fn client<'js>(ctx: Ctx<'js>, options: Object<'js>) -> Result<Object<'js>> {
    let reject: bool = options.get("reject")?;
    let checks_name: bool = options.get("checksName")?;
    let ca: Option<String> = options.get("ca")?;
    let extra: Option<String> = options.get("extra")?;
    let name: String = options.get("servername")?;
    let made = (|| {
        let verifier = Verifier::new(ca.as_deref(), extra.as_deref(), reject, checks_name)?;
        let problem = verifier.problem();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&versions(&options)?)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match identity(&options)? {
            Some((chain, key)) => builder.with_client_auth_cert(chain, key).map_err(key_failure)?,
            None => builder.with_no_client_auth(),
        };
        // Who trusts otherwise must not take up a session that others opened.
        let usual = reject && checks_name && ca.is_none() && extra.is_none();
        config.resumption = roots::resumption(usual);
        config.alpn_protocols = alpn(&options)?;
        let (name, known) = match ServerName::try_from(name.clone()) {
            Ok(name) => (name, true),
            // No name is asked for, and none could be right.
            Err(_) => (
                ServerName::IpAddress(std::net::Ipv4Addr::UNSPECIFIED.into()),
                false,
            ),
        };
        config.enable_sni = known && matches!(name, ServerName::DnsName(_));
        let connection = ClientConnection::new(Arc::new(config), name)?;
        Ok::<_, Trouble>((connection.into(), problem))
    })();
    match made {
        Ok((connection, problem)) => session(&ctx, connection, problem),
        Err(failure) => Err(failure.throw(&ctx)),
    }
}

/// The other side: `cert` and `key`, `alpn`, `min`, `max`.
fn server<'js>(ctx: Ctx<'js>, options: Object<'js>) -> Result<Object<'js>> {
    let made = (|| {
        let (chain, key) = identity(&options)?
            .ok_or_else(|| Trouble::new("ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM", "no certificate"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&versions(&options)?)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(key_failure)?;
        config.alpn_protocols = alpn(&options)?;
        let connection = ServerConnection::new(Arc::new(config))?;
        Ok::<_, Trouble>(connection.into())
    })();
    match made {
        Ok(connection) => session(&ctx, connection, Arc::default()),
        Err(failure) => Err(failure.throw(&ctx)),
    }
}

fn key_failure(error: Error) -> Trouble {
    match error {
        Error::InconsistentKeys(_) => {
            Trouble::new("ERR_OSSL_X509_KEY_VALUES_MISMATCH", "key values mismatch")
        }
        other => Trouble::from(other),
    }
}

fn read<V: for<'js> rquickjs::FromJs<'js>>(
    options: &Object<'_>,
    name: &str,
) -> std::result::Result<V, Trouble> {
    options
        .get(name)
        .map_err(|_| Trouble::new("ERR_INVALID_ARG_VALUE", format!("options.{name}")))
}

fn versions(options: &Object<'_>) -> std::result::Result<Vec<&'static SupportedProtocolVersion>, Trouble> {
    let (min, max): (Option<String>, Option<String>) = (read(options, "min")?, read(options, "max")?);
    let mut versions = Vec::new();
    if min.as_deref() != Some("TLSv1.3") {
        versions.push(&rustls::version::TLS12);
    }
    if max.as_deref().is_none_or(|max| max == "TLSv1.3") {
        versions.push(&rustls::version::TLS13);
    }
    match versions.is_empty() {
        true => Err(Trouble::new(
            "ERR_TLS_PROTOCOL_VERSION_CONFLICT",
            "no version is left",
        )),
        false => Ok(versions),
    }
}

fn alpn(options: &Object<'_>) -> std::result::Result<Vec<Vec<u8>>, Trouble> {
    let names: Option<Vec<String>> = read(options, "alpn")?;
    Ok(names
        .unwrap_or_default()
        .into_iter()
        .map(String::into_bytes)
        .collect())
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn identity(options: &Object<'_>) -> std::result::Result<Option<Identity>, Trouble> {
    let (cert, key): (Option<String>, Option<String>) = (read(options, "cert")?, read(options, "key")?);
    let (Some(cert), Some(key)) = (cert, key) else {
        return Ok(None);
    };
    let no_pem = |_| {
        Trouble::new(
            "ERR_OSSL_PEM_NO_START_LINE",
            "error:0480006C:PEM routines::no start line",
        )
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(cert.as_bytes())
        .collect::<std::result::Result<_, _>>()
        .map_err(no_pem)?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(no_pem)?;
    if chain.is_empty() {
        return Err(Trouble::new(
            "ERR_OSSL_PEM_NO_START_LINE",
            "error:0480006C:PEM routines::no start line",
        ));
    }
    Ok(Some((chain, key)))
}

fn session<'js>(
    ctx: &Ctx<'js>,
    mut connection: Connection,
    problem: Arc<std::sync::Mutex<Option<Problem>>>,
) -> Result<Object<'js>> {
    // What is written is taken away at once.
    connection.set_buffer_limit(None);
    let session = Rc::new(RefCell::new(Session {
        connection,
        problem,
        plain: Vec::new(),
        closed: false,
    }));
    let object = Object::new(ctx.clone())?;
    let own = session.clone();
    let feed = move |ctx: Ctx<'js>, bytes: TypedArray<'js, u8>| {
        let fed = super::with_bytes(&bytes, |bytes| own.borrow_mut().feed(bytes));
        fed.map_err(|failure| failure.throw(&ctx))
    };
    object.set("feed", Function::new(ctx.clone(), feed)?)?;
    let own = session.clone();
    let plain = move |ctx: Ctx<'js>| -> Result<Option<TypedArray<'js, u8>>> {
        let bytes = std::mem::take(&mut own.borrow_mut().plain);
        some(ctx, bytes)
    };
    object.set("plain", Function::new(ctx.clone(), plain)?)?;
    let own = session.clone();
    let take = move |ctx: Ctx<'js>| -> Result<Option<TypedArray<'js, u8>>> {
        let bytes = own.borrow_mut().take();
        some(ctx, bytes)
    };
    object.set("take", Function::new(ctx.clone(), take)?)?;
    let own = session.clone();
    // How many bytes were taken in; the rest comes again.
    let write = move |ctx: Ctx<'js>, bytes: TypedArray<'js, u8>, from: Opt<usize>| {
        let written = super::with_bytes(&bytes, |bytes| {
            let rest = bytes.get(from.0.unwrap_or(0)..).unwrap_or_default();
            let part = &rest[..rest.len().min(PART)];
            own.borrow_mut()
                .connection
                .writer()
                .write_all(part)
                .map(|()| part.len())
        });
        written.map_err(|error| Trouble::new("EPROTO", error.to_string()).throw(&ctx))
    };
    object.set("write", Function::new(ctx.clone(), write)?)?;
    let own = session.clone();
    let end = move || own.borrow_mut().connection.send_close_notify();
    object.set("end", Function::new(ctx.clone(), end)?)?;
    let own = session.clone();
    let handshaking = move || own.borrow().connection.is_handshaking();
    object.set("handshaking", Function::new(ctx.clone(), handshaking)?)?;
    let own = session.clone();
    let closed = move || own.borrow().closed;
    object.set("closed", Function::new(ctx.clone(), closed)?)?;
    let info = move |ctx: Ctx<'js>| session.borrow().info(&ctx);
    object.set("info", Function::new(ctx.clone(), info)?)?;
    Ok(object)
}

fn some<'js>(ctx: Ctx<'js>, bytes: Vec<u8>) -> Result<Option<TypedArray<'js, u8>>> {
    match bytes.is_empty() {
        true => Ok(None),
        false => TypedArray::new_copy(ctx, bytes).map(Some),
    }
}

impl Session {
    fn feed(&mut self, mut bytes: &[u8]) -> std::result::Result<(), Trouble> {
        while !bytes.is_empty() {
            let read = self.connection.read_tls(&mut bytes);
            if read.is_err() || matches!(read, Ok(0)) {
                return Ok(());
            }
            let state = match self.connection.process_new_packets() {
                Ok(state) => state,
                Err(error) => return Err(self.failure(error)),
            };
            let waiting = state.plaintext_bytes_to_read();
            self.closed |= state.peer_has_closed();
            let start = self.plain.len();
            self.plain.resize(start + waiting, 0);
            // As many as it said.
            if self
                .connection
                .reader()
                .read_exact(&mut self.plain[start..])
                .is_err()
            {
                self.plain.truncate(start);
            }
        }
        Ok(())
    }

    fn failure(&self, error: Error) -> Trouble {
        let problem = self
            .problem
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*problem {
            Some(problem) => Trouble::new(problem.code, problem.message.clone()),
            None => Trouble::from(error),
        }
    }

    fn take(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while self.connection.wants_write() {
            // Into memory: it does not fail.
            if self.connection.write_tls(&mut bytes).is_err() {
                break;
            }
        }
        bytes
    }

    fn info<'js>(&self, ctx: &Ctx<'js>) -> Result<Object<'js>> {
        let info = Object::new(ctx.clone())?;
        let version = match self.connection.protocol_version() {
            Some(rustls::ProtocolVersion::TLSv1_3) => Some("TLSv1.3"),
            Some(rustls::ProtocolVersion::TLSv1_2) => Some("TLSv1.2"),
            _ => None,
        };
        info.set("protocol", version)?;
        let suite = self.connection.negotiated_cipher_suite();
        info.set("cipher", suite.map(|suite| cipher_name(suite.suite())))?;
        let alpn = self.connection.alpn_protocol();
        info.set(
            "alpn",
            alpn.map(|name| String::from_utf8_lossy(name).into_owned()),
        )?;
        if let Connection::Server(server) = &self.connection {
            info.set("servername", server.server_name())?;
        }
        let problem = self
            .problem
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(problem) = &*problem {
            info.set("code", problem.code)?;
            info.set("message", problem.message.as_str())?;
        }
        let peer = rquickjs::Array::new(ctx.clone())?;
        for (at, one) in self
            .connection
            .peer_certificates()
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            peer.set(at, TypedArray::new_copy(ctx.clone(), one.as_ref())?)?;
        }
        info.set("peer", peer)?;
        Ok(info)
    }
}

/// By its name in the standard: `TLS13_AES_…` of the library is `TLS_AES_…`.
fn cipher_name(suite: rustls::CipherSuite) -> String {
    format!("{suite:?}").replace("TLS13_", "TLS_")
}

fn ciphers(ctx: Ctx<'_>) -> Result<Vec<Value<'_>>> {
    let all = ring::default_provider().cipher_suites;
    let names = all.iter().map(|suite| cipher_name(suite.suite()).to_lowercase());
    names
        .map(|name| rquickjs::String::from_str(ctx.clone(), &name).map(|name| name.into_value()))
        .collect()
}
