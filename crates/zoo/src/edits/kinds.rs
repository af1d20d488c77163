//! The kinds of edits that we make to a text. Each function also returns where the text is
//! afterwards, as the truth that judgements are compared with.

use super::case::{Case, Target, deleted, put_in, span, stands};
use super::{Draw, Label};

/// The name of a kind, and the function that makes the edit. It returns `None` if the edit is not
/// possible here.
pub(crate) type Kind = (&'static str, fn(&Target<'_>, &mut Draw) -> Option<Case>);

pub(crate) const KINDS: [Kind; 28] = [
    ("shifted", shifted),
    ("deleted", deleted_text),
    ("files merged", files_merged),
    ("secret introduced", secret_introduced),
    ("copy in file, original deleted", copy_original_deleted),
    ("copy before it, original deleted", first_copy_stays),
    ("copy in file, copy deleted", copy_deleted),
    ("copy elsewhere, original deleted", copy_elsewhere_stays),
    ("copy appears before it", copy_appears),
    ("copy appears elsewhere, deleted", copied_away),
    ("twins swapped", twins_swapped),
    ("twin stays, deleted", twin_stays),
    ("file renamed", renamed),
    ("file renamed, text edited", renamed_and_edited),
    ("indented", indented),
    ("blanks within lines", blanks),
    ("CRLF", crlf),
    ("moved in file", moved_in_file),
    ("moved to another file", moved_away),
    ("moved to another file, edited", moved_away_and_edited),
    ("moved to a new file with the rest", split_file),
    ("replaced by other code", replaced),
    ("rewritten under its first line", rewritten),
    ("a tenth of the lines edited", edited_a_little),
    ("four tenths of the lines edited", edited_much),
    ("commented out", commented_out),
    ("licence header put before", licence_before),
    ("licence header deleted", licence_deleted),
];

/// Inserts lines at the start of the file.
fn shifted(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let other = target.other_file(draw)?;
    let new: Vec<String> = target.files[&other].iter().take(7).cloned().collect();
    let at = target.start.min(1);
    let place = (target.start + new.len(), target.end + new.len());
    let truth = stands(Label::MovedSameFile, &target.file, place);
    (at == 1).then(|| target.in_place(put_in(target.lines(), 0, &new), truth))
}

fn deleted_text(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    Some(target.in_place(target.rest(), deleted()))
}

/// Moves the whole file to the end of another one.
fn files_merged(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let other = target.other_file(draw)?;
    let mut both = target.files[&other].clone();
    both.push(String::new());
    let before = both.len();
    both.extend_from_slice(target.lines());
    let truth = stands(
        Label::MovedOtherFile,
        &other,
        (before + target.start, before + target.end),
    );
    let edit = vec![(target.file.clone(), None), (other, Some(both))];
    Some(target.case(edit, truth))
}

/// A fake secret, to see if it leaks.
pub(crate) const SECRET: &str = "ghp_x7Rk2mWq9TzB4nVc8LsY1dHf6JgP3aEu0KoX";

fn secret_introduced(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let mut text = target.text().to_vec();
    text.insert(text.len() / 2, format!("access_token = \"{SECRET}\""));
    edited_in_place(target, &text)
}

fn with_copy_after(target: &Target<'_>) -> Vec<String> {
    let mut lines = target.lines().to_vec();
    lines.push(String::new());
    lines.extend_from_slice(target.text());
    lines
}

/// The file with a copy of the text at the end, and the same file without the original.
///
/// The copy is there before we capture the text, and the edit does not touch it. So the right
/// judgement is that the text was deleted, and not that it has moved to where the copy is. (Git
/// would trace the lines in the same way.)
///
/// Returns `None` if the second file is the same as the unchanged one, except for blank lines. In
/// that case, nobody could tell which of the two texts was deleted.
fn with_and_without(target: &Target<'_>) -> Option<(Vec<String>, Vec<String>)> {
    let both = with_copy_after(target);
    let one = [&both[..target.start], &both[target.end..]].concat();
    let says = |line: &&String| !line.trim().is_empty();
    let is_tie = target
        .lines()
        .iter()
        .filter(says)
        .eq(one.iter().filter(says));
    (!is_tie).then_some((both, one))
}

