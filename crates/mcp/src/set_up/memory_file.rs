//! Memory files of clients that do not read `AGENTS.md`, but can import it from a file of their
//! own.

use windlass::Error;

use super::AGENTS_FILE;

/// Adds a line that imports `AGENTS.md`, unless there is one already. This cannot fail.
pub(super) fn with_import(_: &str, before: Option<&str>) -> Result<String, Error> {
    let import = format!("@{AGENTS_FILE}");
    let before = before.unwrap_or_default();
    if before
        .split_whitespace()
        .any(|word| is_import(word, &import))
    {
        return Ok(before.to_owned());
    }
    let end = if before.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let gap = match before {
        "" => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    Ok(format!("{before}{gap}{import}{end}"))
}

/// True for `@AGENTS.md` and `@./AGENTS.md`. In code, the backticks are part of the word, so an
/// import there does not match. That is right, since clients do not follow it either.
fn is_import(word: &str, import: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', ')']);
    word == import || word.strip_prefix("@./") == Some(AGENTS_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_is_added_once() {
        for (before, after) in [
            ("", "@AGENTS.md\n"),
            ("# Mine\n", "# Mine\n\n@AGENTS.md\n"),
            ("# Mine\r\ntext", "# Mine\r\ntext\r\n\r\n@AGENTS.md\r\n"),
            ("See @./AGENTS.md.\n", "See @./AGENTS.md.\n"),
            ("`@AGENTS.md`\n", "`@AGENTS.md`\n\n@AGENTS.md\n"),
        ] {
            let once = with_import("CLAUDE.md", Some(before)).unwrap();
            assert_eq!(once, after);
            assert_eq!(with_import("CLAUDE.md", Some(&once)).unwrap(), once);
        }
    }
}
