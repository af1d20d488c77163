//! Prints JSON Schemas (`windlass schema`).

use std::path::Path;

use serde_json::Value;
use windlass::base::{counted, did_you_mean, similar_hint};
use windlass::{Error, schemas};

use super::Ended;
use crate::args::SchemaArgs;
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) fn run(args: &SchemaArgs, screen: &Screen) -> Ended {
    let schemas = schemas();
    if let Some(folder) = &args.out_dir {
        return write_all(folder, &schemas, screen);
    }
    let Some(name) = &args.name else {
        let names: String = schemas
            .iter()
            .map(|(name, _)| format!("{name}\n"))
            .collect();
        screen.print_raw(&names);
        return Ok(Exit::Done);
    };
    match schemas.iter().find(|(known, _)| known == name) {
        Some((_, schema)) => {
            screen.print_raw(&pretty(schema)?);
            Ok(Exit::Done)
        }
        None => {
            let near = similar_hint(near(name, &schemas));
            let message = format!("unknown schema `{name}`{near}");
            diagnostics_report::message(
                screen,
                &message,
                Some("run `windlass schema` to see all schemas"),
            );
            Ok(Exit::NotFound)
        }
    }
}

/// Finds the schema whose name is most similar to `name`.
///
/// The names of input schemas of step kinds (`step-KIND.input`) have much in common, so one of
/// these only counts if no other name is similar.
fn near<'a>(name: &str, schemas: &'a [(String, Value)]) -> Option<&'a str> {
    let names = || schemas.iter().map(|(name, _)| name.as_str());
    let kind = |name: &'a str| name.strip_prefix("step-")?.strip_suffix(".input");
    let asked = name.strip_prefix("step-").unwrap_or(name);
    let asked = asked.strip_suffix(".schema.json").unwrap_or(asked);
    let kinds = || names().filter_map(kind);
    did_you_mean(name, names())
        .filter(|near| kind(near).is_none())
        .or_else(|| {
            let near = did_you_mean(asked, kinds())?;
            names().find(|name| kind(name) == Some(near))
        })
        .or_else(|| did_you_mean(name, names()))
}

fn write_all(folder: &Path, schemas: &[(String, Value)], screen: &Screen) -> Ended {
    for (name, schema) in schemas {
        let place = windlass::store::RootedPath::new(folder).join(format!("{name}.schema.json"));
        windlass::store::write_shared(&place, pretty(schema)?.as_bytes())?;
    }
    screen.say(&format!(
        "wrote {} into {}",
        counted(schemas.len(), "schema"),
        folder.display()
    ));
    Ok(Exit::Done)
}

fn pretty(schema: &Value) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(schema).map_err(Error::internal)?;
    Ok(text + "\n")
}
