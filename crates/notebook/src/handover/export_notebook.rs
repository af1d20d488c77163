use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Cancel, Ident, NextAction, RepoPath};
use windlass_redact::{json_has_secrets, redact_text};
use windlass_repo::{ListQuery, Snapshot};
use windlass_site::{Error, Site, SiteError};

use super::guarded_write::write_unless_changed;
use super::twin_runbooks::{RunbookFiles, Twin, saved, with_ends_of};
use super::{
    Became, EntrySort, HandOverRequest, HandedOver, Tally, Wanted, secret_file, secret_text,
    shared_anchors, shared_file,
};
use crate::anchor_exchange::{
    Export, Mark, SHARED_ANCHORS, Seen, SharedAnchor, SharedAnchors, export_step,
};
use crate::named_by_steps::anchors_named_by;
use crate::transact::Transactor;
use crate::{EditMode, NotebookEdit};

/// Exports the notebook's anchors to `.windlass/anchors.json` and its runbooks to `runbooks/`.
///
/// Changes made there by others are kept, unless `replace` is set. An entry is skipped if it
/// contains a secret value, points to a secret file, or contains the path of a folder on this
/// machine.
///
/// # Errors
/// Returns an error if a name is unknown, or if the anchor file is damaged or newer. The notebook
/// must be readable and the files writable.
pub(crate) fn export(
    transactor: &Transactor,
    request: &HandOverRequest,
) -> Result<HandedOver, Error> {
    let (desk, site) = (&transactor.desk, transactor.desk.site());
    let file = desk.usable()?;
    let edited = file.edit(&desk.writer(), request.mode, |edit| {
        let (seen, answer) = hand_over(transactor, request, edit)?;
        edit.set_seen(seen);
        Ok::<_, Error>(answer)
    })?;
    desk.note_damage(&edited.set_aside);
    let (tally, files) = edited.answer;
    let ignored = match request.mode {
        EditMode::Write => ignored_of(site, &files),
        EditMode::DryRun => Vec::new(),
    };
    Ok(HandedOver {
        dry_run: request.mode == EditMode::DryRun,
        before: edited.before,
        revision: edited.revision,
        next_actions: after_export(site, &tally),
        entries: tally.entries,
        same: tally.same,
        files,
        ignored,
        states: BTreeMap::new(),
    })
}

/// Writes the exported files while holding the notebook lock, so that we include exports by other
/// processes. Starts again if an editor or git changes a file in the meantime.
fn hand_over(
    transactor: &Transactor,
    request: &HandOverRequest,
    edit: &NotebookEdit<'_>,
) -> Result<(Seen, (Tally, Vec<RepoPath>)), Error> {
    let mut tries = 1;
    loop {
        let snapshot = transactor.snapshot();
        let mut job = Job::new(transactor, &snapshot, request, edit)?;
        job.anchors(edit);
        job.runbooks(edit);
        let files = job.files()?;
        if request.mode == EditMode::Write
            && let Some(changed) = write_unless_changed(transactor.desk.site(), &snapshot, &files)?
        {
            if tries < TRIES {
                tries += 1;
                continue;
            }
            return Err(SiteError::ChangedMeanwhile(changed).into());
        }
        return Ok((job.seen, (job.tally, files.into_keys().collect())));
    }
}

fn after_export(site: &Site, tally: &Tally) -> Vec<NextAction> {
    let theirs = tally.settle("notebook import", "let the repository win");
    let own = tally.settle("notebook export", "let the notebook win");
    let actions = theirs.into_iter().chain(own);
    actions
        .filter_map(|action| action.for_caller(site.caller()))
        .collect()
}

/// Returns the `files` ignored by git, which others would never receive.
fn ignored_of(site: &Site, files: &[RepoPath]) -> Vec<RepoPath> {
    if files.is_empty() {
        return Vec::new();
    }
    // Listing a folder by name would include ignored files, so list the whole repository instead.
    let query = ListQuery {
        hidden: true,
        ..ListQuery::default()
    };
    let listing = site.snapshot().list(&query, &Cancel::default());
    let Ok(listing) = listing else {
        return Vec::new();
    };
    let is_left_out = |file: &&RepoPath| listing.files.binary_search(file).is_err();
    files.iter().filter(is_left_out).cloned().collect()
}

