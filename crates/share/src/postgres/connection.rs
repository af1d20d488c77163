//! Settings for connecting to a database.
//!
//! We follow the conventions of libpq where the driver does not, for example for `PGUSER` and TLS
//! settings. Unlike libpq, we always check the server's certificate if the connection is encrypted,
//! and encrypt every connection over a network unless the URL says otherwise.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::str::FromStr as _;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, Error, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;
use windlass_ledger::{Opening, SharedError};
use windlass_store::{RootedPath, read_file};

use super::credentials;

/// Time limit for a reader's connection to a host. Commands should not hang if the server is down.
const READ_LIMIT: Duration = Duration::from_secs(2);
/// Time limit for a writer's connection to a host.
const WRITE_LIMIT: Duration = Duration::from_secs(5);
/// Time limit for the acknowledgement of data by the other end. After that, the connection counts
/// as lost.
const TCP_LIMIT: Duration = Duration::from_secs(10);
/// Maximum size of a file with certificates, in bytes.
const MAX_CERTIFICATES: u64 = 4 << 20;

#[derive(Clone)]
pub(super) struct Connection {
    config: Config,
    /// Encryption, or `None` for an unencrypted connection.
    tls: Option<MakeRustlsConnect>,
}

impl Connection {
    /// Determines the settings for `url`. Missing ones come from `variables`.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid or a certificate unreadable.
    pub(super) fn of(
        url: &str,
        variables: &BTreeMap<String, OsString>,
        password: Option<&str>,
        opening: Opening,
    ) -> Result<Self, SharedError> {
        let (_, mode, roots) = without_tls_settings(url);
        let invalid = |error: Error| SharedError::Refused(described(&error));
        let mut config = config_of(url).map_err(invalid)?;
        let limit = match opening {
            Opening::Read => READ_LIMIT,
            _ => WRITE_LIMIT,
        };
        let limit = config.get_connect_timeout().copied().unwrap_or(limit);
        config
            .application_name("windlass")
            .connect_timeout(limit)
            .tcp_user_timeout(TCP_LIMIT)
            .keepalives_idle(TCP_LIMIT);
        // With several hosts, some may be standbys, which refuse writes.
        if config.get_hosts().len() > 1
            && config.get_target_session_attrs() == TargetSessionAttrs::Any
        {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if let Some(user) = variables
            .get("PGUSER")
            .filter(|_| config.get_user().is_none())
        {
            config.user(user.to_string_lossy());
        }
        match password {
            Some(password) => config.password(password),
            None => match credentials::password(variables, &wanted(&config))? {
                Some(password) => config.password(password),
                None => &mut config,
            },
        };
        let is_encrypted = match mode.as_deref() {
            Some("disable") => false,
            Some("require" | "verify-ca" | "verify-full") => true,
            None => !is_local(&config),
            Some(mode) => {
                return Err(SharedError::Refused(format!(
                    "`sslmode={mode}` is not supported: use `verify-full`, or `disable` for a network that you trust"
                )));
            }
        };
        let tls = match is_encrypted {
            true => Some(MakeRustlsConnect::new(tls_config(roots.as_deref())?)),
            false => None,
        };
        config.ssl_mode(if is_encrypted {
            SslMode::Require
        } else {
            SslMode::Disable
        });
        Ok(Self { config, tls })
    }

    pub(super) async fn connect(&self) -> Result<(Client, Messages), Error> {
        match &self.tls {
            Some(tls) => connect_by(&self.config, tls.clone()).await,
            None => connect_by(&self.config, NoTls).await,
        }
    }
}

/// The messages of a connection. Somebody has to poll them, because that is also what drives the
/// connection.
pub(super) type Messages =
    Box<dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>> + Send>;

async fn connect_by<T>(config: &Config, tls: T) -> Result<(Client, Messages), Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, mut connection) = config.connect(tls).await?;
    Ok((
        client,
        Box::new(move |context| connection.poll_message(context)),
    ))
}

/// Parses `url` like the driver, apart from the TLS settings.
///
/// # Errors
/// Returns an error if the URL is invalid.
pub(super) fn config_of(url: &str) -> Result<Config, Error> {
    Config::from_str(&without_tls_settings(url).0)
}

/// Splits off `sslmode` and `sslrootcert`, which we handle ourselves, since the driver rejects some
/// of their values.
fn without_tls_settings(url: &str) -> (String, Option<String>, Option<String>) {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut mode, mut roots, mut kept) = (None, None, Vec::new());
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value.to_owned()),
            Some(("sslrootcert", value)) => roots = Some(value.replace("%2F", "/")),
            _ => kept.push(parameter),
        }
    }
    let query = if kept.is_empty() {
        String::new()
    } else {
        format!("?{}", kept.join("&"))
    };
    (format!("{base}{query}"), mode, roots)
}

/// True if all hosts are on this machine, without any network in between.
///
/// A host's `hostaddr` takes precedence over its name, because that is where the driver connects
/// to.
fn is_local(config: &Config) -> bool {
    let hosts = config.get_hosts();
    let is_local_host = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse::<std::net::IpAddr>()
                    .is_ok_and(|ip| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    !hosts.is_empty()
        && hosts.iter().all(is_local_host)
        && config
            .get_hostaddrs()
            .iter()
            .all(std::net::IpAddr::is_loopback)
}

/// Returns the host, port, database and user as they are in a password file. Like libpq, we look
/// for `localhost` if the connection is a Unix socket.
fn wanted(config: &Config) -> [String; 4] {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        _ => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    [host, port.to_string(), database.to_owned(), user.to_owned()]
}

/// Returns TLS settings that check the server's name and certificate. The certificate must be
/// signed by an authority in the file `roots`, or by one that the system trusts if there is no such
/// file.
fn tls_config(roots: Option<&str>) -> Result<ClientConfig, SharedError> {
    let refused = |what: String| SharedError::Refused(what);
    let mut store = RootCertStore::empty();
    match roots {
        Some(path) => {
            let place = RootedPath::resolved(Path::new(path));
            let bytes = read_file(&place, MAX_CERTIFICATES).ok().flatten();
            let bytes =
                bytes.ok_or_else(|| refused(format!("cannot read `sslrootcert={path}`")))?;
            for certificate in CertificateDer::pem_slice_iter(&bytes) {
                let certificate =
                    certificate.map_err(|error| refused(format!("`{path}`: {error}")))?;
                store
                    .add(certificate)
                    .map_err(|error| refused(format!("`{path}`: {error}")))?;
            }
        }
        None => {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?;
    Ok(builder.with_root_certificates(store).with_no_client_auth())
}

/// Returns the message of an error. An answer of the server speaks for itself; for any other error,
/// we add the causes that the driver's message does not mention.
pub(super) fn described(error: &Error) -> String {
    if let Some(answer) = error.as_db_error() {
        return answer.message().to_owned();
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let shown = error.to_string();
        if !text.contains(&shown) {
            text.push_str(": ");
            text.push_str(&shown);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_address_is_not_local() {
        for (url, want) in [
            ("postgres://localhost/d", true),
            ("postgres://127.0.0.1,[::1]/d", true),
            ("postgres:///d?host=/run/postgresql", true),
            ("postgres://localhost/d?hostaddr=127.0.0.1", true),
            ("postgres://localhost/d?hostaddr=192.0.2.2", false),
            ("postgres://localhost,h/d", false),
            ("postgres:///d", false),
            ("postgres:///d?hostaddr=192.0.2.2", false),
        ] {
            assert_eq!(is_local(&config_of(url).unwrap()), want, "{url}");
        }
    }
}
