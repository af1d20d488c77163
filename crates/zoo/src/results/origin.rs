//! A repository of the user's that was measured.

use serde::{Deserialize, Serialize};

use crate::subject::Subject;

/// A repository of the user's, as it was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Its folder, from the root of the file system.
    pub root: String,
    /// The commit that was checked out, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The file of what it was asked, from the root of the file system; what its commits say if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<String>,
    /// What it is about, wherever it lies; nothing where nothing was asked yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
}

impl Origin {
    /// Where it is, and what is checked out there, in words.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.commit {
            Some(commit) => {
                let short: String = commit.chars().take(10).collect();
                format!("`{}` at commit {short}", self.root)
            }
            None => format!("`{}`", self.root),
        }
    }

    /// What has to be typed to have it measured.
    pub(super) fn typed(&self) -> String {
        let cases = self.cases.as_deref();
        let cases = cases.map(|file| format!(" --cases {}", shell_word(file)));
        format!(
            " --repo {}{}",
            shell_word(&self.root),
            cases.unwrap_or_default()
        )
    }
}

/// `text` as a shell takes it for one word, on one line: characters that end one, or do something to a terminal, are written by number, as most
/// shells read them.
pub(super) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+,=".contains(c);
    match () {
        () if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        () if text.contains(char::is_control) => {
            let byte = |byte: u8| format!("\\x{byte:02x}");
            let told = |c: char| match c {
                '\'' | '\\' => format!("\\{c}"),
                c if c.is_control() => c.to_string().bytes().map(byte).collect(),
                c => c.to_string(),
            };
            format!("$'{}'", text.chars().map(told).collect::<String>())
        }
        () => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_on_one_line_whatever_is_in_it() {
        assert_eq!(shell_word("a-1"), "a-1");
        assert_eq!(shell_word("it's a\\b"), r"'it'\''s a\b'");
        assert_eq!(shell_word("it's\n\u{9b}a\\"), r"$'it\'s\x0a\xc2\x9ba\\'");
    }
}
