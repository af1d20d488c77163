//! Parses lines of a repository's list of secret paths.
//!
//! If a pattern matches nothing, it also hides nothing, and the user would not notice. So we accept
//! common habits such as `./`, and refuse patterns that cannot match.

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// True if the line makes paths readable, i.e. if it starts with `!`.
    pub(super) narrows: bool,
    /// In `.gitignore` syntax.
    pub(super) glob: String,
}

/// Parses a line, or returns `None` for an empty line or a comment. If the line cannot match any
/// path, this returns the reason.
pub(super) fn parse(line: &str) -> Result<Option<Pattern>, String> {
    let text = trimmed(line);
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let (narrows, text) = match text.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    // In `.gitignore`, `./` matches nothing. Here, it means the root of the repository, just like
    // `/`.
    let here = text.trim_start_matches("./");
    let glob = if here.len() < text.len() {
        format!("/{}", here.trim_start_matches('/'))
    } else {
        text.to_owned()
    };
    match fault(&glob) {
        Some(fault) => Err(fault),
        None => Ok(Some(Pattern { narrows, glob })),
    }
}

/// Trims whitespace, but keeps an escaped space at the end, like git does.
fn trimmed(line: &str) -> &str {
    let text = line.trim();
    if text.ends_with('\\') && line.trim_start().len() > text.len() {
        return &line.trim_start()[..=text.len()];
    }
    text
}

fn fault(glob: &str) -> Option<String> {
    let bytes = glob.as_bytes();
    let quoted = |quote: char| glob.len() > 1 && glob.starts_with(quote) && glob.ends_with(quote);
    // A backslash before a letter is most likely a separator on Windows, as in `private\keys`. As
    // an escape, it would be pointless.
    let escapes_word = |pair: &[u8]| pair[0] == b'\\' && pair[1].is_ascii_alphanumeric();
    let inner = glob.trim_start_matches('/').trim_end_matches('/');
    if inner.is_empty() {
        return Some("pattern without a file name".to_owned());
    }
    if glob.chars().any(char::is_control) {
        return Some("pattern with a control character".to_owned());
    }
    if glob.starts_with(['#', '!']) {
        return Some(format!(
            "write `\\{}` for a name that begins with it",
            &glob[..1]
        ));
    }
    if glob.starts_with("//") || glob.starts_with("~/") || quoted('"') || quoted('\'') {
        return Some("patterns are relative to the root and not quoted: `private/`".to_owned());
    }
    let comment = |at: usize| bytes[..at].last().is_some_and(u8::is_ascii_whitespace);
    if memchr::memchr_iter(b'#', bytes).any(comment) {
        return Some(
            "a comment needs a line of its own; write `\\#` for a name with `#` in it".to_owned(),
        );
    }
    if bytes.windows(2).any(escapes_word) {
        return Some("use `/` between folders, not `\\`".to_owned());
    }
    inner
        .split('/')
        .find(|part| matches!(*part, "" | "." | ".."))
        .map(|part| format!("no path has a part `{part}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_habitual_forms_accepted() {
        for (line, narrows, glob) in [
            ("private/", false, "private/"),
            ("./i/", false, "/i/"),
            ("././i", false, "/i"),
            ("  i/\t", false, "i/"),
            (" !*.pem ", true, "*.pem"),
            ("! ./a.pem", true, "/a.pem"),
            ("a\\ b", false, "a\\ b"),
            ("a\\ ", false, "a\\ "),
            ("C#/x", false, "C#/x"),
            ("a \\#1", false, "a \\#1"),
            ("\\!x", false, "\\!x"),
            ("**/x", false, "**/x"),
        ] {
            let glob = glob.to_owned();
            assert_eq!(parse(line), Ok(Some(Pattern { narrows, glob })), "{line:?}");
        }
        for line in ["", " \t", "# why", "  # why"] {
            assert_eq!(parse(line), Ok(None), "{line:?}");
        }
    }

    #[test]
    fn parse_unmatchable_is_refused() {
        for line in [
            "i/x.txt # why",
            "i/x.txt\t#why",
            "../x",
            "a/../b",
            "a/./b",
            "a//b",
            "//a",
            "/",
            "!",
            "./",
            "!!x",
            "!#x",
            "private\\notes.txt",
            "\"private/\"",
            "'x'",
            "~/.x",
            "a\rb",
            "p\0r\0",
        ] {
            assert!(parse(line).is_err(), "{line:?}");
        }
    }
}
