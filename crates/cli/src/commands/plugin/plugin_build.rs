//! `plugin build`: from sources to a component, checked.

mod rust;
mod tools;

use std::path::{Path, PathBuf};

use windlass::plugin::componentize;
use windlass::store::RootedPath;
use windlass::{Error, PluginUseError};
use windlass_render::built_plugin_line;

use super::Failure;
use crate::args::PluginBuildArgs;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

/// How the sources in a folder are built, by the file that tells.
const LANGUAGES: [(&str, Compile); 4] = [
    ("Cargo.toml", rust::compile),
    ("plugin.js", tools::javascript),
    ("plugin.py", tools::python),
    ("plugin.c", tools::c),
];

/// Builds the sources in a folder; says where the module or component is.
type Compile = fn(&Path, &Screen) -> Result<PathBuf, Failure>;

pub(crate) fn build(
    root: Option<&Path>,
    args: &PluginBuildArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let source = here().join(&args.source);
    if !source.exists() {
        return Err(Failure::Library(
            PluginUseError::Unusable {
                message: format!("there is no `{}`", args.source.display()),
                help: Some("name the folder with its sources, or a `.wasm` file".to_owned()),
                missing: true,
            }
            .into(),
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
    let component = componentize(&bytes).map_err(|error| PluginUseError::Unusable {
        message: format!("`{}` makes no plugin: {error}", module.display()),
        help: error.help(),
        missing: false,
    })?;
    // What cannot be used never stands where a plugin is looked for, nor takes the place of one that can; and these very bytes
    // were looked at.
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
        return Err(Failure::Library(PluginUseError::Unusable {
            message: format!("there are no sources of a plugin in `{}`", named.display()),
            help: Some(format!(
                "one of these has to be there: {files}; `windlass plugin new NAME` writes sources"
            )),
            missing: true,
        }.into()));
    };
    compile(folder, screen)
}

fn unbuilt(message: String) -> Failure {
    Failure::Library(
        PluginUseError::Unusable {
            message,
            help: None,
            missing: false,
        }
        .into(),
    )
}

fn unbuilt_at(path: &Path, error: &std::io::Error) -> Failure {
    unbuilt(format!("{}: {error}", path.display()))
}

/// The machine has no `what`; `help` says how to get it.
fn lacking(what: &str, help: String) -> Failure {
    Failure::Library(
        PluginUseError::Unusable {
            message: format!("there is no {what} here"),
            help: Some(help),
            missing: true,
        }
        .into(),
    )
}
