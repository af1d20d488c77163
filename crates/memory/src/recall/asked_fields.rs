//! Fields of a record that a question asks for: whose it is, and when it was said.

use std::collections::BTreeSet;
use std::ops::Range;

use windlass_search::words_of;

use crate::records::record::Record;
use crate::texts::front_matter::Field;
use windlass_search::each_indexed;

/// What asks for some fields.
struct Asks {
    /// Words that do where a question begins with them: elsewhere they join its parts ("what is shown when it fails").
    begins: &'static [&'static str],
    /// Words that do wherever they stand.
    words: &'static [&'static str],
    fields: &'static [&'static str],
    /// Whether a record that has none of them says by the day it was written as much.
    or_last: bool,
}

const ASKS: [Asks; 3] = [
    Asks {
        begins: &["who", "whom", "whose"],
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
        or_last: false,
    },
    Asks {
        begins: &["when"],
        words: &["date", "dated", "opened"],
        fields: &["date", "opened", "decided", "due", "deadline"],
        or_last: true,
    },
    Asks {
        begins: &[],
        words: &["updated", "changed", "modified"],
        fields: &["updated"],
        or_last: false,
    },
];
/// Words that may stand before the first that asks.
const BEFORE: [&str; 4] = ["and", "so", "but", "since"];
/// What says when a record was written that has no date of its own.
const LAST: &str = "updated";
/// Fields that say what a record is among others: the answer names it anyway.
const OWN: [&str; 3] = ["id", "title", "schema_version"];

/// The fields that a question may ask for, and that anybody may say of a record.
pub(crate) fn asked_fields() -> impl Iterator<Item = &'static str> {
    let all = ASKS.iter().flat_map(|asks| asks.fields).copied();
    all.filter(|field| *field != LAST)
}

/// Where the fields of `record` stand that `question` asks for, with their names.
#[must_use]
pub(crate) fn fields_for(record: &Record, question: &str) -> Vec<Range<usize>> {
    let Some(front) = record.front() else {
        return Vec::new();
    };
    let lower = question.to_lowercase();
    let words: BTreeSet<&str> = words_of(&lower).collect();
    let mut stems = BTreeSet::new();
    each_indexed(question, |term| {
        stems.insert(term.stem().into_owned());
    });
    let has = |key: &str| {
        front
            .field(key)
            .is_some_and(|field| !field.says().is_empty())
    };
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    let first = words_of(&lower).find(|word| !BEFORE.contains(word));
    for asks in ASKS {
        let begins = first.is_some_and(|first| asks.begins.contains(&first));
        if begins || asks.words.iter().any(|word| words.contains(word)) {
            asked.extend(asks.fields);
            if asks.or_last && !asks.fields.iter().any(|field| has(field)) {
                asked.insert(LAST);
            }
        }
    }
    let is_asked = |field: &Field| {
        let key = field.key.to_lowercase();
        asked.contains(key.as_str()) || is_named(&key, &stems)
    };
    let fields = front
        .fields
        .iter()
        .filter(|field| !OWN.contains(&field.key.as_str()) && !field.says().trim().is_empty());
    let shown = fields.filter(|field| is_asked(field));
    shown.map(|field| field.lines.clone()).collect()
}

/// Whether all words of the field `key` are words of the question.
fn is_named(key: &str, stems: &BTreeSet<String>) -> bool {
    let (mut all, mut any) = (true, false);
    each_indexed(&key.replace(['_', '-'], " "), |term| {
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
    fn a_field_is_shown_where_the_question_asks_for_it() {
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
    fn what_has_no_date_says_when_it_was_written() {
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
