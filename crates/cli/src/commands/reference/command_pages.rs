//! Writes one page per command, with the help of all its subcommands.

use clap::builder::Resettable;
use clap::{Command, CommandFactory as _};

use super::{Page, table};
use crate::args::Args;

const WIDTH: usize = 100;

pub(super) fn all() -> Vec<Page> {
    let mut program = Args::command()
        .term_width(WIDTH)
        .disable_help_subcommand(true);
    program.build();
    let mut pages = vec![index(&mut program)];
    pages.extend(shown(&mut program).map(page));
    pages
}

fn index(program: &mut Command) -> Page {
    let rows: Vec<_> = shown(program)
        .map(|command| {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string);
            let link = format!("[`{name}`](commands/{name}.md)");
            [link, about.unwrap_or_default()]
        })
        .collect();
    let body = format!(
        "{}\n## Global options\n\nEvery command accepts these options.\n\n{}",
        table(["command", "purpose"], rows),
        help(&mut options_only(program))
    );
    Page::new("commands.md", "Commands", body)
}

fn page(command: &mut Command) -> Page {
    let name = command.get_name().to_owned();
    let mut body = String::new();
    describe(command, &format!("windlass {name}"), 1, &mut body);
    let title = format!("windlass {name}");
    Page::new(&format!("commands/{name}.md"), &title, body)
}

/// Appends the help of a command and its subcommands to `body`. The first command needs no heading,
/// since it has the page's title.
fn describe(command: &mut Command, path: &str, level: usize, body: &mut String) {
    if level > 1 {
        body.push_str(&format!("\n{} {path}\n\n", "#".repeat(level)));
    }
    body.push_str(&help(&mut without_globals(command)));
    for child in shown(command) {
        let path = format!("{path} {}", child.get_name());
        describe(child, &path, level + 1, body);
    }
}

fn shown(command: &mut Command) -> impl Iterator<Item = &mut Command> {
    command
        .get_subcommands_mut()
        .filter(|child| !child.is_hide_set())
}

/// The command without the options that `commands.md` describes once for all.
fn without_globals(command: &Command) -> Command {
    let is_shared = |id: &str| matches!(id, "help" | "version");
    command.clone().mut_args(|arg| {
        let is_hidden =
            arg.is_hide_set() || arg.is_global_set() || is_shared(arg.get_id().as_str());
        arg.hide(is_hidden)
    })
}

fn options_only(program: &Command) -> Command {
    let program = program.clone().after_long_help(Resettable::Reset);
    program.mut_subcommands(|child| child.hide(true))
}

fn help(command: &mut Command) -> String {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n").trim_end())
}
