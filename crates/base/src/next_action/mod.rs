//! Suggested calls, in the form for their caller. A shell reads `windlass run overview`, while a
//! client with tools reads a tool's name with JSON arguments.

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

/// A call's form, depending on how the caller makes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CallForm {
    /// A command for a shell.
    #[default]
    Shell,
    /// A tool's name with JSON arguments, for clients that call tools.
    Tool,
}

impl NextAction {
    /// Creates a call of `tool` without arguments.
    #[must_use]
    pub fn new(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            args: Map::new(),
            reason: reason.into(),
            form: CallForm::Shell,
        }
    }

    /// Adds a positional argument.
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

    /// Adds the option `--name value`. The value `true` gives a bare flag, and a list repeats the
    /// option.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.args.insert(name.into(), value.into());
        self
    }

    /// Adds the option that limits the output.
    #[must_use]
    pub fn limited(self, limit: Limit) -> Self {
        match limit {
            Limit::Chars(max) => self.option("max_chars", max),
            Limit::Tokens(max) => self.option("max_tokens", max),
        }
    }

    /// Converts the call for `caller`. Returns `None` if the caller can't make it.
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

    /// Creates a call of the tool `name` with JSON arguments. It can't be made in a shell.
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

    /// Makes file names of runbooks relative to the caller's folder. `folder` is the path from
    /// there up to the repository's root.
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

    /// Returns true if the arguments are locations in files. Those are relative to the caller's
    /// folder.
    fn names_places(&self) -> bool {
        matches!(self.tool.as_str(), "anchor add" | "anchor scan")
    }

    /// Formats the call as a command for a POSIX shell, or as a tool's name with JSON arguments.
    #[must_use]
    pub fn written_out(&self) -> String {
        match self.form {
            CallForm::Shell => self.command_line(),
            CallForm::Tool => format!("{} {}", self.tool, Value::Object(self.args.clone())),
        }
    }

    /// Formats the call as a command for a POSIX shell.
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
        // Positional arguments that look like options have to come after `--` at the end.
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

/// Returns true if a runbook or document is given by its file name instead of its own name.
#[must_use]
pub fn names_a_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    name.contains(['/', '\\']) || matches!(extension, "yaml" | "yml" | "json")
}

fn looks_like_an_option(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('-'))
}

/// Formats the option `name` with its value.
fn with_value(name: &str, value: &Value) -> String {
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

/// Formats `text` as one word of a POSIX shell, on one line if possible. Invisible characters are
/// printed as escapes for `printf`, so that a command shows what it does.
#[must_use]
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    // Command substitution strips final line ends, so append them separately.
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

/// Returns a `printf` format that prints `text`, with escapes for invisible characters.
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
    // `printf` would take a leading hyphen for an option.
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
            // Separate the words with a control byte.
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
        // Inside the repository, a caller needs the root only for calls that name files.
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
