//! Example calls, which are the last section of a command's help. They come from
//! `data/examples.txt`.

use std::collections::BTreeMap;

use clap::Command;

const EXAMPLES: &str = include_str!("../data/examples.txt");

/// All blocks: the path of a command, e.g. `anchor add`, and its calls, one per line.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let blocks = EXAMPLES.split("\n[").skip(1);
    blocks.filter_map(|block| block.split_once(']'))
}

pub(crate) fn of(path: &str) -> Option<String> {
    let (_, calls) = blocks().find(|(name, _)| *name == path)?;
    Some(section(calls))
}

fn section(calls: &str) -> String {
    let calls: Vec<&str> = calls.lines().filter(|line| !line.is_empty()).collect();
    format!("Examples:\n  {}", calls.join("\n  "))
}

pub(crate) fn with_examples(command: Command, name: &str) -> Command {
    let is_own = |path: &str| path.split(' ').next() == Some(name);
    let blocks = blocks().filter(|(path, _)| is_own(path));
    attached(command, name, &blocks.collect())
}

fn attached(command: Command, path: &str, blocks: &BTreeMap<&str, &str>) -> Command {
    let command = match blocks.get(path) {
        Some(calls) => command.after_help(section(calls)),
        None => command,
    };
    command.mut_subcommands(|child| {
        let path = format!("{path} {}", child.get_name());
        attached(child, &path, blocks)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Args;
    use crate::help_page;

    /// Maximum length of a call, in characters. With its indent, it fits a terminal of 80 columns.
    const MAX_CALL: usize = 78;

    const MAX_CALLS: usize = 3;

    /// Adds the paths of all visible commands below `command` to `found`, and checks their help on
    /// the way.
    fn visit(command: &Command, parent: &str, found: &mut Vec<String>) {
        let children = command.get_subcommands();
        for child in children.filter(|child| !child.is_hide_set() && child.get_name() != "help") {
            let path = format!("{parent} {}", child.get_name());
            let path = path.trim_start();
            let help = child.get_after_help().map(ToString::to_string);
            assert_eq!(help, of(path), "{path}");
            found.push(path.to_owned());
            visit(child, path, found);
        }
    }

    #[test]
    fn every_command_has_examples() {
        let mut root = Args::command();
        root.build();
        let mut commands = Vec::new();
        visit(&root, "", &mut commands);
        commands.sort();
        let mut named: Vec<&str> = blocks().map(|(path, _)| path).collect();
        named.sort_unstable();
        assert_eq!(commands, named);
    }

    /// Splits a call into words like a shell would, up to a comment, a pipe or a redirection.
    fn words(call: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in call.chars() {
            match (quote, c) {
                (Some(end), _) if c == end => quote = None,
                (None, '"' | '\'') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, ' ') => words.extend(word.take()),
                (None, '#' | '|' | '<' | '>') if word.is_none() => break,
                _ => word.get_or_insert_default().push(c),
            }
        }
        assert_eq!(quote, None, "unclosed quote: {call}");
        words.extend(word);
        words
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        let split = |call: &str| words(call).join("|");
        assert_eq!(
            split(r#"a --b='{"c": "d"}' "e f#" g#h"#),
            r#"a|--b={"c": "d"}|e f#|g#h"#
        );
        assert_eq!(split("a '' b  # c"), "a||b");
        assert_eq!(split("a - < b"), "a|-");
        assert_eq!(split("a > b"), "a");
        assert_eq!(split("a | b"), "a");
    }

    #[test]
    fn every_example_parses() {
        let parser = help_page::parser();
        for (path, calls) in blocks() {
            let calls: Vec<&str> = calls.lines().filter(|line| !line.is_empty()).collect();
            assert!((1..=MAX_CALLS).contains(&calls.len()), "{path}: {calls:?}");
            for call in calls {
                assert!(call.chars().count() <= MAX_CALL, "too long: {call}");
                let words = words(call);
                let command: Vec<&str> = ["windlass"].into_iter().chain(path.split(' ')).collect();
                assert!(words.len() >= command.len(), "{path}: {call}");
                assert_eq!(words[..command.len()], command, "{path}: {call}");
                if let Err(error) = parser.clone().try_get_matches_from(words) {
                    panic!("{call}: {error}");
                }
            }
        }
    }
}
