//! Compares the `search` step with `rg`. Both find the same lines, so only the time matters.

use super::bench_times::{Row, in_turn, output, time};
use super::bench_world::World;
use super::made_sources::{settle, write_sources};
use crate::Error;

/// Patterns with few and with many matches.
const PATTERNS: [(&str, &str); 2] = [("few", r"fn \w+_digest_1\d\d_"), ("many", r"\bfn \w+")];

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.repository("search")?;
    write_sources(&root, 6_000, 400)?;
    std::fs::create_dir_all(root.join(".windlass"))?;
    settle();
    let mut rows = Vec::new();
    for (name, pattern) in PATTERNS {
        let text = format!(
            "schema_version: 1\nid: {name}\nsteps:\n  - {{ id: found, uses: search, with: {{ pattern: '{pattern}', max_matches: 50 }} }}\n\
             outputs:\n  - {{ id: found, from: found }}\n"
        );
        std::fs::write(root.join(format!(".windlass/{name}.yaml")), text)?;
        let ours = || world.windlass(&root, ["run", name]);
        let rg = || {
            let mut command = world.program("rg", &root);
            command.args(["--no-config", "--line-number", pattern, "."]);
            command
        };
        output(&mut ours())?;
        let (mut ours, mut rg) = (|| time(&mut ours()), || time(&mut rg()));
        let [ours, rg] = in_turn([&mut ours, &mut rg], world.repeat(21))?;
        let name = format!("search: {name} matches");
        rows.push(Row::beside(name, ours, 1.2, ("rg", rg)));
    }
    Ok(rows)
}
