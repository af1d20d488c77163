//! Parses the locations of shared logs, and keeps passwords out of them.
//!
//! Locations are stored, printed and logged. A user may well type a URL with a password, so we
//! split it off before anything else sees the location.

use std::borrow::Cow;
use std::path::Path;

use percent_encoding::percent_decode_str;
use windlass_ledger::SharedError;

/// A location as we store it, which never contains a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// The URL of a PostgreSQL database.
    Postgres(String),
    /// The name of a git remote, as in `git remote`.
    Git(String),
    /// The path of a folder.
    File(String),
}

/// A location in the user's notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenLocation {
    /// The location to store, and to show to users.
    pub location: Location,
    /// The password, if given by the user. It must not be stored.
    pub password: Option<String>,
}

impl Location {
    /// Parses `text`. A relative path is relative to `folder`.
    ///
    /// # Errors
    /// Returns [`SharedError::Refused`] if `text` is in none of the known forms.
    pub fn parse(text: &str, folder: &Path) -> Result<GivenLocation, SharedError> {
        let plain = |location| GivenLocation {
            location,
            password: None,
        };
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return without_password(text);
        }
        match text.split_once(':') {
            Some(("git", remote)) if is_remote(remote) => Ok(plain(Self::Git(remote.to_owned()))),
            Some(("file", path)) if !path.is_empty() => {
                let path = folder.join(path);
                let path = path.to_str().ok_or_else(|| {
                    SharedError::Refused(format!("`{}` is not valid UTF-8", path.display()))
                })?;
                Ok(plain(Self::File(path.to_owned())))
            }
            _ => Err(SharedError::Refused(format!(
                "`{text}` is not a location: expected `postgres://HOST/DATABASE`, `git:NAME` with the name of a git remote, or `file:FOLDER`"
            ))),
        }
    }

    /// Returns the location in its stored form, which [`Location::parse`] reads again.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Postgres(url) => url.clone(),
            Self::Git(remote) => format!("git:{remote}"),
            Self::File(path) => format!("file:{path}"),
        }
    }
}

/// True if git takes `remote` for a name, rather than for an option or a path.
fn is_remote(remote: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !remote.is_empty() && !remote.starts_with(['-', '.']) && remote.chars().all(is_plain)
}

/// Splits a URL into the part to store and the password, which can be in front of the host or in a
/// parameter.
///
/// # Errors
/// Returns an error if the stored part might still contain a password. For the same reason, the
/// message does not include the URL.
fn without_password(url: &str) -> Result<GivenLocation, SharedError> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (credentials, rest) = split_credentials(rest);
    let (user, mut password) = match credentials.map(|text| text.split_once(':').ok_or(text)) {
        Some(Ok((user, password))) => (format!("{user}@"), Some(decoded(password).into_owned())),
        Some(Err(user)) => (format!("{user}@"), None),
        None => (String::new(), None),
    };
    // The driver accepts a percent-encoded name of a parameter, such as `p%61ssword`, so decode it.
    let (base, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut kept = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some((name, value)) if decoded(name) == "password" => {
                password = Some(decoded(value).into_owned());
            }
            _ => kept.push(parameter),
        }
    }
    let query = if kept.is_empty() {
        String::new()
    } else {
        format!("?{}", kept.join("&"))
    };
    let stored = format!("{scheme}://{user}{base}{query}");
    if user.contains(['/', '?']) || rest.contains('@') || has_password(&stored) {
        return Err(SharedError::Refused(
            "cannot tell the password from the rest of the URL: write `%40` for `@`, `%2F` for `/` and `%3F` for `?`, \
             or leave the password out and set `PGPASSWORD`"
                .to_owned(),
        ));
    }
    Ok(GivenLocation {
        location: Location::Postgres(stored),
        password: password.filter(|password| !password.is_empty()),
    })
}

/// Splits a URL without its scheme into user and password, and the rest.
///
/// Like the driver, we take everything up to the first `@` as user and password. If there is
/// another `@` before the end of the host, the user has probably forgotten to encode the one in the
/// password, so we count that to the password as well.
fn split_credentials(rest: &str) -> (Option<&str>, &str) {
    let Some(first) = rest.find('@') else {
        return (None, rest);
    };
    let host_end = rest[first..].find(['/', '?']);
    let host_end = host_end.map_or(rest.len(), |length| first + length);
    let last = rest[..host_end].rfind('@').unwrap_or(first);
    (Some(&rest[..last]), &rest[last + 1..])
}

/// True if the driver would find a password in `url`.
#[cfg(feature = "postgres")]
fn has_password(url: &str) -> bool {
    crate::postgres::has_password(url)
}

/// A build without the driver neither connects to a database nor stores its URL, so there is
/// nothing to check.
#[cfg(not(feature = "postgres"))]
fn has_password(_: &str) -> bool {
    false
}

fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (String, Option<String>) {
        let given = Location::parse(text, Path::new("/repo")).unwrap();
        (given.location.to_text(), given.password)
    }

    #[test]
    fn location_password_is_split_off() {
        for (text, want, password) in [
            ("postgres://h/d", "postgres://h/d", None),
            (
                "postgres://u@h:1,g:2/d?x=1",
                "postgres://u@h:1,g:2/d?x=1",
                None,
            ),
            ("postgres://u:p%40q@h/d", "postgres://u@h/d", Some("p@q")),
            ("postgresql://u:a@b@h/d", "postgresql://u@h/d", Some("a@b")),
            (
                "postgres://h?a=b&password=x&c=d",
                "postgres://h?a=b&c=d",
                Some("x"),
            ),
            (
                "postgres://u:pa/ss@127.0.0.1/d",
                "postgres://u@127.0.0.1/d",
                Some("pa/ss"),
            ),
            (
                "postgres://u:p?x=/@h?c=d",
                "postgres://u@h?c=d",
                Some("p?x=/"),
            ),
            ("postgres://h/d?p%61ssword=x", "postgres://h/d", Some("x")),
            ("git:origin", "git:origin", None),
            ("file:shared", "file:/repo/shared", None),
        ] {
            let found = parse(text);
            assert_eq!((found.0.as_str(), found.1.as_deref()), (want, password));
        }
        for wrong in ["origin", "git:", "git:--upload-pack=x", "http://x", "file:"] {
            assert!(Location::parse(wrong, Path::new("/")).is_err(), "{wrong}");
        }
    }
    #[test]
    fn location_with_ambiguous_password_is_refused_unprinted() {
        for text in [
            "postgres://u:first@second/third@h/d",
            "postgres://h/d?password=first@second",
            "postgres://u:first@h/d?options=second@third",
        ] {
            let refused = Location::parse(text, Path::new("/")).unwrap_err();
            let refused = refused.to_string();
            assert!(refused.contains("`%40`"), "{refused}");
            assert!(!refused.contains("first"), "{refused}");
            assert!(!refused.contains("second"), "{refused}");
        }
    }
}
