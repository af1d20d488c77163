//! The files of a package in memory, and the archive formats in which they are written.
//!
//! Packages have to be reproducible: the same files give the same bytes on any machine. So order,
//! time and owner of the files are fixed, and nothing is taken from the file system.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;

use crate::Error;

/// A package's files by path.
pub(super) struct Tree {
    files: BTreeMap<String, File>,
    /// Time of every file, in seconds since 1970.
    time: u64,
}

struct File {
    bytes: Vec<u8>,
    mode: u32,
}

impl Tree {
    pub(super) fn new(time: u64) -> Self {
        Self {
            files: BTreeMap::new(),
            time,
        }
    }

    pub(super) fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.files.insert(path.into(), File { bytes, mode: 0o644 });
    }

    pub(super) fn add_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.files.insert(path.into(), File { bytes, mode: 0o755 });
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, file)| (&**path, &*file.bytes))
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        for (path, file) in &self.files {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&path, &file.bytes)?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(file.mode))?;
            }
        }
        Ok(())
    }

    /// Packs the files as a tar archive. They are owned by root, which is the default of the
    /// header.
    pub(super) fn tar(&self) -> Result<Vec<u8>, Error> {
        let mut tar = tar::Builder::new(Vec::new());
        for (path, file) in &self.files {
            let mut header = tar::Header::new_gnu();
            header.set_size(u64::try_from(file.bytes.len())?);
            header.set_mode(file.mode);
            header.set_mtime(self.time);
            tar.append_data(&mut header, path, &*file.bytes)?;
        }
        Ok(tar.into_inner()?)
    }

    pub(super) fn zip(&self, quick: bool) -> Result<Vec<u8>, Error> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, file) in &self.files {
            let options = SimpleFileOptions::DEFAULT.unix_permissions(file.mode);
            let options = options.compression_level(quick.then_some(1));
            zip.start_file(path.as_str(), options)?;
            zip.write_all(&file.bytes)?;
        }
        Ok(zip.finish()?.into_inner())
    }
}

pub(super) fn gzip(bytes: &[u8], quick: bool) -> Result<Vec<u8>, Error> {
    let level = match quick {
        true => Compression::fast(),
        false => Compression::default(),
    };
    let mut encoder = GzBuilder::new().write(Vec::new(), level);
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// Compresses `bytes` with the program `xz`. It has to use a single thread, since the output
/// depends on the number of threads.
///
/// With `is_x86`, the addresses in calls are made absolute first, so that calls of the same
/// function look alike: 16.4 to 15.6 MB (2026-11-30). The same filter for 64-bit ARM is too new for
/// many of the programs that unpack archives.
pub(super) fn xz(bytes: &[u8], is_x86: bool, quick: bool) -> Result<Vec<u8>, Error> {
    let mut command = Command::new("xz");
    command.args(["--threads=1", "--check=crc64", "--stdout"]);
    if is_x86 {
        command.arg("--x86");
    }
    command.arg(format!("--lzma2=preset={}", if quick { "0" } else { "9e" }));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run `xz`: {error}"))?;
    let mut input = child.stdin.take().ok_or("no input")?;
    // If we wrote everything before reading, both programs would end up waiting for each other.
    let output = std::thread::scope(|scope| {
        let writer = scope.spawn(move || input.write_all(bytes));
        let output = child.wait_with_output();
        writer.join().map_err(|_| "the writer of `xz` failed")??;
        Ok::<_, Error>(output?)
    })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("`xz`: {}", output.status).into()),
    }
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
