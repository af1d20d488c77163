use super::query_term::QueryTerm;
use super::weighting::Weighting;
use crate::recall::index::RecallIndex;
use crate::recall::question::Query;

/// We don't expect more words of the question than this in a single record.
const MAX_EXPECTED: usize = 5;

/// The information that we expect of an answer, in nats.
pub(super) struct Expected {
    /// The sum of [`QueryTerm::value`] over all required words.
    pub(super) all: f64,
    /// The same for the [`MAX_EXPECTED`] most informative words, since hardly any record contains
    /// all words of a long question.
    pub(super) most: f64,
}

/// A question whose words have been looked up in an index. See [`ranking`](Self::ranking).
pub(crate) struct Search<'a> {
    pub(super) index: &'a RecallIndex,
    pub(super) weighting: Weighting,
    pub(super) query: &'a Query,
    pub(super) terms: Vec<QueryTerm<'a>>,
    pub(super) expected: Expected,
}

impl<'a> Search<'a> {
    pub(crate) fn of(index: &'a RecallIndex, query: &'a Query) -> Self {
        let weighting = Weighting::of(index.statistics);
        let terms = query.words.iter();
        let terms = terms.map(|word| QueryTerm::of(word, &index.segment, weighting));
        let terms: Vec<QueryTerm<'a>> = terms.collect();
        Self {
            index,
            weighting,
            query,
            expected: Expected::of(&terms),
            terms,
        }
    }
}

impl Expected {
    fn of(terms: &[QueryTerm<'_>]) -> Self {
        let required = terms.iter().filter(|term| term.word.is_required());
        let mut values: Vec<f64> = required.map(QueryTerm::value).collect();
        values.sort_by(|a, b| b.total_cmp(a));
        Self {
            all: values.iter().sum(),
            most: values.iter().take(MAX_EXPECTED).sum(),
        }
    }
}
