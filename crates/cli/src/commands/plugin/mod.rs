//! Commands on plugins (`windlass plugin`).

mod plugin_build;
mod plugin_new;

use std::path::Path;

use serde_json::json;
use windlass::base::counted;
use windlass::packs::harmless_line;
use windlass::{ExampleState, PluginUseError};
use windlass_render::{plugin_line, plugin_text, tested_line};

use super::{Ended, Failure, print_data, print_result, tell_troubles};
use crate::args::{OutputFormat, PluginCommand, PluginInspectArgs, PluginListArgs, PluginTestArgs};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, command: &PluginCommand, screen: &Screen) -> Ended {
    match command {
        PluginCommand::List(args) => list(root, args, screen),
        PluginCommand::Inspect(args) => inspect(root, args, screen),
        PluginCommand::Test(args) => test(root, args, screen),
        PluginCommand::New(args) => plugin_new::new(root, args, screen),
        PluginCommand::Build(args) => plugin_build::build(root, args, screen),
    }
}

fn list(root: Option<&Path>, args: &PluginListArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let found = workspace.plugins().list_plugins();
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
            Ok(plugin) => plugin_line(plugin),
            Err(why) => format!("{}\n", harmless_line(why)),
        }),
    };
    let text: String = text.collect();
    match text.is_empty() {
        true => screen.say(
            "no plugins: copy NAME.wasm to `.windlass/plugins/`; plugins shipped with Windlass are in `plugins/` of its repository",
        ),
        false => screen.print(&text),
    }
    Ok(Exit::Done)
}

fn inspect(root: Option<&Path>, args: &PluginInspectArgs, screen: &Screen) -> Ended {
    let report = workspace(root)?
        .plugins()
        .inspect_plugin(&args.plugin, &here())?;
    print_result(screen, args.format, &report, || plugin_text(&report))
}

fn test(root: Option<&Path>, args: &PluginTestArgs, screen: &Screen) -> Ended {
    let tested =
        workspace(root)?
            .plugins()
            .test_plugin(&args.plugin, args.examples.as_deref(), &here())?;
    for example in &tested {
        screen.print(&tested_line(example));
    }
    let failed = tested.iter();
    let failed = failed
        .filter(|example| matches!(example.state, ExampleState::Failed(_)))
        .count();
    screen.say(&format!(
        "{} of {} passed",
        tested.len() - failed,
        counted(tested.len(), "example")
    ));
    Ok(Exit::done_if(failed == 0))
}

fn unusable(message: String, help: Option<String>, missing: bool) -> Failure {
    PluginUseError::Unusable {
        message,
        help,
        missing,
    }
    .into()
}
