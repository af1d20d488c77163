//! Configuration files in the format of gitleaks.

use serde::Deserialize;

/// A configuration file, with rules and allowlists for all of them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Config {
    #[serde(default)]
    pub(crate) rules: Vec<Entry>,
    /// Allowlists for all rules, or for their `target_rules`.
    #[serde(flatten)]
    pub(crate) lists: Allowlists,
}

/// The two ways of writing allowlists.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Allowlists {
    allowlist: Option<Allowlist>,
    allowlists: Vec<Allowlist>,
}

/// One of the `[[rules]]` of a configuration.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) regex: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) entropy: f64,
    pub(crate) secret_group: usize,
    #[serde(flatten)]
    pub(crate) lists: Allowlists,
    /// A key only used in built-in rules and described in `data/forms.toml`.
    pub(crate) judge: String,
    pub(crate) after: String,
    pub(crate) before: String,
    pub(crate) near: String,
    pub(crate) within: Option<usize>,
    pub(crate) reach: String,
}

/// Exceptions for matched values that are not secrets.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Allowlist {
    pub(crate) condition: String,
    pub(crate) regex_target: String,
    pub(crate) regexes: Vec<String>,
    pub(crate) stopwords: Vec<String>,
    pub(crate) paths: Vec<String>,
    /// The rules an entry of `[[allowlists]]` applies to. If empty, all rules.
    pub(crate) target_rules: Vec<String>,
}

impl Allowlists {
    pub(crate) fn into_all(self) -> Vec<Allowlist> {
        self.allowlist.into_iter().chain(self.allowlists).collect()
    }
}

/// Translates a pattern from Go's syntax, where a bracket within a class is literal, and so is a
/// brace that does not begin a repetition.
pub(crate) fn from_go(pattern: &str) -> String {
    let mut escaped = String::new();
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    let mut is_first = false;
    while let Some(c) = chars.next() {
        let next = chars.peek();
        match c {
            '\\' => {
                escaped.push(c);
                escaped.extend(chars.next());
                is_first = false;
                continue;
            }
            '[' if in_class && next == Some(&':') => {
                // `[:alnum:]` ends with its own bracket, so copy it whole.
                escaped.push(c);
                escaped.extend(chars.by_ref().take_while(|c| *c != ']'));
                escaped.push(']');
                continue;
            }
            '[' if in_class => escaped.push('\\'),
            '[' => {
                in_class = true;
                is_first = true;
                escaped.push(c);
                continue;
            }
            '^' if is_first => {
                escaped.push(c);
                continue;
            }
            ']' if is_first => escaped.push('\\'),
            ']' => in_class = false,
            '{' if !in_class && !next.is_some_and(char::is_ascii_digit) => escaped.push('\\'),
            _ => {}
        }
        is_first = false;
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_go_bracket_in_class_is_escaped() {
        for (go, rust) in [
            (r"[[a]{2}", r"[\[a]{2}"),
            (r"\${a}", r"\$\{a}"),
            (r"[[:alnum:]_]{3}", r"[[:alnum:]_]{3}"),
            (r"[]a]", r"[\]a]"),
            (r"[^]a]", r"[^\]a]"),
            (r"\[a{", r"\[a\{"),
        ] {
            assert_eq!(from_go(go), rust);
        }
    }
}
