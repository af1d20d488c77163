//! Reads the lines of one program by trying its rules and taking the steps of those that match.

use super::counts::Tally;
use super::findings::Findings;
use super::hit::Hit;
use super::lines::Lines;
use super::table::{Condition, Program, Rule, Verb};
use crate::in_short::{in_short, told};
use crate::places_in::places_in;
use crate::{Failure, FailureKind, FileCount, TestOutcome};

/// Steps that only one program needs. See [`Sheet`] for the others.
pub(super) trait Own {
    /// Takes a step. Returns false if the line turns out to belong to another program.
    fn act(&mut self, verb: Verb, hit: &Hit<'_>, sheet: &mut Sheet<'_, '_>) -> bool;

    /// Reads a line that no rule matches. Returns false if it is not a line of this program.
    fn other(&mut self, _sheet: &mut Sheet<'_, '_>) -> bool {
        false
    }

    fn end(&mut self, _sheet: &mut Sheet<'_, '_>) {}
}

pub(super) struct Reader {
    pub(super) program: &'static Program,
    state: State,
    own: Option<Box<dyn Own>>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) is_open: bool,
    /// Number of failures and of names known when the run began.
    pub(super) first: (usize, usize),
    pub(super) section: String,
    file: Option<String>,
    pub(super) unsure: Vec<String>,
    /// True if a failure was reported after the first test in `unsure`.
    has_told: bool,
    /// Number of failures announced but not reported yet.
    due: u32,
    tally: Option<Tally>,
    total: Option<u32>,
    /// Name and message of a failure that counts unless a later line has more detail.
    owed: Option<(String, String)>,
}

/// The state of the active program, the lines, and the results found in them.
pub(super) struct Sheet<'s, 't> {
    pub(super) program: &'static Program,
    pub(super) state: &'s mut State,
    pub(super) lines: &'s mut Lines<'t>,
    pub(super) found: &'s mut Findings,
}

impl Reader {
    pub(super) fn of(program: &'static Program, own: Option<Box<dyn Own>>) -> Self {
        Self {
            program,
            state: State::default(),
            own,
        }
    }

    /// Takes the current line and its block. Returns false if they are of another program.
    pub(super) fn take(&mut self, lines: &mut Lines<'_>, found: &mut Findings) -> bool {
        let at = lines.at();
        let line = lines.line();
        let line = match &self.program.strip {
            Some(strip) => strip.stripped(line),
            None => line,
        };
        let mut sheet = Sheet {
            program: self.program,
            state: &mut self.state,
            lines,
            found,
        };
        for rule in &self.program.rules {
            let Some(hit) = sheet.hit(rule, line) else {
                continue;
            };
            // Move past the matched lines, so that the steps can take the block below them.
            if !rule.pass {
                sheet.lines.pass(hit.taken());
            }
            let is_taken = rule.verbs.iter().all(|verb| {
                let is_done = sheet.act(*verb, &hit);
                is_done.unwrap_or_else(|| {
                    let mut own = self.own.iter_mut();
                    own.any(|own| own.act(*verb, &hit, &mut sheet))
                })
            });
            if !is_taken {
                // The line belongs to another rule or program after all.
                sheet.lines.return_to(at);
                continue;
            }
            if let Some(to) = &rule.to {
                to.clone_into(&mut sheet.state.section);
            }
            // After a rule with `pass`, the rules below are tried for the same line.
            if !rule.pass {
                return true;
            }
        }
        let mut own = self.own.iter_mut();
        own.any(|own| own.other(&mut sheet))
    }

    /// Adds what can only be known after the last line.
    pub(super) fn end(&mut self, lines: &mut Lines<'_>, found: &mut Findings) {
        let mut sheet = Sheet {
            program: self.program,
            state: &mut self.state,
            lines,
            found,
        };
        if let Some(own) = &mut self.own {
            own.end(&mut sheet);
        }
        sheet.end();
    }
}

