//! Writes manual pages (`windlass man`).

use std::io;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use windlass::Error;
use windlass::base::{did_you_mean, similar_hint};

use super::Ended;
use windlass::store::RootedPath;

use crate::args::{Args, ManArgs};
use crate::diagnostics_report;
use crate::examples;
use crate::exit::Exit;
use crate::manual::{self, Section};
use crate::screen::Screen;

pub(crate) fn run(args: &ManArgs, screen: &Screen) -> Ended {
    let mut root = Args::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &args.out_dir {
        let pages = all_pages(&root).map_err(|error| internal(&error))?;
        let root = RootedPath::new(folder);
        for (name, page) in &pages {
            windlass::store::write_shared(&root.join(name), page)?;
        }
        screen.say(&format!(
            "wrote {} manual pages into {}",
            pages.len(),
            folder.display()
        ));
        return Ok(Exit::Done);
    }
    let mut command = &root;
    for name in &args.command {
        let Some(child) = shown_children(command).find(|child| child.get_name() == name) else {
            let names = shown_children(command).map(Command::get_name);
            let near = similar_hint(did_you_mean(name, names));
            let message = format!("unknown command `{name}`{near}");
            diagnostics_report::message(
                screen,
                &message,
                Some("run `windlass --help` to see all commands"),
            );
            return Ok(Exit::NotFound);
        };
        command = child;
    }
    let page = page(command).map_err(|error| internal(&error))?;
    screen.print_raw(&String::from_utf8_lossy(&page));
    Ok(Exit::Done)
}

fn internal(error: &io::Error) -> Error {
    Error::internal(error)
}

fn shown_children(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|child| !child.is_hide_set())
}

fn all_pages(command: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = vec![(format!("{}.1", page_name(command)), page(command)?)];
    for child in shown_children(command) {
        pages.extend(all_pages(child)?);
    }
    Ok(pages)
}

fn page_name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let name = page_name(command);
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        // An empty date would be omitted, and the next field would take its place.
        .date(" ")
        .manual("Windlass Manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if shown_children(command).next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::new();
    for Section { title, entries } in manual::sections() {
        roff.control("SH", [title.to_uppercase().as_str()]);
        for (name, words) in entries {
            roff.control("TP", []);
            roff.text([bold(name)]);
            roff.text(marked(words));
        }
    }
    if let Some(calls) = examples_of(command) {
        roff.control("SH", ["EXAMPLES"]);
        roff.control("nf", []);
        roff.text([roman(calls)]);
        roff.control("fi", []);
    }
    if let Some((parent, _)) = name.rsplit_once('-') {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold(parent), roman("(1)")]);
    }
    roff.to_writer(&mut page)?;
    Ok(page)
}

/// Example calls of a command, one per line. `None` for the program itself.
fn examples_of(command: &Command) -> Option<String> {
    let (_, path) = command.get_bin_name()?.split_once(' ')?;
    let section = examples::of(path)?;
    section.split_once('\n').map(|(_, calls)| calls.to_owned())
}

fn marked(words: &str) -> Vec<Inline> {
    let parts = words.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { bold(part) } else { roman(part) })
        .collect()
}
