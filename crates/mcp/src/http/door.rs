//! Admission of requests.

use hyper::header::{AUTHORIZATION, HOST, HeaderValue};
use hyper::{HeaderMap, StatusCode, Uri};

use super::token::Token;

/// Path of the server.
pub(super) const PATH: &str = "/mcp";

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Admission policy: a request needs the token, a known host name, and an allowed origin. The host and origin checks
/// keep out web pages, including those whose own host name resolves to this machine (DNS rebinding).
#[derive(Debug, Clone)]
pub struct Door {
    token: Token,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Door {
    /// Admits requests with `token` for one of the names of the local machine.
    #[must_use]
    pub fn new(token: Token) -> Self {
        let origins = LOOPBACK
            .iter()
            .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
        Self {
            token,
            hosts: LOOPBACK.map(str::to_owned).to_vec(),
            origins: origins.collect(),
        }
    }

    /// The same, with `host` as another name of the server, with or without a port.
    #[must_use]
    pub fn with_host(mut self, host: &str) -> Self {
        self.hosts.push(host.to_owned());
        self
    }

    pub(super) fn hosts(&self) -> Vec<String> {
        self.hosts.clone()
    }

    pub(super) fn origins(&self) -> Vec<String> {
        self.origins.clone()
    }

    /// Checks a request, except for its host name.
    ///
    /// # Errors
    /// Returns the refusal to answer with.
    pub(super) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        // Two different host names are ambiguous: a proxy in front of this server may choose the other one.
        if target.authority().is_some() || target.scheme().is_some() {
            return Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                why: "the request target must be a path: `/mcp`",
            });
        }
        let mut hosts = headers.get_all(HOST).iter();
        let is_plain = |host: &HeaderValue| !host.as_bytes().contains(&b'@');
        if !hosts.next().is_some_and(is_plain) || hosts.next().is_some() {
            return Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                why: "a request needs exactly one `Host` header, without user information",
            });
        }
        if target.path() != PATH {
            return Err(Refusal {
                status: StatusCode::NOT_FOUND,
                why: "the server is at /mcp",
            });
        }
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let is_let_in = shown
            .next()
            .is_some_and(|header| self.token.is_shown_in(header.as_bytes()));
        if !is_let_in || shown.next().is_some() {
            return Err(Refusal {
                status: StatusCode::UNAUTHORIZED,
                why: "send the token of the server: `Authorization: Bearer TOKEN`",
            });
        }
        Ok(())
    }
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) why: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_with_two_hosts_is_refused() {
        let token = "a-token-of-more-than-sixteen-characters";
        let door = Door::new(Token::new(token).unwrap());
        let check = |target: &'static str, hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            let shown = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
            headers.insert(AUTHORIZATION, shown);
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            let checked = door.check(&Uri::from_static(target), &headers);
            checked.map_err(|refusal| refusal.status.as_u16())
        };
        assert_eq!(check("/mcp", &["localhost"]), Ok(()));
        assert_eq!(check("/mcp", &["localhost", "evil.example"]), Err(400));
        assert_eq!(check("/mcp", &["localhost", "localhost"]), Err(400));
        assert_eq!(check("/mcp", &[]), Err(400));
        assert_eq!(check("/mcp", &["evil@localhost"]), Err(400));
        assert_eq!(check("http://localhost/mcp", &["localhost"]), Err(400));
        assert_eq!(check("http://evil.example/mcp", &["localhost"]), Err(400));
        assert_eq!(check("localhost:80", &["localhost"]), Err(400));
        assert_eq!(check("/other", &["localhost"]), Err(404));
    }
}
