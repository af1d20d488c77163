//! Locations of shared logs, as users write them.

use std::path::Path;

use windlass_ledger::SharedError;

/// Location of a shared log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// PostgreSQL, by a URL without a password.
    Postgres(String),
    /// Ref of a git remote, by the name of the remote.
    Git(String),
    /// Folder of files.
    File(String),
}

/// Location with the password that its URL contained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenLocation {
    /// Location without the password.
    pub location: Location,
    /// Password, which must not be stored.
    pub password: Option<String>,
}

impl Location {
    /// Parses `text`; a relative path of a file starts at `folder`.
    ///
    /// # Errors
    /// Returns [`SharedError::Refused`] if it is none of the known forms.
    pub fn parse(text: &str, folder: &Path) -> Result<GivenLocation, SharedError> {
        let plain = |location| GivenLocation {
            location,
            password: None,
        };
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(without_password(text));
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
                "`{text}` is not a location: expected `postgres://HOST/DATABASE`, `git:REMOTE` or `file:FOLDER`"
            ))),
        }
    }

    /// Returns the location as it is stored.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Postgres(url) => url.clone(),
            Self::Git(remote) => format!("git:{remote}"),
            Self::File(path) => format!("file:{path}"),
        }
    }
}

/// True if git reads `remote` as a name and not as an option or another kind of argument.
fn is_remote(remote: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !remote.is_empty() && !remote.starts_with(['-', '.']) && remote.chars().all(is_plain)
}

/// Splits a URL into the part to store and its password, in the user part or in a parameter.
fn without_password(url: &str) -> GivenLocation {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (mut password, authority) = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, password)) => (Some(decoded(password)), format!("{user}@{host}")),
            None => (None, authority.to_owned()),
        },
        None => (None, authority.to_owned()),
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut kept = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("password", value)) => password = Some(decoded(value)),
            _ => kept.push(parameter),
        }
    }
    let query = if kept.is_empty() {
        String::new()
    } else {
        format!("?{}", kept.join("&"))
    };
    GivenLocation {
        location: Location::Postgres(format!("{scheme}://{authority}{path}{query}")),
        password: password.filter(|password| !password.is_empty()),
    }
}

/// Decodes `%41` and the like.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
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
}
