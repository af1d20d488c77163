//! Gets passwords from the environment, from a command, or from a password file. We never store
//! them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use windlass_ledger::SharedError;
use windlass_store::{RootedPath, read_file};

use crate::git_program::read_aside;
use crate::paused;

/// The variable with the command that prints the password: a program and its arguments, separated
/// by spaces. We do not use a shell, so quotes have no meaning.
const COMMAND: &str = "WINDLASS_LEDGER_PASSWORD_COMMAND";
/// Time limit for the command. It is generous, because the user may have to unlock a key ring.
const LIMIT: Duration = Duration::from_secs(60);
const TICK: Duration = Duration::from_millis(5);
const MAX_FILE: u64 = 1 << 20;

/// Finds the password for a connection.
///
/// We try `PGPASSWORD`, then the command in `WINDLASS_LEDGER_PASSWORD_COMMAND`, then the file in
/// `PGPASSFILE` or `~/.pgpass`. An entry in the file has to match `wanted`: the host, port,
/// database and user.
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
        return printed_by(&command, variables, LIMIT).map(Some);
    }
    let home = || get("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let Some(path) = get("PGPASSFILE").map(PathBuf::from).or_else(home) else {
        return Ok(None);
    };
    // An unreadable file counts as missing. If the server wants a password, the user will get an
    // error from it.
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
    limit: Duration,
) -> Result<String, SharedError> {
    let mut words = command.split_whitespace();
    let failed = |why: String| SharedError::Refused(format!("{COMMAND} `{command}`: {why}"));
    let program = words.next().unwrap_or_default();
    let mut child = Command::new(program)
        .args(words)
        .env_clear()
        .envs(variables)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let stdout = read_aside(child.stdout.take());
    let status = paused(limit, TICK, || {
        let status = child.try_wait();
        status.map_err(|error| failed(error.to_string()))
    })?;
    let Some(status) = status else {
        // The command may have ended in the meantime, in which case killing it fails.
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed(format!("it took more than {} s", limit.as_secs())));
    };
    let printed = stdout.join().unwrap_or_default();
    let text = String::from_utf8_lossy(&printed);
    let password = text.lines().next().unwrap_or_default();
    match status.success() && !password.is_empty() {
        true => Ok(password.to_owned()),
        false => Err(failed("it printed no password".to_owned())),
    }
}

/// Returns the password in a line `host:port:database:user:password` if the line matches. A `*`
/// matches anything, and a backslash escapes the next character.
fn entry(line: &str, wanted: &[String; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        // Only the first four colons separate fields, so a password may have more of them.
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
    #[cfg(unix)]
    fn password_command_is_limited_in_time() {
        let path = OsString::from("/usr/bin:/bin");
        let variables = BTreeMap::from([("PATH".to_owned(), path)]);
        let printed = printed_by("echo secret", &variables, LIMIT);
        assert_eq!(printed, Ok("secret".to_owned()));
        let refused = printed_by("tail -f /dev/null", &variables, Duration::ZERO).unwrap_err();
        assert!(refused.to_string().contains("took more than"), "{refused}");
    }

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
