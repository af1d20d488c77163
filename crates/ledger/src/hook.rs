//! Agent hooks. A hook is a file that names an agent's next assignment, in plain text, so that a
//! shell script can read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stamp;
use windlass_base::word_enum;

/// An assignment on an agent's hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hook {
    /// Kind of record on the hook.
    pub kind: HookKind,
    /// Id of the bead, message or molecule.
    pub reference: String,
    /// Path of the hook file, relative to the folder containing `.beads`.
    pub path: String,
    /// Time of the assignment.
    pub since: Stamp,
    /// Id of the event that set the hook.
    pub set_by: String,
}

word_enum! {
    /// Kinds of records on a hook.
    HookKind, "sort of hook" {
        /// A bead to work on.
        Bead = "bead",
        /// A message with instructions.
        Mail = "mail",
        /// A molecule to continue.
        Mol = "mol",
    }
}

impl Hook {
    /// The contents of the hook file, e.g. `bead:bd-1`.
    pub(crate) fn text(&self) -> String {
        format!("{}:{}\n", self.kind, self.reference)
    }
}

/// Parses the contents of a hook file, as the inverse of [`Hook::text`].
///
/// # Errors
/// Returns what's wrong with the contents.
pub(crate) fn parse_hook(text: &str) -> Result<(HookKind, String), String> {
    let text = text.trim();
    let Some((kind, reference)) = text
        .split_once(':')
        .filter(|(_, reference)| !reference.is_empty())
    else {
        return Err(format!(
            "`{text}` is not a hook: expected `bead:ID`, `mail:ID` or `mol:ID`"
        ));
    };
    Ok((kind.parse()?, reference.trim().to_owned()))
}

/// Returns the usual name of `agent`'s hook file. This isn't necessarily unique: `/` becomes `-`,
/// so `a/b-c` and `a-b/c` share a name.
pub(crate) fn usual_file_name(agent: &str) -> String {
    let safe = |c: char| match c {
        '/' | '\\' | ':' => '-',
        c if c.is_control() => '_',
        c => c,
    };
    format!(".hook-{}", agent.chars().map(safe).collect::<String>())
}

/// True if `path` is a hook file directly inside `.beads`. The paths come from events, so without
/// this check, anyone who can write to the log could make us write to any file.
pub(crate) fn is_hook_path(path: &str) -> bool {
    let name = path.strip_prefix(".beads/.hook-");
    name.is_some_and(|name| !name.contains(['/', '\\', '\0']) && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hook_text_written_parses_back() {
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
