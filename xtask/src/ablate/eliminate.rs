//! Backward elimination: drops the heuristics with the least benefit per line of code.
//!
//! We first measure what it costs to turn off each heuristic alone. Then we drop groups of them,
//! cheapest first. If a group costs too much, it's halved and both halves are tried again, until
//! what's left are the heuristics that have to be kept. This takes far fewer measurements than
//! trying one heuristic after the other.

use super::area::Area;
use super::child::Child;
use super::compare::{Cost, broken_floor, cost};
use crate::Error;

/// Limit for the cost of all eliminated heuristics together, in points. We compare it with the
/// upper end of the confidence interval.
const MAX_SUM: f64 = 1.0;

/// Decision about a heuristic.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fate {
    /// It's dropped. This is the cost of everything dropped so far, including this heuristic.
    Goes(Cost),
    /// It's kept, for this reason.
    Stays(String),
}

impl Fate {
    fn is_gone(&self) -> bool {
        matches!(self, Self::Goes(_))
    }
}

pub(super) struct Measured {
    pub(super) name: String,
    pub(super) lines: usize,
    /// Cost of turning off this heuristic alone.
    pub(super) alone: Cost,
    pub(super) fate: Fate,
}

pub(super) struct Set {
    child: Child,
    pub(super) before: String,
}

impl Set {
    fn start(mut child: Child) -> Result<Self, Error> {
        let before = child.measure(&[])?;
        Ok(Self { child, before })
    }

    pub(super) fn classes(&self) -> &[String] {
        &self.child.classes
    }

    /// Measures the cost of turning off the heuristics in `off`. If this makes the results of a
    /// class fall below its floor, that class is returned as well.
    fn cost(&mut self, area: &Area, off: &[String]) -> Result<(Cost, Option<String>), Error> {
        let found = self.child.measure(off)?;
        let (classes, before) = (&self.child.classes, &self.before);
        let broken = broken_floor(area, classes, before, &found);
        Ok((cost(area, classes, before, &found), broken))
    }
}

pub(super) struct Elimination<'a> {
    pub(super) area: &'a Area,
    pub(super) tune: Set,
    pub(super) decide: Set,
    /// The heuristics, in the order in which we try to eliminate them.
    pub(super) measured: Vec<Measured>,
}

impl<'a> Elimination<'a> {
    pub(super) fn start(area: &'a Area, tune: Child, decide: Child) -> Result<Self, Error> {
        Ok(Self {
            area,
            tune: Set::start(tune)?,
            decide: Set::start(decide)?,
            measured: Vec::new(),
        })
    }

    /// Measures each heuristic alone in the tuning set, and sorts them by cost per line.
    pub(super) fn measure_alone(&mut self) -> Result<(), Error> {
        for name in self.area.heuristics.keys() {
            let (alone, broken) = self.tune.cost(self.area, std::slice::from_ref(name))?;
            eprintln!("{name}: {alone:?}");
            let fate = Fate::Stays(refusal(alone, broken).unwrap_or_default());
            self.measured.push(Measured {
                lines: self.area.lines(name)?,
                name: name.clone(),
                alone,
                fate,
            });
        }
        let per_line = |one: &Measured| one.alone.points / one.lines.max(1) as f64;
        self.measured.sort_by(|one, other| {
            let order = per_line(one).total_cmp(&per_line(other));
            order.then(other.lines.cmp(&one.lines))
        });
        Ok(())
    }

    /// Drops one group of heuristics after the other, cheapest first. Each group is measured
    /// together with everything dropped before, because two heuristics may be able to stand in for
    /// each other: turning off either costs nothing, turning off both does.
    pub(super) fn eliminate(&mut self) -> Result<(), Error> {
        let open = Fate::Stays(String::new());
        let all = 0..self.measured.len();
        let all: Vec<usize> = all.filter(|at| self.measured[*at].fate == open).collect();
        let mut off: Vec<String> = Vec::new();
        let mut groups = vec![all];
        while let Some(group) = groups.pop().filter(|group| !group.is_empty()) {
            let names = group.iter().map(|at| self.measured[*at].name.clone());
            let tried: Vec<String> = off.iter().cloned().chain(names).collect();
            let fate = self.fate(&tried)?;
            eprintln!("{}: {fate:?}", tried[off.len()..].join(" "));
            if fate.is_gone() || group.len() == 1 {
                for at in group {
                    self.measured[at].fate = fate.clone();
                }
                if fate.is_gone() {
                    off = tried;
                }
                continue;
            }
            let (first, second) = group.split_at(group.len() / 2);
            // The groups are a stack, so this tries the cheaper half next.
            groups.extend([second.to_vec(), first.to_vec()]);
        }
        Ok(())
    }

    fn fate(&mut self, off: &[String]) -> Result<Fate, Error> {
        let mut fate = Fate::Stays(String::new());
        // Both sets have to agree. Since the order comes from the tuning set, that set alone would
        // be too optimistic.
        for set in [&mut self.tune, &mut self.decide] {
            let (sum, broken) = set.cost(self.area, off)?;
            fate = match refusal(sum, broken) {
                Some(why) => Fate::Stays(why),
                None => Fate::Goes(sum),
            };
            if !fate.is_gone() {
                break;
            }
        }
        Ok(fate)
    }
}

fn refusal(cost: Cost, broken: Option<String>) -> Option<String> {
    if cost.wrong > 0 {
        return Some(format!("{} wrong more", cost.wrong));
    }
    if let Some(class) = broken {
        return Some(format!("floor of `{class}`"));
    }
    let points = cost.at_most().max(cost.named);
    (points > MAX_SUM).then(|| format!("up to {points:.2} points in sum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_claim_is_refused_first() {
        let cost = Cost {
            points: -1.0,
            wrong: 1,
            ..Cost::default()
        };
        assert_eq!(refusal(cost, None), Some("1 wrong more".to_owned()));
        let cheap = Cost {
            points: 0.9,
            ..Cost::default()
        };
        assert_eq!(refusal(cheap, None), None);
        let floor = refusal(cheap, Some("edited".to_owned()));
        assert_eq!(floor, Some("floor of `edited`".to_owned()));
        let dear = Cost {
            named: 1.1,
            ..Cost::default()
        };
        assert_eq!(
            refusal(dear, None),
            Some("up to 1.10 points in sum".to_owned())
        );
    }
}
