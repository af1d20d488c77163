//! First algorithm. It pairs the longest run of equal lines that contains the rarest line, and then the parts before
//! and after it.

use super::part::Part;
use super::{MAX_ALIKE, NONE};
use crate::text::Text;

/// Maximum number of steps per line of both texts.
const STEPS_A_LINE: usize = 200;

/// Two texts to pair, and the number of steps that remain.
struct Histogram<'a> {
    old: &'a Text,
    new: &'a Text,
    steps: usize,
}

/// Run of equal lines.
#[derive(Debug, Clone, Copy)]
struct Run {
    old: usize,
    new: usize,
    lines: usize,
    /// Number of times its rarest line occurs in the old part.
    rarest: usize,
}

/// Returns the line in `new` that is paired with each line in `old`.
pub(super) fn pairs(old: &Text, new: &Text) -> Vec<u32> {
    let steps = (old.len() + new.len()) * STEPS_A_LINE + 10_000;
    let mut this = Histogram { old, new, steps };
    let mut to = vec![NONE; old.len()];
    let mut open = vec![Part::whole(old, new)];
    while let Some(part) = open.pop() {
        let part = part.trimmed(old.keys(), new.keys(), &mut to);
        if part.is_empty() {
            continue;
        }
        let Some(run) = this.best(part) else { continue };
        for at in 0..run.lines {
            to[run.old + at] = (run.new + at) as u32;
        }
        open.push(Part {
            old: (part.old.0, run.old),
            new: (part.new.0, run.new),
        });
        open.push(Part {
            old: (run.old + run.lines, part.old.1),
            new: (run.new + run.lines, part.new.1),
        });
    }
    to
}

impl Histogram<'_> {
    fn best(&mut self, part: Part) -> Option<Run> {
        let mut best: Option<Run> = None;
        let mut at = part.new.0;
        while at < part.new.1 {
            let mut next = at + 1;
            let alike: Vec<u32> = match self.alike(at, part) {
                alike if alike.len() <= MAX_ALIKE => alike.to_vec(),
                _ => Vec::new(),
            };
            self.steps = self.steps.checked_sub(1)?;
            for old in alike {
                let run = self.run(old as usize, at, part)?;
                self.steps = self.steps.checked_sub(run.lines)?;
                next = next.max(run.new + run.lines);
                let is_better = best.is_none_or(|best| {
                    run.rarest < best.rarest
                        || (run.rarest == best.rarest && run.lines > best.lines)
                });
                if is_better {
                    best = Some(run);
                }
            }
            at = next;
        }
        best
    }

    /// Returns the lines in the old part that equal line `new`.
    fn alike(&self, new: usize, part: Part) -> &[u32] {
        let all = self.old.lines_like(self.new.keys()[new]);
        let from = all.partition_point(|at| (*at as usize) < part.old.0);
        let to = all.partition_point(|at| (*at as usize) < part.old.1);
        &all[from..to.max(from)]
    }

    /// Extends a pair of equal lines to a run. Returns `None` if no steps remain.
    fn run(&self, old: usize, new: usize, part: Part) -> Option<Run> {
        let (a, b) = (self.old.keys(), self.new.keys());
        let (mut first_a, mut first_b) = (old, new);
        while first_a > part.old.0 && first_b > part.new.0 && a[first_a - 1] == b[first_b - 1] {
            (first_a, first_b) = (first_a - 1, first_b - 1);
        }
        let mut lines = new - first_b + 1;
        while first_a + lines < part.old.1
            && first_b + lines < part.new.1
            && a[first_a + lines] == b[first_b + lines]
        {
            lines += 1;
        }
        let counts = (0..lines).map(|at| self.alike(first_b + at, part).len());
        Some(Run {
            old: first_a,
            new: first_b,
            lines,
            rarest: counts.min()?,
        })
    }
}
