//! Helpers that the scheduler tests share.

mod again;
mod fan_out;
mod halts;
mod laws;
mod steps;

use std::time::Duration;

use super::*;
use crate::Retry;

/// Parses steps from a text such as `"a; b: a; c: a b !"`.
///
/// What a step needs follows the colon, and so do marks. The mark `!` continues after a failure,
/// `finally` makes a `finally` step, `r3` allows three attempts, and `~a` only waits for the end of
/// `a`.
fn parse(text: &str) -> (Vec<String>, Vec<NodeSpec>) {
    let lines: Vec<&str> = text.split(';').map(str::trim).collect();
    let names: Vec<String> = lines
        .iter()
        .map(|line| line.split(':').next().unwrap().trim().to_owned())
        .collect();
    let specs = lines.iter().map(|line| {
        let mut spec = NodeSpec::default();
        for word in line.split(':').nth(1).unwrap_or("").split_whitespace() {
            match word {
                "!" => spec.continue_on_failure = true,
                "finally" => spec.finally = true,
                ended if ended.starts_with('~') => spec.after.push(StepIndex::new(
                    names.iter().position(|n| *n == ended[1..]).unwrap(),
                )),
                "r3" => {
                    spec.retry = Retry {
                        max_attempts: 3,
                        ..Retry::default()
                    }
                }
                need => spec.needs.push(StepIndex::new(
                    names.iter().position(|n| n == need).unwrap(),
                )),
            }
        }
        spec
    });
    let specs = specs.collect();
    (names, specs)
}

struct Play {
    names: Vec<String>,
    schedule: Schedule,
}

impl Play {
    fn new(text: &str, options: ScheduleOptions) -> Self {
        let (names, specs) = parse(text);
        let mut schedule = Schedule::new(specs, options);
        schedule.begin();
        Self { names, schedule }
    }

    fn step(&self, name: &str) -> StepIndex {
        StepIndex::new(self.names.iter().position(|n| n == name).unwrap())
    }

    fn ready(&self) -> String {
        let name = |step: StepIndex| match self.schedule.origin(step) {
            Some((parent, at)) => format!("{}[{at}]", self.names[parent.index()]),
            None => self.names[step.index()].clone(),
        };
        self.schedule
            .ready()
            .map(name)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn start(&mut self, name: &str) -> &mut Self {
        let step = self.step(name);
        self.schedule.apply(Event::Started { step }).unwrap();
        self
    }

    fn done(&mut self, name: &str) -> &mut Self {
        let step = self.step(name);
        self.schedule.apply(Event::Started { step }).unwrap();
        self.schedule
            .apply(Event::Completed {
                step,
                attempt: self.schedule.attempt(step),
            })
            .unwrap();
        self
    }

    fn fail(&mut self, name: &str, retryable: bool) -> Vec<Action> {
        let step = self.step(name);
        self.schedule.apply(Event::Started { step }).unwrap();
        let attempt = self.schedule.attempt(step);
        self.schedule
            .apply(Event::Failed {
                step,
                attempt,
                retryable,
            })
            .unwrap()
    }

    fn skip(&mut self, name: &str) -> &mut Self {
        let step = self.step(name);
        self.schedule.apply(Event::Skipped { step }).unwrap();
        self
    }

    fn statuses(&self) -> String {
        let status = |at| self.schedule.status(StepIndex::new(at)).as_str();
        self.names
            .iter()
            .enumerate()
            .map(|(at, name)| format!("{name}={}", status(at)))
            .collect::<Vec<_>>()
            .join(" ")
    }
}
