//! Names that are not known, in a message, and what to do about them.

use windlass_base::did_you_mean;

use crate::AnchorKind;

/// The most characters of an unknown name that are repeated.
const MAX_NAME: usize = 60;

/// Message about a name that nobody knows.
pub(crate) struct UnknownName {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl UnknownName {
    /// That `what`, such as `there is no operation`, goes for `name`, as there are only those that are `known`.
    pub(crate) fn new(what: &str, name: &str, known: &[&str]) -> Self {
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", known.join(", ")),
        };
        let name: String = name.chars().take(MAX_NAME).collect();
        Self {
            message: format!("{what} `{name}`"),
            help,
        }
    }

    /// That there is no kind of anchors called `name`.
    pub(crate) fn of_kind(name: &str) -> Self {
        let kinds = AnchorKind::ALL.map(AnchorKind::as_str);
        Self::new("there is no kind of anchors", name, &kinds)
    }
}
