//! Measurements with heuristics turned off, for `cargo xtask ablate redact`.

use std::path::{Path, PathBuf};

use windlass_redact::redact_for_cache;

use crate::Error;
use crate::answers::{MISSING, RIGHT, WRONG, answer};
use crate::planted::{harmless, sets};
use crate::trees::texts_below;

/// Answers requests on stdin for measurements of every other planted value (those for tuning if
/// `is_tuning`), of lines without a secret, and of the files in `trees` (without secrets, too).
///
/// # Errors
/// Returns an error if a tree is unreadable, or the build lacks the switches.
pub(crate) fn answer_requests(trees: &[PathBuf], is_tuning: bool) -> Result<(), Error> {
    let part = usize::from(!is_tuning);
    let (mut planted, mut classes) = (Vec::new(), Vec::new());
    for (name, set) in sets() {
        let own = set.into_iter().skip(part).step_by(2);
        planted.extend(own);
        classes.resize(planted.len(), name.clone());
    }
    let mut clean: Vec<String> = harmless()
        .skip(part)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    classes.resize(planted.len() + clean.len(), "harmless line".to_owned());
    for tree in trees {
        let texts = texts_below(tree)?;
        let is_test = |path: &Path| crate::trees::is_test(&path.to_string_lossy());
        let code = texts.into_iter().filter(|(path, _)| !is_test(path));
        clean.extend(code.map(|(_, text)| text));
    }
    classes.resize(planted.len() + clean.len(), "clean file".to_owned());
    let count = |text: &String| redact_for_cache(text).1.len();
    let known: Vec<usize> = clean.iter().map(count).collect();
    let turn_off = |names: &[&str]| windlass_base::turn_off(names.iter().copied());
    let measure = || {
        let found = planted.iter().map(|one| match one.is_gone() {
            true => RIGHT,
            false => MISSING,
        });
        // Don't count alarms again if they're also raised with all heuristics on.
        let alarms = clean
            .iter()
            .zip(&known)
            .map(|(text, known)| match count(text) > *known {
                true => WRONG,
                false => RIGHT,
            });
        Ok(found.chain(alarms).collect())
    };
    let ends = (std::io::stdin().lock(), &mut std::io::stdout());
    answer(&classes, turn_off, measure, ends)
}
