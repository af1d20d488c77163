//! Short hashes of lines, and the search for lines by them.

use windlass_base::{LineHashes, LineSpan};
use windlass_repo::{LineTable, SourceFile};

/// Returns the hashes of the lines in `span`.
///
/// Lines with a secret are left out, because a short text can be guessed from its hash. `None` if
/// `file` does not have all of the lines.
pub(crate) fn line_hashes(file: &SourceFile, span: LineSpan) -> Option<LineHashes> {
    let hashes = own_hashes(file.line_table(), span)?;
    let kept = |(line, hash): (u32, &u32)| {
        if file.shown().is_secret_line(line) {
            LineHashes::LEFT_OUT
        } else {
            *hash
        }
    };
    Some(LineHashes::new(
        (span.start()..).zip(hashes).map(kept).collect(),
    ))
}

/// Returns the hashes of the lines in `span`, including those with a secret, so they must not be
/// stored. See [`line_hashes`].
pub(crate) fn own_hashes(table: &LineTable, span: LineSpan) -> Option<&[u32]> {
    table
        .hashes()
        .get(span.start() as usize - 1..span.end() as usize)
}

/// Returns the offsets (from 0) at which all lines of `wanted` match, in order.
///
/// Only locations that match its rarest line are compared. If the text was deleted, there is
/// usually none, so this is fast.
pub(crate) fn positions<'a>(
    table: &'a LineTable,
    wanted: &'a [u32],
) -> Box<dyn Iterator<Item = usize> + 'a> {
    let fits = move |at: &usize| {
        let window = table.hashes().get(*at..at.saturating_add(wanted.len()));
        window.is_some_and(|window| matches(wanted, window))
    };
    let known = wanted
        .iter()
        .enumerate()
        .filter(|(_, hash)| **hash != LineHashes::LEFT_OUT)
        .map(|(offset, hash)| (offset, table.lines_with(*hash)));
    match known.min_by_key(|(_, lines)| lines.len()) {
        Some((offset, lines)) => {
            let places = lines
                .iter()
                .map(move |line| (*line as usize).checked_sub(offset));
            Box::new(places.flatten().filter(fits))
        }
        None if wanted.is_empty() => Box::new(std::iter::empty()),
        // All hashes were left out, so every location matches. The callers compare the hash of the
        // whole text in any case.
        None => Box::new((0..table.hashes().len()).filter(fits)),
    }
}

fn matches(wanted: &[u32], window: &[u32]) -> bool {
    wanted
        .iter()
        .zip(window)
        .all(|(own, line)| *own == LineHashes::LEFT_OUT || own == line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Compares every window in turn.
    fn naive(lines: &[u32], wanted: &[u32]) -> Vec<usize> {
        let windows = lines.windows(wanted.len().max(1)).enumerate();
        windows
            .filter(|(_, window)| window.len() == wanted.len() && matches(wanted, window))
            .map(|(at, _)| at)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn the_table_leads_to_the_same_places_as_looking_everywhere(
            lines in prop::collection::vec("[a-c]?", 0..30),
            wanted in prop::collection::vec("[a-c]?", 0..5),
            left_out in prop::collection::vec(any::<bool>(), 5),
        ) {
            let table = |lines: &[String]| {
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                SourceFile::from_bytes(text.into_bytes())
            };
            let (file, wanted) = (table(&lines), table(&wanted));
            let wanted: Vec<u32> = wanted.line_table().hashes().iter().zip(left_out)
                .map(|(hash, left_out)| if left_out { LineHashes::LEFT_OUT } else { *hash })
                .collect();
            let found: Vec<usize> = positions(file.line_table(), &wanted).collect();
            prop_assert_eq!(found, naive(file.line_table().hashes(), &wanted));
        }
    }
}
