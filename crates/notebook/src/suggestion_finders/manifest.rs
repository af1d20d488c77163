//! What manifests say: `Cargo.toml`, `package.json`, `pyproject.toml`.

use serde_json::Value;
use windlass_base::RepoPath;

use super::file_survey::Text;

pub(super) fn json(text: &Text) -> Option<Value> {
    serde_json::from_slice(text.source.bytes()).ok()
}

/// The lines of field `name` of the outermost object.
pub(super) fn json_field(text: &Text, name: &str) -> Option<(u32, u32)> {
    let key = format!("\"{name}\":");
    let mut depth = 0_i32;
    for (number, line) in text.lines() {
        if depth == 1 && line.trim_start().starts_with(&key) {
            return Some((number, text.closed_at(number)));
        }
        for letter in line.chars() {
            match letter {
                '{' | '[' => depth += 1,
                '}' | ']' => depth -= 1,
                _ => {}
            }
        }
    }
    None
}

/// The value of `key` in lines `first` to `last` of a TOML file, where it is a plain text.
pub(super) fn toml_text(text: &Text, (first, last): (u32, u32), key: &str) -> Option<String> {
    (first..=last).find_map(|number| {
        let (name, value) = text.line(number).split_once('=')?;
        let value = value.trim().strip_prefix('"')?.split('"').next()?;
        (name.trim() == key).then(|| value.to_owned())
    })
}

/// The name of the program that starts in the file at `path`, if the package of `cargo` in `folder` has one there.
pub(super) fn rust_program(cargo: &Text, folder: &RepoPath, path: &str) -> Option<String> {
    let inside = if folder.is_root() {
        path
    } else {
        path.strip_prefix(folder.as_str())?.strip_prefix('/')?
    };
    let package = cargo.section("[package]")?;
    for (number, line) in cargo.lines() {
        if line.trim() != "[[bin]]" {
            continue;
        }
        let end = cargo.lines().skip_while(|(n, _)| *n <= number);
        let end = end
            .into_iter()
            .find(|(_, line)| line.starts_with('['))
            .map_or(cargo.len(), |(n, _)| n - 1);
        let name = toml_text(cargo, (number, end), "name");
        if toml_text(cargo, (number, end), "path").is_some_and(|at| at == inside) {
            return name;
        }
        if inside == "src/main.rs" && name.is_some() {
            return name;
        }
    }
    if inside == "src/main.rs" {
        return toml_text(cargo, package, "name");
    }
    let name = inside.strip_prefix("src/bin/")?;
    let name = name
        .strip_suffix("/main.rs")
        .or_else(|| name.strip_suffix(".rs"))?;
    (!name.contains('/')).then(|| name.to_owned())
}
