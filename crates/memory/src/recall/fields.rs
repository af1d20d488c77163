//! Fields of a record that a question asks for: whose it is, and when it was said.

use std::collections::BTreeSet;
use std::ops::Range;

use windlass_words::words_of;

use super::terms::each_term;
use crate::front_matter::Field;
use crate::kind::RecordKind;
use crate::record::Record;

/// Words that ask for one of these fields.
const ASKS: [(&[&str], &[&str]); 3] = [
    (
        &[
            "owner",
            "owners",
            "responsible",
            "assignee",
            "assigned",
            "maintainer",
            "author",
        ],
        &[
            "owner",
            "owners",
            "assignee",
            "author",
            "authors",
            "decided_by",
            "deciders",
        ],
    ),
    (
        &["date", "dated", "opened"],
        &["date", "opened", "decided", "due", "deadline"],
    ),
    (&["updated", "changed", "modified"], &["updated"]),
];
/// Words that ask for them where a question begins with them: elsewhere they join its parts ("what is shown when it fails").
const BEGINS: [(&[&str], usize); 2] = [(&["who", "whom", "whose"], 0), (&["when"], 1)];
/// What says when a record was written that has no date of its own.
const LAST: &str = "updated";
/// Fields that say what a record is among others: the answer names it anyway.
const OWN: [&str; 3] = ["id", "title", "schema_version"];
/// What of a decision is worth knowing whatever is asked.
const OF_DECISIONS: [&str; 2] = ["date", "owner"];

/// A field of a record that is worth showing beside its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownField {
    /// Its bytes, with those of its name.
    pub range: Range<usize>,
    /// Whether it is what was asked for.
    pub is_asked: bool,
}

/// The fields of `record` that `question` asks for, and those that are worth knowing of a decision in any case.
#[must_use]
pub fn fields_for(record: &Record, question: &str) -> Vec<ShownField> {
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
    let first = words_of(&lower).find(|word| !["and", "so", "but", "since"].contains(word));
    for (at, (asks, fields)) in ASKS.into_iter().enumerate() {
        let begins = BEGINS
            .iter()
            .any(|(asks, of)| *of == at && first.is_some_and(|first| asks.contains(&first)));
        if begins || asks.iter().any(|word| words.contains(word)) {
            asked.extend(fields);
            let is_said = fields.iter().any(|field| has(field));
            if fields.contains(&"date") && !is_said {
                asked.insert(LAST);
            }
        }
    }
    let is_asked = |field: &Field| {
        let key = field.key.to_lowercase();
        asked.contains(key.as_str()) || is_named(&key, &stems)
    };
    let is_worth = |field: &Field| {
        record.kind == RecordKind::Decision && OF_DECISIONS.contains(&field.key.as_str())
    };
    let fields = front
        .fields
        .iter()
        .filter(|field| !OWN.contains(&field.key.as_str()) && !field.says().trim().is_empty());
    let shown = fields.filter_map(|field| {
        let is_asked = is_asked(field);
        (is_asked || is_worth(field)).then(|| ShownField {
            range: field.lines.clone(),
            is_asked,
        })
    });
    shown.collect()
}

/// Whether all words of the field `key` are words of the question.
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

    fn shown(path: &str, fields: &str, question: &str) -> Vec<(String, bool)> {
        let text = format!("---\nid: x\ntitle: X\n{fields}---\n\n# X\n\nSo it is.\n");
        let source = Source::new(path, text.clone());
        let record = Record::of(&RepoPath::parse(path).unwrap(), &source).unwrap();
        let shown = fields_for(&record, question).into_iter();
        let shown = shown.map(|one| (text[one.range].trim().to_owned(), one.is_asked));
        shown.collect()
    }

    #[test]
    fn a_field_is_shown_where_the_question_asks_for_it() {
        let fields = "status: active\nupdated: 2026-02-03\nopened: 2026-02-02\nowner: ui team\nfix_version: 3\n";
        let of_loop = |question: &str| {
            let shown = shown("memory/open-loops/x.md", fields, question);
            assert!(shown.iter().all(|(_, is_asked)| *is_asked));
            shown.into_iter().map(|(text, _)| text).collect::<Vec<_>>()
        };
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
        let asked = |text: &str| vec![(text.to_owned(), true)];
        assert_eq!(
            shown(path, "updated: 2026-02-03\n", "when was x said"),
            asked("updated: 2026-02-03")
        );
        assert_eq!(
            shown(path, "date:\nupdated: 2026-02-03\n", "since when"),
            asked("updated: 2026-02-03")
        );
    }

    #[test]
    fn of_a_decision_it_is_told_when_and_whose() {
        let fields = "date: 2026-02-01\nupdated: 2026-02-03\nowner: [a, b]\n";
        assert_eq!(
            shown("memory/decisions/x.md", fields, "who decided x"),
            [
                ("date: 2026-02-01".to_owned(), false),
                ("owner: [a, b]".to_owned(), true)
            ]
        );
        assert_eq!(shown("memory/context/x.md", fields, "x"), []);
    }
}