/// Maximum number of attempts if files change during the export.
const TRIES: usize = 3;

/// Reason for skipping an entry that was shared before and has since been removed from the
/// repository.
const GONE: &str = "removed from the repository since; `--replace` restores it";

/// An export in progress.
struct Job<'a> {
    transactor: &'a Transactor,
    site: &'a Site,
    snapshot: &'a Snapshot,
    request: &'a HandOverRequest,
    /// Names of the entries to export, including anchors used by exported runbooks. Empty exports
    /// everything.
    ids: Vec<String>,
    /// True if the anchor file exists.
    is_there: bool,
    /// New contents of the anchor file.
    shared: SharedAnchors,
    is_changed: bool,
    seen: Seen,
    tally: Tally,
    /// Runbook files to write.
    written: BTreeMap<RepoPath, String>,
}

impl<'a> Job<'a> {
    fn new(
        transactor: &'a Transactor,
        snapshot: &'a Snapshot,
        request: &'a HandOverRequest,
        edit: &NotebookEdit<'_>,
    ) -> Result<Self, Error> {
        let there = shared_anchors(snapshot)?;
        let saved = saved(edit);
        let anchors = edit.shared_anchors();
        let is_there = there.is_some();
        let shared = there.unwrap_or_default();
        let theirs: Vec<&str> = shared.iter().map(|anchor| anchor.id().as_str()).collect();
        let own = saved.keys().map(Ident::as_str);
        let known = own.chain(anchors.keys().map(String::as_str));
        Wanted(&request.ids).check(known.chain(theirs.iter().copied()))?;
        let mut ids = request.ids.clone();
        for id in &request.ids {
            if let Some(runbook) = saved.get(id.as_str()) {
                ids.extend(anchors_named_by(&runbook.text));
            }
        }
        Ok(Self {
            transactor,
            site: transactor.desk.site(),
            snapshot,
            request,
            ids,
            is_there,
            shared,
            is_changed: false,
            seen: edit.seen().clone(),
            tally: Tally::default(),
            written: BTreeMap::new(),
        })
    }

    fn anchors(&mut self, edit: &NotebookEdit<'_>) {
        let own = edit.shared_anchors();
        let theirs = self.shared.iter().map(|anchor| anchor.id().to_string());
        let all: BTreeSet<String> = own.keys().cloned().chain(theirs).collect();
        for id in all {
            if !Wanted(&self.ids).has(&id) {
                continue;
            }
            match own.get(&id) {
                Some(Err(why)) => {
                    let reason = format!("it cannot be read: {why}");
                    self.tally
                        .push(EntrySort::Anchor, &id, Became::LeftOut, Some(reason));
                }
                Some(Ok(anchor)) => match self.unfit(anchor) {
                    Some(reason) => {
                        self.tally
                            .push(EntrySort::Anchor, &id, Became::LeftOut, Some(reason));
                    }
                    None => self.anchor(&id, Some(anchor), edit.is_whole()),
                },
                None => self.anchor(&id, None, edit.is_whole()),
            }
        }
        if self.request.ids.is_empty() && edit.is_whole() {
            let known: BTreeSet<&str> = own.keys().map(String::as_str).collect();
            let shared = &self.shared;
            self.seen
                .keep_anchors(|id| known.contains(id) || shared.get(id).is_some());
        }
    }

    fn anchor(&mut self, id: &str, own: Option<&SharedAnchor>, is_whole: bool) {
        let mark = own.map(SharedAnchor::mark);
        let theirs = self.shared.get(id).map(SharedAnchor::mark);
        let seen = self.seen.anchor(id);
        let seen = if self.is_there { seen } else { &[] };
        let step = export_step(mark.as_ref(), theirs.as_ref(), seen, self.request.replace);
        if step == Export::Remove {
            if is_whole {
                self.shared.remove(id);
                self.is_changed = true;
                self.tally
                    .push(EntrySort::Anchor, id, Became::Removed, None);
            } else {
                let reason =
                    "the notebook is damaged, so the entry may have been lost rather than deleted";
                self.tally
                    .push(EntrySort::Anchor, id, Became::Kept, Some(reason.to_owned()));
            }
            return;
        }
        if matches!(step, Export::Add | Export::Update)
            && let Some(anchor) = own
        {
            self.shared.put(anchor.clone());
            self.is_changed = true;
        }
        if let (Export::Add | Export::Update | Export::Same, Some(mark)) = (step, mark) {
            self.seen.note_anchor(id, mark);
        }
        self.tell(EntrySort::Anchor, id, step, SHARED_ANCHORS);
    }

