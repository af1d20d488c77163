//! Applies `.rgignore`, `.ignore`, `.gitignore` and git's own `info/exclude`, with the same meaning
//! as in `rg`.
//!
//! Ignore files come with the repository, so we do not trust them: a huge file could take all
//! memory, and a link could apply the rules of a file elsewhere. If there is anything but a regular
//! file of reasonable size, we count it and go on without it.

use std::fs::FileType;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use windlass_base::RepoPath;

use super::Visitor;
use crate::git::GitLayout;
use crate::platform::{Signature, open_beneath, open_file, slashed};
use crate::refusal::Refusal;
use crate::repository::Repo;

/// Maximum size of an ignore file, in bytes.
const MAX_BYTES: u64 = 512 << 10;

/// Maximum number of lines in an ignore file. Each line costs memory, and time to compile.
const MAX_LINES: usize = 5_000;

/// The ignore files in one folder, by kind.
#[derive(Default)]
pub(super) struct IgnoreFiles {
    rgignore: Option<FileType>,
    ignore: Option<FileType>,
    gitignore: Option<FileType>,
    git: Option<FileType>,
}

impl IgnoreFiles {
    pub(super) fn note(&mut self, name: &[u8], kind: FileType) {
        match name {
            b".rgignore" => self.rgignore = Some(kind),
            b".ignore" => self.ignore = Some(kind),
            b".gitignore" => self.gitignore = Some(kind),
            b".git" => self.git = Some(kind),
            _ => {}
        }
    }
}

/// The rules of a folder and of the folders above it. If a folder has no rules of its own, it
/// shares those of its parent.
#[derive(Clone, Default)]
pub(super) struct Rules(Option<Arc<Folder>>);

struct Folder {
    above: Rules,
    /// The rules of `.rgignore`, `.ignore`, `.gitignore` and `info/exclude`, in order of
    /// precedence. A match in an earlier kind decides, even if the rule is from a folder further
    /// up.
    kinds: [Gitignore; 4],
}

impl Rules {
    pub(super) fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        for kind in 0..4 {
            let mut rules = self;
            while let Some(folder) = &rules.0 {
                let matched = folder.kinds[kind].matched(path, is_folder);
                if !matched.is_none() {
                    return matched.map(|_| ());
                }
                rules = &folder.above;
            }
        }
        Match::None
    }

    pub(super) fn below(
        &self,
        repo: &Repo,
        folder: &Path,
        files: &IgnoreFiles,
        visitor: &mut dyn Visitor,
    ) -> Self {
        let mut reader = Reader { repo, visitor };
        let kinds = [
            files
                .rgignore
                .map(|kind| reader.named(folder, ".rgignore", kind)),
            files
                .ignore
                .map(|kind| reader.named(folder, ".ignore", kind)),
            files
                .gitignore
                .map(|kind| reader.named(folder, ".gitignore", kind)),
            files.git.map(|kind| reader.exclude(folder, kind)),
        ];
        let kinds = kinds.map(Option::unwrap_or_default);
        if kinds.iter().all(Vec::is_empty) {
            return self.clone();
        }
        let kinds = kinds.map(|bytes| {
            parse(folder, &bytes).unwrap_or_else(|| {
                reader.visitor.withheld().unheeded += 1;
                Gitignore::empty()
            })
        });
        Self(Some(Arc::new(Folder {
            above: self.clone(),
            kinds,
        })))
    }
}

struct Reader<'a> {
    repo: &'a Repo,
    visitor: &'a mut dyn Visitor,
}

impl Reader<'_> {
    fn named(&mut self, folder: &Path, name: &str, kind: FileType) -> Vec<u8> {
        let path = folder.join(name);
        if kind.is_file() {
            return self.opened(path.clone(), || open_file(&path));
        }
        // Only follow a link if the path guard allows its target. It might lead out of the
        // repository.
        let target = self.target(&path);
        match target {
            Some(target) if kind.is_symlink() => self
                .opened(self.repo.root().join(&target), || {
                    open_beneath(self.repo.root(), &target)
                }),
            _ => {
                self.visitor.withheld().unheeded += 1;
                Vec::new()
            }
        }
    }

    fn target(&self, link: &Path) -> Option<PathBuf> {
        let relative = slashed(link.strip_prefix(self.repo.root()).ok()?);
        let target = self
            .repo
            .guard()
            .resolve(&RepoPath::parse(&relative).ok()?)
            .ok()?;
        let metadata = self.repo.root().join(&target).symlink_metadata().ok()?;
        metadata.is_file().then_some(target)
    }

    /// Returns the contents of git's own ignore file for the working tree in `folder`, where `.git`
    /// is of type `kind`.
    fn exclude(&mut self, folder: &Path, kind: FileType) -> Vec<u8> {
        const EXCLUDE: &str = "info/exclude";
        let git = if kind.is_dir() {
            Some(folder.join(".git"))
        } else {
            // A linked working tree shares the file of the main one, and a submodule has none.
            let layout = GitLayout::of(folder).ok().flatten();
            layout
                .filter(|layout| layout.is_mutual)
                .filter(|layout| kind.is_symlink() || layout.git_dir != layout.common_dir)
                .map(|layout| layout.common_dir)
        };
        let Some(git) = git else {
            return Vec::new();
        };
        self.opened(git.join(EXCLUDE), || open_beneath(&git, Path::new(EXCLUDE)))
    }

    /// Returns the contents of an ignore file, which are empty if it is missing. If it exceeds the
    /// limits, we count it as unheeded.
    fn opened(
        &mut self,
        path: PathBuf,
        open: impl FnOnce() -> std::io::Result<std::fs::File>,
    ) -> Vec<u8> {
        let read = open().map_err(|e| Refusal::from_io(&e)).and_then(read);
        // Take the signature after the contents. If the file changes while we're reading it, the
        // next check then finds a different signature.
        let metadata = path.symlink_metadata().ok();
        let signature = metadata.map(|metadata| Signature::of(&metadata));
        self.visitor.rules(path, signature);
        match read {
            Ok(bytes) => bytes,
            Err(Refusal::Missing) => Vec::new(),
            Err(_) => {
                self.visitor.withheld().unheeded += 1;
                Vec::new()
            }
        }
    }
}

fn read(file: std::fs::File) -> Result<Vec<u8>, Refusal> {
    let failed = |e: std::io::Error| Refusal::from_io(&e);
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(Refusal::NotRegular {
            what: "no file".into(),
        });
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let too_long = memchr::memchr_iter(b'\n', &bytes).count() > MAX_LINES;
    if too_long || bytes.len() as u64 > MAX_BYTES {
        return Err(Refusal::TooLarge {
            bytes: metadata.len(),
            limit: MAX_BYTES,
        });
    }
    Ok(bytes)
}

/// Parses the rules for the entries of `folder`, in the same lenient way as `rg`: a line that is
/// not a glob is skipped, and everything after a line that is not UTF-8 is ignored. Returns `None`
/// if the compiled rules are too large.
fn parse(folder: &Path, bytes: &[u8]) -> Option<Gitignore> {
    if bytes.is_empty() {
        return Some(Gitignore::empty());
    }
    let mut builder = GitignoreBuilder::new(folder);
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for line in bytes.split(|b| *b == b'\n') {
        let Ok(line) = std::str::from_utf8(line) else {
            break;
        };
        let _ = builder.add_line(None, line.strip_suffix('\r').unwrap_or(line));
    }
    builder.build().ok()
}
