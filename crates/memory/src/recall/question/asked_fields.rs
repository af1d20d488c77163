//! Finds the frontmatter fields that a question asks for, such as the owner or the date.

use std::collections::BTreeSet;
use std::ops::Range;

use windlass_search::words_of;

use super::terms::each_term;
use crate::records::record::Record;
use crate::texts::front_matter::Field;

struct Trigger {
    /// Words that only ask for the fields at the start of a question. In the middle, they are
    /// conjunctions, as in "what is shown when it fails".
    first_words: &'static [&'static str],
    /// Words that ask for the fields anywhere in a question.
    words: &'static [&'static str],
    fields: &'static [&'static str],
    /// True if the day of the last update is a good enough answer for records that have none of
    /// `fields`.
    or_updated: bool,
}

const TRIGGERS: [Trigger; 3] = [
    Trigger {
        first_words: &["who", "whom", "whose"],
        words: &[
            "owner",
            "owners",
            "responsible",
            "assignee",
            "assigned",
            "maintainer",
            "author",
        ],
        fields: &[
            "owner",
            "owners",
            "assignee",
            "author",
            "authors",
            "decided_by",
            "deciders",
        ],
        or_updated: false,
    },
    Trigger {
        first_words: &["when"],
        words: &["date", "dated", "opened"],
        fields: &["date", "opened", "decided", "due", "deadline"],
        or_updated: true,
    },
    Trigger {
        first_words: &[],
        words: &["updated", "changed", "modified"],
        fields: &["updated"],
        or_updated: false,
    },
];
/// A question may start with one of these words, as in "and who decided that".
const CONJUNCTIONS: [&str; 4] = ["and", "so", "but", "since"];
const UPDATED: &str = "updated";
/// Every answer shows these fields anyway.
const IDENTIFYING: [&str; 3] = ["id", "title", "schema_version"];

/// The fields that a question may ask for, and that a caller may set when writing a record. (We
/// maintain the day of the last update ourselves.)
pub(crate) fn asked_fields() -> impl Iterator<Item = &'static str> {
    let all = TRIGGERS.iter().flat_map(|trigger| trigger.fields);
    all.copied().filter(|field| *field != UPDATED)
}

/// Finds the fields of `record` that `question` asks for. The ranges include the names of the
/// fields.
#[must_use]
pub(crate) fn fields_for(record: &Record, question: &str) -> Vec<Range<usize>> {
    let Some(front) = record.front() else {
        return Vec::new();
    };
    let lower = question.to_lowercase();
    let words: BTreeSet<&str> = words_of(&lower).collect();
    let mut stems = BTreeSet::new();
    each_term(question, |term| {
        stems.insert(term.stem().into_owned());
    });
    let has = |key: &str| {
        front
            .field(key)
            .is_some_and(|field| !field.says().is_empty())
    };
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    let first = words_of(&lower).find(|word| !CONJUNCTIONS.contains(word));
    for trigger in TRIGGERS {
        let begins = first.is_some_and(|first| trigger.first_words.contains(&first));
        if begins || trigger.words.iter().any(|word| words.contains(word)) {
            asked.extend(trigger.fields);
            if trigger.or_updated && !trigger.fields.iter().any(|field| has(field)) {
                asked.insert(UPDATED);
            }
        }
    }
    let is_asked = |field: &Field| {
        let key = field.key.to_lowercase();
        asked.contains(key.as_str()) || is_named(&key, &stems)
    };
    let fields = front.fields.iter().filter(|field| {
        !IDENTIFYING.contains(&field.key.as_str()) && !field.says().trim().is_empty()
    });
    let shown = fields.filter(|field| is_asked(field));
    shown.map(|field| field.lines.clone()).collect()
}

/// True if the question contains all words of a field's name, e.g. "next review" for `next_review`.
fn is_named(key: &str, stems: &BTreeSet<String>) -> bool {
    let (mut all, mut any) = (true, false);
    each_term(&key.replace(['_', '-'], " "), |term| {
        any = true;
        all &= stems.contains(&*term.stem());
    });
    any && all
}

#[cfg(test)]
mod tests {
    use windlass_base::{RepoPath, Source};

    use super::*;

    fn shown(path: &str, fields: &str, question: &str) -> Vec<String> {
        let text = format!("---\nid: x\ntitle: X\n{fields}---\n\n# X\n\nSo it is.\n");
        let source = Source::new(path, text.clone());
        let record = Record::of(&RepoPath::parse(path).unwrap(), &source).unwrap();
        let shown = fields_for(&record, question).into_iter();
        let shown = shown.map(|field| text[field].trim().to_owned());
        shown.collect()
    }

    #[test]
    fn field_is_shown_if_asked_for() {
        let fields = "status: active\nupdated: 2026-02-03\nopened: 2026-02-02\nowner: ui team\nfix_version: 3\n";
        let of_loop = |question: &str| shown("memory/open-loops/x.md", fields, question);
        assert_eq!(of_loop("Who is the owner of X?"), ["owner: ui team"]);
        assert_eq!(of_loop("when was it opened"), ["opened: 2026-02-02"]);
        assert_eq!(
            of_loop("when was x changed"),
            ["updated: 2026-02-03", "opened: 2026-02-02"]
        );
        assert_eq!(of_loop("the fix versions of x"), ["fix_version: 3"]);
        assert_eq!(of_loop("status of x"), ["status: active"]);
        assert_eq!(of_loop("what is the id and title of x"), [""; 0]);
        assert_eq!(of_loop("the version of x"), [""; 0]);
        assert_eq!(of_loop("what is shown when who asks fails"), [""; 0]);
    }

    #[test]
    fn updated_is_shown_for_missing_date() {
        let path = "memory/context/x.md";
        assert_eq!(
            shown(path, "updated: 2026-02-03\n", "when was x said"),
            ["updated: 2026-02-03"]
        );
        assert_eq!(
            shown(path, "date:\nupdated: 2026-02-03\n", "since when"),
            ["updated: 2026-02-03"]
        );
    }
}
