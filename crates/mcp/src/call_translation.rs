//! Translates commands in messages to tool calls.
//!
//! The library's messages suggest commands, such as "run `windlass anchor list`". An agent that has
//! tools but no shell cannot follow that, so we put the name and arguments of a tool in place of
//! the command. If only the user should run a command, we keep it and add a note. We recognise
//! commands by their backticks, so we miss one that is written without them.

mod commands;

use windlass::base::NextAction;

pub(crate) use self::commands::{Listener, translate};

const PROGRAM: &str = "windlass ";

/// Options that take no value. For any other option, we take the next word as its value, so add
/// each flag that a message may suggest.
const FLAGS: [&str; 8] = [
    "dry-run", "edited", "explain", "fix", "force", "hook", "replace", "adopt",
];

/// Options that only the user may decide about. No tool accepts them.
const FOR_PEOPLE: [&str; 3] = ["--allow-commands", "--adopt", "--force"];

/// Note after a command that no tool can replace.
const FOR_A_SHELL: &str = " (in a shell: ask your user)";

/// Replaces the commands in `text` with tool calls, and options with arguments. Commands that no
/// tool can replace get a note that they need a shell.
pub(crate) fn with_calls(text: &str, to: Listener<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut within = false;
    let mut parts = text.split('`').peekable();
    while let Some(part) = parts.next() {
        let is_closed = parts.peek().is_some();
        // A backtick that's never closed is ordinary text.
        let shown = match within && is_closed {
            true => quoted(part, to),
            false => Quoted::same(part),
        };
        out.push_str(&shown.text);
        if is_closed {
            out.push('`');
        }
        out.push_str(shown.after);
        within = !within;
    }
    out
}

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
    // A lone option becomes an argument, so `--if-revision` is `if_revision`.
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

/// The calls in `text` that can be made as they are written. Those with placeholders cannot.
pub(crate) fn calls_in(text: &str, to: Listener<'_>) -> Vec<NextAction> {
    let mut calls: Vec<NextAction> = Vec::new();
    for part in text.split('`').skip(1).step_by(2) {
        let Some(command) = part.strip_prefix(PROGRAM) else {
            continue;
        };
        if command.split(' ').any(is_placeholder) {
            continue;
        }
        let call = parsed(command).and_then(|command| translate(&command, to));
        calls.extend(call.filter(|call| !calls.contains(call)));
    }
    calls
}

/// True for placeholders such as `NAME`, `FILE:LINES` and `…`.
fn is_placeholder(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    word.contains('…') || letters > 1 && !word.chars().any(char::is_lowercase)
}

fn parsed(command: &str) -> Option<NextAction> {
    let words = shell_words(command)?;
    let count = name_length(&words);
    let (named, given) = words.split_at_checked(count)?;
    let mut action = NextAction::new(named.join(" "), "advised by the message");
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

/// Number of words in the command's name, which is two in a group such as `anchor`. If a message
/// suggests a command of another group, that has to be added here.
fn name_length(words: &[String]) -> usize {
    let groups = [
        "anchor", "notebook", "bead", "mol", "doc", "runs", "mail", "hook", "memory", "pack",
    ];
    match words.first() {
        Some(first) if groups.contains(&first.as_str()) => 2.min(words.len()),
        _ => 1.min(words.len()),
    }
}

/// Splits a line into words as a shell would. Returns `None` if only a shell can tell.
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
            // Our own messages only quote with apostrophes. We'd need a real shell for the rest.
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
    fn command_in_text_becomes_call() {
        let text = "`windlass anchor list` lists anchors; omit `--if-revision` from `x`";
        assert_eq!(
            with_calls(text, Listener::default()),
            "`notebook_pack {}` lists anchors; omit `if_revision` from `x`"
        );
        assert_eq!(
            with_calls("`windlass trust x --dry-run` shows it", Listener::default()),
            "`windlass trust x --dry-run` (in a shell: ask your user) shows it"
        );
        assert_eq!(
            with_calls("a lone ` stays", Listener::default()),
            "a lone ` stays"
        );
        let rooted = with_calls(
            "see `windlass anchor check a`",
            Listener::new(Some("/r"), None),
        );
        assert_eq!(
            rooted,
            r#"see `anchor {"action":"check","ids":["a"],"root":"/r"}`"#
        );
    }

    #[test]
    fn placeholder_command_is_no_call() {
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