    fn runbooks(&mut self, edit: &NotebookEdit<'_>) {
        let files = RunbookFiles::new(
            &self.transactor.shelf(),
            self.transactor.runner.catalog(),
            self.snapshot,
        );
        for (id, runbook) in saved(edit) {
            if !Wanted(&self.ids).has(id.as_str()) {
                continue;
            }
            let name = id.as_str();
            let twin = files.twin(&id);
            let has_secrets = !redact_text(&runbook.text).1.is_empty();
            let unfit = secret_text(has_secrets).or_else(|| machine_text(&runbook.text, self.site));
            if let Some(reason) = unfit {
                self.tally
                    .push(EntrySort::Runbook, name, Became::LeftOut, Some(reason));
                continue;
            }
            let own = Mark::of_runbook(&runbook.text);
            let theirs = twin.mark();
            let (file, old, invalid) = match twin {
                Twin::None(file) => (file, String::new(), None),
                Twin::File(file, old) => {
                    let invalid = files.why_invalid(&file, &old);
                    (file, old, invalid)
                }
                Twin::InTheWay(reason) => {
                    self.tally
                        .push(EntrySort::Runbook, name, Became::LeftOut, Some(reason));
                    continue;
                }
            };
            // If this state of the repository has never seen an export, a missing runbook can't
            // have been removed from it.
            let seen = self.seen.runbook(name);
            let seen = if self.is_there || theirs.is_some() {
                seen
            } else {
                &[]
            };
            let step = export_step(Some(&own), theirs.as_ref(), seen, self.request.replace);
            if matches!(step, Export::Add | Export::Update | Export::Same) {
                self.seen.note_runbook(name, own);
            }
            match invalid {
                // An invalid file can't be imported, so don't advise the user to import it.
                Some(reason) if !matches!(step, Export::Add | Export::Update | Export::Same) => {
                    self.tally
                        .push(EntrySort::Runbook, name, Became::Conflict, Some(reason));
                }
                _ => self.tell(EntrySort::Runbook, name, step, file.as_str()),
            }
            if matches!(step, Export::Add | Export::Update) {
                let text = with_ends_of(&runbook.text, &old);
                self.written.insert(file, text);
            }
        }
    }

    /// Returns the files to write, with their contents.
    fn files(&mut self) -> Result<BTreeMap<RepoPath, String>, Error> {
        let mut files = std::mem::take(&mut self.written);
        // Write the file even if it has no anchors, since it shows others that there's something to
        // import.
        if self.is_changed || (!self.is_there && !files.is_empty()) {
            files.insert(shared_file(), self.shared.to_text());
        }
        for file in files.keys() {
            self.site.files().place_of(file)?;
        }
        Ok(files)
    }

    fn tell(&mut self, sort: EntrySort, id: &str, step: Export, file: &str) {
        let (became, reason) = match step {
            Export::Same => {
                self.tally.same += 1;
                return;
            }
            Export::Theirs => return,
            Export::Add => (Became::Added, None),
            Export::Update => (Became::Updated, None),
            Export::Remove => (Became::Removed, None),
            Export::Newer => (
                Became::Kept,
                Some(format!(
                    "`{file}` has a newer version; `windlass notebook import` imports it"
                )),
            ),
            Export::TakenOut => (Became::Kept, Some(GONE.to_owned())),
            Export::Conflict => (
                Became::Conflict,
                Some(format!(
                    "`{file}` has another version, which this notebook has never had"
                )),
            ),
        };
        self.tally.push(sort, id, became, reason);
    }

    /// Returns the reason not to export `anchor`, or `None` if it's fine.
    fn unfit(&self, anchor: &SharedAnchor) -> Option<String> {
        let secret = secret_file(anchor, self.site.repo());
        let text = anchor.text().get();
        let zone = absolute_zone(&anchor.anchor().zone);
        let zone = zone.map(|glob| {
            format!(
                "its zone `{glob}` is absolute, but a zone is relative to the root of the repository"
            )
        });
        secret
            .or(zone)
            .or_else(|| secret_text(json_has_secrets(text)))
            .or_else(|| machine_text(text, self.site))
    }
}

