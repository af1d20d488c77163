use std::path::Path;

use serde_json::json;
use windlass::pack::harmless_line;
use windlass::work::Route;

use super::{Failure, print_data};
use crate::args::{OutputFormat, RouteCommand};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(
    root: Option<&Path>,
    command: RouteCommand,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    match command {
        RouteCommand::Add {
            prefix,
            folder,
            rig,
        } => {
            let (route, old) =
                workspace.add_route(&prefix, &here().join(folder), rig.as_deref())?;
            if let Some(old) = old {
                screen.say(&format!("in the place of {}", line(&old)));
            }
            screen.print(&format!("{}\n", line(&route)));
            Ok(Exit::Done)
        }
        RouteCommand::List(format) => {
            let routes = workspace.routes()?;
            let all: Vec<&Route> = routes.iter().collect();
            match format.format {
                OutputFormat::Text => {
                    let lines = all
                        .iter()
                        .map(|route| match workspace.is_trusted_route(route) {
                            true => format!("{}\n", line(route)),
                            false => format!("{}  not trusted\n", line(route)),
                        });
                    screen.print(&lines.collect::<String>());
                    if all.iter().any(|route| !workspace.is_trusted_route(route)) {
                        screen.say("beads of a route that is not trusted are not read: `windlass trust route:PREFIX --dry-run` shows where it leads");
                    }
                    if all.is_empty() {
                        screen.say("there is no route: every bead lies in this repository");
                    }
                }
                format => print_data(screen, format, &json!({ "routes": all }))?,
            }
            for number in routes.odd_lines() {
                screen.complain(&format!(
                    "warning: .beads/routes.jsonl: line {number} is no route; it was left as it is"
                ));
            }
            Ok(Exit::Done)
        }
        RouteCommand::Resolve { id, format } => {
            let routes = workspace.routes()?;
            let Some(route) = routes.resolve(&id) else {
                screen.say(&format!("no route fits `{id}`: it lies in this repository"));
                return Ok(Exit::NotFound);
            };
            match format.format {
                OutputFormat::Text => screen.print(&format!("{}\n", line(route))),
                format => print_data(screen, format, route)?,
            }
            Ok(Exit::Done)
        }
    }
}

fn line(route: &Route) -> String {
    let rig = route
        .rig
        .as_ref()
        .map(|rig| format!("  ({rig})"))
        .unwrap_or_default();
    harmless_line(&format!("{}  {}{rig}", route.prefix, route.path))
}
