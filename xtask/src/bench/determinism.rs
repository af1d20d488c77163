//! The same bytes, however many steps run at once.

use std::collections::BTreeSet;

use super::measure::output;
use super::report::Row;
use super::tree::{init_git, settle, write_sources};
use super::world::World;
use crate::Error;

/// Steps that finish in another order each time, one that fails, a fan-out, and a runbook in the runbook.
const RUNBOOK: &str = "\
schema_version: 1
id: wide
steps:
  - { id: files, uses: files, with: { globs: ['*.rs'], limit: 40 } }
  - { id: ropes, uses: search, with: { pattern: 'fn rope_\\w+' } }
  - { id: tides, uses: search, with: { pattern: 'fn tide_\\w+', context: 1 } }
  - { id: winches, uses: search, with: { pattern: winch, max_matches: 100 } }
  - { id: none, uses: read, with: { file: no/such/file }, on_failure: continue }
  - id: each
    uses: search
    for_each: [anchor, budget, cable, cursor, deck, digest, drum, harbour]
    with: { pattern: { $ref: '#/item' }, max_matches: 5 }
  - { id: echo, uses: command, with: { argv: [git, --version] } }
  - id: inner
    uses: runbook
    for_each: [rope, tide, winch]
    with: { name: inner, inputs: { word: { $ref: '#/item' } } }
outputs:
  - { id: files, from: files }
  - { id: ropes, from: ropes, limit: 10 }
  - { id: tides, from: tides }
  - { id: winches, from: winches }
  - { id: none, from: none }
  - { id: each, from: each, select: '$[*].matches[*]' }
  - { id: echo, from: echo }
  - { id: inner, from: inner, select: '$[*].sections[*]' }
";

const INNER: &str = "\
schema_version: 1
id: inner
inputs:
  word: { type: string }
steps:
  - { id: found, uses: search, with: { pattern: { $ref: '#/inputs/word' }, max_matches: 4 } }
  - { id: first, uses: read, with: { file: { $ref: '#/steps/found/output/matches/0/file', $default: none } } }
outputs:
  - { id: found, from: found }
  - { id: first, from: first }
";

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("determinism")?;
    init_git(world, &root)?;
    write_sources(&root, 300, 120)?;
    std::fs::create_dir_all(root.join("runbooks"))?;
    std::fs::write(root.join("runbooks/wide.yaml"), RUNBOOK)?;
    std::fs::write(root.join("runbooks/inner.yaml"), INNER)?;
    settle();
    let mut rows = Vec::new();
    for format in ["json", "text"] {
        let mut seen = BTreeSet::new();
        for _ in 0..world.repeat(100) {
            for jobs in ["1", "2", "16"] {
                let args = [
                    "run",
                    "wide",
                    "--allow-commands",
                    "--jobs",
                    jobs,
                    "--format",
                    format,
                ];
                seen.insert(output(&mut world.windlass(&root, args))?);
            }
        }
        rows.push(Row::number(
            format!("determinism: {format}"),
            seen.len() as f64,
            1.0,
            "different outputs",
        ));
    }
    Ok(rows)
}