fn copy_original_deleted(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let (both, one) = with_and_without(target)?;
    let mut case = target.in_place(one, deleted());
    case.before = vec![(target.file.clone(), Some(both))];
    Some(case)
}

/// Captures the copy at the end of the file, and deletes the copy.
fn first_copy_stays(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let (both, _) = with_and_without(target)?;
    let start = target.lines().len() + 1;
    let mut case = target.in_place(target.lines().to_vec(), deleted());
    case.span = span(start, both.len());
    case.before = vec![(target.file.clone(), Some(both))];
    Some(case)
}

fn copy_deleted(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    // We capture the copy and delete the first text, so the copy moves up.
    let (both, one) = with_and_without(target)?;
    let start = target.lines().len() + 1;
    let place = (start - target.len(), one.len());
    let truth = stands(Label::MovedSameFile, &target.file, place);
    let mut case = target.in_place(one, truth);
    case.span = span(start, both.len());
    case.before = vec![(target.file.clone(), Some(both))];
    Some(case)
}

/// Deletes the original after the text was copied to another file. The copy is older than the
/// capture, and the edit does not touch it.
fn copy_elsewhere_stays(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let other = target.other_file(draw)?;
    let at = Target::gap_in(&target.files[&other], draw);
    let there = put_in(&target.files[&other], at, target.text());
    let mut case = target.in_place(target.rest(), deleted());
    case.before = vec![(other, Some(there))];
    Some(case)
}

fn copy_appears(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    // At the start of the file, the copy could just as well be the original.
    if target.start == 0 {
        return None;
    }
    let mut copy = target.text().to_vec();
    copy.push(String::new());
    let lines = put_in(target.lines(), 0, &copy);
    let place = (target.start + copy.len(), target.end + copy.len());
    let truth = stands(Label::MovedSameFile, &target.file, place);
    Some(target.in_place(lines, truth))
}

/// Deletes the text, and inserts it into two other files. It would be wrong to say that it has
/// moved to either of them.
fn copied_away(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let (one, other) = (target.other_file(draw)?, target.other_file(draw)?);
    if one == other {
        return None;
    }
    let with_text = |path: &String| put_in(&target.files[path], 0, target.text());
    let edit = vec![
        (target.file.clone(), Some(target.rest())),
        (one.clone(), Some(with_text(&one))),
        (other.clone(), Some(with_text(&other))),
    ];
    Some(target.case(edit, deleted()))
}

/// A text that is similar, but has other words in a third of the lines.
fn twin(target: &Target<'_>) -> Vec<String> {
    edited(target.text(), 3)
}

fn twins_swapped(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let twin = twin(target);
    // If both are the same, nobody could tell which one has moved.
    if twin == target.text() {
        return None;
    }
    let gap = [String::new()];
    let (own, there) = (target.text(), target.len() + 1);
    let before = target.with(&[own, &gap, &twin].concat());
    let after = target.with(&[&twin, &gap[..], own].concat());
    let place = (target.start + there, target.end + there);
    let truth = stands(Label::MovedSameFile, &target.file, place);
    let mut case = target.in_place(after, truth);
    case.before = vec![(target.file.clone(), Some(before))];
    Some(case)
}

fn twin_stays(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let twin = twin(target);
    if twin == target.text() {
        return None;
    }
    let before = target.with(&[target.text(), &[String::new()], &twin].concat());
    let mut case = target.in_place(target.with(&twin), deleted());
    case.before = vec![(target.file.clone(), Some(before))];
    Some(case)
}

