//! Detects text that doesn't belong in a shared repository: personal data, conversations and
//! program output.

pub(crate) mod conversation;
pub(crate) mod personal;
pub(crate) mod sorts;

use self::conversation::conversations;
use self::sorts::{PERSONAL, SORTS};

/// Name of the rule for conversations.
pub(crate) const TRANSCRIPT: &str = "transcript";

/// Returns the names of the rules broken by `text`, each once.
pub(crate) fn broken(text: &str) -> Vec<&'static str> {
    let mut rules: Vec<&'static str> = Vec::new();
    for sort in &SORTS {
        if !rules.contains(&sort.rule) && sort.hits(text).next().is_some() {
            rules.push(sort.rule);
        }
    }
    if !rules.contains(&TRANSCRIPT) && !conversations(text).is_empty() {
        rules.push(TRANSCRIPT);
    }
    rules
}

/// Returns `text` without anything that looks like personal data.
pub(crate) fn without_personal(text: &str) -> String {
    let personal = SORTS.iter().filter(|sort| sort.rule == PERSONAL);
    personal.fold(text.to_owned(), |text, sort| sort.blanked(text))
}
