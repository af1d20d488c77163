//! Verdicts that a store has from an earlier run, and changes that do or don't invalidate them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use windlass_base::Judgement;
use windlass_evidence::{Captured, EvidenceStore, judge, keep_evidence};
use windlass_repo::Repo;

use crate::history::{History, function, functions};

#[derive(Default)]
struct Store(Mutex<BTreeMap<String, Vec<u8>>>);

impl EvidenceStore for Store {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.0
            .lock()
            .unwrap()
            .insert(key.to_owned(), bytes.to_vec());
    }
}

/// Reason in a stored verdict after [`Kept::mark`] replaced it.
const MARK: &str = "this was kept";

/// Text that moved from `a.rs` to `b.rs`, and a store with the verdict on it.
struct Kept {
    history: History,
    captured: Captured,
    store: Arc<Store>,
}

impl Kept {
    fn new() -> Self {
        let history = History::with(&[
            ("a.rs", &functions(&["alpha", "beta", "gamma"])),
            ("b.rs", &functions(&["delta"])),
            ("c.rs", &functions(&["omega"])),
        ]);
        let captured = history.capture("a.rs", (10, 17));
        history.step(&[
            ("a.rs", &functions(&["alpha", "gamma"])),
            ("b.rs", &functions(&["delta", "beta"])),
        ]);
        let kept = Self {
            history,
            captured,
            store: Arc::default(),
        };
        let said = kept.judged();
        assert_eq!(said.reason.as_deref(), Some("the lines moved"), "{said:?}");
        kept.mark();
        kept
    }

    fn judged(&self) -> Judgement {
        let snapshot = Repo::open(self.history.root()).unwrap().snapshot();
        let store: Arc<dyn EvidenceStore> = Arc::<Store>::clone(&self.store);
        keep_evidence(&snapshot, &store);
        judge(
            &snapshot,
            &self.captured.pointer,
            Some(&self.captured.capture),
        )
    }

    /// Replaces the reason in the stored verdict, so that it can be recognized.
    fn mark(&self) {
        let mut blobs = self.store.0.lock().unwrap();
        let verdicts = blobs.values_mut().find_map(|blob| {
            let text = String::from_utf8(blob.clone()).unwrap();
            text.contains("\"verdicts\"").then_some((blob, text))
        });
        let (blob, text) = verdicts.expect("no verdict was kept");
        assert!(text.contains("the lines moved"), "{text}");
        *blob = text.replace("the lines moved", MARK).into_bytes();
    }

    /// True if the stored verdict is used. If it is not, checks that the new verdict is correct.
    fn is_used(&self) -> bool {
        let said = self.judged();
        if said.reason.as_deref() == Some(MARK) {
            return true;
        }
        assert_eq!(said, self.history.judge(&self.captured));
        false
    }
}

#[test]
fn a_verdict_holds_while_nothing_that_it_stands_on_changes() {
    let kept = Kept::new();
    assert!(kept.is_used());
    // Other files are changed, added and deleted, both uncommitted and committed.
    kept.history
        .write(&[("c.rs", &functions(&["omega", "psi"]))]);
    assert!(kept.is_used());
    kept.history.commit();
    assert!(kept.is_used());
    kept.history
        .step(&[("d.rs", &functions(&["new"])), ("c.rs", "")]);
    assert!(kept.is_used());
    kept.history.git(&["rm", "-q", "d.rs"]);
    kept.history.commit();
    assert!(kept.is_used());
}

#[test]
fn verdict_renewed_when_its_file_changes() {
    for file in ["a.rs", "b.rs"] {
        let kept = Kept::new();
        let path = kept.history.root().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        kept.history
            .write(&[(file, &format!("// One more line.\n{text}"))]);
        assert!(!kept.is_used(), "{file}");
        kept.mark_if_moved();
        kept.history.commit();
        assert!(!kept.is_used(), "{file}");
    }
}

impl Kept {
    fn mark_if_moved(&self) {
        if self.judged().reason.as_deref() == Some("the lines moved") {
            self.mark();
        }
    }
}

