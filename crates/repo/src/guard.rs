//! The path guard, which decides what may be read from the repository.
//!
//! Every read of a file goes through here. The guard checks the path as given, and again after
//! resolving it, because a link such as `notes.txt -> .env` would otherwise expose the secret file
//! that it leads to. It also checks that the contents themselves don't mark a file as secret, e.g.
//! a private key with an innocent name.
//!
//! [`Guard::read`] is for single files. [`read_walked`] is for searches, where the walk has already
//! ruled out links and the cost per file matters.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use windlass_base::RepoPath;

use crate::platform::{Root, Signature, open_beneath, slashed, special_kind};
use crate::refusal::{MAX_FILE_BYTES, Refusal};
use crate::secret::{SecretPolicy, secret_contents};
use crate::text_encoding::{is_binary, wide_encoding};

pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) signature: Signature,
}

/// Result of [`read_walked`]. The contents are at the front of the caller's buffer.
pub(crate) struct Walked {
    pub(crate) signature: Signature,
    pub(crate) length: usize,
    /// True if the file contains a NUL byte. This includes text in UTF-16 and UTF-32, but only
    /// files with one of their byte order marks are read to the end.
    pub(crate) binary: bool,
}

#[derive(Debug)]
pub(crate) struct Guard {
    root: PathBuf,
    /// Git's own folders. They can be anywhere inside or outside of the root, and may even belong
    /// to another repository.
    git_folders: Vec<PathBuf>,
    secrets: SecretPolicy,
}

impl Guard {
    /// Creates the guard. The root must be canonical, since resolved paths are compared with it.
    pub(crate) fn new(root: PathBuf, git_folders: Vec<PathBuf>, secrets: SecretPolicy) -> Self {
        Self {
            root,
            git_folders,
            secrets,
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn git_folders(&self) -> &[PathBuf] {
        &self.git_folders
    }

    pub(crate) fn secrets(&self) -> &SecretPolicy {
        &self.secrets
    }

    pub(crate) fn read(&self, path: &RepoPath) -> Result<Bytes, Refusal> {
        if let Some(rule) = self.secret_rule(path.as_str()) {
            return Err(Refusal::Secret { rule });
        }
        if let Some((file, size)) = self.open_directly(path) {
            return read_whole(&file, size, path.as_str());
        }
        let relative = self.resolve(path)?;
        let absolute = self.root.join(&relative);
        // Opening a device can have side effects (some tape drives rewind, for example), so check
        // the kind first. The file may be replaced in the meantime, so we check again after
        // opening.
        let metadata = absolute
            .symlink_metadata()
            .map_err(|e| Refusal::from_io(&e))?;
        regular(&metadata)?;
        let file = open_beneath(&self.root, &relative).map_err(|e| Refusal::from_io(&e))?;
        read_whole(&file, metadata.len(), &relative.to_string_lossy())
    }

    pub(crate) fn signature(&self, path: &RepoPath) -> Result<Signature, Refusal> {
        if let Some(rule) = self.secret_rule(path.as_str()) {
            return Err(Refusal::Secret { rule });
        }
        if let Some(signature) = self.signature_directly(path) {
            return Ok(signature);
        }
        let relative = self.resolve(path)?;
        let metadata = self
            .root
            .join(relative)
            .symlink_metadata()
            .map_err(|e| Refusal::from_io(&e))?;
        regular(&metadata)?;
        Ok(Signature::of(&metadata))
    }

    /// Opens the regular file at `path` and returns its size, provided that the kernel can
    /// guarantee that no part of the path is a link. This is the fast path, since resolving each
    /// part takes longer than reading most files.
    ///
    /// If this returns `None`, the caller has to use [`resolve`](Self::resolve) and find out the
    /// reason for a refusal there.
    fn open_directly(&self, path: &RepoPath) -> Option<(File, u64)> {
        let (root, relative) = self.root_for(path)?;
        // As in `read`, check the kind before opening, and once more afterwards.
        let size = root.size_of_file(relative)?;
        (size <= MAX_FILE_BYTES).then_some(())?;
        Some((root.file(relative).ok()?, size))
    }

    /// Like [`open_directly`](Self::open_directly), but returns the file's signature.
    fn signature_directly(&self, path: &RepoPath) -> Option<Signature> {
        let (root, relative) = self.root_for(path)?;
        root.signature_of_file(relative, MAX_FILE_BYTES)
    }

    /// Opens the root for direct access to `path`, unless the path is in a git folder.
    ///
    /// We only do this on Linux. Other systems may ignore case, so that the rules for secrets don't
    /// apply to the path as given: on macOS, `.ENV` may be the file `.env`. Only resolving the path
    /// tells us which file that is.
    fn root_for<'p>(&self, path: &'p RepoPath) -> Option<(Root, &'p Path)> {
        let relative = Path::new(path.as_str());
        if !cfg!(target_os = "linux") || self.is_git_internal(&self.root.join(relative)) {
            return None;
        }
        Some((Root::open(&self.root).ok()?, relative))
    }

    /// Resolves `path` to a path without links, relative to the root. This refuses secret paths and
    /// paths in git folders, both before and after resolving, as well as paths that lead out of the
    /// repository.
    pub(crate) fn resolve(&self, path: &RepoPath) -> Result<PathBuf, Refusal> {
        if let Some(rule) = self.secret_rule(path.as_str()) {
            return Err(Refusal::Secret { rule });
        }
        let canonical = self
            .root
            .join(path.as_str())
            .canonicalize()
            .map_err(|e| Refusal::from_io(&e))?;
        let Ok(relative) = canonical.strip_prefix(&self.root) else {
            return Err(Refusal::OutsideRoot);
        };
        if self.is_git_internal(&canonical) {
            return Err(secret(GIT_RULE));
        }
        match self.secret_rule(&slashed(relative)) {
            Some(rule) => Err(Refusal::Secret { rule }),
            None => Ok(relative.to_owned()),
        }
    }

    pub(crate) fn folder(&self, path: &RepoPath) -> Result<PathBuf, Refusal> {
        if path.is_root() {
            return Ok(self.root.clone());
        }
        let folder = self.root.join(self.resolve(path)?);
        let metadata = folder
            .symlink_metadata()
            .map_err(|e| Refusal::from_io(&e))?;
        if metadata.is_dir() {
            Ok(folder)
        } else {
            Err(Refusal::NotDirectory)
        }
    }

    pub(crate) fn secret_rule(&self, path: &str) -> Option<Cow<'static, str>> {
        // No rule in `.windlass/secrets` can make git's own folder readable, so check it first.
        let is_git = |part: &str| part.eq_ignore_ascii_case(".git");
        if path.split('/').any(is_git) {
            return Some(GIT_RULE.into());
        }
        self.secrets.rule_for(path)
    }

