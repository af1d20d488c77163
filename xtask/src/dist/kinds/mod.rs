//! Kinds of packages, with a file for each. To add a kind, add its `KIND` to `KINDS`.

mod archive;
mod debian;
mod image;
mod npm;
mod wheel;

use std::path::{Path, PathBuf};

use super::options::Options;
use super::target::Target;
use super::trial::{self, Installed};
use super::{Product, is_installed, write};
use crate::Error;

pub(super) use archive::{file_name as archive_name, folder as archive_folder};
pub(super) use npm::LAUNCHER as NPM_LAUNCHER;

type Files = Vec<(String, Vec<u8>)>;

/// A kind of package.
struct Kind {
    name: &'static str,
    /// True if there are packages of this kind for the platform.
    suits: fn(&Target) -> bool,
    /// Programs needed to make the package.
    tools: &'static [&'static str],
    make: fn(&Product<'_>) -> Result<Files, Error>,
    /// Programs needed to install the package.
    installers: &'static [&'static str],
    /// Installs the files below an empty folder.
    install: fn(&Product<'_>, &[PathBuf], &Path) -> Result<Installed, Error>,
    /// True if the package is only made for a trial, and is not published.
    is_trial: fn(&Target) -> bool,
}

const KINDS: &[Kind] = &[
    archive::KIND,
    debian::KIND,
    wheel::KIND,
    npm::KIND,
    image::KIND,
];

/// Makes all packages of a product, and tries them if requested. Returns the failures.
pub(super) fn make_and_try(product: &Product<'_>, options: &Options) -> Result<Vec<String>, Error> {
    let mut failures = Vec::new();
    for kind in KINDS.iter().filter(|kind| (kind.suits)(product.target)) {
        let is_trial = (kind.is_trial)(product.target);
        if is_trial && !options.check || lacks(kind.name, kind.tools) {
            continue;
        }
        let room = tempfile::tempdir()?;
        let folder = if is_trial { room.path() } else { &options.out };
        let made = (kind.make)(product)?.into_iter();
        let files = made.map(|(name, bytes)| write(folder.join(name), &bytes));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        if options.check && product.target.runs_here() && !lacks(kind.name, kind.installers) {
            failures.extend(failure(kind, product, &files));
        }
        // A program given by the caller may be a debug build, whose size says nothing.
        if kind.name == archive::KIND.name && options.binary.is_none() {
            failures.extend(archive::excess(&files)?);
        }
    }
    Ok(failures)
}

fn failure(kind: &Kind, product: &Product<'_>, files: &[PathBuf]) -> Option<String> {
    let name = format!("{} for {}", kind.name, product.target.triple);
    let install = |room: &Path| (kind.install)(product, files, room);
    let tried = trial::best_of_three(&name, product, install);
    tried.err().map(|error| format!("{name}: {error}"))
}

/// True if one of `tools` is not installed, which is also printed.
fn lacks(kind: &str, tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| !is_installed(tool));
    if let Some(tool) = missing {
        println!("skipped: {kind}, which needs `{tool}`");
    }
    missing.is_some()
}
