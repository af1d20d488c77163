//! Checks the flags of the whole command tree.
//!
//! Each name of a flag has a single meaning, value name and short form. So if users know a flag
//! from one command, they can rely on it in all others.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use crate::args::Args;

/// Flags that mean the same although their descriptions differ.
const MEANINGS: &str = include_str!("../data/flag_meanings.txt");

struct Flag {
    command: String,
    arg: Arg,
}

impl Flag {
    fn shape(&self) -> (Option<char>, String) {
        let takes_value = matches!(self.arg.get_action(), ArgAction::Set | ArgAction::Append);
        let names = self.arg.get_value_names().unwrap_or_default();
        let names = names
            .iter()
            .map(clap::builder::Str::as_str)
            .collect::<String>();
        (
            self.arg.get_short(),
            if takes_value { names } else { String::new() },
        )
    }

    /// The first clause of the description, without `New`.
    ///
    /// This returns `None` for a filter ("only ..."), because its description names the things to
    /// select, and those differ between commands.
    fn meaning(&self) -> Option<String> {
        let help = self
            .arg
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let clause = help
            .split([',', ';', ':', '.', '('])
            .next()
            .unwrap_or_default();
        let clause = clause.trim().to_lowercase();
        let clause = clause.strip_prefix("new ").unwrap_or(&clause).to_owned();
        (!clause.starts_with("only ")).then_some(clause)
    }
}

fn collect(command: &Command, path: &str, found: &mut BTreeMap<String, Vec<Flag>>) {
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let is_inherited = arg.is_global_set() && !path.is_empty();
        let Some(name) = arg.get_long().filter(|_| !is_inherited) else {
            continue;
        };
        found.entry(name.to_owned()).or_default().push(Flag {
            command: path.to_owned(),
            arg: arg.clone(),
        });
    }
    let children = command.get_subcommands();
    for child in children.filter(|child| !child.is_hide_set() && child.get_name() != "help") {
        collect(child, format!("{path} {}", child.get_name()).trim(), found);
    }
}

fn flags() -> BTreeMap<String, Vec<Flag>> {
    let mut root = Args::command();
    root.build();
    let mut found = BTreeMap::new();
    collect(&root, "", &mut found);
    found
}

/// Parses the table of exceptions, without the reasons after `#`. A line either has the beginning
/// that all descriptions of a flag share, as in `--flag = text`, or exempts the flag of one
/// command.
fn exceptions() -> (BTreeMap<&'static str, String>, BTreeSet<&'static str>) {
    let lines = MEANINGS.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.map(|line| line.split('#').next().unwrap_or_default().trim());
    let (mut beginnings, mut commands) = (BTreeMap::new(), BTreeSet::new());
    for line in lines.filter(|line| !line.is_empty()) {
        match line.split_once('=') {
            Some((flag, beginning)) => {
                let flag = flag.trim().trim_start_matches('-');
                beginnings.insert(flag, beginning.trim().to_lowercase());
            }
            None => {
                commands.insert(line);
            }
        }
    }
    (beginnings, commands)
}

#[test]
fn flag_has_one_meaning_on_all_commands() {
    let (beginnings, commands) = exceptions();
    let mut wrong = Vec::new();
    for (name, flags) in flags() {
        let is_exempt = |flag: &&Flag| commands.contains(&*format!("{} --{name}", flag.command));
        let flags: Vec<&Flag> = flags.iter().filter(|flag| !is_exempt(flag)).collect();
        let shapes: BTreeSet<_> = flags.iter().map(|flag| flag.shape()).collect();
        if shapes.len() > 1 {
            wrong.push(format!("--{name} has several forms: {shapes:?}"));
        }
        let meanings: BTreeSet<String> = flags.iter().filter_map(|flag| flag.meaning()).collect();
        let is_one = match beginnings.get(&*name) {
            Some(beginning) => meanings.iter().all(|one| one.starts_with(beginning)),
            None => meanings.len() < 2,
        };
        if !is_one {
            wrong.push(format!("--{name} has several meanings: {meanings:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn short_flag_stands_for_one_name() {
    let mut names: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    for (name, flags) in flags() {
        for short in flags.iter().filter_map(|flag| flag.arg.get_short()) {
            names.entry(short).or_default().insert(name.clone());
        }
    }
    names.retain(|_, names| names.len() > 1);
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn format_is_text_by_default() {
    for flag in flags().remove("format").unwrap_or_default() {
        let defaults = flag.arg.get_default_values();
        // Commands that write a document take its format from the file name, or require one.
        assert!(
            defaults.is_empty() || defaults == ["text"],
            "{}",
            flag.command
        );
    }
}

#[test]
fn former_flags_still_parse() {
    let parser = Args::command();
    for call in include_str!("../data/former_flags.txt")
        .lines()
        .filter(|line| !line.is_empty())
    {
        let words = call.split(' ');
        let parsed = parser.clone().try_get_matches_from(words);
        assert!(parsed.is_ok(), "{call}: {}", parsed.unwrap_err());
    }
}

/// Verbs that every group has to answer to, if it has such a command.
#[test]
fn groups_answer_to_the_same_verbs() {
    let mut root = Args::command();
    root.build();
    let groups = [
        (
            "list",
            "anchor bead runs route agent events formula mol pack plugin memory zoo notebook hook mail",
        ),
        (
            "ls",
            "anchor bead runs route agent events formula mol pack plugin memory zoo notebook hook mail",
        ),
        (
            "show",
            "anchor bead runs formula mol pack plugin doc hook mail notebook",
        ),
        (
            "add",
            "anchor bead route formula mol pack plugin memory hook",
        ),
        ("new", "anchor bead route formula mol pack plugin memory"),
        ("remove", "anchor route mol hook"),
        ("rm", "anchor route mol hook"),
    ];
    for (verb, names) in groups {
        for name in names.split(' ') {
            let group = root.find_subcommand(name);
            assert!(
                group.is_some_and(|group| group.find_subcommand(verb).is_some()),
                "{name} {verb}"
            );
        }
    }
}
