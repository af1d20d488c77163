//! Trimmed packs fit their budget, and show the most important parts of the pack.

use std::collections::BTreeSet;

use proptest::prelude::*;
use windlass_base::Limit;
use windlass_packs::Budget;
use windlass_packs::context::{ContextPack, CutKind, Scale, hash_of_lines, note_item, trim};

use crate::support::{Chars, origin, sample, text};

fn budget(max: usize) -> Budget {
    Budget {
        limit: Limit::Chars(max),
        profile: None,
    }
}

#[test]
fn fitting_pack_is_whole_and_keeps_id() {
    let pack = sample(2, 3, 1);
    let view = trim(&pack, &budget(1_000_000), &Chars).unwrap();
    assert_eq!(view.truncation, None);
    assert!(view.check_seal().is_ok());
    let report = view.budget.clone().unwrap();
    assert_eq!(report.used, report.whole);
    assert_eq!(
        report.used,
        serde_json::to_string(&view).unwrap().chars().count()
    );
}

#[test]
fn small_budget_names_the_minimum() {
    let pack = sample(2, 3, 2);
    let error = trim(&pack, &budget(300), &Chars).unwrap_err();
    let of_profile = Budget {
        profile: Some("routine".to_owned()),
        ..budget(300)
    };
    let told = trim(&pack, &of_profile, &Chars).unwrap_err().to_string();
    assert!(told.contains("that of the profile `routine`"), "{told}");
    assert!(error.to_string().contains(&error.least.to_string()));
    assert!(trim(&pack, &budget(error.least - 1), &Chars).is_err());
    let view = trim(&pack, &budget(error.least), &Chars).unwrap();
    assert_eq!(view.doc_refs.len(), 2);
    assert_eq!(view.delta.unwrap().failures.len(), 2);
    assert!(view.relevant_files.is_empty());
}

#[test]
fn larger_budget_shows_no_less() {
    for pack in [sample(2, 20, 6), sample(1, 60, 0), sample(6, 8, 40)] {
        let whole = serde_json::to_string(&pack).unwrap().chars().count();
        let least = trim(&pack, &budget(300), &Chars).unwrap_err().least;
        let mut before = 0;
        for part in 1..=12 {
            let max = least + (whole - least) * part / 13;
            let view = trim(&pack, &budget(max), &Chars).unwrap();
            let used = view.budget.unwrap().used;
            assert!(used >= before, "{max} of {whole}: {used} < {before}");
            // At least four fifths of the budget are used.
            assert!(used * 10 >= max * 8, "{max} of {whole}: {used}");
            before = used;
        }
    }
}

#[test]
fn documents_then_best_files_come_first() {
    let pack = sample(1, 20, 0);
    let view = trim(&pack, &budget(7_000), &Chars).unwrap();
    assert!(view.doc_refs[0].excerpt.is_some());
    let named: Vec<&str> = view.relevant_files.iter().map(|it| &*it.path).collect();
    assert!(named.starts_with(&["src/0.rs", "src/1.rs"]), "{named:?}");
    assert!(view.relevant_files[0].excerpt.is_some());
    let cut = view.truncation.unwrap();
    assert!(
        cut.cuts
            .iter()
            .all(|cut| cut.cut == CutKind::TextLeftOut || cut.lines > 0)
    );
}