impl<'t> Sheet<'_, 't> {
    fn hit(&self, rule: &'static Rule, line: &'t str) -> Option<Hit<'t>> {
        let holds = |condition: &Condition| match condition {
            Condition::Open => self.state.is_open,
            Condition::File => self.state.file.is_some(),
            Condition::Due => self.state.due > 0,
            Condition::Well => self.found.is_all_well(),
            Condition::Followed => self.lines.is_followed(),
        };
        let sections = &rule.sections;
        let is_in = sections.is_empty() || sections.contains(&self.state.section);
        let is_before = |next: &super::pattern::Pattern| next.is_match(self.lines.ahead(1));
        if !is_in || !rule.conditions.iter().all(holds) || !rule.next.as_ref().is_none_or(is_before)
        {
            return None;
        }
        // Most patterns only match a single line.
        let seen = match rule.line.is_of_lines() {
            true => self.lines.several(),
            false => line,
        };
        let captures = rule.line.captures(seen)?;
        Some(Hit {
            rule,
            line,
            at: self.lines.at(),
            captures,
            file: self.state.file.clone(),
        })
    }

    /// Takes the block of lines that belong to the line of `rule`.
    pub(super) fn block(&mut self, rule: &Rule) -> &'t str {
        match self.program.extent(rule) {
            (None, None) => "",
            (until, only) => self.lines.take_until(|line| {
                until.is_some_and(|until| until.is_match(line))
                    || only.is_some_and(|only| !only.is_match(line))
            }),
        }
    }

    /// Takes a step shared by several programs. Returns `None` for a step of a single program.
    fn act(&mut self, verb: Verb, hit: &Hit<'t>) -> Option<bool> {
        match verb {
            Verb::Recognise => self.found.recognise(),
            Verb::Open => self.open(),
            Verb::Close => self.close(),
            Verb::Cut => self.found.results.is_broken_off = true,
            Verb::Uncounted => self.found.results.is_uncounted = true,
            Verb::Break => self.break_off(hit),
            Verb::Interrupt if self.state.is_open => {
                self.found.break_off(&self.program.end, "");
                self.close();
            }
            Verb::Interrupt => {}
            Verb::Went => self.went(hit),
            Verb::Name => self.found.name(&hit.name()),
            Verb::Fail => self.fail(hit),
            Verb::FailNew if self.found.has(&hit.name()) => {}
            Verb::FailNew => self.fail(hit),
            Verb::Error => return Some(self.error(hit)),
            Verb::ErrorSaid => {
                let block = self.block(hit.rule);
                let text = hit.with_first(block);
                let said = hit.said(&text);
                self.found.tell(&hit.name(), &said, FailureKind::Error);
            }
            Verb::Suite => self.found.of_suite(hit.get("suite")),
            Verb::Place => self.found.of_place(hit.any(&["place", "file"])),
            Verb::File => self.state.file = hit.any(&["file"]).map(str::to_owned),
            Verb::Unsure => self.unsure(hit),
            Verb::Forget => self.state.unsure.clear(),
            Verb::Due => self.state.due = self.state.due.saturating_add(hit.tally().failed),
            Verb::Owe => {
                let owed = (hit.name(), hit.said(""));
                self.state.owed.get_or_insert(owed);
            }
            Verb::Settle => self.settle(),
            _ => return self.count_as(verb, hit),
        }
        Some(true)
    }

    /// Takes a step that counts tests, and returns `None` for any other step.
    fn count_as(&mut self, verb: Verb, hit: &Hit<'_>) -> Option<bool> {
        match verb {
            Verb::Count => {
                let Some(mut tally) = hit.counts() else {
                    return Some(false);
                };
                // An earlier line may have announced the total.
                tally.total = self.state.total.take().unwrap_or(tally.total);
                // The program itself says that it didn't run all tests.
                if hit.get("ran") != hit.get("all") {
                    self.found.results.is_broken_off = true;
                }
                self.found.count(tally.count());
            }
            Verb::Tally => self.tally(hit.tally()),
            Verb::Total => self.state.total = Some(hit.tally().total),
            Verb::CountTally => self.count_tally(),
            Verb::DropTally => self.state.tally = None,
            Verb::CountFile => {
                let all = hit.tally().total;
                let others = hit.get("others").split(|c: char| !c.is_ascii_digit());
                let others = others.filter_map(|it| it.parse::<u32>().ok());
                let others = others.fold(0, u32::saturating_add);
                let passed = all.saturating_sub(others);
                let count = FileCount { passed, others };
                self.found.count_in(hit.get("file"), count);
            }
            _ => return None,
        }
        Some(true)
    }

    pub(super) fn open(&mut self) {
        if !self.state.is_open {
            self.state.is_open = true;
            self.state.first = self.found.known();
        }
    }

    fn close(&mut self) {
        self.state.is_open = false;
        self.state.unsure.clear();
    }

    fn break_off(&mut self, hit: &Hit<'_>) {
        let block = self.block(hit.rule);
        let name = match hit.rule.name.is_empty() {
            true => self.program.end.clone(),
            false => hit.name(),
        };
        self.found.break_off(name.trim(), &hit.said(block));
    }

    fn went(&mut self, hit: &Hit<'_>) {
        match hit.outcome() {
            Some(TestOutcome::Failed) => self.found.name(&hit.name()),
            Some(outcome) => self.found.went(&hit.name(), outcome),
            None => {}
        }
    }

    fn fail(&mut self, hit: &Hit<'_>) {
        let block = self.block(hit.rule);
        self.state.due = self.state.due.saturating_sub(1);
        self.state.has_told = true;
        let text = hit.with_first(block);
        let said = hit.said(&text);
        match hit.any(&["place"]) {
            Some(place) => self.found.fail_at(&hit.name(), &said, &text, place),
            None => self.found.fail(&hit.name(), &said, &text),
        }
    }

    /// Adds a finding of a compiler or linter. Returns false if it lacks a required location.
    fn error(&mut self, hit: &Hit<'_>) -> bool {
        let (file, line) = (hit.any(&["file"]), hit.any(&["line"]));
        let file = file.or(self.state.file.as_deref());
        let place = file.zip(line).map(|(file, line)| format!("{file}:{line}"));
        let named = |name| {
            hit.any(&[name])
                .map(|it| places_in(&format!("{it}: error ")))
        };
        let is_nowhere = |places: &Vec<String>| places.is_empty();
        let below = named("place");
        // The pattern has matched something other than a location, so this isn't a finding.
        if below
            .as_ref()
            .or(named("where").as_ref())
            .is_some_and(is_nowhere)
        {
            return false;
        }
        let is_block = !matches!(self.program.extent(hit.rule), (None, None));
        let text = [hit.line, self.block(hit.rule)].join("\n");
        let below = below.and_then(|places| places.into_iter().next());
        let places = match place.or(below) {
            Some(place) => vec![place],
            None => places_in(&text),
        };
        let place = places.first().map(|place| format!("{place}: "));
        let message = hit.get("message");
        let failure = Failure {
            id: place.unwrap_or_default() + hit.any(&["rule"]).unwrap_or(message),
            kind: FailureKind::Error,
            summary: in_short(message),
            detail: told(&text).1.filter(|_| is_block),
            places,
            ..Failure::default()
        };
        self.found.add_new(failure);
        true
    }

    fn unsure(&mut self, hit: &Hit<'_>) {
        // A failure that was reported before the first of these tests has nothing to do with them.
        self.state.has_told &= !self.state.unsure.is_empty();
        self.state.unsure.push(hit.name());
    }

    /// Adds counts that apply unless a summary at the end replaces them.
    fn tally(&mut self, tally: Tally) {
        self.state.tally.get_or_insert_default().add_all(tally);
    }

    pub(super) fn is_tallied(&self) -> bool {
        self.state.tally.is_some()
    }

    fn count_tally(&mut self) {
        if let Some(tally) = self.state.tally.take() {
            self.found.count(tally.count());
        }
    }

    fn settle(&mut self) {
        let owed = self.state.owed.take();
        if let Some((name, said)) = owed.filter(|_| self.found.is_all_well()) {
            match said.is_empty() {
                true => self.found.name(&name),
                false => self.found.tell(&name, &said, FailureKind::Error),
            }
        }
    }

    fn end(&mut self) {
        self.settle();
        self.count_tally();
        let unsure = std::mem::take(&mut self.state.unsure);
        // The text is cut if a run hasn't ended, an announced failure never came, or a test has no
        // outcome.
        let is_cut = self.state.is_open || self.state.due > 0 || !unsure.is_empty();
        // Without any report of a failure, each of these tests may have failed.
        if !self.state.has_told {
            unsure.iter().for_each(|name| self.found.name(name));
        }
        if is_cut && self.program.end.is_empty() {
            self.found.results.is_broken_off = true;
        } else if is_cut {
            self.found.break_off(&self.program.end, "");
        }
    }
}
