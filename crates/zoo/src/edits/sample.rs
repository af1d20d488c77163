//! Picks spans from an old state of the files. About four in five are in files that have changed
//! since then. For any other file, it would be hard to be wrong.

use std::collections::BTreeMap;

use windlass_base::LineSpan;

use super::Draw;

/// Picks up to `count` different spans. `changed` tells if a file has changed since then.
pub(crate) fn spans(
    files: &BTreeMap<String, Vec<String>>,
    changed: impl Fn(&str) -> bool,
    count: usize,
    draw: &mut Draw,
) -> Vec<(String, LineSpan)> {
    let (touched, still): (Vec<&String>, Vec<&String>) =
        files.keys().partition(|path| changed(path));
    let mut spans = Vec::new();
    for _ in 0..count * 4 {
        let from_touched = draw.below(10) < 8;
        let among = match from_touched {
            true if !touched.is_empty() => &touched,
            _ if !still.is_empty() => &still,
            _ => &touched,
        };
        let Some(path) = among.get(draw.below(among.len())) else {
            break;
        };
        let lines = &files[*path];
        let span = if draw.below(2) == 0 {
            paragraph(lines, draw)
        } else {
            stretch(lines, draw)
        };
        if let Some(span) = span
            && !spans.contains(&((*path).clone(), span))
        {
            spans.push(((*path).clone(), span));
        }
        if spans.len() == count {
            break;
        }
    }
    spans
}

/// Picks some lines. Returns `None` if there are fewer than twelve letters and digits in them.
fn stretch(lines: &[String], draw: &mut Draw) -> Option<LineSpan> {
    const LENGTHS: [usize; 8] = [1, 2, 3, 5, 8, 12, 20, 40];
    let length = LENGTHS[draw.below(LENGTHS.len())].min(lines.len());
    let start = draw.below((lines.len() - length + 1).max(1)) + 1;
    let said = lines.get(start - 1..start - 1 + length)?;
    let letters = said.iter().flat_map(|line| line.chars());
    (letters.filter(|c| c.is_alphanumeric()).count() >= 12)
        .then(|| LineSpan::new(start as u32, (start + length - 1) as u32).ok())?
}

/// Picks a block, which starts with a line that is not indented and follows a blank one, and ends
/// before the blank lines above the next block.
///
/// Returns `None` if there are fewer than twelve letters and digits in the block, or more than 80
/// lines.
fn paragraph(lines: &[String], draw: &mut Draw) -> Option<LineSpan> {
    let is_head = |at: usize| {
        let line = &lines[at];
        let before = at == 0 || lines[at - 1].trim().is_empty();
        before && line.starts_with(|c: char| c.is_alphanumeric() || "#/@".contains(c))
    };
    let heads: Vec<usize> = (0..lines.len()).filter(|at| is_head(*at)).collect();
    let at = draw.below(heads.len().max(1));
    let start = *heads.get(at)?;
    let mut end = heads.get(at + 1).copied().unwrap_or(lines.len());
    while end > start + 1 && lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    let says_enough = lines[start..end]
        .concat()
        .chars()
        .filter(|c| c.is_alphanumeric())
        .count()
        >= 12;
    (says_enough && end - start <= 80).then(|| LineSpan::new(start as u32 + 1, end as u32).ok())?
}
