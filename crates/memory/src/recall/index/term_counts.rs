use std::collections::BTreeMap;

use windlass_search::TermKind;

use super::counts::{FieldCounts, PassageCounts, TermCounts};
use super::encode::NewEntry;
use super::field_texts::FieldTexts;
use crate::recall::BODY;
use crate::recall::passages::{PASSAGES, events_in};
use crate::recall::question::each_term;
use crate::records::kind::RecordKind;

/// Counts the terms in `texts`, and stores the lengths of fields and passages in `entry`.
pub(super) fn count_terms(entry: &mut NewEntry, texts: &FieldTexts) -> Vec<TermCounts> {
    let mut counts: BTreeMap<String, (FieldCounts, PassageCounts)> = BTreeMap::new();
    for (field, texts) in texts.iter().enumerate() {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let passages = match field {
            BODY if entry.kind == RecordKind::Event => events_in(&texts),
            BODY => PASSAGES.of(&texts),
            _ => vec![texts],
        };
        let has_several = passages.len() > 1;
        for (passage, texts) in (0u32..).zip(passages) {
            let mut length = 0;
            let mut add = |stem: String| {
                let (counts, by_passage) = counts.entry(stem).or_default();
                counts[field] += 1;
                match by_passage.last_mut() {
                    _ if !has_several => {}
                    Some((last, count)) if *last == passage => *count += 1,
                    _ => by_passage.push((passage, 1)),
                }
            };
            for text in texts {
                each_term(text, |term| {
                    // A name or a version only repeats its words, so don't count it towards the
                    // length.
                    length += u32::from(term.kind == TermKind::Word);
                    add(term.stem().into_owned());
                });
            }
            entry.stats.lengths[field] += length;
            if has_several {
                entry.stats.passages.push(length);
            }
        }
    }
    entry.stats.has_independent_passages =
        entry.kind == RecordKind::Event && !entry.stats.passages.is_empty();
    let terms = counts.into_iter();
    terms
        .map(|(term, (counts, passages))| (term, counts, passages))
        .collect()
}
