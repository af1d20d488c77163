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

/// Maximum time for a reader to connect to a host.
const READ_LIMIT: Duration = Duration::from_secs(2);
/// Maximum time for a writer to connect to a host.
const WRITE_LIMIT: Duration = Duration::from_secs(5);
/// Maximum time without an acknowledgement of sent data.
const TCP_LIMIT: Duration = Duration::from_secs(10);
/// Maximum size of a certificate file, in bytes.
const MAX_CERTIFICATES: u64 = 4 << 20;

/// Settings of a connection.
#[derive(Clone)]
pub(super) struct Connection {
    config: Config,
    /// TLS settings, or `None` for a connection without encryption.
    tls: Option<MakeRustlsConnect>,
}

impl Connection {
    /// Returns the settings for `url`.
    ///
    /// # Errors
    /// Returns an error if the URL is invalid or a certificate can't be read.
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

    /// Opens a connection.
    ///
    /// # Errors
    /// Returns an error if no host accepts the connection.
    pub(super) async fn connect(&self) -> Result<(Client, Messages), Error> {
        match &self.tls {
            Some(tls) => connect_by(&self.config, tls.clone()).await,
            None => connect_by(&self.config, NoTls).await,
        }
    }
}

/// Source of a connection's messages. Polling it also drives the connection.
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

/// Parses `url` as the driver does, apart from the TLS settings.
///
/// # Errors
/// Returns an error if the URL is invalid.
pub(super) fn config_of(url: &str) -> Result<Config, Error> {
    Config::from_str(&without_tls_settings(url).0)
}

/// Splits off `sslmode` and `sslrootcert`, since the library doesn't know all of their forms.
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

/// True if all hosts are on this machine, so that nothing crosses a network. If both are given, the
/// driver connects to `hostaddr` instead of the host.
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

/// Returns the host, port, database and user of `config`, as named in password files.
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

/// Returns TLS settings for checking the server's name and certificate, against the file `roots` or
/// the system's authorities.
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

/// Returns the text of an error and its causes.
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
