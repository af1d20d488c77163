//! Formulas cooked to large graphs: the towers of Hanoi, and a loop that reaches the limit.

use std::fmt::Write as _;
use std::time::Duration;

use super::measure::{in_turn, output, time};
use super::report::{Goal, Row};
use super::world::World;
use crate::Error;

/// As the towers of Hanoi with ten discs: each move written out, between a first and a last step.
const MOVES: usize = 1_023;
/// As many as there may be.
const STEPS: usize = 100_000;

pub(crate) fn run(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.folder("formula")?;
    output(world.program("git", &root).args(["init", "--quiet"]))?;
    let folder = root.join(".beads/formulas");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("written.formula.toml"), written_out())?;
    std::fs::write(folder.join("loop.formula.toml"), repeated())?;
    let mut rows = Vec::new();
    for (name, steps, formula, within) in [
        ("1,025 steps", MOVES + 2, "written", 20),
        ("a loop to 100,000 steps", STEPS, "loop", 1_000),
    ] {
        let args = ["formula", "cook", formula];
        let cooked = String::from_utf8(output(&mut world.windlass(&root, args))?)?;
        let first = cooked.lines().next().unwrap_or_default();
        if !first.contains(&format!("{steps} steps")) {
            return Err(format!("the formula is not what it should be: {first}").into());
        }
        let mut ours = || time(&mut world.windlass(&root, args));
        let took = in_turn(&mut [&mut ours], world.repeat(11))?.remove(0);
        let goal = Goal::Within(Duration::from_millis(within));
        rows.push(Row::times(
            format!("formula cook: {name}"),
            took,
            None,
            goal,
        ));
    }
    Ok(rows)
}

fn written_out() -> String {
    let mut text = "formula = \"written\"\nversion = 1\n".to_owned();
    let mut step = |id: &str, need: Option<&str>| {
        let needs = need.map_or(String::new(), |need| format!("needs = [\"{need}\"]\n"));
        let _ = write!(
            text,
            "\n[[steps]]\nid = \"{id}\"\ntitle = \"Do {id}\"\ndescription = \"Take the uppermost disc and put it down.\"\n{needs}"
        );
    };
    step("set-up", None);
    let mut before = "set-up".to_owned();
    for number in 1..=MOVES {
        let id = format!("move-{number}");
        step(&id, Some(&before));
        before = id;
    }
    step("look", Some(&before));
    text
}

fn repeated() -> String {
    format!(
        "formula = \"loop\"\nversion = 1\n[vars]\nlast = \"{STEPS}\"\n[[steps]]\nid = \"moves\"\ntitle = \"Moves\"\n\
         loop = {{ range = \"1..{{last}}\", var = \"n\", body = [{{ id = \"move\", title = \"Move {{n}} of {{{{last}}}}\" }}] }}\n"
    )
}
