//! The files of a repository of the user's, as a search reads them: listed once, whoever needs them.

use windlass_base::{Digest, RepoPath};
use windlass_memory::{Contents, Memory};
use windlass_repo::{ListQuery, Snapshot};

use crate::ZooError;
use crate::recipe::Files;
use crate::run_plan::Doing;
use crate::written::MAX_LINES;

/// How much text is held, in bytes.
const MAX_BYTES: usize = 1 << 30;
/// What changes what may be shown of files, beside them.
const RULES: &str = ".windlass/redactions";

/// What `find` looks at, in one state of the files.
pub(crate) struct OwnFiles {
    pub(crate) snapshot: Snapshot,
    listed: Vec<RepoPath>,
    /// The lines of the texts that plain tools are given.
    pub(crate) texts: Files,
    /// What answers follow from that `find` gives: whatever of it a search reads.
    pub(crate) digest: String,
}

impl OwnFiles {
    /// Lists and reads them.
    ///
    /// # Errors
    /// When there is more text than is held; or it is stopped.
    pub(crate) fn of(snapshot: Snapshot, doing: &Doing<'_>) -> Result<Self, ZooError> {
        let listing = snapshot
            .list(&ListQuery::default(), doing.cancel)
            .map_err(windlass::Error::from)?;
        let rules = RepoPath::parse(RULES).ok();
        let rules = rules.and_then(|path| snapshot.read(&path).ok());
        let rules = rules.map(|source| Digest::of_bytes(source.bytes()).hex());
        let (mut texts, mut held) = (Files::new(), 0);
        let mut said = rules.unwrap_or_default();
        for path in &listing.files {
            doing.go_on()?;
            let source = snapshot.read(path).ok();
            let digest = source
                .as_ref()
                .map(|source| Digest::of_bytes(source.bytes()).hex());
            said += &format!("{path}\0{}\n", digest.unwrap_or_default());
            let source = source.filter(|source| source.why_no_text().is_none());
            let Some(source) = source.filter(|source| source.line_count() as usize <= MAX_LINES)
            else {
                continue;
            };
            let bytes = source.shown().bytes();
            held += bytes.len();
            if held > MAX_BYTES {
                let message = "this repository has more than 1 GiB of text, which is more than the zoo compares systems on";
                return Err(ZooError::Data(message.to_owned()));
            }
            let text = String::from_utf8_lossy(&bytes);
            texts.insert(path.to_string(), text.lines().map(str::to_owned).collect());
        }
        Ok(Self {
            snapshot,
            listed: listing.files,
            texts,
            digest: Digest::of_bytes(said.as_bytes()).hex(),
        })
    }

    /// What answers follow from that are recalled: these files, which plain tools are asked of, and all that a recall reads. A memory is
    /// read whatever ignore files say of it, and what leads to a file outside of it leads there, hidden or not.
    ///
    /// # Errors
    /// When the folder of the memory cannot be looked through.
    pub(crate) fn remembered(&self) -> Result<String, ZooError> {
        let memory = Memory::of_snapshot(&self.snapshot).map_err(windlass::Error::from)?;
        let mut said = format!("{}\n", self.digest);
        for (path, contents) in &memory.files.files {
            let told = match contents {
                Contents::Text(text) => text.source().text(),
                Contents::NoText(why) => why,
            };
            said += &format!("{path}\0{}\n", Digest::of_bytes(told.as_bytes()).hex());
        }
        for (path, is_there) in &memory.files.outside {
            let source = self.snapshot.read(path).ok();
            let digest = source.map(|source| Digest::of_bytes(source.bytes()).hex());
            said += &format!("{path}\0{is_there}\0{}\n", digest.unwrap_or_default());
        }
        said += &format!("{:?}", memory.files.closed);
        Ok(Digest::of_bytes(said.as_bytes()).hex())
    }

    /// The bytes of each that is text, as they may be shown; what may not be read is left out.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (&RepoPath, Vec<u8>)> {
        self.listed.iter().filter_map(|path| {
            let source = self.snapshot.read(path).ok()?;
            let is_text = source.why_no_text().is_none();
            is_text.then(|| (path, source.shown().bytes().into_owned()))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use windlass::Workspace;
    use windlass_base::Cancel;

    use super::*;
    use crate::folder::{environment, put, put_bytes};

    #[test]
    fn whatever_a_search_reads_is_what_answers_follow_from() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        let read = || {
            let home = folder.path().join("home");
            let environment = environment(&home, || Duration::ZERO, 1);
            let workspace = Workspace::open(&root, environment).unwrap();
            let (cancel, progress) = (Cancel::default(), |_, _| {});
            let doing = Doing {
                cancel: &cancel,
                progress: &progress,
            };
            OwnFiles::of(workspace.site().snapshot(), &doing).unwrap()
        };
        let long = |last: &str| format!("{}{last}\n", "row\n".repeat(MAX_LINES + 1));
        put(&root.join("a.rs"), "fn a() {}\n").unwrap();
        put(&root.join("long.csv"), &long("one")).unwrap();
        let mut known = vec![read().digest];
        assert_eq!(read().digest, known[0], "nothing changed");
        let steps: [&dyn Fn(); 4] = [
            &|| put(&root.join("long.csv"), &long("two")).unwrap(),
            &|| put(&root.join("a.rs"), "fn a() {}\r\n").unwrap(),
            &|| put_bytes(&root.join("b.bin"), &[0, 1]).unwrap(),
            &|| put(&root.join(RULES), "ticket: ACME-[0-9]{6}\n").unwrap(),
        ];
        for step in steps {
            step();
            let digest = read().digest;
            assert!(!known.contains(&digest), "{known:?}");
            known.push(digest);
        }
        // What a recall reads, whatever an ignore file says of it.
        put(&root.join(".gitignore"), "memory/\nnotes/\n").unwrap();
        put(&root.join("memory/summary.md"), "# It\n").unwrap();
        let mut known = vec![read().remembered().unwrap()];
        let route = r#"{"id": "a", "title": "A", "keywords": ["a"], "record_path": "notes/a.md", "updated": "2026-01-31"}"#;
        let steps: [&dyn Fn(); 5] = [
            &|| put(&root.join("memory/decisions/a.md"), "# A\n").unwrap(),
            &|| put(&root.join("memory/.b/b.md"), "# B\n").unwrap(),
            &|| {
                put(
                    &root.join("memory/impressions.jsonl"),
                    &format!("{route}\n"),
                )
                .unwrap();
            },
            &|| put(&root.join("notes/a.md"), "# A\n").unwrap(),
            &|| put(&root.join("notes/a.md"), "# B\n").unwrap(),
        ];
        let files = read().digest;
        for (at, step) in steps.into_iter().enumerate() {
            step();
            let digest = read().remembered().unwrap();
            assert!(!known.contains(&digest), "{at}: {known:?}");
            known.push(digest);
        }
        assert_eq!(read().digest, files, "`find` reads none of it");
        let read = read();
        let given: Vec<&String> = read.texts.keys().collect();
        assert_eq!(given, ["a.rs"], "plain tools are given no longer files");
        let shown: Vec<String> = read.shown().map(|(path, _)| path.to_string()).collect();
        assert_eq!(shown, ["a.rs", "long.csv"]);
    }
}
