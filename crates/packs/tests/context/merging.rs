//! Properties of merging: the order of packs doesn't matter, and nothing is attributed to the wrong
//! source.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use windlass_base::LineSpan;
use windlass_packs::context::{
    ContextPack, Decision, Delta, DocRef, Dress, Origin, Priority, Provenance, RESOLVED_ITEM,
    RelevantFile, Source, SourceKind, SourceSpan, dangling_origins, doc_item, file_item,
    hash_of_lines, merge, note_item, render,
};
use windlass_results::Failure;

/// A file in one of two states, with some of its lines in the pack.
#[derive(Debug, Clone)]
struct Shown {
    path: u8,
    state: u8,
    first: u32,
    count: u32,
    rank: u32,
    /// True if there's an origin, and true if there's the part itself. A pack from another tool may
    /// lack either.
    has: (bool, bool),
}

fn shown() -> impl Strategy<Value = Shown> {
    let often = || prop::bool::weighted(0.8);
    let has = (often(), often());
    (0u8..3, 0u8..2, 1u32..12, 0u32..6, 0u32..4, has).prop_map(
        |(path, state, first, count, rank, has)| Shown {
            path,
            state,
            first,
            count,
            rank,
            has,
        },
    )
}

fn pack() -> impl Strategy<Value = ContextPack> {
    let words = prop::sample::subsequence(vec!["one", "two", "three"], 0..3);
    (
        prop::sample::select(vec!["a", "b"]),
        words,
        prop::collection::vec(shown(), 0..4),
        prop::collection::vec((0u8..3, 0u8..2), 0..3),
        prop::collection::vec((0u8..3, 0u8..2, prop::option::of(any::<bool>())), 0..3),
        prop::option::of(0u8..3),
        any::<bool>(),
        0u8..3,
        prop::collection::btree_set(0u8..4, 0..3),
    )
        .prop_map(
            |(goal, done, files, decisions, failures, commit, is_high, fact, mended)| {
                let mut pack = ContextPack {
                    goal: goal.to_owned(),
                    definition_of_done: done.into_iter().map(str::to_owned).collect(),
                    docs_root: "docs".to_owned(),
                    ..ContextPack::default()
                };
                let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
                for (at, one) in files.iter().enumerate() {
                    let path = format!("f{}", one.path);
                    if !seen.insert((at % 2, one.path)) {
                        continue;
                    }
                    let lines: Vec<String> = (one.first..one.first + one.count)
                        .map(|line| format!("{} {line}", one.state))
                        .collect();
                    let spans = if one.count == 0 {
                        Vec::new()
                    } else {
                        vec![SourceSpan {
                            lines: LineSpan::new(one.first, one.first + one.count - 1).unwrap(),
                            source_hash: hash_of_lines(lines.iter().map(String::as_str)),
                            rank: one.rank,
                        }]
                    };
                    let excerpt = (one.count > 0).then(|| lines.join("\n"));
                    let item = if at % 2 == 0 {
                        let doc = DocRef {
                            path: path.clone(),
                            anchors: vec![format!("s{}", one.rank)],
                            excerpt,
                            priority: if is_high {
                                Priority::High
                            } else {
                                Priority::Low
                            },
                            ..DocRef::default()
                        };
                        pack.doc_refs.extend(one.has.1.then_some(doc));
                        doc_item(&path)
                    } else {
                        let file = RelevantFile {
                            path: path.clone(),
                            purpose: Some(format!("p{}", one.rank)),
                            excerpt,
                            hash: Some(format!("h{}", one.state)),
                            ..RelevantFile::default()
                        };
                        pack.relevant_files.extend(one.has.1.then_some(file));
                        file_item(&path)
                    };
                    if !one.has.0 {
                        continue;
                    }
                    items.push(Origin {
                        item,
                        source: Source {
                            kind: SourceKind::File,
                            path: Some(path),
                            spans,
                            hash: Some(format!("h{}", one.state)),
                            ..Source::default()
                        },
                        why: [format!("w{}", one.rank)].into(),
                        rank: one.rank,
                        ..Origin::default()
                    });
                }
                for (id, said) in decisions {
                    let id = format!("d{id}");
                    if !pack.decisions.iter().any(|it| it.id == id) {
                        pack.decisions.push(Decision {
                            id,
                            summary: format!("{said}"),
                            ..Decision::default()
                        });
                    }
                }
                let mut delta = Delta::default();
                for (id, said, new) in failures {
                    let id = format!("t{id}");
                    if !delta.failures.iter().any(|it| it.id == id) {
                        delta.failures.push(Failure {
                            id,
                            summary: format!("{said}"),
                            new,
                            ..Failure::default()
                        });
                    }
                }
                let mended = mended.into_iter().map(|id| format!("t{id}"));
                let fails = |id: &String| delta.failures.iter().any(|it| it.id == *id);
                delta.resolved = mended.filter(|id| !fails(id)).collect();
                if !delta.resolved.is_empty() {
                    items.push(Origin {
                        item: RESOLVED_ITEM.to_owned(),
                        source: Source {
                            kind: SourceKind::Results,
                            path: Some(format!("r{fact}")),
                            ..Source::default()
                        },
                        ..Origin::default()
                    });
                }
                pack.delta = (delta != Delta::default()).then_some(delta);
                pack.repo_facts.insert("fact".to_owned(), json!(fact));
                if is_high {
                    let note = format!("n{fact}");
                    items.extend(commit.map(|state| Origin {
                        item: note_item(&note),
                        source: Source {
                            kind: SourceKind::File,
                            hash: Some(format!("h{state}")),
                            ..Source::default()
                        },
                        ..Origin::default()
                    }));
                    pack.source_notes.push(note);
                }
                pack.rest.insert("ourOwn".to_owned(), json!({ "x": fact }));
                pack.provenance = Some(Provenance {
                    commit: commit.map(|id| format!("c{id}")),
                    items,
                    ..Provenance::default()
                });
                pack.sort();
                pack.seal()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn merging_is_commutative_associative_and_idempotent(a in pack(), b in pack(), c in pack()) {
        let ab = merge(&a, &b).unwrap();
        prop_assert_eq!(&ab, &merge(&b, &a).unwrap());
        prop_assert_eq!(&merge(&a, &a).unwrap(), &a);
        prop_assert_eq!(&merge(&ab, &ab).unwrap(), &ab);
        prop_assert_eq!(&merge(&ab, &a).unwrap(), &ab);
        let bc = merge(&b, &c).unwrap();
        prop_assert_eq!(merge(&ab, &c).unwrap(), merge(&a, &bc).unwrap());
        prop_assert!(ab.check_seal().is_ok());
        prop_assert!(dangling_origins(&ab).is_empty());
        let delta = ab.delta.clone().unwrap_or_default();
        for id in &delta.resolved {
            prop_assert!(!delta.failures.iter().any(|it| it.id == *id), "{}", id);
        }
        // The hashes of the origin must belong to the text that is shown.
        for (item, excerpt) in excerpts(&ab) {
            prop_assert_eq!(hashes_of(&ab, &item, excerpt), claimed(&ab, &item), "{}", item);
        }
    }
}

fn excerpts(pack: &ContextPack) -> Vec<(String, &str)> {
    let docs = pack
        .doc_refs
        .iter()
        .map(|it| (doc_item(&it.path), it.excerpt.as_deref()));
    let files = pack
        .relevant_files
        .iter()
        .map(|it| (file_item(&it.path), it.excerpt.as_deref()));
    docs.chain(files)
        .filter_map(|(item, text)| Some((item, text?)))
        .collect()
}

fn spans<'p>(pack: &'p ContextPack, item: &str) -> &'p [SourceSpan] {
    let mut items = pack.provenance.iter().flat_map(|it| &it.items);
    let own = items.find(|origin| origin.item == item);
    own.map_or(&[], |origin| &origin.source.spans)
}

