use std::path::Path;

use windlass_base::shell_word;
use windlass_site::{Health, HealthFinding, program_on_path};

use crate::Workspace;

/// The name by which hooks and clients start the program.
const PROGRAM: &str = "windlass";

/// Checks that the `windlass` on the PATH is the program that is running, since hooks and clients
/// would use another version otherwise.
pub(super) fn check(workspace: &Workspace, program: Option<&Path>) -> HealthFinding {
    const WHAT: &str = "program";
    let version = env!("CARGO_PKG_VERSION");
    let own = program.map_or_else(
        || version.to_owned(),
        |path| format!("{version} at {}", path.display()),
    );
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = program.and_then(Path::parent);
    let first = folder.map(first_on_path);
    let (health, found) = match program_on_path(workspace.site().environment(), PROGRAM) {
        Some(named) if program.is_none_or(|program| real(program) == real(&named)) => {
            return HealthFinding::new(WHAT, Health::Good, own);
        }
        Some(other) => (
            Health::Fair,
            format!(
                "{own}; `windlass` on the PATH is another: {}",
                other.display()
            ),
        ),
        None => (
            Health::Fair,
            format!("{own}; not on the PATH, so hooks and clients cannot start it"),
        ),
    };
    let finding = HealthFinding::new(WHAT, health, found);
    match first {
        Some(help) => finding.help(help),
        None => finding,
    }
}

fn first_on_path(folder: &Path) -> String {
    let folder = shell_word(&folder.to_string_lossy());
    format!("run `export PATH={folder}:\"$PATH\"`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_on_path_is_quoted_for_a_shell() {
        for (folder, told) in [
            ("/opt/bin", r#"run `export PATH=/opt/bin:"$PATH"`"#),
            ("/a $b\"`", r#"run `export PATH='/a $b"`':"$PATH"`"#),
        ] {
            assert_eq!(first_on_path(Path::new(folder)), told);
        }
    }
}
