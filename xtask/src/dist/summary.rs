//! Files that list the packages of all platforms: the checksums and the Homebrew formula.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::kinds::archive_name;
use super::release::Release;
use super::target::Target;
use super::tree::sha256;
use super::{is_installed, output};
use crate::Error;

const SUMS: &str = "SHA256SUMS";
const FORMULA: &str = "windlass.rb";

pub(super) fn write(release: &Release, out: &Path) -> Result<(), Error> {
    let mut sums = sums(out)?;
    if let Some(formula) = formula(release, &sums) {
        super::write(out.join(FORMULA), formula.as_bytes())?;
        sums.insert(FORMULA.to_owned(), sha256(formula.as_bytes()));
        if is_installed("ruby") {
            output(Command::new("ruby").arg("-c").arg(out.join(FORMULA)))?;
        } else {
            println!("skipped: the check of the Homebrew formula, which needs `ruby`");
        }
    }
    let lines = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n"));
    super::write(out.join(SUMS), String::from_iter(lines).as_bytes())?;
    Ok(())
}

fn sums(out: &Path) -> Result<BTreeMap<String, String>, Error> {
    let mut sums = BTreeMap::new();
    for entry in std::fs::read_dir(out)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // These are left from an earlier call, and are about to be replaced.
        if path.is_file() && ![SUMS, FORMULA].contains(&&*name) {
            sums.insert(name.into_owned(), sha256(&std::fs::read(&path)?));
        }
    }
    Ok(sums)
}

/// Returns the Homebrew formula for the archives in `sums`, if any of them is for macOS or Linux.
fn formula(release: &Release, sums: &BTreeMap<String, String>) -> Option<String> {
    let mut platforms = String::new();
    for (system, triple_end) in [("macos", "apple-darwin"), ("linux", "unknown-linux-gnu")] {
        let mut processors = String::new();
        for (processor, triple_start) in [("arm", "aarch64"), ("intel", "x86_64")] {
            let triple = format!("{triple_start}-{triple_end}");
            let target = Target::parse(&triple).ok()?;
            let name = archive_name(release, &target);
            if let Some(sum) = sums.get(&name) {
                let address = format!("{}/{name}", release.download());
                processors += &format!(
                    "    on_{processor} do\n      url \"{address}\"\n      sha256 \"{sum}\"\n    end\n"
                );
            }
        }
        if !processors.is_empty() {
            platforms += &format!("  on_{system} do\n{processors}  end\n");
        }
    }
    let licences =
        Vec::from_iter(release.licence.split(" OR ").map(|id| format!("\"{id}\""))).join(", ");
    (!platforms.is_empty()).then(|| {
        format!(
            "class Windlass < Formula\n  desc \"{summary}\"\n  homepage \"{repository}\"\n  version \"{version}\"\n  \
             license any_of: [{licences}]\n\n{platforms}\n{INSTALL}end\n",
            summary = release.summary,
            repository = release.repository,
            version = release.version,
        )
    })
}

/// End of the formula: installation and its test.
const INSTALL: &str = r#"  def install
    bin.install "windlass"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/windlass.bash" => "windlass"
    zsh_completion.install "completions/_windlass"
    fish_completion.install "completions/windlass.fish"
  end

  test do
    (testpath/"src/main.rs").write "fn main() {}\n"
    system bin/"windlass", "init", "--yes"
    system bin/"windlass", "run", "overview"
  end
"#;