#[test]
fn a_verdict_is_given_anew_when_its_text_comes_elsewhere() {
    let kept = Kept::new();
    kept.history.write(&[("new.rs", &function("beta"))]);
    // History proves the location, so the verdict does not depend on a search in other files.
    assert!(kept.is_used());

    // A text that's gone, on the other hand, may come back in any file.
    let history = History::with(&[
        ("a.rs", &functions(&["alpha", "beta", "gamma"])),
        ("b.rs", &functions(&["delta"])),
    ]);
    let captured = history.capture("a.rs", (10, 17));
    history.step(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    let gone = Kept {
        history,
        captured,
        store: Arc::default(),
    };
    let said = gone.judged();
    assert_eq!(said, gone.history.judge(&gone.captured));
    gone.history.write(&[(
        "new.rs",
        &function("beta").replace("    ", "\t").replace('\n', "\r\n"),
    )]);
    // The new file contains the text with another indentation and other line ends.
    assert_ne!(gone.judged(), said);
    assert_eq!(gone.judged(), gone.history.judge(&gone.captured));
}

#[test]
fn verdict_renewed_on_other_branch() {
    let kept = Kept::new();
    kept.history.git(&["checkout", "-q", "HEAD~1"]);
    // In the first commit, the text is still where it was captured.
    assert!(!kept.is_used());
    kept.history.git(&["checkout", "-q", "-"]);

    let kept = Kept::new();
    let text = functions(&["delta", "beta"]);
    kept.history
        .step(&[("b.rs", &format!("{text}// One more.\n"))]);
    kept.history.step(&[("b.rs", &text)]);
    // `b.rs` has the same contents again, but two commits changed it in the meantime.
    assert!(!kept.is_used());
}

#[test]
fn what_git_could_not_give_holds_until_it_can() {
    let kept = Kept::new();
    let two = functions(&["delta", "beta", "two"]);
    kept.history.step(&[("b.rs", &two)]);
    let blob = kept.history.git(&["rev-parse", "HEAD:b.rs"]);
    let blob = blob.trim();
    kept.history
        .step(&[("b.rs", &functions(&["one", "delta", "beta", "two"]))]);
    let object = kept.history.root().join(".git/objects").join(&blob[..2]);
    let object = object.join(&blob[2..]);
    let contents = std::fs::read(&object).unwrap();
    // Without this object, git can't return the contents of `b.rs` in the commit between.
    std::fs::remove_file(&object).unwrap();

    let without = kept.judged();
    {
        let mut blobs = kept.store.0.lock().unwrap();
        let verdicts = blobs.values_mut().find(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            text.contains("\"verdicts\"") && text.contains(blob)
        });
        let verdicts = verdicts.expect("what is lacking was not kept");
        let reason = without.reason.as_deref().unwrap();
        let text = String::from_utf8(verdicts.clone()).unwrap();
        *verdicts = text.replace(reason, MARK).into_bytes();
    }
    assert_eq!(kept.judged().reason.as_deref(), Some(MARK));

    std::fs::write(&object, contents).unwrap();
    // Git can read the object again, so the stored verdict no longer holds.
    assert!(!kept.is_used());
}

#[test]
fn a_claim_is_looked_at_whatever_was_kept() {
    let kept = Kept::new();
    {
        let mut blobs = kept.store.0.lock().unwrap();
        for blob in blobs.values_mut() {
            let text = String::from_utf8(blob.clone()).unwrap();
            // The claim starts one line too late, and these lines have another hash.
            let wrong = text.replace("\"start_line\":10", "\"start_line\":11");
            *blob = wrong.into_bytes();
        }
    }
    assert!(!kept.is_used());
}

#[test]
fn what_is_kept_may_be_broken() {
    for broken in ["", "{", "[]"] {
        let kept = Kept::new();
        for blob in kept.store.0.lock().unwrap().values_mut() {
            *blob = broken.as_bytes().to_vec();
        }
        assert!(!kept.is_used(), "{broken}");
    }
}

#[test]
fn what_another_version_kept_is_not_used() {
    let kept = Kept::new();
    for blob in kept.store.0.lock().unwrap().values_mut() {
        let text = String::from_utf8(blob.clone()).unwrap();
        // This adds a digit to the version number.
        *blob = text.replace("\"version\":", "\"version\":9").into_bytes();
    }
    assert!(!kept.is_used());
    assert!(Kept::new().is_used());
}

#[test]
fn a_list_of_secret_paths_that_changes_is_looked_at_anew() {
    let kept = Kept::new();
    std::fs::create_dir(kept.history.root().join(".windlass")).unwrap();
    kept.history.write(&[(".windlass/secrets", "b.rs\n")]);
    assert!(!kept.is_used());
}

