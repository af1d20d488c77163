//! Writes the sources of a plugin, ready to build (`plugin new`).

use std::path::{Path, PathBuf};

use windlass::plugin::INTERFACE;

use super::{Ended, Failure, unusable};
use crate::args::{PluginLanguage, PluginNewArgs};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

type File = (&'static str, String);

macro_rules! texts {
    ($($to:literal: $from:literal,)*) => {
        [$(($to, include_str!($from))),*]
    };
}

const EXAMPLES: [(&str, &str); 4] = texts! {
    "examples/counts.input.json": "../../../scaffolds/plugin/examples/counts.input.json",
    "examples/counts.output.json": "../../../scaffolds/plugin/examples/counts.output.json",
    "examples/nothing.input.json": "../../../scaffolds/plugin/examples/nothing.input.json",
    "examples/nothing.error.txt": "../../../scaffolds/plugin/examples/nothing.error.txt",
};

const RUST: [(&str, &str); 4] = texts! {
    "Cargo.toml": "../../../scaffolds/plugin/rust/Cargo.toml.txt",
    ".cargo/config.toml": "../../../scaffolds/plugin/rust/config.toml.txt",
    "src/lib.rs": "../../../scaffolds/plugin/rust/lib.rs.txt",
    ".gitignore": "../../../scaffolds/plugin/rust/gitignore.txt",
};

/// The SDK that belongs to this version of the program. We write it beside the plugin's own
/// sources, so that they are self-contained.
const RUST_SDK: [(&str, &str); 4] = texts! {
    "sdk/Cargo.toml": "../../../../../plugins/sdk/Cargo.toml",
    "sdk/src/lib.rs": "../../../../../plugins/sdk/src/lib.rs",
    "sdk/src/arena.rs": "../../../../../plugins/sdk/src/arena.rs",
    "sdk/src/host.rs": "../../../../../plugins/sdk/src/host.rs",
};

const JAVASCRIPT: [(&str, &str); 5] = texts! {
    "plugin.js": "../../../scaffolds/plugin/js/plugin.js.txt",
    "windlass.js": "../../../scaffolds/plugin/js/windlass.js",
    "package.json": "../../../scaffolds/plugin/js/package.json.txt",
    "wit/world.wit": "../../../scaffolds/plugin/world.wit",
    ".gitignore": "../../../scaffolds/plugin/js/gitignore.txt",
};

const PYTHON: [(&str, &str); 4] = texts! {
    "plugin.py": "../../../scaffolds/plugin/python/plugin.py.txt",
    "windlass.py": "../../../scaffolds/plugin/python/windlass.py",
    "wit/world.wit": "../../../scaffolds/plugin/world.wit",
    ".gitignore": "../../../scaffolds/plugin/python/gitignore.txt",
};

const C: [(&str, &str); 3] = texts! {
    "plugin.c": "../../../scaffolds/plugin/c/plugin.c.txt",
    "windlass.h": "../../../scaffolds/plugin/c/windlass.h",
    ".gitignore": "../../../scaffolds/plugin/c/gitignore.txt",
};

/// The package that Rust plugins depend on. A plugin cannot have the same name.
const SDK: &str = "windlass-step";

pub(crate) fn new(root: Option<&Path>, args: &PluginNewArgs, screen: &Screen) -> Ended {
    let name = &args.name;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    if name.len() > 64 || !starts || name.ends_with('-') || !name.chars().all(plain) {
        return Err(Failure::Usage(format!(
            "`{name}` is not a plugin name: use at most 64 lower-case letters, digits and `-`, starting with a letter"
        )));
    }
    if name == SDK {
        return Err(Failure::Usage(format!(
            "`{name}` is the name of the plugin SDK: choose another name"
        )));
    }
    if args.sdk.is_some() && args.lang != PluginLanguage::Rust {
        return Err(Failure::Usage(
            "`--sdk` applies only to Rust: other languages need no SDK".to_owned(),
        ));
    }
    let sdk = args.sdk.as_deref().map(sdk).transpose()?;
    let into = match &args.out_dir {
        Some(into) => into.clone(),
        None => plugins_of(root)?,
    };
    let folder = here().join(&into).join(name);
    if folder.exists() {
        return Err(problem(
            format!("`{}` already exists", folder.display()),
            "choose another name, or another folder with `--out-dir`",
        ));
    }
    for (file, text) in sources(args.lang, name, sdk.as_deref()) {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| {
            let what = format!("{}: {error}", path.display());
            problem(what, "choose a writable folder with `--out-dir DIR`")
        })?;
    }
    let folder = into.join(name);
    screen.print(&next(args.lang, &folder, name));
    Ok(Exit::Done)
}

fn plugins_of(root: Option<&Path>) -> Result<PathBuf, Failure> {
    let own = PathBuf::from("plugins");
    let workspace = match (workspace(root), root) {
        // `plugin new` also works outside of a repository. Then the current folder gets a `plugins`
        // folder. But if the user named a root, they expect it to be one.
        (Ok(workspace), _) => workspace,
        (Err(error), Some(_)) => return Err(error.into()),
        (Err(_), None) => return Ok(own),
    };
    let root = workspace.site().repo().root();
    let here = here().canonicalize().unwrap_or_else(|_| here());
    Ok(match here.strip_prefix(root) {
        Ok(below) => below
            .components()
            .map(|_| "..")
            .collect::<PathBuf>()
            .join(own),
        Err(_) => root.join(own),
    })
}

