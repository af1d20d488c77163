//! File names in the form in which git prints them.

use std::borrow::Cow;
use std::path::Path;

use windlass_base::RepoPath;

use super::edits::Error;
use super::edits::git::git;

/// Returns the file names that `git` prints, each followed by a NUL byte.
///
/// Names that are not UTF-8 or cannot be paths here, such as names with a line break, are skipped,
/// because no pointer can refer to such a file.
pub(crate) fn names(dir: &Path, args: &[&str]) -> Result<impl Iterator<Item = String>, Error> {
    let printed = git(dir, args)?;
    let names = printed.split(|byte| *byte == 0);
    let is_known = |name: &&str| !name.contains(char::is_control) && RepoPath::parse(name).is_ok();
    let names = names.filter_map(|name| std::str::from_utf8(name).ok().filter(is_known));
    let names: Vec<String> = names.map(str::to_owned).collect();
    Ok(names.into_iter())
}

/// Removes the quotes and backslashes that git adds to a name with special characters when each
/// name is on a line.
pub(crate) fn unquoted(name: &str) -> Cow<'_, str> {
    let inner = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let Some(inner) = inner else {
        return Cow::Borrowed(name);
    };
    let (mut bytes, mut rest) = (Vec::new(), inner.bytes().peekable());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(first @ b'0'..=b'7') => {
                let mut value = first - b'0';
                while let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                    value = value.wrapping_mul(8).wrapping_add(digit - b'0');
                }
                value
            }
            Some(other) => other,
            None => b'\\',
        });
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[allow(unused_imports, reason = "a benchmark has no test harness")]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_it_was_before_git_quoted_it() {
        assert_eq!(unquoted("a b.rs"), "a b.rs");
        assert_eq!(unquoted(r#""say \"hello\".md""#), "say \"hello\".md");
        assert_eq!(unquoted(r#""a\\b\tc""#), "a\\b\tc");
        assert_eq!(unquoted(r#""caf\303\251""#), "café");
    }
}
