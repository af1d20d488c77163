//! Builds a component from sources, and checks it (`plugin build`).

mod rust;
mod tools;

use std::path::{Path, PathBuf};

use windlass::Error;
use windlass::plugin::componentize;
use windlass::store::RootedPath;
use windlass_render::built_plugin_line;

use super::{Ended, Failure, unusable};
use crate::args::PluginBuildArgs;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

/// Build functions by language. The first file that exists in the folder decides.
const LANGUAGES: [(&str, Compile); 4] = [
    ("Cargo.toml", rust::compile),
    ("plugin.js", tools::javascript),
    ("plugin.py", tools::python),
    ("plugin.c", tools::c),
];

/// Builds the sources in a folder. Returns the path of the module or component.
type Compile = fn(&Path, &Screen) -> Result<PathBuf, Failure>;

pub(crate) fn build(root: Option<&Path>, args: &PluginBuildArgs, screen: &Screen) -> Ended {
    let source = here().join(&args.source);
    if !source.exists() {
        return Err(unusable(
            format!("no such file or folder `{}`", args.source.display()),
            Some("name the folder with the sources of the plugin, or a `.wasm` file".to_owned()),
            true,
        ));
    }
    let (module, folder) = match source.is_dir() {
        true => (compile(&source, &args.source, screen)?, source),
        false => (
            source.clone(),
            source.parent().map(Path::to_owned).unwrap_or_default(),
        ),
    };
    let bytes = std::fs::read(&module).map_err(|error| unbuilt_at(&module, &error))?;
    let component = componentize(&bytes).map_err(|error| {
        let message = format!("`{}` is not a plugin: {error}", module.display());
        unusable(message, error.help(), false)
    })?;
    // Check the component before writing it, so that an unusable plugin never replaces a usable
    // one. We check and write the same bytes.
    let report = workspace(root)?
        .plugins()
        .inspect_component(component.clone(), module)?;
    let out = match &args.out {
        Some(out) => here().join(out),
        None => folder.join(format!("{}.wasm", report.card.name)),
    };
    windlass::store::write_shared(&RootedPath::typed(&out), &component).map_err(Error::from)?;
    screen.print(&built_plugin_line(&report, &out));
    Ok(Exit::Done)
}

fn compile(folder: &Path, named: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    let compile = LANGUAGES
        .iter()
        .find(|(file, _)| folder.join(file).is_file());
    let Some((_, compile)) = compile else {
        let files = LANGUAGES.map(|(file, _)| format!("`{file}`")).join(", ");
        return Err(unusable(
            format!("no plugin sources in `{}`", named.display()),
            Some(format!(
                "expected one of {files}; create sources with `windlass plugin new NAME`"
            )),
            true,
        ));
    };
    compile(folder, screen)
}

fn unbuilt(message: String) -> Failure {
    unusable(message, None, false)
}

fn unbuilt_at(path: &Path, error: &std::io::Error) -> Failure {
    unbuilt(format!("{}: {error}", path.display()))
}

fn missing_tool(what: &str, help: String) -> Failure {
    unusable(format!("{what} is not installed"), Some(help), true)
}
