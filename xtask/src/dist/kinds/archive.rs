//! An archive with the program and all documents: `.tar.xz`, or `.zip` on Windows.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::documents::DocumentKind;
use super::super::output;
use super::super::release::{NAME, Release};
use super::super::tree::{self, Tree};
use super::{Files, Installed, Kind, Product, Target};
use crate::Error;

/// Size limit for an archive, in bytes. If a release exceeds it, find out which dependency has
/// grown before raising the limit.
const MAX_SIZE: u64 = 15_000_000;

pub(super) const KIND: Kind = Kind {
    name: "archive",
    suits: |_| true,
    tools: &[],
    make,
    installers: &["tar"],
    install,
    is_trial: |_| false,
};

pub(crate) fn folder(release: &Release, target: &Target) -> String {
    format!("{NAME}-{}-{}", release.version, target.triple)
}

pub(crate) fn file_name(release: &Release, target: &Target) -> String {
    let end = if target.is_windows() { "zip" } else { "tar.xz" };
    format!("{}.{end}", folder(release, target))
}

fn make(product: &Product<'_>) -> Result<Files, Error> {
    let Product {
        release, target, ..
    } = product;
    let top = folder(release, target);
    let mut tree = Tree::new(release.time);
    tree.add_program(
        format!("{top}/{}", target.program()),
        product.program.clone(),
    );
    for document in product.documents {
        let folder = match document.kind {
            DocumentKind::Text | DocumentKind::Licence => "",
            DocumentKind::Completion => "completions/",
            DocumentKind::Manual => "man/man1/",
        };
        tree.add(
            format!("{top}/{folder}{}", document.name),
            document.bytes.clone(),
        );
    }
    let bytes = match target.is_windows() {
        true => tree.zip(product.quick)?,
        false => tree::xz(&tree.tar()?, target.is_x86(), product.quick)?,
    };
    Ok(vec![(file_name(release, target), bytes)])
}

fn install(product: &Product<'_>, files: &[PathBuf], room: &Path) -> Result<Installed, Error> {
    // This works on Windows, too, where `tar` can unpack zip archives.
    let mut tar = Command::new("tar");
    output(tar.arg("-xf").args(files).current_dir(room))?;
    let folder = room.join(folder(product.release, product.target));
    Ok(Installed::program(
        folder.join(product.target.program()),
        room,
    ))
}

pub(super) fn excess(files: &[PathBuf]) -> Result<Vec<String>, Error> {
    let mut excess = Vec::new();
    for file in files {
        let size = std::fs::metadata(file)?.len();
        if size > MAX_SIZE {
            let name = file.display();
            excess.push(format!("{name} has {size} bytes, {MAX_SIZE} are allowed"));
        }
    }
    Ok(excess)
}
