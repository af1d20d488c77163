//! Drops ranges of lines that repeat those of a file with a higher rank. There are often copies for
//! older versions, or generated code.

use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_packs::context::{SourceSpan, excerpt_of};
use windlass_repo::SourceFile;

use crate::compose::picked_lines::Picked;

/// Shorter lines (in bytes) occur everywhere. Think of braces, or of `return None`.
const SHORTEST: usize = 16;
/// A range with fewer distinctive lines isn't compared.
const FEWEST: usize = 3;
/// A range repeats a file if the file has this percentage of its lines.
const ALIKE: usize = 70;

/// The files that we've selected so far, with the hashes of their distinctive lines.
#[derive(Default)]
pub(super) struct Taken {
    files: Vec<(RepoPath, BTreeSet<u64>)>,
}

impl Taken {
    /// Drops ranges in `picked` that repeat an earlier file. If there's nothing left, returns the
    /// name of that file.
    pub(super) fn leave_out_alike(
        &mut self,
        path: &RepoPath,
        file: &Arc<SourceFile>,
        picked: &mut Picked,
    ) -> Option<RepoPath> {
        let mut like = None;
        let before = picked.spans.len();
        let mut left_out = 0;
        picked.spans.retain(|span| {
            let found = self.like(file, span);
            if let Some(found) = found {
                left_out += span.lines.end() - span.lines.start() + 1;
                like.get_or_insert_with(|| found.clone());
            }
            found.is_none()
        });
        if picked.spans.len() < before {
            let texts: Vec<String> = picked
                .spans
                .iter()
                .map(|span| text_of(file, span))
                .collect();
            picked.text = excerpt_of(&picked.spans, &texts);
            picked.left_out += left_out;
        }
        if !picked.spans.is_empty() {
            let lines = (1..=file.line_count()).filter_map(|line| mark_of(file, line));
            self.files.push((path.clone(), lines.collect()));
        }
        like.filter(|_| picked.spans.is_empty())
    }

    fn like(&self, file: &SourceFile, span: &SourceSpan) -> Option<&RepoPath> {
        let lines = span.lines.start()..=span.lines.end();
        let lines: Vec<u64> = lines.filter_map(|line| mark_of(file, line)).collect();
        if lines.len() < FEWEST {
            return None;
        }
        let like = self.files.iter().find(|(_, own)| {
            let common = lines.iter().filter(|line| own.contains(line)).count();
            common * 100 >= lines.len() * ALIKE
        });
        like.map(|(path, _)| path)
    }
}

/// A hash of the line, ignoring blanks around it. Returns `None` if the line isn't distinctive.
fn mark_of(file: &SourceFile, number: u32) -> Option<u64> {
    let line = file.shown().line(number)?;
    let text = line.as_str().trim();
    if text.len() < SHORTEST {
        return None;
    }
    let digest = windlass_base::Digest::of_bytes(text.as_bytes());
    let first = digest.as_bytes().first_chunk()?;
    Some(u64::from_le_bytes(*first))
}

fn text_of(file: &SourceFile, span: &SourceSpan) -> String {
    let lines = (span.lines.start()..=span.lines.end()).filter_map(|line| file.shown().line(line));
    let lines: Vec<String> = lines.map(|line| line.as_str().to_owned()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::picked_lines::{Wish, pick};

    fn file(text: &str) -> Arc<SourceFile> {
        Arc::new(SourceFile::from_bytes(text.as_bytes().to_vec()))
    }

    #[test]
    fn stretch_of_a_better_file_is_omitted() {
        let manual = "The filter writes rows as text.\nFields are quoted if need be.\nA quote is doubled inside.\nEach row is on its own line.\n";
        let older = format!(
            "  {}\nWhat only the old one says here.\nAnd what follows from that.\nAnd a third thing it says.\n",
            manual.replace("Each", "A").replace('\n', "\n  ")
        );
        let mut taken = Taken::default();
        let path = |name: &str| RepoPath::parse(name).unwrap();
        let all = |first: u32, last: u32| {
            [Wish {
                first,
                last,
                rank: 1,
            }]
        };
        let newest = file(manual);
        let mut picked = pick(&newest, &all(1, 4), 9);
        assert_eq!(
            taken.leave_out_alike(&path("dev"), &newest, &mut picked),
            None
        );
        assert_eq!(picked.spans.len(), 1);
        let old = file(&older);
        let mut picked = pick(&old, &all(1, 4), 9);
        let like = taken.leave_out_alike(&path("v1"), &old, &mut picked);
        assert_eq!(
            (like, picked.text, picked.left_out),
            (Some(path("dev")), None, 4)
        );
        let mut picked = pick(&old, &all(6, 9), 9);
        assert_eq!(taken.leave_out_alike(&path("v1"), &old, &mut picked), None);
        assert!(
            picked
                .text
                .is_some_and(|text| text.starts_with("What only"))
        );
    }
}
