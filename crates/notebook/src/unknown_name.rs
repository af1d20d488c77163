//! Errors about unknown names.

use windlass_base::did_you_mean;

use crate::AnchorKind;

/// Maximum number of characters to show of an unknown name, which may be anything.
const MAX_NAME: usize = 60;

pub(crate) struct UnknownName {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl UnknownName {
    /// Creates the error for `name`. `what` comes before the name in the message, e.g. `unknown
    /// operation`. The help suggests the most similar of the `known` names, or else lists all of
    /// them.
    pub(crate) fn new(what: &str, name: &str, known: &[&str]) -> Self {
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of: {}", known.join(", ")),
        };
        let name: String = name.chars().take(MAX_NAME).collect();
        Self {
            message: format!("{what} `{name}`"),
            help,
        }
    }

    pub(crate) fn of_kind(name: &str) -> Self {
        let kinds = AnchorKind::ALL.map(AnchorKind::as_str);
        Self::new("unknown anchor kind", name, &kinds)
    }
}
