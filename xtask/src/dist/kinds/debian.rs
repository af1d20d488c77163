//! The package for Debian and Ubuntu.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::documents::{COMPLETIONS, DocumentKind};
use super::super::output;
use super::super::release::NAME;
use super::super::tree::{self, Tree};
use super::{Files, Installed, Kind, Product};
use crate::Error;

pub(super) const KIND: Kind = Kind {
    name: "Debian package",
    suits: |target| target.debian.is_some(),
    tools: &["dpkg-deb"],
    make,
    installers: &["dpkg"],
    install,
    is_trial: |_| false,
};

/// Returns the folder and file name of a shell's completions. Debian only has such folders for
/// three of the shells.
fn completion(file: &str) -> Option<&'static str> {
    let (shell, _) = COMPLETIONS.iter().find(|(_, name)| *name == file)?;
    Some(match *shell {
        "bash" => "bash-completion/completions/windlass",
        "zsh" => "zsh/vendor-completions/_windlass",
        "fish" => "fish/vendor_completions.d/windlass.fish",
        _ => return None,
    })
}

fn make(product: &Product<'_>) -> Result<Files, Error> {
    let release = product.release;
    let mut tree = Tree::new(release.time);
    tree.add_program(format!("usr/bin/{NAME}"), product.program.clone());
    for document in product.documents {
        let (name, bytes) = (&document.name, document.bytes.clone());
        match document.kind {
            DocumentKind::Text | DocumentKind::Licence => {
                tree.add(format!("usr/share/doc/{NAME}/{name}"), bytes);
            }
            DocumentKind::Completion => {
                if let Some(path) = completion(name) {
                    tree.add(format!("usr/share/{path}"), bytes);
                }
            }
            DocumentKind::Manual => {
                tree.add(
                    format!("usr/share/man/man1/{name}.gz"),
                    tree::gzip(&bytes, product.quick)?,
                );
            }
        }
    }
    let installed: usize = tree
        .files()
        .map(|(_, bytes)| bytes.len().div_ceil(1024))
        .sum();
    let architecture = product.target.debian.unwrap_or_default();
    let libc = product.glibc.as_deref().map_or(String::new(), |version| {
        format!("Depends: libc6 (>= {version})\n")
    });
    let control = format!(
        "Package: {NAME}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {authors} <{repository}/issues>\n\
         Installed-Size: {installed}\n{libc}Recommends: git\nSection: devel\nPriority: optional\nHomepage: {repository}\n\
         Description: {summary}\n",
        version = release.version,
        authors = release.authors,
        repository = release.repository,
        summary = release.summary,
    );
    tree.add("DEBIAN/control", control);
    let room = tempfile::tempdir()?;
    let staged = room.path().join("staged");
    tree.write(&staged)?;
    let name = format!("{NAME}_{}_{architecture}.deb", release.version);
    let mut build = Command::new("dpkg-deb");
    build.args(["--root-owner-group", "-Zxz"]);
    build
        .arg(if product.quick { "-z0" } else { "-z9" })
        .arg("--build");
    build.arg(&staged).arg(room.path().join(&name));
    output(build.env("SOURCE_DATE_EPOCH", release.time.to_string()))?;
    let bytes = std::fs::read(room.path().join(&name))?;
    Ok(vec![(name, bytes)])
}

fn install(_: &Product<'_>, files: &[PathBuf], room: &Path) -> Result<Installed, Error> {
    let root = room.join("root");
    let database = root.join("var/lib/dpkg");
    for folder in ["info", "updates", "triggers"] {
        std::fs::create_dir_all(database.join(folder))?;
    }
    std::fs::write(database.join("status"), "")?;
    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--root={}", root.display()));
    dpkg.arg("--log=/dev/null");
    // We install into an empty system without a C library, so the program runs with the one of this
    // machine.
    output(
        dpkg.args(["--force-not-root", "--force-depends", "--install"])
            .args(files),
    )?;
    Ok(Installed::program(root.join("usr/bin").join(NAME), room))
}
