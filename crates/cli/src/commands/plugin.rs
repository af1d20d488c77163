//! `plugin …`.

use std::path::Path;

use serde_json::json;
use windlass::base::counted;
use windlass::pack::harmless_line;
use windlass::plugin::Import;
use windlass::{ExampleState, PluginReport};

use super::{Failure, plugin_build, plugin_new, print_data, tell_troubles};
use crate::args::{OutputFormat, PluginCommand, PluginInspectArgs, PluginListArgs, PluginTestArgs};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    command: &PluginCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    match command {
        PluginCommand::List(args) => list(root, args, screen),
        PluginCommand::Inspect(args) => inspect(root, args, screen),
        PluginCommand::Test(args) => test(root, args, screen),
        PluginCommand::New(args) => plugin_new::new(root, args, screen),
        PluginCommand::Build(args) => plugin_build::build(root, args, screen),
    }
}

fn list(root: Option<&Path>, args: &PluginListArgs, screen: &Screen) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    let found = workspace.list_plugins();
    tell_troubles(&workspace, screen);
    let text = match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            let (good, bad): (Vec<_>, Vec<_>) =
                found.iter().partition(|(_, plugin)| plugin.is_ok());
            let good: Vec<_> = good
                .iter()
                .filter_map(|(_, plugin)| plugin.as_ref().ok())
                .collect();
            let bad: Vec<_> = bad
                .iter()
                .filter_map(|(file, plugin)| {
                    Some(json!({ "file": file, "why": plugin.as_ref().err()? }))
                })
                .collect();
            print_data(
                screen,
                args.format,
                &json!({ "plugins": good, "unusable": bad }),
            )?;
            return Ok(Exit::Done);
        }
        OutputFormat::Text => found.iter().map(|(_, plugin)| match plugin {
            Ok(plugin) => listed(plugin),
            Err(why) => format!("{}\n", harmless_line(why)),
        }),
    };
    let text: String = text.collect();
    match text.is_empty() {
        true => screen.say(
            "there are no plugins: those that come with Windlass are in `plugins/` of its repository; copy NAME.wasm to `.windlass/plugins/`",
        ),
        false => screen.print(&text),
    }
    Ok(Exit::Done)
}

fn listed(plugin: &PluginReport) -> String {
    let card = &plugin.card;
    format!(
        "{}  {}  {}  {}{}\n",
        harmless_line(plugin.uses.as_deref().unwrap_or(&card.name)),
        card.version,
        harmless_line(&plugin.file.to_string()),
        harmless_line(&card.purpose),
        asks(&plugin.imports)
    )
}

/// What has to be granted, as the end of a line.
fn asks(imports: &[Import]) -> String {
    let needs: Vec<&str> = imports
        .iter()
        .filter_map(|import| Some(import.needs?.as_str()))
        .collect();
    match needs.is_empty() {
        true => String::new(),
        false => format!("  (asks for: {})", needs.join(", ")),
    }
}

fn inspect(
    root: Option<&Path>,
    args: &PluginInspectArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let report = workspace(root)?.inspect_plugin(&args.plugin, &here())?;
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => print_data(screen, args.format, &report)?,
        OutputFormat::Text => screen.print(&told(&report)),
    }
    Ok(Exit::Done)
}

fn told(report: &PluginReport) -> String {
    let card = &report.card;
    let mut text = format!(
        "{} {}: {}\n",
        card.name,
        card.version,
        harmless_line(&card.purpose)
    );
    let file = harmless_line(&report.file.to_string());
    text.push_str(&format!(
        "  file     {file}, {}\n",
        counted(report.bytes, "byte")
    ));
    text.push_str(&format!("  digest   {}\n", report.digest));
    if let Some(uses) = &report.uses {
        text.push_str(&format!("  uses     {}\n", harmless_line(uses)));
    }
    text.push_str(&format!("  purity   {}\n", card.purity.as_str()));
    if report.imports.is_empty() {
        text.push_str("  imports  nothing\n");
    }
    for import in &report.imports {
        let why = match import.needs {
            Some(needs) => format!("asks to {}: `{needs}`", needs.allows()),
            None => "every plugin has it".to_owned(),
        };
        text.push_str(&format!(
            "  imports  {}  {why}\n",
            harmless_line(&import.name)
        ));
    }
    for (what, schema) in [
        ("input", &card.input_schema),
        ("output", &card.output_schema),
    ] {
        let schema = serde_json::to_string_pretty(schema).unwrap_or_default();
        let lines = schema
            .lines()
            .map(|line| format!("  {}\n", harmless_line(line)));
        text.push_str(&format!("{what}\n{}", lines.collect::<String>()));
    }
    text
}

fn test(root: Option<&Path>, args: &PluginTestArgs, screen: &Screen) -> Result<Exit, Failure> {
    let tested = workspace(root)?.test_plugin(&args.plugin, args.examples.as_deref(), &here())?;
    let mut failed = 0;
    for example in &tested {
        let (word, more) = match &example.state {
            ExampleState::Passed => ("ok", String::new()),
            ExampleState::Failed(why) => {
                failed += 1;
                ("FAILED", format!(": {}", harmless_line(why)))
            }
        };
        screen.print(&format!("{word}  {}{more}\n", harmless_line(&example.name)));
    }
    screen.say(&format!(
        "{} of {} passed",
        tested.len() - failed,
        counted(tested.len(), "example")
    ));
    Ok(if failed == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}
