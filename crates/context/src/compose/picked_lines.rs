//! Selects the lines of a file that a pack shows.
//!
//! Callers state their wishes as ranges of lines with a rank. The lines with the highest ranks are
//! then joined to an excerpt.

use windlass_base::LineSpan;
use windlass_packs::context::{SourceSpan, excerpt_of, hash_of_lines};
use windlass_repo::SourceFile;

/// If a line of code has more characters than this, nobody has written it by hand.
const LONGEST_LINE: usize = 600;
/// If the wanted lines of a document have more bytes than this, sections with different ranks
/// become separate parts. A pack with a small budget can then show the best of them.
const ONE_PART: usize = 12_000;
/// A gap of fewer lines than this is filled. The mark for the gap would take up a line anyway.
const NEAR: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) rank: u32,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Picked {
    pub(super) text: Option<String>,
    pub(super) spans: Vec<SourceSpan>,
    /// The number of wanted lines that are not in `text`, because there were too many of them or
    /// because they were too long.
    pub(super) left_out: u32,
}

/// Selects all wanted lines. We do not shorten documents of the contract, as opposed to other
/// files.
pub(super) fn pick_document(file: &SourceFile, wishes: &[Wish]) -> Picked {
    let ranks = ranks_of(file, wishes);
    let lines = (1..).zip(&ranks).filter(|(_, rank)| **rank > 0);
    let bytes = lines.filter_map(|(number, _)| Some(file.shown().line(number)?.as_str().len()));
    if bytes.sum::<usize>() > ONE_PART {
        return runs(file, &ranks, usize::MAX, true);
    }
    let mut ranks = ranks;
    bridge(&mut ranks);
    runs(file, &ranks, usize::MAX, false)
}

/// Selects at most `max_lines` of the wanted lines, best first.
pub(super) fn pick(file: &SourceFile, wishes: &[Wish], max_lines: u32) -> Picked {
    let mut ranks = ranks_of(file, wishes);
    let left_out = leave_out(&mut ranks, max_lines);
    bridge(&mut ranks);
    let mut picked = runs(file, &ranks, LONGEST_LINE, false);
    picked.left_out += left_out;
    picked
}

/// The rank of each line. If nobody wants the line, that is 0.
fn ranks_of(file: &SourceFile, wishes: &[Wish]) -> Vec<u32> {
    let count = file.line_count();
    let mut ranks = vec![0; count as usize];
    for wish in wishes {
        let (first, last) = (wish.first.max(1), wish.last.min(count));
        for line in first..=last {
            let rank = &mut ranks[line as usize - 1];
            *rank = wish.rank.max(1).max(*rank);
        }
    }
    ranks
}

/// Joins adjacent lines with a rank to ranges, except for lines of more than `longest` characters.
/// With `split`, a range also ends where the rank changes.
fn runs(file: &SourceFile, ranks: &[u32], longest: usize, split: bool) -> Picked {
    let mut picked = Picked::default();
    let mut texts = Vec::new();
    let mut run: Vec<(u32, String)> = Vec::new();
    let mut top = 0;
    for (number, rank) in (1..).zip(ranks.iter().copied().chain([0])) {
        let line = if rank > 0 {
            shown(file, number, longest)
        } else {
            None
        };
        picked.left_out += u32::from(rank > 0 && line.is_none());
        let goes_on = line.is_some() && (!split || rank == top || run.is_empty());
        if !goes_on
            && let (Some((first, _)), Some((last, _))) = (run.first(), run.last())
            && let Ok(lines) = LineSpan::new(*first, *last)
        {
            picked.spans.push(SourceSpan {
                lines,
                source_hash: hash_of_lines(run.iter().map(|(_, line)| line.as_str())),
                rank: top,
            });
            let lines: Vec<String> = run.drain(..).map(|(_, line)| line).collect();
            texts.push(lines.join("\n"));
        }
        if !goes_on {
            top = 0;
        }
        if let Some(line) = line {
            top = top.max(rank);
            run.push((number, line));
        }
    }
    picked.text = excerpt_of(&picked.spans, &texts);
    picked
}