fn claimed(pack: &ContextPack, item: &str) -> Vec<String> {
    let spans = spans(pack, item).iter();
    spans.map(|span| span.source_hash.clone()).collect()
}

/// The hashes of these spans, computed from the excerpt in the pack.
fn hashes_of(pack: &ContextPack, item: &str, excerpt: &str) -> Vec<String> {
    let mut lines = excerpt.split('\n').filter(|line| *line != "…");
    let own = spans(pack, item).iter().map(|span| {
        let own: Vec<&str> = lines.by_ref().take(span.lines.count() as usize).collect();
        hash_of_lines(own)
    });
    own.collect()
}

fn simple(goal: &str) -> ContextPack {
    ContextPack {
        goal: goal.to_owned(),
        docs_root: "docs".to_owned(),
        ..ContextPack::default()
    }
}

#[test]
fn different_values_become_conflict() {
    let (mut one, mut other) = (simple("a"), simple("b"));
    one.constraints.insert("deps".to_owned(), json!("none"));
    other.constraints.insert("deps".to_owned(), json!("few"));
    one.decisions.push(Decision {
        id: "D1".to_owned(),
        summary: "x".to_owned(),
        ..Decision::default()
    });
    one.source_notes = vec!["`b.md` is empty".to_owned()];
    other.source_notes = vec!["`a.md` is empty".to_owned(), "`b.md` is empty".to_owned()];
    let (one, other) = (one.seal(), other.seal());
    let merged = merge(&one, &other).unwrap();
    let told: Vec<(&str, usize)> = merged
        .conflicts
        .iter()
        .map(|it| (&*it.item, it.values.len()))
        .collect();
    assert_eq!(
        told,
        [("goal", 2), ("constraints/deps", 2)]
            .into_iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
    assert_eq!(merged.goal, "a");
    assert_eq!(merged.decisions.len(), 1);
    assert_eq!(merged.source_notes, other.source_notes);
    assert_eq!(merged.merged_from.len(), 2);
}

#[test]
fn excerpts_of_one_state_are_joined() {
    let with = |first: u32, last: u32| {
        let lines: Vec<String> = (first..=last).map(|line| format!("line {line}")).collect();
        let mut pack = simple("a");
        pack.doc_refs.push(DocRef {
            path: "x.md".to_owned(),
            excerpt: Some(lines.join("\n")),
            ..DocRef::default()
        });
        pack.provenance = Some(Provenance {
            items: vec![Origin {
                item: doc_item("x.md"),
                source: Source {
                    spans: vec![SourceSpan {
                        lines: LineSpan::new(first, last).unwrap(),
                        source_hash: hash_of_lines(lines.iter().map(String::as_str)),
                        rank: 0,
                    }],
                    hash: Some("sha256:1".to_owned()),
                    ..Source::default()
                },
                ..Origin::default()
            }],
            ..Provenance::default()
        });
        pack.seal()
    };
    let merged = merge(&with(1, 3), &with(3, 5)).unwrap();
    assert_eq!(
        merged.doc_refs[0].excerpt.as_deref(),
        Some("line 1\nline 2\nline 3\nline 4\nline 5")
    );
    assert!(merged.conflicts.is_empty());
    let spans = &merged.provenance.unwrap().items[0].source.spans;
    assert_eq!(spans[0].lines.to_string(), "1-5");
}

#[test]
fn provenance_matches_the_shown_state() {
    let with = |text: &str, state: &str| {
        let mut pack = simple("a");
        pack.doc_refs.push(DocRef {
            path: "x.md".to_owned(),
            excerpt: Some(text.to_owned()),
            ..DocRef::default()
        });
        pack.provenance = Some(Provenance {
            items: vec![Origin {
                item: doc_item("x.md"),
                source: Source {
                    spans: vec![SourceSpan {
                        lines: LineSpan::new(1, 1).unwrap(),
                        source_hash: hash_of_lines([text]),
                        rank: 0,
                    }],
                    hash: Some(state.to_owned()),
                    ..Source::default()
                },
                ..Origin::default()
            }],
            ..Provenance::default()
        });
        pack.seal()
    };
    // Try both orders, as it must not matter which text or which state comes first.
    for (one, other) in [(("a", "h1"), ("b", "h2")), (("a", "h2"), ("b", "h1"))] {
        let (one, other) = (with(one.0, one.1), with(other.0, other.1));
        let merged = merge(&one, &other).unwrap();
        let shown = merged.doc_refs[0].excerpt.clone().unwrap();
        assert_eq!(claimed(&merged, "docRefs/x.md"), [hash_of_lines([&*shown])]);
        assert_eq!(merged.conflicts[0].values.len(), 2);
        let text = render(&merged, Dress::Text);
        let hash = &hash_of_lines([&*shown])["sha256:".len()..][..12];
        assert!(text.contains(&format!("[{hash}]")), "{text}");
    }
}

#[test]
fn missing_origin_is_not_borrowed() {
    let origin = || Origin {
        item: file_item("g.rs"),
        source: Source {
            kind: SourceKind::File,
            path: Some("g.rs".to_owned()),
            hash: Some("h1".to_owned()),
            ..Source::default()
        },
        ..Origin::default()
    };
    let (one, mut other, mut third) = (simple("a"), simple("b"), simple("c"));
    other.provenance = Some(Provenance {
        items: vec![origin()],
        ..Provenance::default()
    });
    third.relevant_files.push(RelevantFile {
        path: "g.rs".to_owned(),
        excerpt: Some("x".to_owned()),
        ..RelevantFile::default()
    });
    let (one, other, third) = (one.seal(), other.seal(), third.seal());
    assert_eq!(
        dangling_origins(&other).into_iter().collect::<Vec<_>>(),
        ["relevantFiles/g.rs"]
    );
    let left = merge(&merge(&one, &other).unwrap(), &third).unwrap();
    let right = merge(&one, &merge(&other, &third).unwrap()).unwrap();
    assert_eq!(left, right);
    // `other` has an origin for a file that isn't in its list. It must not become the origin of the
    // file in `third`.
    assert!(left.provenance.is_none_or(|it| it.items.is_empty()));
}
