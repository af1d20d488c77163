//! A wheel for PyPI, which installs the program as a script.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::super::documents;
use super::super::output;
use super::super::release::NAME;
use super::super::tree::Tree;
use super::{Files, Installed, Kind, Product};
use crate::Error;

pub(super) const KIND: Kind = Kind {
    name: "wheel",
    suits: |target| !target.is_musl(),
    tools: &[],
    make,
    installers: &["python3", "pip3"],
    install,
    is_trial: |_| false,
};

fn make(product: &Product<'_>) -> Result<Files, Error> {
    let Product {
        release, target, ..
    } = product;
    let platform = match &product.glibc {
        Some(version) => format!("manylinux_{}_{}", version.replace('.', "_"), target.wheel),
        None => target.wheel.to_owned(),
    };
    let tag = format!("py3-none-{platform}");
    let base = format!("{NAME}-{}", release.version);
    let info = format!("{base}.dist-info");
    let mut tree = Tree::new(release.time);
    tree.add_program(
        format!("{base}.data/scripts/{}", target.program()),
        product.program.clone(),
    );
    tree.add(
        format!("{info}/WHEEL"),
        format!(
            "Wheel-Version: 1.0\nGenerator: {NAME} xtask\nRoot-Is-Purelib: false\nTag: {tag}\n"
        ),
    );
    let metadata = format!(
        "Metadata-Version: 2.4\nName: {NAME}\nVersion: {version}\nSummary: {summary}\nAuthor: {authors}\n\
         License-Expression: {licence}\nProject-URL: Source, {repository}\nRequires-Python: >=3.8\n\
         Description-Content-Type: text/markdown\n\n{summary}. See <{repository}>.\n\nmcp-name: {server}\n",
        version = release.version,
        summary = release.summary,
        authors = release.authors,
        licence = release.licence,
        repository = release.repository,
        server = release.server(),
    );
    tree.add(format!("{info}/METADATA"), metadata);
    documents::add_licences(&mut tree, &format!("{info}/licenses"), product.documents);
    let record = format!("{info}/RECORD");
    let mut lines = String::new();
    for (path, bytes) in tree.files() {
        let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        lines += &format!("{path},sha256={digest},{}\n", bytes.len());
    }
    lines += &format!("{record},,\n");
    tree.add(record, lines);
    Ok(vec![(
        format!("{base}-{tag}.whl"),
        tree.zip(product.quick)?,
    )])
}

fn install(product: &Product<'_>, files: &[PathBuf], room: &Path) -> Result<Installed, Error> {
    let environment = room.join("venv");
    let mut venv = Command::new("python3");
    output(venv.args(["-m", "venv", "--without-pip"]).arg(&environment))?;
    let scripts = environment.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut pip = Command::new("pip3");
    pip.arg("--python").arg(&environment);
    pip.args([
        "install",
        "--quiet",
        "--no-index",
        "--disable-pip-version-check",
    ]);
    output(pip.args(files))?;
    Ok(Installed::program(
        scripts.join(product.target.program()),
        room,
    ))
}
