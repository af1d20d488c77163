//! Passwords: from the environment, a command or a password file. They are never stored.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use windlass_ledger::SharedError;
use windlass_store::{RootedPath, read_file};

/// Environment variable with a command that prints the password: a program and its arguments, separated by spaces.
const COMMAND: &str = "WINDLASS_LEDGER_PASSWORD_COMMAND";
/// Maximum size of a password file, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Returns the password for a connection: `PGPASSWORD`, the command in `WINDLASS_LEDGER_PASSWORD_COMMAND`, or an entry
/// of `PGPASSFILE` or `~/.pgpass` that matches `wanted`, the host, port, database and user.
///
/// # Errors
/// Returns an error if the command fails.
pub(super) fn password(
    variables: &BTreeMap<String, OsString>,
    wanted: &[String; 4],
) -> Result<Option<String>, SharedError> {
    let get = |name: &str| {
        let value = variables.get(name).filter(|value| !value.is_empty());
        value.map(|value| value.to_string_lossy().into_owned())
    };
    if let Some(password) = get("PGPASSWORD") {
        return Ok(Some(password));
    }
    if let Some(command) = get(COMMAND) {
        return printed_by(&command, variables).map(Some);
    }
    let home = || get("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let Some(path) = get("PGPASSFILE").map(PathBuf::from).or_else(home) else {
        return Ok(None);
    };
    // An unreadable file is as good as none; the server then says that it wants a password.
    let bytes = read_file(&RootedPath::typed(&path), MAX_FILE)
        .ok()
        .flatten();
    let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    Ok(text.lines().find_map(|line| entry(line, wanted)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the user names the program in the environment, as for libpq and git"
)]
fn printed_by(
    command: &str,
    variables: &BTreeMap<String, OsString>,
) -> Result<String, SharedError> {
    let mut words = command.split_whitespace();
    let failed = |why: String| SharedError::Refused(format!("{COMMAND} `{command}`: {why}"));
    let program = words.next().unwrap_or_default();
    let printed = Command::new(program)
        .args(words)
        .env_clear()
        .envs(variables)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8_lossy(&printed.stdout);
    let password = text.lines().next().unwrap_or_default();
    match printed.status.success() && !password.is_empty() {
        true => Ok(password.to_owned()),
        false => Err(failed("it printed no password".to_owned())),
    }
}

/// Returns the password of a line `host:port:database:user:password` if it matches; `*` matches everything.
fn entry(line: &str, wanted: &[String; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        if c == ':' && fields.len() < 5 {
            fields.push(String::new());
            continue;
        }
        let c = if c == '\\' {
            characters.next()
        } else {
            Some(c)
        };
        fields.last_mut()?.extend(c);
    }
    let password = fields.pop().filter(|_| fields.len() == 4)?;
    let matches = |(field, wanted): (&String, &String)| field == "*" || field == wanted;
    fields.iter().zip(wanted).all(matches).then_some(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passfile_entry_matches_like_libpq() {
        let wanted = ["h", "5432", "d", "u"].map(str::to_owned);
        for (line, want) in [
            ("h:5432:d:u:secret", Some("secret")),
            ("*:*:*:*:a:b", Some("a:b")),
            (r"h:*:d:u:a\:b\\c", Some(r"a:b\c")),
            ("h:5433:d:u:x", None),
            ("#h:5432:d:u:x", None),
            ("h:5432:d:u", None),
        ] {
            assert_eq!(entry(line, &wanted).as_deref(), want, "{line}");
        }
    }
}
