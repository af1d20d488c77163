use std::path::Path;

use serde_json::json;
use windlass::ledger::Route;
use windlass_render::{route_line, trusted_route_line};

use super::{Ended, print_either, print_result};
use crate::args::RouteCommand;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, command: RouteCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    match command {
        RouteCommand::Add {
            prefix,
            folder,
            rig,
        } => {
            let (route, old) =
                workspace
                    .ledger()
                    .routes()
                    .add(&prefix, &here().join(folder), rig.as_deref())?;
            if let Some(old) = old {
                screen.say(&format!("replaced {}", route_line(&old)));
            }
            screen.print(&format!("{}\n", route_line(&route)));
            Ok(Exit::Done)
        }
        RouteCommand::List(format) => {
            let ledger = workspace.ledger().routes();
            let routes = ledger.read()?;
            let all: Vec<&Route> = routes.iter().collect();
            print_either(screen, format.format, &json!({ "routes": all }), || {
                let lines = all
                    .iter()
                    .map(|route| trusted_route_line(route, ledger.is_trusted(route)));
                screen.print(&lines.collect::<String>());
                if all.iter().any(|route| !ledger.is_trusted(route)) {
                    screen.say("beads of untrusted routes are not read: `windlass trust route:PREFIX --dry-run` shows the target of a route");
                }
                if all.is_empty() {
                    screen.say("no routes: all beads are in this repository");
                }
            })?;
            for number in routes.odd_lines() {
                screen.complain(&format!(
                    "warning: .beads/routes.jsonl: line {number} is not a route and was left unchanged"
                ));
            }
            Ok(Exit::Done)
        }
        RouteCommand::Remove { prefix } => {
            Ok(match workspace.ledger().routes().remove(&prefix)? {
                Some(route) => {
                    screen.say(&format!("removed {}", route_line(&route)));
                    Exit::Done
                }
                None => {
                    screen.say(&format!("no route of `{prefix}`"));
                    Exit::NotFound
                }
            })
        }
        RouteCommand::Resolve { id, format } => {
            let routes = workspace.ledger().routes().read()?;
            let Some(route) = routes.resolve(&id) else {
                screen.say(&format!(
                    "no route matches `{id}`: it belongs to this repository"
                ));
                return Ok(Exit::NotFound);
            };
            let text = || format!("{}\n", route_line(route));
            print_result(screen, format.format, route, text)
        }
    }
}