fn sdk(named: &Path) -> Result<PathBuf, Failure> {
    let found = here().join(named).canonicalize().ok();
    found
        .filter(|sdk| sdk.join("Cargo.toml").is_file())
        .ok_or_else(|| {
            problem(
                format!("no SDK in `{}`: no `Cargo.toml`", named.display()),
                "omit `--sdk` to include the SDK in the sources",
            )
        })
}

fn problem(message: String, help: &str) -> Failure {
    unusable(message, Some(help.to_owned()), false)
}

fn sources(language: PluginLanguage, name: &str, sdk: Option<&Path>) -> Vec<File> {
    let own: &[(&'static str, &str)] = match language {
        PluginLanguage::Rust => &RUST,
        PluginLanguage::Js => &JAVASCRIPT,
        PluginLanguage::Python => &PYTHON,
        PluginLanguage::C => &C,
    };
    let sdk_is_elsewhere = sdk.is_some();
    let sdk = sdk.map_or("sdk".to_owned(), |sdk| sdk.display().to_string());
    // Quote the path for `Cargo.toml`. A JSON string is also a TOML string.
    let sdk = serde_json::Value::from(sdk).to_string();
    let filled = |(file, text): &(&'static str, &str)| {
        (*file, text.replace("@NAME@", name).replace("@SDK@", &sdk))
    };
    let mut files: Vec<File> = own.iter().chain(&EXAMPLES).map(filled).collect();
    let verbatim = |(file, text): &(&'static str, &str)| (*file, (*text).to_owned());
    match language {
        PluginLanguage::Rust if sdk_is_elsewhere => {}
        PluginLanguage::Rust => {
            files.extend(RUST_SDK.iter().map(verbatim));
            files.push(("sdk/wit/step.wit", INTERFACE.to_owned()));
        }
        PluginLanguage::Js | PluginLanguage::Python => {
            files.push(("wit/deps/windlass-step/step.wit", INTERFACE.to_owned()));
        }
        // This is only for people, since the header has everything that a compiler needs.
        PluginLanguage::C => files.push(("wit/step.wit", INTERFACE.to_owned())),
    }
    files
}

fn next(language: PluginLanguage, folder: &Path, name: &str) -> String {
    let folder = folder.display();
    let first = match language {
        PluginLanguage::Js => format!("  npm install --prefix {folder}\n"),
        PluginLanguage::Python => format!(
            "  python3 -m venv {folder}/.venv && {folder}/.venv/bin/pip install componentize-py==0.25.1\n"
        ),
        PluginLanguage::Rust | PluginLanguage::C => String::new(),
    };
    format!(
        "{folder}\n{first}  windlass plugin build {folder}\n  windlass plugin test {folder}/{name}.wasm\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(files: &[File], name: &str) -> String {
        let file = files.iter().find(|(file, _)| *file == name);
        file.unwrap_or_else(|| panic!("{name}")).1.clone()
    }

    #[test]
    fn sources_are_self_contained() {
        let files = sources(PluginLanguage::Rust, "count-it", None);
        assert!(text(&files, "Cargo.toml").contains("windlass-step = { path = \"sdk\" }"));
        // The SDK has to include the interface, and must not depend on a surrounding workspace.
        assert!(text(&files, "sdk/src/lib.rs").contains("path: \"wit\""));
        assert!(!text(&files, "sdk/Cargo.toml").contains("workspace"));
        assert_eq!(text(&files, "sdk/wit/step.wit"), INTERFACE);

        let elsewhere = sources(
            PluginLanguage::Rust,
            "count-it",
            Some(Path::new("/a \"b\"")),
        );
        assert!(text(&elsewhere, "Cargo.toml").contains(r#"path = "/a \"b\"""#));
        assert!(!elsewhere.iter().any(|(file, _)| file.starts_with("sdk/")));

        for (language, source) in [
            (PluginLanguage::Rust, "src/lib.rs"),
            (PluginLanguage::Js, "plugin.js"),
            (PluginLanguage::Python, "plugin.py"),
            (PluginLanguage::C, "plugin.c"),
        ] {
            let files = sources(language, "count-it", None);
            assert!(text(&files, source).contains("\"count-it\""), "{source}");
            assert!(!files.iter().any(|(_, text)| text.contains("@NAME@")));
            text(&files, "examples/counts.output.json");
            text(&files, ".gitignore");
        }
    }

    #[test]
    fn world_imports_all_interfaces() {
        let world = text(&sources(PluginLanguage::Js, "a", None), "wit/world.wit");
        let all = INTERFACE.lines().filter_map(|line| {
            let line = line.trim().strip_suffix(';')?;
            line.strip_prefix("import ")
        });
        for interface in all {
            assert!(
                world.contains(&format!("import windlass:step/{interface}@1.0.0;")),
                "{interface}"
            );
        }
    }
}
