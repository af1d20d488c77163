//! Makes the answer of a recall fit into the caller's budget.
//!
//! We can only tell the size of an answer by printing it, since it depends on the format and on
//! what gets escaped. So we print again and again, with more text or fewer matches, and search for
//! the best fit by bisection.

use std::collections::BTreeSet;

use windlass_base::{Limit, RepoPath};
use windlass_packs::{Measure, ViewError, least_budget, redacted_json, tron};
use windlass_site::Error;

use super::piece::Piece;
use super::recall_request::{RecallFormat, RecallReport};
use super::recollection::{Loaded, Recollection};
use super::recollection_text::recollection;

/// Minimum length of a line that we cut, in characters. A shorter piece would be useless.
const LEAST_OF_LINE: usize = 40;

/// Makes the answer fit. All matches come first, and then one text after another, the last of which
/// may be cut short at a line break.
pub(super) fn fit(
    mut answer: Recollection,
    pieces: &[Piece],
    limit: Limit,
    format: RecallFormat,
) -> Result<RecallReport, Error> {
    let measure = Measure::of(limit);
    let max = limit.max();
    let print = |answer: &mut Recollection| -> Result<(String, usize), Error> {
        let mut used = 0;
        // The output states its own size, so adding that number may change the size again. Print
        // until it's stable.
        for _ in 0..8 {
            answer.budget.used = used;
            let text = printed(answer, format, measure)?;
            let weight = measure.weigh(&text);
            if weight == used {
                return Ok((text, weight));
            }
            used = weight;
        }
        let text = printed(answer, format, measure)?;
        let weight = measure.weigh(&text);
        Ok((text, weight))
    };
    let mut last = print(&mut answer)?;
    if last.1 > max {
        answer.budget.truncated = true;
        // The details in diagnostics are easier to do without than a match.
        shorten(&mut answer.diagnostics);
        last = fewer_matches(&mut answer, max, &print)?;
    }
    while last.1 > max && answer.next_actions.pop().is_some() {
        last = print(&mut answer)?;
    }
    // Loading a text may still make the answer shorter, since it replaces the listing of its
    // record. Without any text to load, there's no hope.
    if last.1 > max && pieces.is_empty() {
        let least = least_of(answer, None, &print)?;
        return Err(ViewError::TooSmall { given: max, least }.into());
    }
    let bare = answer.clone();
    last = load(&mut answer, pieces, last, max, &print)?;
    let has_first = |answer: &Recollection| {
        answer.loaded.first().map(|first| &first.pointer.file)
            == pieces.first().map(|piece| &piece.pointer.file)
    };
    // The text of the best match matters more than next actions, full diagnostics or other matches.
    // If it's not in the answer, try without these.
    let mut without = bare.clone();
    without.next_actions.clear();
    shorten(&mut without.diagnostics);
    without.budget.truncated = true;
    for most in [bare.matches.len(), 1] {
        without.matches.truncate(most);
        let is_less = without.matches.len() < bare.matches.len()
            || !bare.next_actions.is_empty()
            || !bare.diagnostics.is_empty();
        if has_first(&answer) || !is_less {
            continue;
        }
        let mut tried = without.clone();
        let first = print(&mut tried)?;
        let told = load(&mut tried, pieces, first, max, &print)?;
        if has_first(&tried) && told.1 <= max {
            (answer, last) = (tried, told);
        }
    }
    if (answer.loaded.is_empty() || last.1 > max)
        && let Some(best) = pieces.first()
    {
        // An answer without any text is useless, so cut a line if that's what it takes.
        without.matches.truncate(1);
        answer = without;
        last = load_part_of_line(&mut answer, best, max, &print)?;
    }
    Ok(RecallReport {
        printed: last.0,
        recollection: answer,
    })
}

