//! Files that are packaged with the program: licenses, completions, manual pages and so on.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::dependencies::{self, Dependency};
use super::output;
use super::release::{NAME, Release};
use super::target::Target;
use super::tree::Tree;
use crate::Error;

#[derive(Clone)]
pub(super) struct Document {
    pub(super) kind: DocumentKind,
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The purpose of a document. Each kind of package has its own folders for these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentKind {
    Text,
    /// A license, which every package has to include.
    Licence,
    Completion,
    Manual,
}

/// Shells and the file names of their completions.
pub(super) const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "windlass.bash"),
    ("zsh", "_windlass"),
    ("fish", "windlass.fish"),
    ("elvish", "windlass.elv"),
    ("powershell", "windlass.ps1"),
];

/// File name of the dependencies' licenses.
const NOTICES: &str = "LICENSES-OF-DEPENDENCIES.txt";

/// Returns the documents that are the same on all platforms. The completions and manual pages are
/// printed by `program`, so it has to run on this machine.
pub(super) fn shared(release: &Release, program: &Path) -> Result<Vec<Document>, Error> {
    let mut documents = Vec::new();
    let mut add = |kind, name: &str, bytes| {
        let name = name.to_owned();
        documents.push(Document { kind, name, bytes });
    };
    for name in ["README.md", "CHANGELOG.md"] {
        add(DocumentKind::Text, name, release.text(name)?.into());
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        add(DocumentKind::Licence, name, release.text(name)?.into());
    }
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        add(DocumentKind::Completion, name, script);
    }
    let folder = tempfile::tempdir()?;
    let mut manual = Command::new(program);
    output(manual.args(["man", "--out-dir"]).arg(folder.path()))?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder.path())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        pages.push((name.into_owned(), std::fs::read(&path)?));
    }
    pages.sort();
    for (name, page) in pages {
        add(DocumentKind::Manual, &name, page);
    }
    Ok(documents)
}

/// Returns the documents that depend on the platform, since platforms have different dependencies:
/// their licenses and the bill of materials.
pub(super) fn of_target(release: &Release, target: &Target) -> Result<[Document; 2], Error> {
    let dependencies = dependencies::of(release, target)?;
    let notices = Document {
        kind: DocumentKind::Licence,
        name: NOTICES.to_owned(),
        bytes: notices(release, &dependencies)?.into_bytes(),
    };
    let materials = Document {
        kind: DocumentKind::Text,
        name: format!("{NAME}.cdx.json"),
        bytes: serde_json::to_vec_pretty(&materials(release, target, &dependencies))?,
    };
    Ok([notices, materials])
}

/// Adds the licenses among `documents` to a package, in `folder`.
pub(super) fn add_licences(tree: &mut Tree, folder: &str, documents: &[Document]) {
    let licences = documents
        .iter()
        .filter(|document| document.kind == DocumentKind::Licence);
    for Document { name, bytes, .. } in licences {
        tree.add(format!("{folder}/{name}"), bytes.clone());
    }
}

/// Returns the licenses of all dependencies. Each text is included once, below the names of all
/// crates that come with it, because hundreds of crates have the same few texts.
fn notices(release: &Release, dependencies: &[Dependency]) -> Result<String, Error> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Dependency {
        name,
        version,
        licence,
        folder,
        ..
    } in dependencies
    {
        let licence = licence.as_deref().unwrap_or("no SPDX expression");
        for text in licence_texts(folder)? {
            texts
                .entry(text)
                .or_default()
                .push(format!("{name} {version} ({licence})"));
        }
    }
    // Data isn't in cargo's list of crates. If we include any other data, add its license here.
    let data = "crates/search/src/english_words/COPYRIGHT";
    texts
        .entry(release.text(data)?)
        .or_default()
        .push("English word list".to_owned());
    let mut notices = format!(
        "{NAME} {} is built from these crates and data, and from the Rust standard library (MIT OR Apache-2.0).\n",
        release.version
    );
    let mut texts = Vec::from_iter(texts);
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, names) in texts {
        let line = "-".repeat(78);
        notices += &format!(
            "\n{line}\n{}\n{line}\n\n{}\n",
            names.join("\n"),
            text.trim_end()
        );
    }
    Ok(notices)
}

fn licence_texts(folder: &Path) -> Result<Vec<String>, Error> {
    let starts = [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "COPYRIGHT",
        "NOTICE",
        "UNLICENSE",
    ];
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        if path.is_file() && starts.iter().any(|start| name.starts_with(start)) {
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).replace('\r', "");
            texts.push(text);
        }
    }
    texts.sort();
    Ok(texts)
}

fn materials(release: &Release, target: &Target, dependencies: &[Dependency]) -> Value {
    let reference =
        |dependency: &Dependency| format!("pkg:cargo/{}@{}", dependency.name, dependency.version);
    let component = |dependency: &Dependency| {
        let mut component = json!({
            "type": "library",
            "bom-ref": reference(dependency),
            "name": dependency.name,
            "version": dependency.version,
            "purl": reference(dependency),
        });
        if let Some(licence) = &dependency.licence {
            // Before there were SPDX expressions, crates wrote `/` for `OR`.
            component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
        }
        if let Some(checksum) = &dependency.checksum {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        component
    };
    let edges = dependencies.iter().map(|dependency| {
        let uses = dependency
            .uses
            .iter()
            .map(|used| reference(&dependencies[*used]));
        json!({ "ref": reference(dependency), "dependsOn": Vec::from_iter(uses) })
    });
    let mut program = dependencies.first().map(component).unwrap_or_default();
    program["type"] = json!("application");
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": program,
            "properties": [{ "name": "cdx:rustc:target", "value": target.triple }],
            "supplier": { "name": release.authors, "url": [release.repository] },
        },
        "components": Vec::from_iter(dependencies.iter().skip(1).map(component)),
        "dependencies": Vec::from_iter(edges),
    })
}
