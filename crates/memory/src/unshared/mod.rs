//! What must not be in a repository that others read: what of people, and what was said in a conversation.

pub(crate) mod conversation;
pub(crate) mod personal;
pub(crate) mod sorts;

use self::conversation::conversations;
use self::sorts::{PERSONAL, SORTS};

/// The rule of what was said.
pub(crate) const TRANSCRIPT: &str = "transcript";

/// The rules that something in `text` breaks which others should not read.
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

/// `text` without what looks like the address or number of a person.
pub(crate) fn without_personal(text: &str) -> String {
    let personal = SORTS.iter().filter(|sort| sort.rule == PERSONAL);
    personal.fold(text.to_owned(), |text, sort| sort.blanked(text))
}
