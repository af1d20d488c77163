//! Suggested calls, in the form for their caller.
//!
//! Results and errors suggest what to do next. A shell gets a command such as `windlass run
//! overview`, with all arguments quoted, so that users can paste it. A client with tools gets the
//! name of a tool with JSON arguments.

mod caller;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::caller::{Caller, Tools, name_root};
use crate::{Limit, is_harmful};

/// A suggested call, ready to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NextAction {
    /// The command as typed after `windlass`: `run`, `anchor check`.
    pub tool: String,
    /// Arguments by name. The key `args` holds positional arguments in order.
    pub args: Map<String, Value>,
    /// The reason for the suggestion.
    pub reason: String,
    #[serde(skip)]
    form: CallForm,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CallForm {
    #[default]
    Shell,
    Tool,
}

impl NextAction {
    /// Creates a call without arguments. `tool` is the command, e.g. `anchor check`.
    #[must_use]
    pub fn new(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            args: Map::new(),
            reason: reason.into(),
            form: CallForm::Shell,
        }
    }

    /// Adds an argument without a name after those that are there.
    #[must_use]
    pub fn positional(mut self, value: impl Into<Value>) -> Self {
        let list = self
            .args
            .entry("args")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(value.into());
        }
        self
    }

    /// Adds an option `--name value`. If the value is `true`, this is a flag, and if it's a list,
    /// the option is repeated.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.args.insert(name.into(), value.into());
        self
    }

    /// Adds the option for this limit, i.e. `--max-chars` or `--max-tokens`.
    #[must_use]
    pub fn limited(self, limit: Limit) -> Self {
        match limit {
            Limit::Chars(max) => self.option("max_chars", max),
            Limit::Tokens(max) => self.option("max_tokens", max),
        }
    }

    /// Converts the call to the form for `caller`, or returns `None` if the caller can't make it.
    #[must_use]
    pub fn for_caller(mut self, caller: Option<&Caller>) -> Option<Self> {
        Some(match caller {
            Some(Caller::FromElsewhere(root)) => {
                self.reason = name_root(&self.reason, root);
                self.files_below(root).option("root", root.as_str())
            }
            Some(Caller::FromBelow(way_up)) if self.names_places() => {
                self.option("root", way_up.as_str())
            }
            Some(Caller::FromBelow(way_up)) => self.files_below(way_up),
            Some(Caller::ByTools(_)) if self.form == CallForm::Tool => self,
            Some(Caller::ByTools(tools)) => {
                return (tools.translate)(&self, tools.root.as_deref());
            }
            None => self,
        })
    }

    /// Creates a call of the tool `name` with JSON arguments. A shell can't make this call.
    #[must_use]
    pub fn of_tool(
        name: impl Into<String>,
        args: Map<String, Value>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            tool: name.into(),
            args,
            reason: reason.into(),
            form: CallForm::Tool,
        }
    }

    /// Makes the file names of runbooks and documents relative to the caller's folder, from which
    /// `folder` leads up to the root.
    fn files_below(mut self, folder: &str) -> Self {
        if let ("run" | "plan" | "trust" | "check", Some(Value::Array(list))) =
            (&*self.tool, self.args.get_mut("args"))
        {
            let files = list.iter_mut().filter_map(|value| match value {
                Value::String(name) if names_a_file(name) => Some(name),
                _ => None,
            });
            for file in files.filter(|file| !file.starts_with('/')) {
                *file = format!("{}/{file}", folder.trim_end_matches('/'));
            }
        }
        self
    }

    /// Returns true if the arguments are locations in files. Such a call is made with `--root`
    /// rather than with changed file names.
    fn names_places(&self) -> bool {
        matches!(self.tool.as_str(), "anchor add" | "anchor scan")
    }

    /// Formats the call for its form: as a POSIX command, or as the name of a tool with JSON
    /// arguments.
    #[must_use]
    pub fn written_out(&self) -> String {
        match self.form {
            CallForm::Shell => self.command_line(),
            CallForm::Tool => format!("{} {}", self.tool, Value::Object(self.args.clone())),
        }
    }

    /// Formats the call as a POSIX command, even for a tool call.
    #[must_use]
    pub fn command_line(&self) -> String {
        let mut line = format!("windlass {}", self.tool);
        let mut push = |word: &str| {
            line.push(' ');
            line.push_str(word);
        };
        let positional = match self.args.get("args") {
            Some(Value::Array(list)) => &list[..],
            _ => &[],
        };
        // If a positional argument looks like an option, all of them must come last, after `--`.
        let options_first = positional.iter().any(looks_like_an_option);
        for value in positional.iter().filter(|_| !options_first) {
            push(&value_word(value));
        }
        for (name, value) in self.args.iter().filter(|(name, _)| *name != "args") {
            let name = format!("--{}", name.replace('_', "-"));
            match value {
                Value::Bool(true) => push(&name),
                Value::Bool(false) | Value::Null => {}
                Value::Array(list) => {
                    for value in list {
                        push(&with_value(&name, value));
                    }
                }
                value => push(&with_value(&name, value)),
            }
        }
        if options_first {
            push("--");
            for value in positional {
                push(&value_word(value));
            }
        }
        line
    }
}

/// Returns true if `name` seems to be the file name of a runbook or document, as opposed to the
/// name in it. This is a guess, and a name that ends in `.json` fools it.
#[must_use]
pub fn names_a_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    name.contains(['/', '\\']) || matches!(extension, "yaml" | "yml" | "json")
}

