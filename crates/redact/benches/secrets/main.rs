//! Measures recall, false alarms and speed of redaction:
//! `cargo bench -p windlass-redact --bench secrets -- --help`.
#![allow(
    missing_docs,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a tool for those who work on the code: it reads folders, measures time and prints"
)]

mod ablated;
#[path = "../../../../xtask/src/ablate/answers.rs"]
#[expect(dead_code, reason = "other areas use all of it")]
mod answers;
#[path = "../../tests/it/made_secrets.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod made_secrets;
mod peer;
mod planted;
mod speed;
#[path = "../../tests/it/syntaxes.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod syntaxes;
mod trees;

use std::path::PathBuf;
use std::process::ExitCode;

use self::peer::Peer;

type Error = Box<dyn std::error::Error>;

const USAGE: &str = "\
cargo bench -p windlass-redact --bench secrets -- [--rules FILE] [--tree DIR…] [--show] [--missed N] [--speed] [--check]

  Counts how many planted values vanish and how many lines of clean trees are taken for secrets.
  --rules FILE   the `config/gitleaks.toml` of gitleaks: apply its rules to the same texts
  --tree DIR     a folder of source without secrets; may be repeated
  --show         print each line found in the trees
  --missed N     print the first N planted values of each set that are left
  --speed        measure the speed on made source and documents
  --check        with --speed: exit with 1 below 200 MB/s
  --ablate SET   answer `cargo xtask ablate` on the standard input, for the values of the set `tune` or `decide`";

#[derive(Default)]
struct Options {
    rules: Option<PathBuf>,
    trees: Vec<PathBuf>,
    show: bool,
    missed: usize,
    speed: bool,
    check: bool,
    ablated: Option<String>,
}

fn main() -> Result<ExitCode, Error> {
    let Some(options) = options()? else {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    };
    if options.speed {
        let is_fast = speed::measure();
        return Ok(ExitCode::from(u8::from(options.check && !is_fast)));
    }
    if let Some(set) = &options.ablated {
        ablated::answer_requests(&options.trees, set == "tune")?;
        return Ok(ExitCode::SUCCESS);
    }
    let peer = options.rules.as_deref().map(Peer::read).transpose()?;
    planted::measure(peer.as_ref(), options.missed);
    trees::measure(&options.trees, peer.as_ref(), options.show)?;
    Ok(ExitCode::SUCCESS)
}

/// Parses the arguments. Returns `None` for `--help`.
fn options() -> Result<Option<Options>, Error> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` takes a value"));
        match arg.as_str() {
            "--rules" => options.rules = Some(value()?.into()),
            "--tree" => options.trees.push(value()?.into()),
            "--show" => options.show = true,
            "--missed" => options.missed = value()?.parse()?,
            "--speed" => options.speed = true,
            "--check" => options.check = true,
            "--ablate" => options.ablated = Some(value()?),
            // `cargo bench` adds this one itself.
            "--bench" => {}
            "-h" | "--help" => return Ok(None),
            _ => return Err(format!("unknown argument `{arg}`\n{USAGE}").into()),
        }
    }
    Ok(Some(options))
}
