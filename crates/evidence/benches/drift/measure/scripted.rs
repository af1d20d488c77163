//! Scripted edits of real code: `cargo xtask drift --scripted`.
//!
//! Each edit is made to a real span of a real file in a clone. It is judged twice: in the working
//! tree, and after it is committed.

use std::path::Path;

use windlass_base::RepoPath;
use windlass_evidence::capture;
use windlass_repo::Repo;

use super::between::verdict;
use super::edits::git::git;
use super::edits::{Case, Draw, Error, KINDS, commit, target, write};
use super::found_places::Told;
use super::{DriftRequest, Item, clone_into, files, own_folder};

/// States in which each edit is judged.
pub(super) const NAMES: [&str; 2] = ["not committed", "committed"];

/// Makes edits of the kind with the number `kind` in a clone of `repo`. Each is judged in the
/// working tree and after it is committed.
///
/// # Errors
/// Returns the reason if the edits cannot be made.
pub(super) fn edits(request: &DriftRequest, repo: &Path, kind: usize) -> Result<Told, Error> {
    let (source, folder) = (Repo::open(repo)?, own_folder()?);
    let base = source.git()?.revisions().commit_id("HEAD")?;
    let base = base.ok_or("there is no commit yet")?;
    let dir = folder.path().join("clone");
    clone_into(&source, &dir)?;
    git(&dir, &["checkout", "-q", "--force", &base])?;
    let files = files(&dir)?;
    // Each kind has its own random numbers, so that its spans do not depend on the other kinds.
    let mut draw = Draw::new(request.seed ^ ((kind as u64 + 1) << 32));
    let ((name, make), spans) = (KINDS[kind], request.spans);
    let (mut told, mut done) = (Told::default(), 0);
    for _ in 0..spans * 8 {
        let Some(target) = target(&files, &mut draw) else {
            continue;
        };
        if let Some(case) = make(&target, &mut draw) {
            tried(&dir, name, &case, request, &mut told)?;
            git(&dir, &["reset", "-q", "--hard", &base])?;
            git(&dir, &["clean", "-q", "-f", "-d"])?;
            done += 1;
        }
        if done == spans {
            break;
        }
    }
    Ok(told)
}

fn tried(
    dir: &Path,
    name: &str,
    case: &Case,
    request: &DriftRequest,
    told: &mut Told,
) -> Result<(), Error> {
    if !case.before.is_empty() {
        write(dir, &case.before, "\n")?;
        commit(dir)?;
    }
    let snapshot = Repo::open(dir)?.snapshot();
    let Ok(captured) = capture(&snapshot, &RepoPath::parse(&case.file)?, case.span) else {
        return Ok(());
    };
    let item = Item {
        file: case.file.clone(),
        span: case.span,
        captured,
    };
    let mut judged = |when: &str| -> Result<(), Error> {
        let snapshot = Repo::open(dir)?.snapshot();
        let (judgement, steps) = verdict(&snapshot, &item, request.explain);
        let edit = format!("{name}, {when}");
        told.count(
            request,
            (&item, Some(edit.as_str())),
            &case.truth,
            &judgement,
            &steps,
        );
        Ok(())
    };
    write(dir, &case.edit, case.line_end)?;
    judged(NAMES[0])?;
    commit(dir)?;
    judged(NAMES[1])
}
