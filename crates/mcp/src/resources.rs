//! Resources that clients read by address, such as `windlass://pack/NAME`.

use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Map, Value, json};
use windlass::Workspace;
use windlass::base::{did_you_mean, similar_hint};

use crate::tool_failure::Failure;

const SCHEME: &str = "windlass://";

struct Sort {
    /// First segment of the address, after the scheme.
    name: &'static str,
    /// Placeholder for the rest of the address.
    of: &'static str,
    about: &'static str,
    mime: &'static str,
}

const SORTS: [Sort; 6] = [
    Sort {
        name: "pack",
        of: "runbook",
        about: "current pack of a runbook, each place verified",
        mime: "text/plain",
    },
    Sort {
        name: "runbook",
        of: "runbook",
        about: "document of a runbook",
        mime: "application/yaml",
    },
    Sort {
        name: "anchor",
        of: "id",
        about: "anchor with its current text",
        mime: "text/plain",
    },
    Sort {
        name: "context",
        of: "id",
        about: "whole context pack, as built",
        mime: "text/plain",
    },
    Sort {
        name: "molecule",
        of: "id",
        about: "molecule with the status of its steps",
        mime: "application/json",
    },
    Sort {
        name: "schema",
        of: "name",
        about: "JSON Schema of a document, or of a tool's result",
        mime: "application/json",
    },
];

#[derive(Debug, PartialEq)]
pub(crate) enum Target {
    Tool {
        name: &'static str,
        arguments: Map<String, Value>,
        as_data: bool,
    },
    Runbook(String),
    Schema(String),
}

/// Finds the target and the MIME type of `address`. Returns `None` if it is not one of ours.
pub(crate) fn target(address: &str) -> Option<(Target, &'static str)> {
    let (sort, name) = address.strip_prefix(SCHEME)?.split_once('/')?;
    let sort = SORTS.iter().find(|known| known.name == sort)?;
    if name.is_empty() {
        return None;
    }
    let tool = |tool, arguments: Value, as_data| Target::Tool {
        name: tool,
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        as_data,
    };
    let target = match sort.name {
        "pack" => tool("runbook_pack", json!({ "runbook": name }), false),
        "anchor" => tool("anchor", json!({ "action": "show", "ids": [name] }), false),
        "context" => tool(
            "context_pack",
            json!({ "action": "show", "pack": name }),
            false,
        ),
        "molecule" => tool("molecule", json!({ "action": "show", "mol": name }), true),
        "runbook" => Target::Runbook(name.to_owned()),
        _ => Target::Schema(name.to_owned()),
    };
    Some((target, sort.mime))
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let one = |sort: &Sort| {
        ResourceTemplate::new(format!("{SCHEME}{}/{{{}}}", sort.name, sort.of), sort.name)
            .with_description(sort.about)
            .with_mime_type(sort.mime)
    };
    SORTS.iter().map(one).collect()
}

/// Lists the repository's packs and open molecules. Clients can read resources of other kinds, but
/// have to know their address.
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

pub(crate) fn schema(name: &str) -> Result<String, Failure> {
    let all = windlass::schemas();
    let known = || all.iter().map(|(name, _)| name.as_str());
    match all.iter().find(|(known, _)| known == name) {
        Some((_, schema)) => Ok(schema.to_string()),
        None => Err(Failure::Meaningless(format!(
            "unknown schema `{name}`{}",
            similar_hint(did_you_mean(name, known()))
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_resolves_to_tool_result() {
        let (pack, mime) = target("windlass://pack/api").unwrap();
        let arguments = Map::from_iter([("runbook".to_owned(), json!("api"))]);
        let want = Target::Tool {
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
            assert_eq!(target(odd), None, "{odd}");
        }
    }

    #[test]
    fn schema_address_names_schema() {
        assert!(schema("pack").unwrap().starts_with('{'));
        assert!(
            schema("pakc")
                .unwrap_err()
                .to_string()
                .contains("did you mean `pack`?")
        );
    }
}
