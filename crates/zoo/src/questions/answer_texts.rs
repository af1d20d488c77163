//! Describes questions and answers for reports: the lines that we expect, the lines that are shown,
//! and the ranks of the wanted files.

use std::collections::BTreeSet;

use crate::metric::Lines;
use crate::metric::ranking::order;
use crate::recipe::Question;
use crate::results::Ranks;
use crate::system::Answer;

/// We only consider this many files of an answer, because users don't read on after that.
pub(super) const NAMED: usize = 10;

/// The right answers and the neutral files, one per line.
pub(super) fn expected(question: &Question) -> Vec<String> {
    let gold = question.gold.iter();
    let gold = gold.map(|gold| format!("{}:{}-{}", gold.file, gold.start_line, gold.end_line));
    let neutral = question.neutral.iter();
    let neutral = neutral.map(|file| format!("{file} counts neither way"));
    gold.chain(neutral).collect()
}

/// The parts of an answer that we measure, one per line: the first `reached` locations (which fit
/// the budget) and the first files that it names. The second result is the number of others.
pub(super) fn shown_lines(answer: &Answer, reached: usize) -> (Vec<String>, usize) {
    let places = answer.places.iter().take(reached);
    let places = places.map(|place| format!("{}:{}", place.file, place.span));
    let named = answer.named.iter().take(NAMED);
    let named = named.map(|(file, _)| format!("{file} by name"));
    let nearest = answer.nearest.iter().take(NAMED);
    let nearest = nearest.map(|file| format!("nothing, {file} is near"));
    let shown: Vec<String> = places.chain(named).chain(nearest).collect();
    let all = answer.places.len() + answer.named.len() + answer.nearest.len();
    let left_off = all - shown.len();
    (shown, left_off)
}

/// The files that an answer names, in order and without neutral ones.
pub(super) fn judged<'a>(answer: &'a Answer, neutral: &[String]) -> Vec<(&'a str, f64)> {
    let mut files = answer.files();
    files.retain(|(file, _)| !neutral.iter().any(|one| one == file));
    files
}

pub(super) fn ranks(files: &[(&str, f64)], wanted: &Lines) -> Ranks {
    let named = order(files.iter().copied());
    let rank = |file: &String| Some(named.iter().position(|name| name == file)? + 1);
    let wanted = wanted.keys().map(|file| (file.clone(), rank(file)));
    Ranks {
        wanted: wanted.collect(),
        named: named.len(),
    }
}

/// The files that a user would open after reading the answer, best first and without repetition.
pub(super) fn named(answer: &Answer) -> Vec<&str> {
    let mut known = BTreeSet::new();
    let files = answer.leads_to();
    files.filter(|file| known.insert(*file)).collect()
}

#[cfg(test)]
mod tests {
    use windlass_base::LineSpan;

    use super::*;
    use crate::system::AnsweredPlace;

    #[test]
    fn rankings_can_be_recomputed() {
        let place = |at| AnsweredPlace {
            file: format!("d{at}"),
            span: LineSpan::new(1, 1).unwrap(),
            score: 1.0,
        };
        let answer = Answer {
            places: (0..20).map(place).collect(),
            named: vec![("a".to_owned(), 0.5), ("d1".to_owned(), 0.1)],
            ..Answer::default()
        };
        let wanted = ["a", "b"].map(|file| (file.to_owned(), [1].into())).into();
        let ranks = ranks(&judged(&answer, &["d3".to_owned()]), &wanted);
        let known = [("a".to_owned(), Some(20)), ("b".to_owned(), None)];
        assert_eq!((ranks.named, ranks.wanted), (20, known.into()));
    }
}