    pub(crate) fn is_git_internal(&self, canonical: &Path) -> bool {
        let mut folders = self.git_folders.iter();
        folders.any(|folder| canonical.starts_with(folder))
    }
}

/// Reads a file found by the walk into the front of `buffer`, without following links.
///
/// The caller must have checked the path with [`Guard::secret_rule`]. Unlike [`Guard::read`], this
/// doesn't resolve the path, since that would take longer than searching the file.
///
/// Binary files aren't searched, so we stop reading at the first binary block, however large the
/// file is.
pub(crate) fn read_walked(
    root: &io::Result<Root>,
    relative: &str,
    buffer: &mut Vec<u8>,
) -> Result<Walked, Refusal> {
    let root = root.as_ref().map_err(Refusal::from_io)?;
    let file = root
        .file(Path::new(relative))
        .map_err(|e| Refusal::from_io(&e))?;
    let (mut binary, mut wide) = (false, None);
    let (signature, length) = read_open(&file, BLOCK, buffer, |block| {
        wide = wide.or_else(|| Some(!binary && wide_encoding(block).is_some()));
        binary = binary || is_binary(block);
        !binary || wide == Some(true)
    })?;
    match secret_contents(relative, &buffer[..length]) {
        Some(rule) => Err(secret(rule)),
        None => Ok(Walked {
            signature,
            length,
            binary,
        }),
    }
}

/// Rule for git's own folder. The remotes in its configuration may contain passwords, and its
/// objects may contain any file that the guard refuses.
const GIT_RULE: &str = "git-folder";

fn secret(rule: &'static str) -> Refusal {
    Refusal::Secret { rule: rule.into() }
}

/// Reads `file` unless its contents are secret. We allocate memory for `size`, but the file may
/// turn out to be larger or smaller.
fn read_whole(file: &File, size: u64, relative: &str) -> Result<Bytes, Refusal> {
    let expected = usize::try_from(size).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(expected + 1);
    let (signature, length) = read_open(file, expected, &mut bytes, |_| true)?;
    bytes.truncate(length);
    match secret_contents(relative, &bytes) {
        Some(rule) => Err(secret(rule)),
        None => Ok(Bytes { bytes, signature }),
    }
}

fn regular(metadata: &Metadata) -> Result<(), Refusal> {
    if metadata.is_dir() {
        return Err(Refusal::Directory);
    }
    if let Some(what) = special_kind(metadata) {
        return Err(Refusal::NotRegular { what: what.into() });
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Refusal::TooLarge {
            bytes: metadata.len(),
            limit: MAX_FILE_BYTES,
        });
    }
    Ok(())
}

/// Number of bytes per read. A block of this size is still in the processor's cache when we inspect
/// it.
const BLOCK: usize = 64 << 10;

/// Reads an open file into the front of `buffer`, until `go_on` rejects a block or the file ends.
///
/// Returns the signature and the number of bytes. `expected` is the probable size, and only affects
/// the speed.
///
/// The signature is taken after reading: if it says that the file last changed before some moment,
/// the file contained these bytes at that moment. The buffer never shrinks, since a search would
/// otherwise have to clear memory for each file.
fn read_open(
    mut file: &File,
    expected: usize,
    buffer: &mut Vec<u8>,
    mut go_on: impl FnMut(&[u8]) -> bool,
) -> Result<(Signature, usize), Refusal> {
    let failed = |e: io::Error| Refusal::from_io(&e);
    // Ask for one more byte than expected, so that a short read reveals the end of the file.
    let mut block = BLOCK.min(expected.saturating_add(1));
    let mut known = 0;
    let mut end = 0;
    loop {
        if buffer.len() < end + block {
            buffer.resize(end + block, 0);
        }
        let count = match file.read(&mut buffer[end..end + block]) {
            Ok(count) => count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(failed(e)),
        };
        let wanted = go_on(&buffer[end..end + count]);
        end += count;
        if wanted && count == block && end < known {
            block = BLOCK.min((known - end).saturating_add(1));
            continue;
        }
        // We only know for sure what we've opened now. The file may also grow while we're reading
        // it, so look at its size again at what seems to be the end.
        let metadata = file.metadata().map_err(failed)?;
        match regular(&metadata) {
            Err(Refusal::TooLarge { .. }) if !wanted => {}
            checked => checked?,
        }
        known = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if !wanted || count == 0 || end >= known {
            return Ok((Signature::of(&metadata), end));
        }
        block = BLOCK.min((known - end).saturating_add(1));
    }
}