fn new_name(file: &str) -> String {
    match file.rsplit_once('.') {
        Some((name, ending)) => format!("{name}_renamed_file.{ending}"),
        None => format!("{file}_renamed_file"),
    }
}

fn renamed(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let name = new_name(&target.file);
    let edit = vec![
        (target.file.clone(), None),
        (name.clone(), Some(target.lines().to_vec())),
    ];
    let place = (target.start, target.end);
    Some(target.case(edit, stands(Label::MovedOtherFile, &name, place)))
}

fn renamed_and_edited(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let name = new_name(&target.file);
    let lines = target.with(&edited(target.text(), 5));
    let edit = vec![(target.file.clone(), None), (name.clone(), Some(lines))];
    let place = (target.start, target.end);
    Some(target.case(edit, stands(Label::Edited, &name, place)))
}

fn edited_in_place(target: &Target<'_>, text: &[String]) -> Option<Case> {
    let place = (target.start, target.start + text.len());
    let truth = stands(Label::Edited, &target.file, place);
    Some(target.in_place(target.with(text), truth))
}

fn indented(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let indent = |line: &String| match line.trim().is_empty() {
        true => line.clone(),
        false => format!("    {line}"),
    };
    let text: Vec<String> = target.text().iter().map(indent).collect();
    edited_in_place(target, &text)
}

fn blanks(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let widen = |line: &String| line.trim_end().replace(", ", ",  ").replace(" = ", "  =  ") + " ";
    let text: Vec<String> = target.text().iter().map(widen).collect();
    edited_in_place(target, &text)
}

fn crlf(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let place = (target.start, target.end);
    let truth = stands(Label::Unchanged, &target.file, place);
    let mut case = target.in_place(target.lines().to_vec(), truth);
    case.line_end = "\r\n";
    Some(case)
}

fn moved_in_file(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let rest = target.rest();
    let at = Target::gap_in(&rest, draw);
    if at.abs_diff(target.start) < 3 {
        return None;
    }
    let truth = stands(Label::MovedSameFile, &target.file, (at, at + target.len()));
    Some(target.in_place(put_in(&rest, at, target.text()), truth))
}

fn moved(target: &Target<'_>, text: &[String], label: Label, draw: &mut Draw) -> Option<Case> {
    let other = target.other_file(draw)?;
    let at = Target::gap_in(&target.files[&other], draw);
    let there = put_in(&target.files[&other], at, text);
    let truth = stands(label, &other, (at, at + text.len()));
    let edit = vec![
        (target.file.clone(), Some(target.rest())),
        (other, Some(there)),
    ];
    Some(target.case(edit, truth))
}

fn moved_away(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    moved(target, target.text(), Label::MovedOtherFile, draw)
}

fn moved_away_and_edited(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    moved(target, &edited(target.text(), 8), Label::Edited, draw)
}

fn split_file(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let lines = target.lines();
    if target.start < 3 {
        return None;
    }
    let name = new_name(&target.file);
    let edit = vec![
        (target.file.clone(), Some(lines[..target.start].to_vec())),
        (name.clone(), Some(lines[target.start..].to_vec())),
    ];
    let truth = stands(Label::MovedOtherFile, &name, (0, target.len()));
    Some(target.case(edit, truth))
}

fn replaced(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let other = target.other_file(draw)?;
    let lines = &target.files[&other];
    let at = Target::gap_in(lines, draw);
    let text = lines.get(at..at + target.len())?;
    let shared = text
        .iter()
        .filter(|line| says(line) && target.text().contains(line));
    // If there's a common line, a part of the text is still there.
    if shared.count() > 0 {
        return None;
    }
    Some(target.in_place(target.with(text), deleted()))
}

/// Keeps the first line, and replaces all others with lines of another file.
fn rewritten(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let mut case = replaced(target, draw)?;
    let (_, lines) = case.edit.first_mut()?;
    *lines.as_mut()?.get_mut(target.start)? = target.text().first()?.clone();
    let whole = stands(Label::Edited, &target.file, (target.start, target.end));
    case.truth = stands(
        Label::Edited,
        &target.file,
        (target.start, target.start + 1),
    );
    case.truth.outer = whole.outer;
    Some(case)
}