#[test]
fn equal_rank_shortest_part_first() {
    let mut pack = sample(0, 1, 0);
    let (mut texts, mut spans) = (Vec::new(), Vec::new());
    for (first, count) in [(1, 60), (100, 8), (200, 8)] {
        let (part, span) = text("use", first, count);
        texts.push(part);
        spans.push(windlass_packs::context::SourceSpan { rank: 9, ..span });
    }
    pack.relevant_files[0].excerpt = Some(texts.join("\n…\n"));
    pack.provenance.as_mut().unwrap().items[0].source.spans = spans;
    let whole = serde_json::to_string(&pack).unwrap().chars().count();
    let view = trim(&pack, &budget(whole - 200), &Chars).unwrap();
    let shown = view.relevant_files[0].excerpt.clone().unwrap_or_default();
    // Both short parts are complete, although the long one comes first in the file.
    for line in ["use line 107", "use line 207"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[test]
fn failures_come_before_documents() {
    let mut pack = sample(3, 3, 6);
    for failure in &mut pack.delta.as_mut().unwrap().failures {
        // The comparison is at the start of each output, and must be there even if the rest isn't.
        let (detail, _) = text("detail", 1, 30);
        failure.detail = Some(format!("assertion failed\n  left: 1\n right: 2\n{detail}"));
    }
    let pack = pack.seal();
    let least = trim(&pack, &budget(300), &Chars).unwrap_err().least;
    for room in [2_000, 3_000, 5_000] {
        let view = trim(&pack, &budget(least + room), &Chars).unwrap();
        let failures = &view.delta.as_ref().unwrap().failures;
        let told = failures.iter().filter(|it| {
            let detail = it.detail.as_deref().unwrap_or_default();
            detail.starts_with("assertion failed\n  left: 1\n right: 2\n")
        });
        assert_eq!(told.count(), 6, "{room}");
    }
}

#[test]
fn early_groups_do_not_starve_later() {
    let pack = sample(12, 12, 6);
    let view = trim(&pack, &budget(16_000), &Chars).unwrap();
    let delta = view.delta.unwrap();
    assert!(delta.failures.iter().any(|it| it.detail.is_some()));
    assert!(delta.files.iter().any(|it| it.diff.is_some()));
    assert!(view.doc_refs.iter().any(|it| it.excerpt.is_some()));
    assert!(view.relevant_files.iter().any(|it| it.excerpt.is_some()));
}

#[test]
fn named_minimum_is_exact() {
    for (docs, files, failures) in [(0, 0, 0), (0, 1, 0), (1, 0, 1), (0, 0, 25), (3, 9, 4)] {
        let pack = sample(docs, files, failures);
        let least = trim(&pack, &budget(10), &Chars).unwrap_err().least;
        let again = trim(&pack, &budget(least - 1), &Chars).unwrap_err();
        assert_eq!(again.least, least, "{docs} {files} {failures}");
        for max in least..least + 40 {
            // Beyond the minimum, no budget may be too small again.
            let view = trim(&pack, &budget(max), &Chars).unwrap();
            assert_eq!(view.doc_refs.len(), docs as usize);
            let named = view.delta.map_or(0, |delta| delta.failures.len());
            assert!(named >= failures.min(20) as usize, "{max}: {named}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn view_fits_budget_and_spans_match(
        docs in 0u32..5, files in 0u32..12, failures in 0u32..8, max in 600usize..30_000,
    ) {
        let pack = sample(docs, files, failures);
        let Ok(view) = trim(&pack, &budget(max), &Chars) else { return Ok(()); };
        let taken = serde_json::to_string(&view).unwrap().chars().count();
        prop_assert!(taken <= max, "{taken} of {max}");
        prop_assert!(view.budget.as_ref().unwrap().used >= taken);
        prop_assert_eq!(view.pack_id, pack.pack_id);
        prop_assert_eq!(&view.goal, &pack.goal);
        prop_assert_eq!(view.doc_refs.len(), pack.doc_refs.len());
        for origin in &view.provenance.as_ref().unwrap().items {
            let text = view.doc_refs.iter().find(|it| origin.item == format!("docRefs/{}", it.path)).and_then(|it| it.excerpt.as_ref());
            let Some(text) = text else { continue };
            let shown: Vec<&str> = text.split("\n…\n").collect();
            prop_assert_eq!(shown.len(), origin.source.spans.len());
            for (part, span) in shown.iter().zip(&origin.source.spans) {
                prop_assert_eq!(hash_of_lines(part.split('\n')), span.source_hash.clone());
                let first = span.lines.start().to_string();
                prop_assert!(part.lines().next().unwrap().ends_with(&first));
            }
        }
        // The same budget always leads to the same view.
        prop_assert_eq!(trim(&pack, &budget(max), &Chars).unwrap(), view);
    }
}

/// A scale on which each text takes up four times as much room as estimated.
struct Underestimated;

impl Scale for Underestimated {
    fn whole(&self, pack: &ContextPack) -> usize {
        4 * Chars.whole(pack)
    }

    fn piece(&self, text: &str) -> usize {
        Chars.piece(text)
    }
}

#[test]
fn bad_estimate_still_shows_parts() {
    let pack = sample(6, 40, 6);
    let least = trim(&pack, &budget(300), &Underestimated)
        .unwrap_err()
        .least;
    for max in [least * 2, least * 3, least * 4] {
        let view = trim(&pack, &budget(max), &Underestimated).unwrap();
        let used = Underestimated.whole(&view);
        // However bad the estimate is, at least half of the budget must be used.
        assert!(used <= max && used * 2 >= max, "{used} of {max}");
    }
}

#[test]
fn every_failure_is_named() {
    let pack = sample(2, 3, 60);
    let all = |pack: &ContextPack| -> Vec<String> {
        let failures = pack.delta.iter().flat_map(|delta| &delta.failures);
        let mut names: Vec<String> = failures.map(|failure| failure.id.clone()).collect();
        let cut = pack.truncation.iter().flat_map(|cut| &cut.failures);
        names.extend(cut.flat_map(|(beginning, rest)| {
            rest.iter().map(move |rest| format!("{beginning}{rest}"))
        }));
        names.sort();
        names
    };
    let least = trim(&pack, &budget(300), &Chars).unwrap_err().least;
    let whole = serde_json::to_string(&pack).unwrap().chars().count();
    let mut cut = Vec::new();
    for max in (least..whole + 1_000).step_by(2_000) {
        let view = trim(&pack, &budget(max), &Chars).unwrap();
        assert_eq!(all(&view), all(&pack), "{max}");
        cut.push(all(&view).len() - view.delta.unwrap().failures.len());
    }
    // With the smallest budget, only the first twenty failures have an entry of their own.
    assert_eq!((cut[0], cut.last()), (40, Some(&0)), "{cut:?}");
    assert!(cut.is_sorted_by(|one, next| one >= next), "{cut:?}");
}

/// A pack with `notes` notes, each of which is about `files` files.
fn noted(notes: usize, files: usize) -> ContextPack {
    let mut pack = sample(2, 2, 2);
    let provenance = pack.provenance.get_or_insert_default();
    for at in 0..notes {
        let note = format!("`docs/{at:02}.md` is empty");
        for file in 0..files {
            let path = format!("docs/{at:02}-{file}.md");
            provenance
                .items
                .push(origin(note_item(&note), &path, 0, Vec::new()));
        }
        pack.source_notes.push(note);
    }
    pack.sort();
    pack.seal()
}

#[test]
fn notes_fit_and_rest_is_counted() {
    let pack = noted(30, 1);
    let least = trim(&pack, &budget(10), &Chars).unwrap_err().least;
    let whole = serde_json::to_string(&pack).unwrap().chars().count();
    let mut counts = BTreeSet::new();
    for part in 0..12 {
        let max = least + (whole - least) * part / 12;
        let view = trim(&pack, &budget(max), &Chars).unwrap();
        let shown = &view.source_notes;
        let cut = view.truncation.as_ref().unwrap();
        assert_eq!(shown.len() + cut.notes, 30, "{max}");
        assert!(cut.cuts.iter().all(|it| !it.item.contains("sourceNotes")));
        assert!(shown.is_sorted());
        // An origin is only shown along with its note.
        let items = view.provenance.iter().flat_map(|it| &it.items);
        let origins: Vec<&str> = items
            .filter_map(|it| it.item.strip_prefix("sourceNotes/"))
            .collect();
        assert_eq!(origins, *shown, "{max}");
        // Notes are optional, and must not displace the other parts.
        assert_eq!(view.doc_refs.len(), 2);
        assert_eq!(view.delta.as_ref().unwrap().failures.len(), 2);
        counts.insert(shown.len());
    }
    assert!(counts.len() > 3, "{counts:?}");
    assert_eq!(counts.first(), Some(&0));
}

#[test]
fn note_on_many_files_stays_small() {
    let pack = noted(1, 200);
    let least = trim(&pack, &budget(10), &Chars).unwrap_err().least;
    let view = trim(&pack, &budget(least + 2_000), &Chars).unwrap();
    assert_eq!(view.source_notes, pack.source_notes);
    let items = view.provenance.iter().flat_map(|it| &it.items);
    let origins = items.filter(|it| it.item.starts_with("sourceNotes/"));
    assert_eq!(origins.count(), 3);
}
