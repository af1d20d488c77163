use std::path::Path;

use serde_json::Value;
use windlass::base::{counted, did_you_mean};
use windlass::{Error, schemas};

use super::Failure;
use crate::args::SchemaArgs;
use crate::exit::Exit;
use crate::report;
use crate::screen::Screen;

pub(crate) fn run(args: &SchemaArgs, screen: &Screen) -> Result<Exit, Failure> {
    let schemas = schemas();
    if let Some(folder) = &args.out {
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
            let near = did_you_mean(name, schemas.iter().map(|(name, _)| name.as_str()));
            let near = near
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            let message = format!("there is no schema `{name}`{near}");
            report::message(
                screen,
                &message,
                Some("`windlass schema` names those there are"),
            );
            Ok(Exit::NotFound)
        }
    }
}

fn write_all(folder: &Path, schemas: &[(String, Value)], screen: &Screen) -> Result<Exit, Failure> {
    for (name, schema) in schemas {
        let path = folder.join(format!("{name}.schema.json"));
        windlass::store::write_shared(&path, pretty(schema)?.as_bytes())?;
    }
    screen.say(&format!(
        "wrote {} into {}",
        counted(schemas.len(), "schema"),
        folder.display()
    ));
    Ok(Exit::Done)
}

fn pretty(schema: &Value) -> Result<String, Error> {
    let text =
        serde_json::to_string_pretty(schema).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(text + "\n")
}
