//! Decides which requests a local server answers.
//!
//! Any page in the user's browser can send requests to a server on localhost, so a request has to
//! pass three checks first:
//!
//! 1. The target is a path, and the request names exactly one host ([`Door::check_form`]).
//! 2. The host is ours, and the request doesn't come from a page of another server
//!    ([`Door::check_site`]).
//! 3. The request contains the server's token, if any ([`Door::check_token`]).
//!
//! For example, a page on `evil.example` may rebind its name to 127.0.0.1 to reach this server. Its
//! requests fail the second check, because their `Host` header is still `evil.example`.

use http::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};

use crate::token::Token;

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Header by which browsers report whether a request comes from a page of this server.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Admission policy of a server: the names of its hosts and its token. The checks of host and
/// origin keep out other web pages, even those with a host name that resolves to this machine (DNS
/// rebinding).
#[derive(Debug, Clone)]
pub struct Door {
    token: Option<Token>,
    /// Name of the cookie for the token.
    cookie: Option<String>,
    hosts: Vec<String>,
}

impl Door {
    /// Creates a door for requests with the name of a local host and the `token`. Without a token,
    /// the host name is enough.
    #[must_use]
    pub fn new(token: Option<Token>) -> Self {
        Self {
            token,
            cookie: None,
            hosts: LOOPBACK.map(str::to_owned).to_vec(),
        }
    }

    /// Also accepts `host` as a name of this server. Without a port in `host`, requests may name
    /// any port.
    #[must_use]
    pub fn with_host(mut self, host: &str) -> Self {
        self.hosts.push(host.to_owned());
        self
    }

    /// Also accepts the token in the cookie `name`. Browsers need the cookie, because they can't
    /// send the token in a header when opening a page.
    #[must_use]
    pub fn with_cookie(mut self, name: impl Into<String>) -> Self {
        self.cookie = Some(name.into());
        self
    }

    /// Name of the cookie for the token.
    #[must_use]
    pub fn cookie(&self) -> Option<&str> {
        self.cookie.as_deref()
    }

    /// All names of this server, loopback names first.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        self.hosts.clone()
    }

    /// Patterns for the origins of pages that may send requests. Unlike [`Self::check_site`], these
    /// allow any local origin.
    #[must_use]
    pub fn origins(&self) -> Vec<String> {
        let local = LOOPBACK.iter();
        local
            .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
            .collect()
    }

    /// Checks that the request's target is a path and that the request names exactly one host.
    ///
    /// # Errors
    /// Returns the refusal to answer with.
    pub fn check_form(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        // The host name in the target could differ from the one in the header, and a proxy in front
        // of this server might rely on the target's.
        if target.authority().is_some() || target.scheme().is_some() {
            return Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                why: "the request target must be a path",
            });
        }
        // A browser would take a redirect to such a path for the address of another host.
        if matches!(target.path().as_bytes(), [b'/', b'/' | b'\\', ..]) {
            return Err(Refusal {
                status: StatusCode::BAD_REQUEST,
                why: "the path of a request must not begin with two slashes",
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
        Ok(())
    }

    /// Checks that a request names this server and doesn't come from a page of another one.
    ///
    /// # Errors
    /// Returns the refusal to answer with.
    pub fn check_site(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| self.is_known(host)) {
            return Err(Refusal {
                status: StatusCode::FORBIDDEN,
                why: "the `Host` header does not name this server",
            });
        }
        let is_own = |origin: &HeaderValue| {
            let origin = origin.to_str().ok();
            let origin = origin.and_then(|origin| origin.split_once("://"));
            origin.is_some_and(|(_, named)| host.is_some_and(|host| named == host))
        };
        let other = Err(Refusal {
            status: StatusCode::FORBIDDEN,
            why: "the request comes from a page of another server",
        });
        if headers.get_all(ORIGIN).iter().any(|origin| !is_own(origin)) {
            return other;
        }
        let site = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
        match site {
            None | Some(b"same-origin" | b"none") => Ok(()),
            // A link from another page may lead here. Following it only reads.
            Some(_) if is_navigation(headers) => Ok(()),
            Some(_) => other,
        }
    }

    /// Checks that a request contains the token. Passes on a server without a token.
    ///
    /// # Errors
    /// Returns the refusal to answer with.
    pub fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else {
            return Ok(());
        };
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let is_in_header = shown
            .next()
            .is_some_and(|header| token.is_shown_in(header.as_bytes()));
        let is_in_cookie = self.cookie().is_some_and(|name| {
            let mut cookies = headers.get_all(COOKIE).iter();
            cookies.any(|header| token.is_in_cookie(name, header.as_bytes()))
        });
        if !(is_in_header || is_in_cookie) || shown.next().is_some() {
            return Err(Refusal {
                status: StatusCode::UNAUTHORIZED,
                why: "send the token of the server: `Authorization: Bearer TOKEN`",
            });
        }
        Ok(())
    }

    /// True if `text` is the server's token. False on a server without a token.
    #[must_use]
    pub fn is_token(&self, text: &str) -> bool {
        self.token
            .as_ref()
            .is_some_and(|token| token.is(text.as_bytes()))
    }

    fn is_known(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let mut known = self.hosts.iter();
        known.any(|known| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name))
    }
}

