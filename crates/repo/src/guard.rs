//! Path guard: decides which bytes of the repository may be read.
//!
//! Every read goes through here. The guard checks both the given path and the path it resolves to,
//! so that a link such as `notes.txt -> .env` exposes nothing.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use windlass_base::RepoPath;

use crate::platform::{Root, Signature, open_beneath, slashed, special_kind};
use crate::refusal::{MAX_FILE_BYTES, Refusal};
use crate::secret::{SecretPolicy, secret_contents};
use crate::text_encoding::{is_binary, wide_encoding};

/// A file's contents, with its signature right after the read.
pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) signature: Signature,
}

/// A file that was read into a buffer.
pub(crate) struct Walked {
    pub(crate) signature: Signature,
    pub(crate) length: usize,
    /// True if the file has a NUL byte and isn't text in a wide encoding. In this case the rest of
    /// the file is not read.
    pub(crate) binary: bool,
}

/// Decides which paths of a repository may be read, and reads them.
#[derive(Debug)]
pub(crate) struct Guard {
    root: PathBuf,
    /// Git folders, which are never read. They can be anywhere, and may belong to another
    /// repository.
    git_folders: Vec<PathBuf>,
    secrets: SecretPolicy,
}

impl Guard {
    /// Creates the guard of the repository at `root`, which must be canonical.
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

    /// See [`Self::is_git_internal`].
    pub(crate) fn git_folders(&self) -> &[PathBuf] {
        &self.git_folders
    }

    pub(crate) fn secrets(&self) -> &SecretPolicy {
        &self.secrets
    }

    /// Reads the file at `path` if that's permitted.
    pub(crate) fn read(&self, path: &RepoPath) -> Result<Bytes, Refusal> {
        if let Some(rule) = self.secret_rule(path.as_str()) {
            return Err(Refusal::Secret { rule });
        }
        if let Some((file, size)) = self.open_directly(path) {
            return read_whole(&file, size, path.as_str());
        }
        let relative = self.resolve(path)?;
        let absolute = self.root.join(&relative);
        // Opening a device can have side effects, so check the kind first. We check it again
        // afterwards, since the file may have been replaced in between.
        let metadata = absolute
            .symlink_metadata()
            .map_err(|e| Refusal::from_io(&e))?;
        regular(&metadata)?;
        let file = open_beneath(&self.root, &relative).map_err(|e| Refusal::from_io(&e))?;
        read_whole(&file, metadata.len(), &relative.to_string_lossy())
    }

    /// Returns the current signature of the file that `path` resolves to.
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
    /// guarantee that no part of the path is a link. Checking each part separately takes longer
    /// than reading most files.
    ///
    /// Returns `None` if the path has to be resolved instead.
    fn open_directly(&self, path: &RepoPath) -> Option<(File, u64)> {
        let (root, relative) = self.root_for(path)?;
        // Opening a device can have side effects, so check the kind first. We check it again
        // afterwards, since the file may have been replaced in between.
        let size = root.size_of_file(relative)?;
        (size <= MAX_FILE_BYTES).then_some(())?;
        Some((root.file(relative).ok()?, size))
    }

    /// Returns the signature of the regular file at `path`, under the same conditions as
    /// [`Self::open_directly`].
    fn signature_directly(&self, path: &RepoPath) -> Option<Signature> {
        let (root, relative) = self.root_for(path)?;
        root.signature_of_file(relative, MAX_FILE_BYTES)
    }

    /// Returns the opened root and the relative path, or `None` if the path is in a git folder. On
    /// systems other than Linux this is always `None`: they may ignore case, so we have to resolve
    /// the path.
    fn root_for<'p>(&self, path: &'p RepoPath) -> Option<(Root, &'p Path)> {
        let relative = Path::new(path.as_str());
        if !cfg!(target_os = "linux") || self.is_git_internal(&self.root.join(relative)) {
            return None;
        }
        Some((Root::open(&self.root).ok()?, relative))
    }

    /// Resolves `path` to a path relative to the root and free of links. The path is refused if
    /// it's outside the repository or in a git folder, or if it's secret before or after
    /// resolution.
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

    /// See [`crate::Repo::folder`].
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

    /// Returns the rule that makes the relative path secret, or `None` if it isn't.
    pub(crate) fn secret_rule(&self, path: &str) -> Option<Cow<'static, str>> {
        let is_git = |part: &str| part.eq_ignore_ascii_case(".git");
        if path.split('/').any(is_git) {
            return Some(GIT_RULE.into());
        }
        self.secrets.rule_for(path)
    }

    /// True if the canonical path is in a git folder.
    pub(crate) fn is_git_internal(&self, canonical: &Path) -> bool {
        let mut folders = self.git_folders.iter();
        folders.any(|folder| canonical.starts_with(folder))
    }
}

/// Opens a file found by the walker without following links, whose path passed
/// [`Guard::secret_rule`]. We don't canonicalise the path, because that costs more than searching
/// the file.
///
/// The contents are put at the front of `buffer`. If the beginning of a file is binary, we don't
/// read the rest, whatever its size, since binary files aren't searched.
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

/// The rule that protects git's own folder, which contains remotes with passwords, and objects that
/// haven't passed the guard.
const GIT_RULE: &str = "git-folder";

fn secret(rule: &'static str) -> Refusal {
    Refusal::Secret { rule: rule.into() }
}

/// Reads `file` at `relative`, with an expected size of `size` bytes. Refuses it if its contents
/// are secret.
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

/// Refuses everything except regular files of at most [`MAX_FILE_BYTES`].
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

/// Reads an open file into the front of `buffer` for as long as `go_on` accepts each block, and
/// returns the number of bytes read. `expected` is the probable size.
///
/// The signature is taken after the bytes. If it's older than some moment, the file already had
/// these bytes at that moment. The buffer never shrinks, so that a search need not clear memory for
/// each file.
fn read_open(
    mut file: &File,
    expected: usize,
    buffer: &mut Vec<u8>,
    mut go_on: impl FnMut(&[u8]) -> bool,
) -> Result<(Signature, usize), Refusal> {
    let failed = |e: io::Error| Refusal::from_io(&e);
    // Leave room for one byte more than expected, so that a short read marks the end of the file.
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
        // Check long files a second time, because they may have grown beyond the limit while being
        // read.
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
