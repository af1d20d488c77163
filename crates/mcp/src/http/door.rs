//! Who may come in.

use hyper::header::{AUTHORIZATION, HOST, HeaderValue};
use hyper::{HeaderMap, StatusCode, Uri};

use super::token::Token;

/// Where the server is found.
pub(super) const PATH: &str = "/mcp";

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Who may come in: those who show the token, call the server by a name that it has, and are no page of somebody else
/// in a browser. A page that has its own name point at this machine is kept out by the second and the third.
#[derive(Debug, Clone)]
pub struct Door {
    token: Token,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Door {
    /// Lets those in who show `token`, and call the server by one of the names of this machine for itself.
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

    /// Whether a request may come in, as far as that does not depend on how the server is called.
    ///
    /// # Errors
    /// When it may not: with what it is answered.
    pub(super) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        // Which of two names counts is a matter of taste: a proxy before this server may have another.
        if target.authority().is_some() || target.scheme().is_some() {
            return Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                why: "the target of a request is a path: `/mcp`",
            });
        }
        let mut hosts = headers.get_all(HOST).iter();
        let is_plain = |host: &HeaderValue| !host.as_bytes().contains(&b'@');
        if !hosts.next().is_some_and(is_plain) || hosts.next().is_some() {
            return Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                why: "a request has exactly one `Host` header, without a user",
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
                why: "show the token that the server was started with: `Authorization: Bearer TOKEN`",
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
    fn request_that_names_two_servers_is_refused() {
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
