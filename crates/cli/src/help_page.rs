//! The help of the program itself: its commands in groups, on one screen.

use clap::{Command, CommandFactory as _};

use crate::args::Args;

/// Commands by purpose, for the short help. If you add a command for everyday use, put it here:
/// otherwise only `windlass help --all` lists it.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Know the code",
        &[
            "status", "run", "runs", "plan", "check", "find", "anchor", "impact", "suggest",
            "notebook", "web",
        ],
    ),
    ("Remember", &["memory", "pack", "doc"]),
    (
        "Work together",
        &["mol", "bead", "mail", "verify", "formula"],
    ),
    (
        "Agents and upkeep",
        &["init", "mcp", "doctor", "trust", "plugin", "redact", "zoo"],
    ),
];

/// Maximum length of a command's description, in characters, so that it fits on one line.
const MAX_ABOUT: usize = 76;

/// The parser for everyday use: its `-h` and `--help` print the groups.
pub(crate) fn parser() -> Command {
    let command = Args::command();
    let help = grouped(&command);
    command.override_help(help)
}

/// The parser for `help --all`: its help describes every command, and has all sections of the
/// manual.
pub(crate) fn whole() -> Command {
    Args::command()
}

fn grouped(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    let mut text = format!(
        "{}\n\nUsage: windlass [COMMAND] [OPTIONS]\n",
        about.unwrap_or_default()
    );
    for (title, names) in GROUPS {
        text.push_str(&format!("\n{title}:\n"));
        for name in *names {
            let Some(child) = command.find_subcommand(name) else {
                continue;
            };
            let about = child.get_about().map(ToString::to_string);
            let about = short(&about.unwrap_or_default());
            text.push_str(&format!("  {name:<9} {about}\n"));
        }
    }
    text.push_str(
        "\nOptions: --root DIR, --actor NAME, -q, -v, --color WHEN, -h, -V. Without a command: `status`.\n\
         Start with `windlass init --yes`, then `windlass run`. `windlass help --all` lists all commands.\n",
    );
    text
}

/// Returns the first part of a description: up to `:` or `;`, or as many whole words as fit.
fn short(about: &str) -> String {
    let first = about.split([':', ';']).next().unwrap_or_default();
    if first.chars().count() <= MAX_ABOUT {
        return first.to_owned();
    }
    let mut shown = String::new();
    for word in first.split(' ') {
        if shown.chars().count() + word.chars().count() + 2 > MAX_ABOUT {
            break;
        }
        shown.push_str(word);
        shown.push(' ');
    }
    format!("{}…", shown.trim_end_matches([' ', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_fits_a_screen() {
        let help = grouped(&Args::command());
        assert!(help.lines().count() <= 40, "{help}");
        assert!(!help.contains('…'), "a description is cut: {help}");
        assert!(
            help.lines().all(|line| line.chars().count() <= 100),
            "{help}"
        );
    }

    #[test]
    fn groups_name_commands() {
        let command = Args::command();
        for (_, names) in GROUPS {
            for name in *names {
                assert!(command.find_subcommand(name).is_some(), "{name}");
            }
        }
    }
}