/// The smallest budget that has room for the best match and, with `first`, for a short part of one
/// of its lines.
///
/// The output includes the budget itself, so a budget with more digits needs more room.
/// [`least_budget`] takes care of that.
fn least_of(
    mut answer: Recollection,
    first: Option<&Piece>,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<usize, Error> {
    answer.next_actions.clear();
    answer.matches.truncate(1);
    answer.budget.truncated = true;
    shorten(&mut answer.diagnostics);
    if let Some(piece) = first {
        load_line(&mut answer, piece, LEAST_OF_LINE);
    }
    least_budget(0, |least| {
        for max in [&mut answer.budget.max_chars, &mut answer.budget.max_tokens] {
            *max = max.map(|_| least);
        }
        Ok(print(&mut answer)?.1)
    })
}

/// Loads only the best line of `piece`, cut to about `length` characters.
fn load_line(answer: &mut Recollection, piece: &Piece, length: usize) {
    let piece = piece.narrow.first().unwrap_or(piece);
    let line = piece.window(1);
    let whole = piece.loaded(line.clone());
    let first = piece.first.get(line.start).copied().unwrap_or_default();
    answer.budget.summaries_loaded = usize::from(piece.is_summary);
    answer.budget.records_loaded = usize::from(!piece.is_summary);
    let (text, is_begun, is_cut) = part_of(&whole.text, first, length);
    answer.loaded = vec![Loaded {
        begins_within: whole.begins_within || is_begun,
        truncated: whole.truncated || is_cut,
        text,
        ..whole
    }];
}

/// Like [`load_line`], but with as much of the line as fits.
///
/// # Errors
/// Returns an error if not even [`LEAST_OF_LINE`] fits.
fn load_part_of_line(
    answer: &mut Recollection,
    piece: &Piece,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Weighed, Error> {
    let mut printed = |length: usize| -> Result<Weighed, Error> {
        load_line(answer, piece, length);
        print(answer)
    };
    let length = {
        let narrow = piece.narrow.first().unwrap_or(piece);
        narrow.loaded(narrow.window(1)).text.chars().count()
    };
    let (mut fits, mut too_long) = (LEAST_OF_LINE.min(length), length + 1);
    if printed(fits)?.1 > max {
        let least = least_of(answer.clone(), Some(piece), print)?;
        return Err(ViewError::TooSmall { given: max, least }.into());
    }
    while fits + 1 < too_long {
        let middle = usize::midpoint(fits, too_long);
        match printed(middle)?.1 > max {
            true => too_long = middle,
            false => fits = middle,
        }
    }
    printed(fits)
}

/// Cuts about `length` characters out of `line`, at the boundaries of words and so that byte
/// `first` is included. The flags are true if there is more text before or after.
fn part_of(line: &str, first: usize, length: usize) -> (String, bool, bool) {
    if line.chars().count() <= length {
        return (line.to_owned(), false, false);
    }
    let before = line[..first.min(line.len())].chars().count();
    // Show a bit of context before the match, but most of it after.
    let skipped = before.saturating_sub(length / 4);
    let byte = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |it| it.0);
    // Near the end of the line, use the remaining room for text before the match.
    let skipped = skipped.min(line.chars().count() - length);
    let (mut start, mut end) = (byte(skipped), byte(skipped + length));
    if start > 0 && !line[..start].ends_with(' ') {
        start += line[start..end].find(' ').map_or(0, |at| at + 1);
    }
    if end < line.len() && !line[end..].starts_with(' ') {
        end = line[start..end].rfind(' ').map_or(end, |at| start + at);
    }
    let text = line[start..end].trim().to_owned();
    (text, start > 0, end < line.len())
}

/// Drops as many matches as necessary, worst first. The best one stays in any case.
fn fewer_matches(
    answer: &mut Recollection,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Weighed, Error> {
    let all = std::mem::take(&mut answer.matches);
    let (mut fits, mut too_many) = (1.min(all.len()), all.len() + 1);
    while fits + 1 < too_many {
        let middle = usize::midpoint(fits, too_many);
        answer.matches = all[..middle].to_vec();
        match print(answer)?.1 > max {
            true => too_many = middle,
            false => fits = middle,
        }
    }
    answer.matches = all;
    answer.matches.truncate(fits);
    print(answer)
}

/// Shortens diagnostics to their first clause, which states the problem.
fn shorten(diagnostics: &mut [String]) {
    for text in diagnostics {
        if let Some(at) = text.find(", ") {
            text.truncate(at);
        }
    }
}

type Weighed = (String, usize);

/// Loads pieces in order, and skips those that do not fit.
fn load(
    answer: &mut Recollection,
    pieces: &[Piece],
    mut last: Weighed,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Weighed, Error> {
    let (mut is_cut, mut records) = (false, BTreeSet::new());
    for piece in pieces {
        if let Some(weighed) =
            load_lines(answer, piece, piece.lines.len(), &mut records, max, print)?
        {
            last = weighed;
            continue;
        }
        is_cut = true;
        // The whole piece doesn't fit, so try parts of it. A part that matches fewer words than the
        // best one may well fit, but we'd rather cut the best one.
        let most = piece.narrow.first().map_or(0, Piece::most_matched);
        let parts = piece.narrow.iter();
        let mut parts = parts.filter(|part| part.most_matched() >= most);
        let whole = parts.find_map(|part| {
            load_lines(answer, part, part.lines.len(), &mut records, max, print).transpose()
        });
        if let Some(weighed) = whole.transpose()? {
            last = weighed;
            continue;
        }
        let narrow = piece.narrow.first().unwrap_or(piece);
        // Try shorter and shorter windows. There's no need to find the exact maximum.
        let mut taken = narrow.lines.len() * 3 / 4;
        while says_something(&narrow.lines[narrow.window(taken)]) {
            if let Some(weighed) = load_lines(answer, narrow, taken, &mut records, max, print)? {
                last = weighed;
                break;
            }
            taken = taken * 3 / 4;
        }
    }
    match is_cut {
        true => say_that_it_is_cut(answer, max, print),
        false => Ok(last),
    }
}

/// Loads the best `lines` consecutive lines of a piece. If they do not fit, this returns `None` and
/// leaves the answer as it is.
fn load_lines(
    answer: &mut Recollection,
    piece: &Piece,
    lines: usize,
    records: &mut BTreeSet<RepoPath>,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Option<Weighed>, Error> {
    let before = answer.clone();
    answer.budget.truncated |= lines < piece.lines.len();
    answer.loaded.push(piece.loaded(piece.window(lines)));
    let is_new = !piece.is_summary && !records.contains(&piece.pointer.file);
    answer.budget.records_loaded = records.len() + usize::from(is_new);
    answer.budget.summaries_loaded |= usize::from(piece.is_summary);
    let weighed = print(answer)?;
    if weighed.1 <= max {
        if is_new {
            records.insert(piece.pointer.file.clone());
        }
        return Ok(Some(weighed));
    }
    *answer = before;
    Ok(None)
}

fn says_something(lines: &[String]) -> bool {
    lines
        .iter()
        .any(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Notes in the answer that something is missing. The note needs room as well, so we may have to
/// drop the least important parts of the answer.
fn say_that_it_is_cut(
    answer: &mut Recollection,
    max: usize,
    print: &dyn Fn(&mut Recollection) -> Result<Weighed, Error>,
) -> Result<Weighed, Error> {
    answer.budget.truncated = true;
    loop {
        let weighed = print(answer)?;
        let is_bare = answer.matches.len() <= 1 && answer.loaded.len() <= 1;
        if weighed.1 <= max || (answer.next_actions.is_empty() && is_bare) {
            return Ok(weighed);
        }
        if answer.next_actions.pop().is_none() {
            match answer.loaded.len() {
                0 | 1 => drop(answer.matches.pop()),
                _ => drop(answer.loaded.pop()),
            }
        }
    }
}

fn printed(answer: &Recollection, format: RecallFormat, measure: Measure) -> Result<String, Error> {
    Ok(match format {
        RecallFormat::Text => recollection(answer),
        RecallFormat::Json => format!("{}\n", redacted_json(answer).map_err(Error::internal)?),
        RecallFormat::Tron => format!(
            "{}\n",
            tron(&redacted_json(answer).map_err(Error::internal)?, measure)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn line_part_includes_match() {
        let line = "The signing key of releases is kept in the safe of the office, and a copy with the bank.";
        let whole = part_of(line, 4, 100);
        assert_eq!(whole, (line.to_owned(), false, false));
        let begin = part_of(line, 0, 40);
        let told = "The signing key of releases is kept in";
        assert_eq!(begin, (told.to_owned(), false, true));
        let at = line.find("office").unwrap();
        let middle = part_of(line, at, 40);
        assert_eq!(
            middle,
            ("of the office, and a copy with the".to_owned(), true, true)
        );
        let at = line.find("bank").unwrap();
        let end = part_of(line, at, 30);
        assert_eq!(end, ("and a copy with the bank.".to_owned(), true, false));
        let other = "é".repeat(50);
        assert_eq!(part_of(&other, 0, 10).0.chars().count(), 10);
        assert_eq!(part_of(&other, 60, 10).0.chars().count(), 10);
    }
}
