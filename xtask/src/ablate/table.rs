//! Writes an elimination as a table, for a Markdown file of the repository.

use std::fmt::Write as _;
use std::path::Path;

use super::child::repos;
use super::compare::shares;
use super::eliminate::{Elimination, Fate, Set};
use crate::Error;

/// Formats the table. `date` is the day of the measurement, and `folder` is the one with the
/// repositories.
pub(super) fn of(found: &Elimination<'_>, folder: &Path, date: &str) -> Result<String, Error> {
    let area = found.area;
    let counted = match &*area.constant {
        "" => "all cases".to_owned(),
        constant => format!("the cases that are not `{constant}`"),
    };
    let mut text = format!(
        "# Ablation\n\nWritten by `cargo xtask ablate` on {date}. {}\n\n\
         A heuristic goes if it and all that went before it cost at most one point in sum (the upper end of the interval), add no wrong result and break no \
         floor. Points are right results in percent of {counted}.\n\n",
        area.cases
    );
    for (name, set) in [("tune", &found.tune), ("decide", &found.decide)] {
        let repos = repos(&folder.join(name))?;
        let names = repos.iter().filter_map(|repo| repo.file_name()?.to_str());
        let names: Vec<&str> = names.collect();
        writeln!(text, "- `{name}`: {}. {}", names.join(", "), shares_of(set))?;
    }
    text.push_str("\n| heuristic | lines | alone: points | named | wrong | in the elimination |\n");
    text.push_str("|---|--:|--:|--:|--:|---|\n");
    for one in &found.measured {
        let alone = one.alone;
        let fate = match &one.fate {
            Fate::Goes(sum) => format!("goes, {:+.2} in sum", sum.points),
            Fate::Stays(why) => format!("stays: {why}"),
        };
        writeln!(
            text,
            "| {} | {} | {:+.2} ± {:.2} | {:+.2} | {} | {fate} |",
            one.name, one.lines, alone.points, alone.interval, alone.named, alone.wrong
        )?;
    }
    Ok(text)
}

fn shares_of(set: &Set) -> String {
    let shares = shares(set.classes(), &set.before);
    let shown = shares
        .iter()
        .map(|(class, (share, all))| format!("{class} {share:.1} % of {all}"));
    shown.collect::<Vec<_>>().join(", ")
}
