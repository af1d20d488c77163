//! Recognizes text that does not belong in a shared repository: personal data, conversations and
//! the output of programs.

pub(crate) mod conversation;
pub(crate) mod personal;
pub(crate) mod sorts;

use self::conversation::conversation;
use self::sorts::{PERSONAL, SORTS};

pub(crate) const TRANSCRIPT: &str = "transcript";

/// The rules that `text` breaks, each of them once.
pub(crate) fn broken(text: &str) -> Vec<&'static str> {
    let mut rules: Vec<&'static str> = Vec::new();
    for sort in &SORTS {
        if !rules.contains(&sort.rule) && sort.hits(text).next().is_some() {
            rules.push(sort.rule);
        }
    }
    if !rules.contains(&TRANSCRIPT) && conversation(text).is_some() {
        rules.push(TRANSCRIPT);
    }
    rules
}

/// Replaces everything that may be personal data with spaces.
pub(crate) fn without_personal(text: &str) -> String {
    let personal = SORTS.iter().filter(|sort| sort.rule == PERSONAL);
    personal.fold(text.to_owned(), |text, sort| sort.blanked(text))
}
