//! Measurements with heuristics turned off, for `cargo xtask ablate recall`.

use windlass_memory::{Level, Query, Ranking};

use crate::answers::{MISSING, NAMED, RIGHT, WRONG, answer};
use crate::{Commit, Error, index, memory};

/// Answers requests on stdin for measurements of the questions of all `repositories`.
///
/// # Errors
/// Returns an error if the build lacks the switches, or an index cannot be read.
pub(crate) fn answer_requests(repositories: &[Vec<Commit>]) -> Result<(), Error> {
    let commits = repositories
        .iter()
        .flat_map(|commits| commits.iter().enumerate());
    let classes: Vec<String> = commits
        .map(
            |(number, commit)| match Query::of(&commit.question).subject_words() {
                0 => "no subject",
                _ if number % 2 == 0 => "known",
                _ => "unknown",
            },
        )
        .map(str::to_owned)
        .collect();
    let turn_off = |names: &[&str]| windlass_base::turn_off(names.iter().copied());
    let measure = || {
        let mut results = String::new();
        for commits in repositories {
            let index = index(&memory(commits))?;
            for (number, commit) in commits.iter().enumerate() {
                let found = index.recall(&Query::of(&commit.question), 5);
                let id = (number % 2 == 0).then(|| format!("c{number}"));
                results.push(judged(&found, id.as_deref()));
            }
        }
        Ok(results)
    };
    let ends = (std::io::stdin().lock(), &mut std::io::stdout());
    answer(&classes, turn_off, measure, ends)
}

/// Judges an answer. `id` is the right record, or `None` if there is none.
fn judged(found: &Ranking, id: Option<&str>) -> char {
    let place = found.hits.iter().position(|hit| Some(&*hit.id) == id);
    match (id, place, found.level) {
        (Some(_), Some(0), Level::Weak | Level::Strong) | (None, _, Level::None) => RIGHT,
        (_, _, Level::Strong) => WRONG,
        (Some(_), Some(_), _) | (None, _, Level::Weak) => NAMED,
        (Some(_), None, _) => MISSING,
    }
}