/// Returns the reason why a text only makes sense on this machine, or `None` if it doesn't contain
/// such a path.
fn machine_text(text: &str, site: &Site) -> Option<String> {
    let home = site.environment().get("HOME");
    let home = home.map(|home| home.to_string_lossy().into_owned());
    let root = site.repo().root().to_string_lossy().into_owned();
    let own = [Some(root), home].into_iter().flatten();
    let names_one = own.into_iter().any(|folder| names_folder(text, &folder)) || names_a_home(text);
    names_one.then(|| "it names a folder of this machine by its absolute path".to_owned())
}

/// Returns true if `text` contains the absolute path `folder`, either plain or escaped as in JSON.
fn names_folder(text: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches(['/', '\\']);
    let escaped = folder.replace('\\', "\\\\");
    !folder.is_empty()
        && [folder, &escaped]
            .into_iter()
            .any(|folder| stands_in(folder, text))
}

/// Returns true if `text` contains the path of a home folder, on this machine or any other.
fn names_a_home(text: &str) -> bool {
    let homes = [
        "/home/",
        "/Users/",
        "/root/",
        ":\\Users\\",
        ":\\\\Users\\\\",
        ":/Users/",
    ];
    homes.into_iter().any(|homes| {
        let mut places = text.match_indices(homes);
        places.any(|(at, found)| {
            let (before, rest) = (&text[..at], &text[at + found.len()..]);
            // A drive name is a single letter, which is part of the path.
            let before = match homes.starts_with(':') {
                true => before.strip_suffix(|c: char| c.is_ascii_alphabetic()),
                false => Some(before),
            };
            before.is_some_and(begins_word) && rest.starts_with(goes_on_with)
        })
    })
}

/// Returns true if `text` contains the path `folder`, by itself or as the start of a longer path.
fn stands_in(folder: &str, text: &str) -> bool {
    let mut places = text.match_indices(folder);
    places.any(|(at, found)| {
        begins_word(&text[..at]) && !text[at + found.len()..].starts_with(goes_on_with)
    })
}

/// Returns true if a path may start after `before`. Paths within a longer path or URL don't count.
fn begins_word(before: &str) -> bool {
    !before.ends_with(|last: char| last.is_alphanumeric() || "-_./\\~}".contains(last))
}

/// Returns true if `next` continues a folder's name.
fn goes_on_with(next: char) -> bool {
    next.is_alphanumeric() || "-_.".contains(next)
}

/// Returns the first glob in `zone` that isn't relative to the root.
fn absolute_zone(zone: &[String]) -> Option<&String> {
    let has_drive = |glob: &str| {
        let mut letters = glob.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.next() == Some(':')
    };
    zone.iter().find(|glob| {
        let glob = glob.trim_start_matches('!');
        glob.starts_with(['/', '\\', '~']) || has_drive(glob)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_folder_text_recognized() {
        for text in [
            "see /root/.netrc",
            "`/home/ann/x`",
            r#"{"x":"C:\\Users\\ann\\x"}"#,
            "argv: [/Users/ann/bin/x]",
            "D:/Users/ann",
        ] {
            assert!(names_a_home(text), "{text}");
        }
        for text in [
            "https://example.org/home/ann",
            "src/home/page.rs",
            "GET /home",
            "/homes/ann",
            "{base}/Users/{id}",
            "GET /Users/{id}",
        ] {
            assert!(!names_a_home(text), "{text}");
        }
        assert!(names_folder("a /root", "/root") && names_folder("/root/x", "/root/"));
        assert!(!names_folder("/rooted", "/root") && !names_folder("a/root", "/root"));
        assert!(!names_folder("/x", "/"));
    }

    #[test]
    fn zone_absolute_recognized() {
        for glob in ["/root/x/**", "~/x", "C:\\x", "!/x"] {
            assert!(
                absolute_zone(&["src/**".to_owned(), glob.to_owned()]).is_some(),
                "{glob}"
            );
        }
        assert_eq!(
            absolute_zone(&["src/**".to_owned(), "**/a:b".to_owned()]),
            None
        );
    }
}
