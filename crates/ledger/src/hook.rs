//! Hooks: what an agent is to do next, as a plain file that a shell can read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stamp;
use crate::word_enum::word_enum;

/// What is on an agent's hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hook {
    /// What sort of thing.
    pub kind: HookKind,
    /// Its id.
    pub reference: String,
    /// The file, from the folder that `.beads` lies in.
    pub path: String,
    /// Since when.
    pub since: Stamp,
    /// The event that put it there.
    pub set_by: String,
}

word_enum! {
    /// What sort of thing is on a hook.
    HookKind, "sort of hook" {
        /// A bead to be worked on.
        Bead = "bead",
        /// A message with what to do.
        Mail = "mail",
        /// A molecule to go on with.
        Mol = "mol",
    }
}

impl Hook {
    /// What stands in the file.
    pub(crate) fn text(&self) -> String {
        format!("{}:{}\n", self.kind, self.reference)
    }
}

/// Reads what stands in the file of a hook.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_hook(text: &str) -> Result<(HookKind, String), String> {
    let text = text.trim();
    let Some((kind, reference)) = text
        .split_once(':')
        .filter(|(_, reference)| !reference.is_empty())
    else {
        return Err(format!(
            "`{text}` is no hook: write `bead:ID`, `mail:ID` or `mol:ID`"
        ));
    };
    Ok((kind.parse()?, reference.trim().to_owned()))
}

/// The name of the file that agents called like `agent` share: `/` becomes `-`, so that `a/b-c` and `a-b/c` do.
pub(crate) fn usual_file_name(agent: &str) -> String {
    let safe = |c: char| match c {
        '/' | '\\' | ':' => '-',
        c if c.is_control() => '_',
        c => c,
    };
    format!(".hook-{}", agent.chars().map(safe).collect::<String>())
}

/// Whether `path` is that of a hook: right in `.beads`, wherever an event says it is.
pub(crate) fn is_hook_path(path: &str) -> bool {
    let name = path.strip_prefix(".beads/.hook-");
    name.is_some_and(|name| !name.contains(['/', '\\', '\0']) && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_hook_is_read_as_it_is_written() {
        assert_eq!(
            parse_hook("bead:gt-abc123\n"),
            Ok((HookKind::Bead, "gt-abc123".to_owned()))
        );
        assert_eq!(
            parse_hook(" mol:mol-verify-def"),
            Ok((HookKind::Mol, "mol-verify-def".to_owned()))
        );
        for bad in ["", "bead", "bead:", "cow:x"] {
            assert!(parse_hook(bad).is_err(), "{bad}");
        }
        assert_eq!(
            usual_file_name("gastown/polecats/slot0"),
            ".hook-gastown-polecats-slot0"
        );
        assert_eq!(usual_file_name("a/b-c"), usual_file_name("a-b/c"));
    }
}