fn looks_like_an_option(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('-'))
}

fn with_value(name: &str, value: &Value) -> String {
    // With a space, the value would be taken for another option.
    let between = if looks_like_an_option(value) {
        '='
    } else {
        ' '
    };
    format!("{name}{between}{}", value_word(value))
}

fn value_word(value: &Value) -> String {
    match value {
        Value::String(text) => shell_word(text),
        other => shell_word(&other.to_string()),
    }
}

/// Formats `text` as a single word for a POSIX shell, on one line if possible.
///
/// Users should be able to see what a command does before they run it. Invisible characters
/// therefore become escapes for `printf`.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    // Command substitution strips newlines at the end, so these have to be outside of it.
    let shown = text.trim_end_matches('\n');
    if shown.contains(is_harmful) {
        let ends = &text[shown.len()..];
        let ends = if ends.is_empty() {
            String::new()
        } else {
            quoted(ends)
        };
        return format!("\"$(printf {})\"{ends}", printf_format(shown));
    }
    quoted(text)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns a format with which `printf` prints `text`, and in which invisible characters are
/// escaped.
fn printf_format(text: &str) -> String {
    let mut format = String::from("'");
    for c in text.chars() {
        match c {
            '\\' => format.push_str(r"\\"),
            '%' => format.push_str("%%"),
            '\'' => format.push_str(r"\047"),
            c if is_harmful(c) => {
                let bytes = c.to_string().into_bytes();
                format.extend(bytes.iter().map(|byte| format!(r"\{byte:03o}")));
            }
            c => format.push(c),
        }
    }
    // `printf` would mistake a hyphen at the start for an option.
    if format.starts_with("'-") {
        format.replace_range(1..2, r"\055");
    }
    format.push('\'');
    format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_quoted_for_a_shell() {
        let action = NextAction::new("anchor add", "x")
            .positional("it's here")
            .option("start_line", 3)
            .option("dry_run", true)
            .option("tag", vec!["a", "b c"]);
        assert_eq!(
            action.command_line(),
            r"windlass anchor add 'it'\''s here' --start-line 3 --dry-run --tag a --tag 'b c'"
        );
    }

    #[test]
    fn shell_word_escapes_invisible_chars() {
        assert_eq!(shell_word("a\nb"), r#""$(printf 'a\012b')""#);
        assert_eq!(
            shell_word("-\u{1b}'%\\é"),
            r#""$(printf '\055\033\047%%\\é')""#
        );
        assert_eq!(shell_word("\u{202e}"), r#""$(printf '\342\200\256')""#);
        assert_eq!(shell_word("a\tb"), "'a\tb'");
        assert_eq!(shell_word("a\n"), "'a\n'");
        assert_eq!(shell_word(""), "''");
    }

    #[cfg(unix)]
    proptest::proptest! {
        #[test]
        fn shell_word_round_trips(
            texts in proptest::collection::vec(
                "[a-z'\"$`\\\\%!#~*?\\[\\]{}()<>|&;\n\r\t \u{1b}\u{202e}\u{85}é-]{0,12}|[^\u{0}]{0,12}", 1..4,
            ),
        ) {
            let words: Vec<String> = texts.iter().map(|text| shell_word(text)).collect();
            // A control byte separates the words.
            let script = format!("printf '%s\\1' {}", words.join(" "));
            #[expect(clippy::disallowed_methods, reason = "the shell is under test")]
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            let want: Vec<u8> = texts.iter().flat_map(|text| [text.as_bytes(), b"\x01"].concat()).collect();
            proptest::prop_assert_eq!(output.stdout, want, "{}", script);
            for (word, text) in words.iter().zip(&texts) {
                proptest::prop_assert!(text.ends_with('\n') || !word.contains(is_harmful), "{}", word);
            }
        }
    }

    #[test]
    fn command_line_protects_hyphens() {
        let action = NextAction::new("anchor add", "x")
            .positional("d")
            .positional("-x.md:2")
            .option("label", "-y")
            .option("replace", true);
        assert_eq!(
            action.command_line(),
            "windlass anchor add --label=-y --replace -- d -x.md:2"
        );
    }

    #[test]
    fn for_caller_names_the_root() {
        let reason = "`windlass plan x` says more";
        let action = NextAction::new("trust", reason).positional("x");
        assert_eq!(action.clone().for_caller(None), Some(action.clone()));
        let typed = Caller::FromElsewhere("../a b".to_owned());
        let named = action.clone().for_caller(Some(&typed)).unwrap();
        assert_eq!(named.command_line(), "windlass trust x --root '../a b'");
        assert_eq!(named.reason, "`windlass --root '../a b' plan x` says more");
        // Inside of the repository, only calls with file names need the root.
        let above = Caller::FromBelow("..".to_owned());
        assert_eq!(action.clone().for_caller(Some(&above)), Some(action));
        // File names are relative to the caller's folder.
        let file = NextAction::new("plan", "x").positional("docs/x.yaml");
        for (caller, line) in [
            (&typed, "windlass plan '../a b/docs/x.yaml' --root '../a b'"),
            (&above, "windlass plan ../docs/x.yaml"),
        ] {
            let called = file.clone().for_caller(Some(caller)).unwrap();
            assert_eq!(called.command_line(), line);
        }
        let add = NextAction::new("anchor add", "x").positional("a.rs:1");
        assert_eq!(
            add.for_caller(Some(&above)).unwrap().command_line(),
            "windlass anchor add a.rs:1 --root .."
        );
    }
}
