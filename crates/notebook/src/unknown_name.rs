//! Error messages for unknown names.

use windlass_base::did_you_mean;

use crate::AnchorKind;

/// Maximum number of characters of an unknown name shown in a message.
const MAX_NAME: usize = 60;

/// An error message for an unknown name, with advice.
pub(crate) struct UnknownName {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl UnknownName {
    /// Creates the message for the unknown `name`, introduced by a phrase `what` such as `unknown
    /// operation`. The advice gives the most similar of the `known` names, or all of them.
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

    /// Creates the message for an unknown anchor kind.
    pub(crate) fn of_kind(name: &str) -> Self {
        let kinds = AnchorKind::ALL.map(AnchorKind::as_str);
        Self::new("unknown anchor kind", name, &kinds)
    }
}
