//! What can be looked at by an address: `windlass://pack/NAME` and its kin.

use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Map, Value, json};
use windlass::Workspace;

use crate::tool_failure::Failure;

const SCHEME: &str = "windlass://";

/// Addresses of one sort.
struct Sort {
    /// What stands behind the scheme.
    name: &'static str,
    /// What follows it.
    of: &'static str,
    about: &'static str,
    mime: &'static str,
}

const SORTS: [Sort; 6] = [
    Sort {
        name: "pack",
        of: "runbook",
        about: "what a runbook shows now, each place verified",
        mime: "text/plain",
    },
    Sort {
        name: "runbook",
        of: "runbook",
        about: "a runbook as it is written",
        mime: "application/yaml",
    },
    Sort {
        name: "anchor",
        of: "id",
        about: "an anchor with its text as it stands",
        mime: "text/plain",
    },
    Sort {
        name: "context",
        of: "id",
        about: "a context pack that was built, all of it",
        mime: "text/plain",
    },
    Sort {
        name: "molecule",
        of: "id",
        about: "a molecule, and where its steps stand",
        mime: "application/json",
    },
    Sort {
        name: "schema",
        of: "name",
        about: "the JSON Schema of a document, or of what a tool gives",
        mime: "application/json",
    },
];

/// What an address means.
#[derive(Debug, PartialEq)]
pub(crate) enum Meant {
    /// What a tool gives: as text, or as data.
    Tool {
        name: &'static str,
        arguments: Map<String, Value>,
        as_data: bool,
    },
    /// The document of a runbook.
    Runbook(String),
    /// A schema.
    Schema(String),
}

/// What `address` means, and what sort of text it leads to; nothing where it is no address of ours.
pub(crate) fn meant(address: &str) -> Option<(Meant, &'static str)> {
    let (sort, name) = address.strip_prefix(SCHEME)?.split_once('/')?;
    let sort = SORTS.iter().find(|known| known.name == sort)?;
    if name.is_empty() {
        return None;
    }
    let tool = |tool, arguments: Value, as_data| Meant::Tool {
        name: tool,
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        as_data,
    };
    let meant = match sort.name {
        "pack" => tool("runbook_pack", json!({ "runbook": name }), false),
        "anchor" => tool("anchor", json!({ "action": "show", "ids": [name] }), false),
        "context" => tool(
            "context_pack",
            json!({ "action": "show", "pack": name }),
            false,
        ),
        "molecule" => tool("molecule", json!({ "action": "show", "mol": name }), true),
        "runbook" => Meant::Runbook(name.to_owned()),
        _ => Meant::Schema(name.to_owned()),
    };
    Some((meant, sort.mime))
}

/// How addresses of each sort are made.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let one = |sort: &Sort| {
        ResourceTemplate::new(format!("{SCHEME}{}/{{{}}}", sort.name, sort.of), sort.name)
            .with_description(sort.about)
            .with_mime_type(sort.mime)
    };
    SORTS.iter().map(one).collect()
}

/// The packs and open molecules of a repository.
pub(crate) fn listed(workspace: &Workspace) -> Result<Vec<Resource>, Failure> {
    let mut all = Vec::new();
    for entry in workspace.runbooks().all(&workspace.site().snapshot()) {
        let address = format!("{SCHEME}pack/{}", entry.name);
        let pack = Resource::new(address, entry.name).with_mime_type("text/plain");
        all.push(pack.with_description(SORTS[0].about));
    }
    let service = workspace.molecules();
    let mut ledger = service.ledger().open(None, "resources")?;
    for molecule in service.on(&mut ledger).list(false) {
        let address = format!("{SCHEME}molecule/{}", molecule.id);
        let listed = Resource::new(address, molecule.id).with_mime_type("application/json");
        all.push(listed.with_description(molecule.title));
    }
    Ok(all)
}

/// The schema called `name`.
pub(crate) fn schema(name: &str) -> Result<String, Failure> {
    let all = windlass::schemas();
    let known = || all.iter().map(|(name, _)| name.as_str());
    match all.iter().find(|(known, _)| known == name) {
        Some((_, schema)) => Ok(schema.to_string()),
        None => Err(Failure::Meaningless(format!(
            "there is no schema `{name}`{}",
            windlass::base::did_you_mean(name, known())
                .map_or(String::new(), |near| format!("; did you mean `{near}`?"))
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_means_what_a_tool_gives() {
        let (pack, mime) = meant("windlass://pack/api").unwrap();
        let arguments = Map::from_iter([("runbook".to_owned(), json!("api"))]);
        let want = Meant::Tool {
            name: "runbook_pack",
            arguments,
            as_data: false,
        };
        assert_eq!((pack, mime), (want, "text/plain"));
        for odd in [
            "file:///etc/passwd",
            "windlass://pack/",
            "windlass://other/x",
            "windlass:/pack/x",
            "",
        ] {
            assert_eq!(meant(odd), None, "{odd}");
        }
    }

    #[test]
    fn schemas_are_named() {
        assert!(schema("pack").unwrap().starts_with('{'));
        assert!(
            schema("pakc")
                .unwrap_err()
                .to_string()
                .contains("did you mean `pack`?")
        );
    }
}
