//! The command `windlass` as cargo builds it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

/// Folder of build results, which may be outside the checkout.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR");
    root.join(given.unwrap_or_else(|| "target".into()))
}

/// Builds the command with `profile`, either `dev` or `release`, and returns its path.
pub(crate) fn windlass(profile: &str) -> Result<PathBuf, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&root)
        .args(["build", "--quiet", "--locked", "--package", "windlass-cli"])
        .args(["--profile", profile])
        .status()?;
    if !status.success() {
        return Err("the command cannot be built".into());
    }
    let folder = if profile == "dev" { "debug" } else { profile };
    let binary = target_folder(&root).join(folder).join("windlass");
    Ok(binary.with_extension(std::env::consts::EXE_EXTENSION))
}
