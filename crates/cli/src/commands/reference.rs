use clap::{Command, CommandFactory as _};

use super::Ended;
use crate::args::Args;
use crate::exit::Exit;
use crate::screen::Screen;

/// Prints what `--help` says of every command, as one document.
pub(crate) fn run(screen: &Screen) -> Ended {
    let mut command = Args::command()
        .term_width(100)
        .disable_help_subcommand(true);
    command.build();
    let mut text =
        "# The `windlass` command\n\nMade by `windlass reference`; do not edit.\n".to_owned();
    describe(&mut command, "windlass", 2, &mut text);
    screen.print_raw(&text);
    Ok(Exit::Done)
}

fn describe(command: &mut Command, path: &str, level: usize, text: &mut String) {
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.lines().map(str::trim_end).collect();
    text.push_str(&format!(
        "\n{} `{path}`\n\n```text\n{}\n```\n",
        "#".repeat(level),
        help.join("\n").trim_end()
    ));
    for child in command
        .get_subcommands_mut()
        .filter(|child| !child.is_hide_set())
    {
        let path = format!("{path} {}", child.get_name());
        describe(child, &path, level + 1, text);
    }
}