/// True if the browser is opening a page. Such a request lacks an origin.
fn is_navigation(headers: &HeaderMap) -> bool {
    let mode = headers.get("sec-fetch-mode").map(HeaderValue::as_bytes);
    let target = headers.get("sec-fetch-dest").map(HeaderValue::as_bytes);
    mode == Some(b"navigate") && target == Some(b"document") && !headers.contains_key(ORIGIN)
}

/// Answer to a refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Status of the response, e.g. 401 for a missing token.
    pub status: StatusCode,
    /// The reason, for the user.
    pub why: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "a-token-of-more-than-sixteen-characters";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn request_with_two_hosts_is_refused() {
        let door = Door::new(None);
        let check = |target: &'static str, hosts: &[&str]| {
            let hosts: Vec<_> = hosts.iter().map(|host| ("host", *host)).collect();
            let checked = door.check_form(&Uri::from_static(target), &headers(&hosts));
            checked.map_err(|refusal| refusal.status.as_u16())
        };
        assert_eq!(check("/mcp", &["localhost"]), Ok(()));
        assert_eq!(check("/mcp", &["localhost", "evil.example"]), Err(400));
        assert_eq!(check("/mcp", &["localhost", "localhost"]), Err(400));
        assert_eq!(check("/mcp", &[]), Err(400));
        assert_eq!(check("/mcp", &["evil@localhost"]), Err(400));
        assert_eq!(check("http://localhost/mcp", &["localhost"]), Err(400));
        assert_eq!(check("localhost:80", &["localhost"]), Err(400));
    }

    #[test]
    fn path_that_names_a_host_is_refused() {
        let door = Door::new(None);
        let check = |target: &'static str| {
            let target = Uri::from_static(target);
            door.check_form(&target, &headers(&[("host", "localhost")]))
        };
        assert!(check("/").is_ok());
        assert!(check("/runs//x").is_ok());
        assert!(check("//evil.example/").is_err());
        assert!(check("/\\evil.example/").is_err());
    }

    #[test]
    fn page_of_another_server_is_refused() {
        let door = Door::new(None).with_host("box.example");
        let check = |pairs: &[(&'static str, &str)]| door.check_site(&headers(pairs)).is_ok();
        for host in ["localhost:4611", "127.0.0.1", "[::1]:80", "BOX.example:9"] {
            assert!(check(&[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil:80",
            "localhost:evil",
        ] {
            assert!(!check(&[("host", host)]), "{host}");
        }
        let from = |origin| check(&[("host", "localhost:4611"), ("origin", origin)]);
        assert!(from("http://localhost:4611"));
        for origin in [
            "http://localhost:80",
            "http://evil.example",
            "null",
            "http://localhost:4611.evil",
        ] {
            assert!(!from(origin), "{origin}");
        }
    }

    #[test]
    fn other_page_may_link_but_not_fetch() {
        let door = Door::new(None);
        let check = |mode: &str, target: &str| {
            let sent = [
                ("host", "localhost"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", target),
            ];
            door.check_site(&headers(&sent)).is_ok()
        };
        assert!(check("navigate", "document"));
        assert!(!check("navigate", "iframe"));
        assert!(!check("no-cors", "image"));
        assert!(!check("cors", "empty"));
    }

    #[test]
    fn token_is_in_header_or_cookie() {
        let door = Door::new(Some(Token::new(TOKEN).unwrap()));
        let cookie = format!("a=b; windlass={TOKEN}");
        let bearer = format!("Bearer {TOKEN}");
        let check =
            |door: &Door, pairs: &[(&'static str, &str)]| door.check_token(&headers(pairs)).is_ok();
        assert!(check(&door, &[("authorization", &bearer)]));
        assert!(!check(&door, &[]));
        assert!(!check(&door, &[("cookie", &cookie)]));
        assert!(!check(
            &door,
            &[("authorization", &bearer), ("authorization", "x")]
        ));
        let door = door.with_cookie("windlass");
        assert!(check(&door, &[("cookie", &cookie)]));
        assert!(!check(&door, &[("cookie", "windlass=x")]));
        assert!(!check(
            &door,
            &[("cookie", &cookie.replace("windlass", "other"))]
        ));
    }
}
