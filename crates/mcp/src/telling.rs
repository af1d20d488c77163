//! Texts of the library name commands, in backticks; callers who have tools are told those.

mod commands;

use windlass::base::NextAction;

pub(crate) use self::commands::{Listener, translate};

/// How commands begin.
const PROGRAM: &str = "windlass ";

/// Options that stand alone: what follows is not their value.
const FLAGS: [&str; 8] = [
    "dry-run", "edited", "explain", "force", "hook", "repair", "replace", "adopt",
];

/// Options that no tool takes, since a person decides on them.
const FOR_PEOPLE: [&str; 3] = ["--allow-commands", "--adopt", "--force"];

/// What is said of what no tool does.
const FOR_A_SHELL: &str = " (in a shell: ask whoever you work for)";

/// `text` with each command in it as the call of a tool, and each option as an argument. What no tool does is said to be
/// for a shell.
pub(crate) fn told(text: &str, to: Listener<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut within = false;
    let mut parts = text.split('`').peekable();
    while let Some(part) = parts.next() {
        let is_closed = parts.peek().is_some();
        let told = match within && is_closed {
            true => quoted(part, to),
            false => Quoted::same(part),
        };
        out.push_str(&told.text);
        if is_closed {
            out.push('`');
        }
        out.push_str(told.after);
        within = !within;
    }
    out
}

/// What stands between two backticks, as it is told, and what is said after it.
struct Quoted {
    text: String,
    after: &'static str,
}

impl Quoted {
    fn same(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            after: "",
        }
    }
}

fn quoted(part: &str, to: Listener<'_>) -> Quoted {
    if FOR_PEOPLE.iter().any(|option| part.starts_with(option)) {
        return Quoted {
            text: part.to_owned(),
            after: FOR_A_SHELL,
        };
    }
    if let Some(option) = part.strip_prefix("--") {
        let (name, rest) = option.split_at(option.find([' ', '=']).unwrap_or(option.len()));
        return Quoted::same(format!("{}{rest}", name.replace('-', "_")));
    }
    let Some(command) = part.strip_prefix(PROGRAM) else {
        return Quoted::same(part);
    };
    match parsed(command).and_then(|command| translate(&command, to)) {
        Some(call) => Quoted::same(call.written_out()),
        None => Quoted {
            text: part.to_owned(),
            after: FOR_A_SHELL,
        },
    }
}

/// The calls that `text` names, as they can be made: without those in which something stands for what the caller would
/// have to say.
pub(crate) fn calls_in(text: &str, to: Listener<'_>) -> Vec<NextAction> {
    let mut calls: Vec<NextAction> = Vec::new();
    for part in text.split('`').skip(1).step_by(2) {
        let Some(command) = part.strip_prefix(PROGRAM) else {
            continue;
        };
        if command.split(' ').any(stands_for_something) {
            continue;
        }
        let call = parsed(command).and_then(|command| translate(&command, to));
        calls.extend(call.filter(|call| !calls.contains(call)));
    }
    calls
}

/// Whether a word stands for another: `NAME`, `FILE:LINES`, `…`.
fn stands_for_something(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    word.contains('…') || letters > 1 && !word.chars().any(char::is_lowercase)
}

/// A command as it is typed, taken apart: the words that name it, then its arguments.
fn parsed(command: &str) -> Option<NextAction> {
    let words = shell_words(command)?;
    let count = named_by(&words);
    let (named, given) = words.split_at_checked(count)?;
    let mut action = NextAction::new(named.join(" "), "as the message says");
    let mut given = given.iter().peekable();
    while let Some(word) = given.next() {
        let Some(option) = word.strip_prefix("--") else {
            action = action.positional(word.as_str());
            continue;
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None if FLAGS.contains(&option) => (option, None),
            None => (option, given.next().cloned()),
        };
        let name = name.replace('-', "_");
        action = match value {
            Some(value) => action.option(name, value),
            None => action.option(name, true),
        };
    }
    Some(action)
}

/// How many of the words name the command: groups have a second one.
fn named_by(words: &[String]) -> usize {
    let groups = [
        "anchor", "notebook", "bead", "mol", "doc", "runs", "mail", "hook", "memory", "pack",
    ];
    match words.first() {
        Some(first) if groups.contains(&first.as_str()) => 2.min(words.len()),
        _ => 1.min(words.len()),
    }
}

/// The words of a line, as a shell takes it apart; nothing where that takes a shell.
fn shell_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut in_quotes, mut begun) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '\'' => {
                in_quotes = !in_quotes;
                begun = true;
            }
            ' ' if !in_quotes => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            '"' | '\\' | '$' if !in_quotes => return None,
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    (!in_quotes).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_texts_become_calls() {
        let text = "`windlass anchor list` names those there are; leave `--if-revision` out of `x`";
        assert_eq!(
            told(text, Listener::default()),
            "`notebook_pack {}` names those there are; leave `if_revision` out of `x`"
        );
        assert_eq!(
            told("`windlass trust x --dry-run` shows it", Listener::default()),
            "`windlass trust x --dry-run` (in a shell: ask whoever you work for) shows it"
        );
        assert_eq!(
            told("a lone ` stays", Listener::default()),
            "a lone ` stays"
        );
        let rooted = told(
            "see `windlass anchor check a`",
            Listener::new(Some("/r"), None),
        );
        assert_eq!(
            rooted,
            r#"see `anchor {"action":"check","ids":["a"],"root":"/r"}`"#
        );
    }

    #[test]
    fn only_what_can_be_called_is_called() {
        let text = "`windlass notebook show`, `windlass run NAME`, `windlass trust x`, `windlass notebook rollback 3`";
        let calls = calls_in(text, Listener::default());
        let calls: Vec<String> = calls.iter().map(NextAction::written_out).collect();
        assert_eq!(
            calls,
            [
                "notebook_pack {}",
                r#"notebook_suggest {"action":"rollback","revision":3}"#
            ]
        );
    }
}
