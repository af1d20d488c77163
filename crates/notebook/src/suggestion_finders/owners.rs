//! Who answers for what.

use windlass_repo::{CODE_OWNERS_FILES, CodeOwners};

use super::candidate::{Candidate, MAX_LINES, Topic};
use super::file_survey::Survey;

pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut places = CODE_OWNERS_FILES.iter();
    let Some(text) = places.find_map(|place| survey.text_at(place)) else {
        return Vec::new();
    };
    let rules: Vec<u32> = text
        .lines()
        .filter(|(_, line)| CodeOwners::names_somebody(line))
        .map(|(number, _)| number)
        .collect();
    let (Some(first), Some(last)) = (rules.first(), rules.last()) else {
        return Vec::new();
    };
    let last = (*last).min(first + MAX_LINES - 1);
    let found = Candidate::lines(Topic::Owner, &text, *first, last);
    found
        .map(|found| {
            found
                .named("code")
                .label("Who reviews what")
                .because("`CODEOWNERS` says whose review a change needs")
        })
        .into_iter()
        .collect()
}
