//! Random sequences of changes, through which texts are followed. A wrong location must never be
//! claimed.

use std::collections::BTreeMap;

use proptest::prelude::*;
use windlass_evidence::Captured;

use crate::history::{History, function};

/// Change to a repository of functions. Each is one commit.
#[derive(Debug, Clone)]
enum Change {
    /// Moves a function to the end of a file.
    Move(usize, usize),
    /// Rewrites one line of a function.
    Edit(usize, usize),
    /// Puts a copy of a function at the front of a file.
    Copy(usize, usize),
    Delete(usize),
    Rename(usize),
    /// Puts another function at the front of a file.
    Add(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let (function, file) = (0_usize..4, 0_usize..3);
    prop_oneof![
        3 => (function.clone(), file.clone()).prop_map(|(nr, to)| Change::Move(nr, to)),
        3 => (function.clone(), 0_usize..5).prop_map(|(nr, line)| Change::Edit(nr, line)),
        1 => (function.clone(), file.clone()).prop_map(|(nr, to)| Change::Copy(nr, to)),
        1 => function.prop_map(Change::Delete),
        2 => file.clone().prop_map(Change::Rename),
        2 => file.prop_map(Change::Add),
    ]
}

/// Functions in each file, and the current place of those that are captured.
#[derive(Debug, Clone)]
struct Model {
    files: Vec<(String, Vec<Vec<String>>)>,
    /// File and position of each of the first four functions. `None` if the function was deleted.
    places: Vec<Option<(usize, usize)>>,
    steps: usize,
}

const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

fn lines(name: &str) -> Vec<String> {
    function(name).lines().map(str::to_owned).collect()
}

impl Model {
    fn new() -> Self {
        let file = |name: &str, functions: &[&str]| {
            let functions = functions.iter().map(|name| lines(name)).collect();
            (format!("{name}0.rs"), functions)
        };
        Self {
            files: vec![
                file("a", &["alpha", "beta", "gamma"]),
                file("b", &["delta", "omega"]),
                file("c", &["zeta"]),
            ],
            places: vec![Some((0, 0)), Some((0, 1)), Some((0, 2)), Some((1, 0))],
            steps: 0,
        }
    }

    fn apply(&mut self, change: &Change) {
        self.steps += 1;
        let steps = self.steps;
        match *change {
            Change::Move(nr, to) => {
                if let Some(text) = self.take(nr) {
                    self.files[to].1.push(text);
                    self.places[nr] = Some((to, self.files[to].1.len() - 1));
                }
            }
            Change::Edit(nr, line) => {
                if let Some((file, at)) = self.places[nr] {
                    self.files[file].1[at][line + 1] =
                        format!("    edited_in_step_{steps}(of, line, {line});");
                }
            }
            Change::Copy(nr, to) => {
                if let Some((file, at)) = self.places[nr] {
                    let text = self.files[file].1[at].clone();
                    self.put_in_front(to, text);
                }
            }
            Change::Delete(nr) => drop(self.take(nr)),
            Change::Rename(file) => {
                let name = &mut self.files[file].0;
                *name = format!("{}{steps}.rs", &name[..1]);
            }
            Change::Add(to) => self.put_in_front(to, lines(&format!("added{steps}"))),
        }
    }

    fn take(&mut self, nr: usize) -> Option<Vec<String>> {
        let (file, at) = self.places[nr].take()?;
        for (other, place) in self.places.iter_mut().flatten() {
            if *other == file && *place > at {
                *place -= 1;
            }
        }
        Some(self.files[file].1.remove(at))
    }

    fn put_in_front(&mut self, to: usize, text: Vec<String>) {
        for (file, at) in self.places.iter_mut().flatten() {
            *at += usize::from(*file == to);
        }
        self.files[to].1.insert(0, text);
    }

    fn texts(&self) -> BTreeMap<&str, String> {
        let text = |functions: &[Vec<String>]| {
            let lines = functions.iter().flatten();
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let files = self.files.iter();
        files
            .map(|(name, functions)| (name.as_str(), text(functions)))
            .collect()
    }

    fn lines_at(&self, file: &str, first: usize, last: usize) -> Vec<String> {
        let text = self.texts().remove(file).unwrap_or_default();
        let lines = text.lines().skip(first - 1).take(last + 1 - first);
        lines.map(str::to_owned).collect()
    }

    /// Returns the file and the lines of function `nr`, without the blank line after it.
    fn place(&self, nr: usize) -> Option<(&str, usize, usize)> {
        let (file, at) = self.places[nr]?;
        let (name, functions) = &self.files[file];
        let before: usize = functions[..at].iter().map(Vec::len).sum();
        Some((name, before + 1, before + functions[at].len() - 1))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn whatever_is_done_no_other_place_is_claimed(changes in prop::collection::vec(change(), 1..7), uncommitted in any::<bool>()) {
        let mut model = Model::new();
        let history = History::with(&[]);
        let write = |model: &Model| {
            for file in std::fs::read_dir(history.root()).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|ending| ending == "rs") {
                    std::fs::remove_file(path).unwrap();
                }
            }
            for (file, text) in model.texts() {
                history.write(&[(file, &text)]);
            }
        };
        write(&model);
        history.commit();
        let captured: Vec<Captured> = (0..NAMES.len())
            .map(|nr| {
                let (file, first, last) = model.place(nr).unwrap();
                history.capture(file, (first as u32, last as u32))
            })
            .collect();
        for (nr, change) in changes.iter().enumerate() {
            model.apply(change);
            write(&model);
            if !uncommitted || nr + 1 < changes.len() {
                history.commit();
            }
        }
        for (nr, captured) in captured.iter().enumerate() {
            let judgement = history.judge(captured);
            if judgement.is_fresh() {
                // A copy may be where the original was. That is the captured text all the same.
                let (file, span) = (captured.pointer.file.as_str(), captured.pointer.span);
                let now = model.lines_at(file, span.start() as usize, span.end() as usize);
                let then = Model::new().lines_at(file, span.start() as usize, span.end() as usize);
                prop_assert_eq!(now, then, "{} is not as captured: {:?}", NAMES[nr], changes);
                continue;
            }
            let claimed = judgement.repair.as_ref().and_then(|repair| repair.evidence.clone());
            let Some(claimed) = claimed else { continue };
            let place = model.place(nr);
            prop_assert!(place.is_some(), "{} is claimed at {} and was deleted: {:?}", NAMES[nr], claimed, changes);
            let (file, first, last) = place.unwrap();
            let (start, end) = (claimed.span.start() as usize, claimed.span.end() as usize);
            let is_it = claimed.file.as_str() == file && first <= start + 1 && end <= last + 1 && start <= last && first <= end;
            prop_assert!(is_it, "{} is claimed at {} and stands at {}:{}-{}: {:?}", NAMES[nr], claimed, file, first, last, changes);
        }
    }
}
