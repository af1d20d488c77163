//! `plugin build`: from sources to a component, checked.

mod rust;
mod tools;

use std::path::{Path, PathBuf};

use windlass::Error;
use windlass::plugin::componentize;

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
    let (module, folder) = match source.is_dir() {
        true => (compile(&source, &args.source, screen)?, source),
        false => (
            source.clone(),
            source.parent().map(Path::to_owned).unwrap_or_default(),
        ),
    };
    let bytes = std::fs::read(&module).map_err(|error| unbuilt_at(&module, &error))?;
    let component = componentize(&bytes).map_err(|error| Error::Plugin {
        message: format!("`{}` makes no plugin: {error}", module.display()),
        help: error.help(),
        missing: false,
    })?;
    let out = args.out.as_ref().map(|out| here().join(out));
    let into = out.as_deref().and_then(Path::parent).unwrap_or(&folder);
    // What cannot be used never stands where a plugin is looked for, nor takes the place of one that can.
    let new = into.join(".new-plugin.wasm");
    std::fs::write(&new, &component).map_err(|error| unbuilt_at(&new, &error))?;
    let checked = workspace(root).and_then(|workspace| {
        let report = workspace.inspect_plugin(&new.to_string_lossy(), &here());
        report.map_err(|error| told_of(error, &new, &module))
    });
    let put = checked.map_err(Failure::from).and_then(|report| {
        let name = format!("{}.wasm", report.card.name);
        let out = out.clone().unwrap_or_else(|| folder.join(name));
        std::fs::rename(&new, &out).map_err(|error| unbuilt_at(&out, &error))?;
        Ok((report, out))
    });
    let (report, out) = put.inspect_err(|_| {
        let _ = std::fs::remove_file(&new);
    })?;
    screen.print(&format!(
        "plugin:{}@{}  {}  {} bytes  {}\n",
        report.card.name,
        report.card.major(),
        report.digest,
        report.bytes,
        out.display()
    ));
    Ok(Exit::Done)
}

/// The same error, of the file that the user knows.
fn told_of(error: Error, new: &Path, module: &Path) -> Error {
    match error {
        Error::Plugin {
            message,
            help,
            missing,
        } => {
            let module = module.display().to_string();
            let mut message = message.replace(&*new.to_string_lossy(), &module);
            // Within the repository it goes by the path from there.
            if let Some(at) = message.find(".new-plugin.wasm") {
                let start = message[..at].rfind(['`', ' ']).map_or(0, |start| start + 1);
                message.replace_range(start..at + ".new-plugin.wasm".len(), &module);
            }
            Error::Plugin {
                message,
                help,
                missing,
            }
        }
        error => error,
    }
}

fn compile(folder: &Path, named: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    let compile = LANGUAGES
        .iter()
        .find(|(file, _)| folder.join(file).is_file());
    let Some((_, compile)) = compile else {
        let files = LANGUAGES.map(|(file, _)| format!("`{file}`")).join(", ");
        return Err(Failure::Library(Error::Plugin {
            message: format!("there are no sources of a plugin in `{}`", named.display()),
            help: Some(format!(
                "one of these has to be there: {files}; `windlass plugin new NAME` writes sources"
            )),
            missing: true,
        }));
    };
    compile(folder, screen)
}

fn unbuilt(message: String) -> Failure {
    Failure::Library(Error::Plugin {
        message,
        help: None,
        missing: false,
    })
}

fn unbuilt_at(path: &Path, error: &std::io::Error) -> Failure {
    unbuilt(format!("{}: {error}", path.display()))
}

/// The machine has no `what`; `help` says how to get it.
fn lacking(what: &str, help: String) -> Failure {
    Failure::Library(Error::Plugin {
        message: format!("there is no {what} here"),
        help: Some(help),
        missing: true,
    })
}