fn edited_a_little(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    edited_in_place(target, &edited(target.text(), 10))
}

fn edited_much(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let mut text = edited(target.text(), 5);
    // Edit one in four of the other lines as well, so that about four in ten are changed.
    let more = edited(&text[1..], 4);
    text.truncate(1);
    text.extend(more);
    edited_in_place(target, &text)
}

fn commented_out(target: &Target<'_>, _: &mut Draw) -> Option<Case> {
    let text: Vec<String> = target
        .text()
        .iter()
        .map(|line| format!("// {line}"))
        .collect();
    edited_in_place(target, &text)
}

fn licence(year: u32) -> Vec<String> {
    let text = format!(
        "// Copyright {year} The Authors of This Project. All rights reserved.\n\
         // Use of this source code is governed by a licence that can be found\n\
         // in the file called LICENCE, at the root of this repository.\n"
    );
    text.lines().map(str::to_owned).collect()
}

fn licence_before(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let header = licence(2026);
    let (place, other) = (header.len(), target.other_file(draw)?);
    let with_header = |path: &String| Some(put_in(&target.files[path], 0, &header));
    let truth = stands(
        Label::MovedSameFile,
        &target.file,
        (target.start + place, target.end + place),
    );
    let edit = vec![
        (target.file.clone(), with_header(&target.file)),
        (other.clone(), with_header(&other)),
    ];
    Some(target.case(edit, truth))
}

/// Captures a license header, and deletes it. There is another file with the same header.
fn licence_deleted(target: &Target<'_>, draw: &mut Draw) -> Option<Case> {
    let header = licence(2026);
    let other = target.other_file(draw)?;
    let with_header = |path: &String| Some(put_in(&target.files[path], 0, &header));
    let mut case = target.in_place(target.lines().to_vec(), deleted());
    case.before = vec![
        (target.file.clone(), with_header(&target.file)),
        (other.clone(), with_header(&other)),
    ];
    case.span = span(0, header.len());
    Some(case)
}

fn says(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= 4
}

/// Changes a word in every `nth` line, beginning with the second line. We do not count lines that
/// have too few letters.
fn edited(text: &[String], nth: usize) -> Vec<String> {
    let mut told = 0;
    let edit = |line: &String| {
        if !says(line) {
            return line.clone();
        }
        told += 1;
        match told % nth == 2 % nth {
            true => other_words(line),
            false => line.clone(),
        }
    };
    text.iter().map(edit).collect()
}

fn other_words(line: &str) -> String {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    match words.max_by_key(|word| word.len()) {
        Some(word) if !word.is_empty() => line.replacen(word, &format!("other_{word}_now"), 1),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Files;
    use super::*;

    #[test]
    fn twin_neighbours_are_not_asked() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let files = Files::from([(
            "a.rs".to_owned(),
            lines("one\n\nfn a() {\n    a1\n}\n\nfn b() {\n    b1\n}\n"),
        )]);
        let target = |start, end| Target {
            files: &files,
            file: "a.rs".to_owned(),
            start,
            end,
        };
        for make in [copy_original_deleted, first_copy_stays, copy_deleted] {
            let (middle, last) = (target(2, 5), target(6, 9));
            assert!(
                make(&last, &mut Draw::new(1)).is_none(),
                "its copy stands next to it"
            );
            let case = make(&middle, &mut Draw::new(1)).unwrap();
            let (before, after) = (&case.before[0].1, &case.edit[0].1);
            let holds = |lines: &Option<Vec<String>>| {
                let own = lines.iter().flatten().filter(|line| line.contains("a1"));
                own.count()
            };
            assert_eq!((holds(before), holds(after)), (2, 1));
        }
    }
}