#[test]
fn files_that_are_ignored_count_by_their_contents() {
    let history = History::with(&[
        (".gitignore", "made/\n"),
        ("a.rs", &functions(&["alpha", "beta", "gamma"])),
    ]);
    std::fs::create_dir(history.root().join("made")).unwrap();
    history.write(&[("made/b.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("made/b.rs", (10, 17));
    history.write(&[("made/b.rs", &functions(&["beta", "gamma"]))]);
    let kept = Kept {
        history,
        captured,
        store: Arc::default(),
    };
    for text in [&["beta", "gamma"][..], &["gamma"], &["beta"], &["omega"]] {
        kept.history.write(&[("made/b.rs", &functions(text))]);
        assert_eq!(kept.judged(), kept.history.judge(&kept.captured));
    }
}

/// Three files of functions and their changes. Git tracks one of them although an ignore file
/// matches it.
struct Files([Vec<String>; 3]);

const NAMES: [&str; 3] = ["a.rs", "b.rs", "gen/c.rs"];

impl Files {
    fn new() -> Self {
        let all = |names: &[&str]| names.iter().map(|name| function(name)).collect();
        Self([
            all(&["alpha", "beta", "gamma"]),
            all(&["delta", "omega"]),
            all(&["psi"]),
        ])
    }

    fn write(&self, history: &History) {
        for (name, texts) in NAMES.iter().zip(&self.0) {
            history.write(&[(name, &texts.concat())]);
        }
    }

    fn change(&mut self, what: u8, from: usize, to: usize) {
        let Some(text) = self.0[from].pop() else {
            return;
        };
        match what % 5 {
            // The function is moved, copied, edited, put first, or deleted.
            0 => self.0[to].push(text),
            1 => {
                self.0[from].push(text.clone());
                self.0[to].insert(0, text);
            }
            2 => self.0[from].push(text.replace("let checked", "let mut checked")),
            3 => self.0[from].insert(0, text),
            _ => {}
        }
    }
}

fn judged_together(
    root: &std::path::Path,
    store: Option<&Arc<Store>>,
    captured: &[&Captured],
) -> Vec<Judgement> {
    let snapshot = Repo::open(root).unwrap().snapshot();
    if let Some(store) = store {
        let store: Arc<dyn EvidenceStore> = Arc::<Store>::clone(store);
        keep_evidence(&snapshot, &store);
    }
    let judged = captured
        .iter()
        .map(|one| judge(&snapshot, &one.pointer, Some(&one.capture)));
    judged.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// A verdict does not depend on earlier queries, on other queries, or on their order.
    #[test]
    fn a_verdict_is_the_same_whatever_else_was_asked(
        steps in prop::collection::vec((0u8..5, 0usize..3, 0usize..3, 0u8..4), 3..7)
    ) {
        let history = History::with(&[("a.rs", "")]);
        std::fs::create_dir(history.root().join("gen")).unwrap();
        let mut files = Files::new();
        files.write(&history);
        history.write(&[(".gitignore", "gen/\n")]);
        history.git(&["add", "-f", "gen/c.rs"]);
        history.commit();
        let spans = [("a.rs", (1, 8)), ("a.rs", (12, 20)), ("b.rs", (1, 8)), ("gen/c.rs", (2, 6))];
        let mut captured: Vec<Captured> =
            spans.iter().map(|(file, lines)| history.capture(file, *lines)).collect();
        let store: Arc<Store> = Arc::default();
        for (nr, (what, from, to, ending)) in steps.into_iter().enumerate() {
            files.change(what, from, to);
            files.write(&history);
            match ending {
                0 => {}
                1 => drop(history.commit()),
                // The change is made on a branch, where a text is captured, and the branch is
                // merged.
                _ => {
                    let branch = format!("side{nr}");
                    let main = history.git(&["rev-parse", "--abbrev-ref", "HEAD"]);
                    history.git(&["checkout", "-q", "-b", &branch]);
                    history.commit();
                    if !files.0[1].is_empty() {
                        captured.push(history.capture("b.rs", (2, 7)));
                    }
                    history.git(&["checkout", "-q", &main]);
                    history.git(&["merge", "-q", "--no-ff", "-m", "merged", &branch]);
                }
            }
            let forth: Vec<&Captured> = captured.iter().collect();
            let back: Vec<&Captured> = captured.iter().rev().collect();
            let alone: Vec<Judgement> = captured.iter().map(|one| history.judge(one)).collect();
            let mut reversed = judged_together(history.root(), None, &back);
            reversed.reverse();
            prop_assert_eq!(&judged_together(history.root(), None, &forth), &alone);
            prop_assert_eq!(&reversed, &alone);
            // The first of these calls fills the store, and the second one reads from it.
            prop_assert_eq!(&judged_together(history.root(), Some(&store), &forth), &alone);
            prop_assert_eq!(&judged_together(history.root(), Some(&store), &forth), &alone);
        }
    }
}
