//! Lets users type everyday words instead of commands, e.g. `search` for `find`. The table is
//! `data/phrases.txt`.

use std::ffi::OsString;

const TABLE: &str = include_str!("../data/phrases.txt");

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Phrase {
    /// Just one command, with its own arguments and the rest of those that were typed.
    Command(&'static str, Vec<OsString>),
    Candidates(Vec<&'static str>),
}

/// Looks up the phrase at the beginning of `typed`, the arguments without the program's name. The
/// longest phrase wins.
pub(crate) fn look_up(typed: &[OsString]) -> Option<Phrase> {
    let begins = |phrase: &str| {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        let head = typed.get(..words.len())?;
        head.iter().eq(words.iter()).then_some(words.len())
    };
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let found = lines.filter_map(|line| {
        let at = line.find(['=', '?'])?;
        let (phrase, meaning) = line.split_at(at);
        Some((begins(phrase)?, meaning))
    });
    let (words, meaning) = found.max_by_key(|(words, _)| *words)?;
    Some(match meaning.strip_prefix('=') {
        Some(command) => {
            let meant = command.split_whitespace().map(OsString::from);
            let arguments = meant.chain(typed[words..].iter().cloned());
            Phrase::Command(command.trim(), arguments.collect())
        }
        None => Phrase::Candidates(meaning[1..].split('|').map(str::trim).collect()),
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Args;

    fn of(typed: &str) -> Option<Phrase> {
        look_up(&typed.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn phrase_keeps_further_arguments() {
        let command = |command, text: &str| {
            let arguments = text.split(' ').map(OsString::from);
            Some(Phrase::Command(command, arguments.collect()))
        };
        let idle = command("find", "find idle sessions");
        assert_eq!(of("search idle sessions"), idle);
        let recalled = command("memory recall", "memory recall x -v");
        assert_eq!(of("memory search x -v"), recalled);
        assert_eq!(
            of("update"),
            Some(Phrase::Candidates(vec!["run", "anchor repair"]))
        );
        assert_eq!(of("run overview"), None);
    }

    /// Number of words at the beginning of `phrase` that are commands, and the last of these
    /// commands.
    fn commands_in<'a>(root: &'a clap::Command, phrase: &str) -> (usize, &'a clap::Command) {
        let mut command = root;
        let mut known = 0;
        for word in phrase.split_whitespace() {
            let Some(child) = command.find_subcommand(word) else {
                break;
            };
            (command, known) = (child, known + 1);
        }
        (known, command)
    }

    #[test]
    fn phrases_mean_commands_and_are_none() {
        let mut root = Args::command();
        root.build();
        for line in TABLE
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (phrase, meanings) = line.split_at(line.find(['=', '?']).unwrap());
            let typed = std::iter::once("windlass").chain(phrase.split_whitespace());
            // `trust NAME` accepts any name, so `trust list` would be about a runbook called
            // `list`. Every other group rejects unknown verbs.
            let is_free = root.clone().try_get_matches_from(typed).is_err();
            assert!(is_free || phrase.starts_with("trust "), "{line}");
            for meaning in meanings[1..].split('|') {
                let command: Vec<&str> = meaning
                    .split_whitespace()
                    .filter(|word| !word.starts_with('-'))
                    .collect();
                assert_eq!(commands_in(&root, meaning).0, command.len(), "{line}");
            }
        }
    }
}