/// The redacted line, or `None` if it is too long.
fn shown(file: &SourceFile, number: u32, longest: usize) -> Option<String> {
    let line = file.shown().line(number)?;
    let text = line.as_str();
    (text.len() <= longest || text.chars().count() <= longest).then(|| text.to_owned())
}

/// Drops all but the `max_lines` lines with the highest ranks, and returns how many were dropped.
/// Among equal ranks, earlier lines win.
fn leave_out(ranks: &mut [u32], max_lines: u32) -> u32 {
    let mut wanted: Vec<(std::cmp::Reverse<u32>, usize)> = ranks
        .iter()
        .enumerate()
        .filter(|(_, rank)| **rank > 0)
        .map(|(at, rank)| (std::cmp::Reverse(*rank), at))
        .collect();
    wanted.sort_unstable();
    let dropped = wanted.iter().skip(max_lines as usize);
    for (_, at) in dropped.clone() {
        ranks[*at] = 0;
    }
    u32::try_from(dropped.count()).unwrap_or(u32::MAX)
}

/// Adds the lines in gaps of less than [`NEAR`] lines.
fn bridge(ranks: &mut [u32]) {
    let mut last: Option<usize> = None;
    for at in 0..ranks.len() {
        if ranks[at] == 0 {
            continue;
        }
        if let Some(before) = last
            && at - before > 1
            && at - before <= NEAR as usize
        {
            ranks[before + 1..at].fill(1);
        }
        last = Some(at);
    }
}

/// Returns the redacted text, and its hash. The text has LF line ends and no byte order mark, so
/// the hash is the same for a checkout with CRLF.
pub(crate) fn whole_text(file: &SourceFile) -> (String, String) {
    let text = String::from_utf8_lossy(&file.shown().bytes()).replace("\r\n", "\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    let hash = hash_of_lines(text.strip_suffix('\n').unwrap_or(&text).split('\n'));
    (text, hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: u32) -> SourceFile {
        let text: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
        SourceFile::from_bytes(text.into_bytes())
    }

    fn wish(first: u32, last: u32, rank: u32) -> Wish {
        Wish { first, last, rank }
    }

    #[test]
    fn top_ranks_are_kept_in_file_order() {
        let picked = pick(
            &file(50),
            &[wish(10, 14, 5), wish(2, 3, 9), wish(40, 99, 1)],
            9,
        );
        let lines: Vec<String> = picked
            .spans
            .iter()
            .map(|span| span.lines.to_string())
            .collect();
        assert_eq!(lines, ["2-3", "10-14", "40-41"]);
        assert_eq!(picked.left_out, 9);
        assert_eq!(picked.spans[0].rank, 9);
        let text = picked.text.unwrap();
        assert!(text.starts_with("line 2\nline 3\n…\nline 10\n"), "{text}");
    }

    #[test]
    fn large_document_kept_whole_in_parts() {
        let long = format!("a\n{}\nb\n", "x".repeat(20_000));
        let file = SourceFile::from_bytes(long.clone().into_bytes());
        let picked = pick_document(&file, &[wish(1, 2, 1), wish(3, 3, 5)]);
        assert_eq!(picked.text.as_deref(), Some(long.trim_end()));
        let ranks: Vec<u32> = picked.spans.iter().map(|span| span.rank).collect();
        assert_eq!((ranks, picked.left_out), (vec![1, 5], 0));
        let many = pick_document(&super::tests::file(400), &[wish(1, 400, 2)]);
        assert_eq!((many.spans.len(), many.left_out), (1, 0));
        assert!(many.text.unwrap().ends_with("line 400"));
    }

    #[test]
    fn near_parts_join_long_lines_drop() {
        let near = pick(&file(9), &[wish(2, 2, 1), wish(4, 4, 1), wish(8, 8, 1)], 9);
        assert_eq!(near.spans.len(), 2);
        let long = format!("a\n{}\nb\n", "x".repeat(5_000));
        let picked = pick(
            &SourceFile::from_bytes(long.into_bytes()),
            &[wish(1, 3, 1)],
            9,
        );
        assert_eq!(picked.text.as_deref(), Some("a\n…\nb"));
        assert_eq!(picked.left_out, 1);
        assert_eq!(pick(&file(0), &[wish(1, 3, 1)], 9), Picked::default());
    }
}
