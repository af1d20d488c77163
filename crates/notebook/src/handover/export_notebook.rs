//! Writes the notebook's entries to files in the repository.
//!
//! An export works like a three-way merge for each entry (see `anchor_exchange/meeting.rs`). It
//! only ever writes files; committing and pushing them is up to the user.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
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
/// Other people's changes to these files are kept, unless `replace` is set. We skip an entry with a
/// secret value, a secret file, or the path of a folder on this machine.
///
/// # Errors
/// Returns an error if a name is unknown, if the anchor file is damaged or newer, or if reading the
/// notebook or writing the files fails.
pub(crate) fn export(
    transactor: &Transactor,
    request: &HandOverRequest,
) -> Result<HandedOver, Error> {
    let (desk, site) = (&transactor.desk, transactor.desk.site());
    let file = desk.usable()?;
    // We hold the notebook's lock until the files are written. Two exports can't interleave then,
    // and the marks always fit the files.
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

/// Decides about all entries and writes the files.
///
/// The lock does not keep editors or git from changing a file in the meantime. If that happens, our
/// decisions may be wrong, so we start over with a fresh snapshot.
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

/// The `files` that git ignores. An export to these would be useless to others.
fn ignored_of(site: &Site, files: &[RepoPath]) -> Vec<RepoPath> {
    if files.is_empty() {
        return Vec::new();
    }
    // If we listed the folders by name, ignored files in them would be included. So list the whole
    // repository.
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

/// Maximum number of attempts if files change during the export. One retry is usually enough,
/// unless a tool keeps writing the files.
const TRIES: usize = 3;

/// The reason for skipping an entry that was shared before, but was removed from the repository.
const GONE: &str = "removed from the repository since; `--replace` restores it";

struct Job<'a> {
    transactor: &'a Transactor,
    site: &'a Site,
    snapshot: &'a Snapshot,
    request: &'a HandOverRequest,
    /// Names of the entries to export, including the anchors of exported runbooks. An empty list
    /// stands for all entries.
    ids: Vec<String>,
    is_there: bool,
    shared: SharedAnchors,
    is_changed: bool,
    seen: Seen,
    machine: MachinePaths,
    tally: Tally,
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
            machine: MachinePaths::of(transactor.desk.site()),
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
        // The marks of entries that neither side has any more are no longer needed.
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
        // Without the file, e.g. on a branch from before the first export, nobody has removed
        // anything.
        let seen = if self.is_there { seen } else { &[] };
        let step = export_step(mark.as_ref(), theirs.as_ref(), seen, self.request.replace);
        if step == Export::Remove {
            if is_whole {
                self.shared.remove(id);
                self.is_changed = true;
                self.tally
                    .push(EntrySort::Anchor, id, Became::Removed, None);
            // The notebook is damaged, so maybe we just can't read this anchor.
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
            let unfit = secret_text(has_secrets).or_else(|| self.machine.reason(&runbook.text));
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
            // Without an anchor file, this state of the repository has never seen an export. So a
            // missing runbook is a new one, rather than one that somebody has removed.
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
                // The reasons in `tell` suggest an import, but an invalid file can't be imported.
                Some(reason) if !matches!(step, Export::Add | Export::Update | Export::Same) => {
                    self.tally
                        .push(EntrySort::Runbook, name, Became::Conflict, Some(reason));
                }
                _ => self.tell(EntrySort::Runbook, name, step, file.as_str()),
            }
            if matches!(step, Export::Add | Export::Update) {
                // If the file has CRLF line endings, keep them, or git would show every line as
                // changed.
                let text = with_ends_of(&runbook.text, &old);
                self.written.insert(file, text);
            }
        }
    }

    /// The files to write, with their contents. Fails if one of them is not writable.
    fn files(&mut self) -> Result<BTreeMap<RepoPath, String>, Error> {
        let mut files = std::mem::take(&mut self.written);
        // If we export runbooks only, write an anchor file without any anchors. It tells others
        // that the repository has something to import.
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
            .or_else(|| self.machine.reason(text))
    }
}

/// Recognizes paths specific to this machine. These are paths in the repository, in the user's home
/// folder, or in any other home folder. They would be useless to others, and reveal the user's
/// name.
struct MachinePaths(Option<Regex>);

impl MachinePaths {
    fn of(site: &Site) -> Self {
        let home = site.environment().get("HOME");
        let home = home.map(|home| home.to_string_lossy().into_owned());
        let root = site.repo().root().to_string_lossy().into_owned();
        Self::of_folders([Some(root), home].into_iter().flatten())
    }

    fn of_folders(own: impl Iterator<Item = String>) -> Self {
        // For the common parents of home folders, a name must follow: `GET /home` is just a route,
        // for example. The folders we know may be the whole path. JSON doubles backslashes, so
        // allow for both. A path that's part of a longer path or URL doesn't count.
        let mut paths = vec![
            r"(?:/home/|/Users/|/root/|[A-Za-z]:(?:\\{1,2}Users\\{1,2}|/Users/))[\w.-]".to_owned(),
        ];
        for folder in own {
            let folder = folder.trim_end_matches(['/', '\\']);
            for folder in [folder, &folder.replace('\\', r"\\")] {
                if !folder.is_empty() {
                    paths.push(format!(r"{}(?:$|[^\w.-])", regex::escape(folder)));
                }
            }
        }
        Self(Regex::new(&format!(r"(?:^|[^\w./\\~}}-])(?:{})", paths.join("|"))).ok())
    }

    /// The reason not to export `text`, if it has one of the paths.
    fn reason(&self, text: &str) -> Option<String> {
        // If the regex couldn't be built, we can't tell and rather skip the entry.
        let is_named = self.0.as_ref().is_none_or(|paths| paths.is_match(text));
        is_named.then(|| "it names a folder of this machine by its absolute path".to_owned())
    }
}

/// Finds the first glob in `zone` with an absolute path. A Windows drive counts as well, whatever
/// the current platform.
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
        let own = |folder: &str| MachinePaths::of_folders([folder.to_owned()].into_iter());
        let names_a_home = |text: &str| own("").reason(text).is_some();
        let names_folder = |text: &str, folder: &str| own(folder).reason(text).is_some();
        for text in [
            "see /root/.netrc",
            "`/home/ann/x`",
            r#"{"x":"C:\\Users\\ann\\x"}"#,
            "argv: [/Users/ann/bin/x]",
            "D:/Users/ann",
        ] {
            assert!(names_a_home(text), "{text}");
        }
        // These only resemble paths of home folders.
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
        assert!(names_folder("a /srv/x", "/srv/x") && names_folder("/srv/x/y", "/srv/x/"));
        assert!(!names_folder("/srv/xy", "/srv/x") && !names_folder("a/srv/x", "/srv/x"));
        assert!(!names_folder("/x", "/"));
        assert!(names_folder(r#"{"x":"D:\\src\\y"}"#, r"D:\src"));
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
