//! Applies the rules of the table to a repository's files.

use regex::Captures;
use windlass_outline::{Outline, Symbol, SymbolKind};

use super::candidate::{Candidate, MAX_LINES};
use super::file_survey::{Survey, Text};
use super::suggestion_rules::{Extent, LineRule, Pattern, Rule, SymbolRule};

/// Maximum number of other lines between two lines of the same group. Comments and attributes often
/// come in between, so neighboring lines alone won't do.
const GAP: u32 = 6;

/// Maximum number of files to which a rule is applied. They're the ones nearest to the root.
const MAX_FILES: usize = 60;

impl Rule {
    /// The candidates of this rule, nearest to the root first.
    pub(super) fn find(&self, survey: &Survey<'_>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for path in survey.files_of(self).into_iter().take(MAX_FILES) {
            let Some(text) = survey.text(path) else {
                continue;
            };
            let has = |pattern: &Pattern| text.lines().any(|(_, line)| pattern.is_in(line));
            if !self.needs.as_ref().is_none_or(has) || self.lacks.as_ref().is_some_and(has) {
                continue;
            }
            let mut places = Vec::new();
            if let Some(symbols) = &self.symbols {
                places = self.symbols_in(symbols, survey, &text);
            } else if let Some(lines) = &self.lines {
                places = self.lines_in(lines, survey, &text);
            }
            let most = self.most.unwrap_or(usize::MAX);
            found.extend(places.into_iter().take(most));
        }
        if self.nearest {
            found = nearest_packages(survey, found);
        }
        // With `alone`, a rule only applies if there are few candidates, because we couldn't tell
        // which of many is the right one.
        if self.alone.is_some_and(|alone| found.len() > alone) {
            return Vec::new();
        }
        found.truncate(self.places.unwrap_or(usize::MAX));
        found
    }

    fn symbols_in(&self, wanted: &SymbolRule, survey: &Survey<'_>, text: &Text) -> Vec<Candidate> {
        let Some(outline) = survey.outline(text) else {
            return Vec::new();
        };
        // The order of the names counts: symbols that match the first pattern come first.
        let named = wanted.names.iter().flat_map(|name| {
            let symbols = outline.symbols.iter().enumerate();
            symbols.filter(|(_, symbol)| name.is_in(&symbol.name))
        });
        let right = named.filter(|(_, symbol)| wanted.takes(symbol, text));
        let found = right.filter_map(|(at, symbol)| {
            let found = Candidate::symbol(text, symbol, first_part(&outline, at))?;
            let symbol = (symbol.path.as_str(), symbol.name.as_str());
            (found.span.count() >= self.least).then(|| self.described(survey, found, symbol, None))
        });
        found.collect()
    }

    fn lines_in(&self, wanted: &LineRule, survey: &Survey<'_>, text: &Text) -> Vec<Candidate> {
        let scope = wanted.scope(text);
        let hits_of = |start: &Pattern| -> Vec<(u32, u32)> {
            let lines = text.lines().zip(&scope);
            let lines = lines.filter(|((number, line), counts)| {
                **counts && start.is_in(line) && !wanted.is_excluded(text, *number)
            });
            lines
                .map(|((number, _), _)| (number, text.end_of(number, wanted.extent)))
                .collect()
        };
        // Likewise, the first pattern with any match wins, and the others aren't tried.
        let all = wanted.starts.iter().map(|start| (start, hits_of(start)));
        let Some((start, hits)) = all.into_iter().find(|(_, hits)| !hits.is_empty()) else {
            return Vec::new();
        };
        let places = match wanted.extent {
            Extent::Group => {
                let is_enough = u32::try_from(hits.len()).is_ok_and(|count| count >= self.least);
                let group = largest_group(&hits).filter(|_| is_enough);
                group.into_iter().collect()
            }
            _ => {
                let mut hits = hits;
                hits.retain(|(first, last)| last - first + 1 >= self.least);
                hits
            }
        };
        let found = places.into_iter().filter_map(|(first, last)| {
            let captures = start.captures(text.line(first));
            if wanted.extent == Extent::Target {
                return self.target(survey, &captures?);
            }
            let found = Candidate::lines(text, first, last)?;
            Some(self.described(survey, found, ("", ""), captures.as_ref()))
        });
        found.collect()
    }

    /// The Python function in a line such as `name = module:function`, i.e. the entry point of a
    /// package. The candidate is the function itself, which may be in another file.
    fn target(&self, survey: &Survey<'_>, line: &Captures<'_>) -> Option<Candidate> {
        let (module, function) = (line.get(2)?.as_str(), line.get(3)?.as_str());
        let path = module.replace('.', "/");
        let places = ["src/", ""]
            .into_iter()
            .flat_map(|root| ["", "/__init__"].map(|file| format!("{root}{path}{file}.py")));
        let text = places
            .into_iter()
            .find_map(|place| survey.text_at(&place))?;
        let outline = survey.outline(&text)?;
        let [symbol] = outline.find(function)[..] else {
            return None;
        };
        let found = Candidate::symbol(&text, symbol, None)?;
        let target = format!("{module}:{function}");
        Some(self.described(survey, found, (&target, function), Some(line)))
    }

    /// Fills in the name, label and reason of `found`. `symbol` is the symbol's whole path, while
    /// `name` is the last part of it. Both are empty for a location without a symbol.
    fn described(
        &self,
        survey: &Survey<'_>,
        mut found: Candidate,
        (symbol, name): (&str, &str),
        line: Option<&Captures<'_>>,
    ) -> Candidate {
        let group = line
            .and_then(|line| line.get(1))
            .map_or("", |it| it.as_str());
        let names = survey.names_of(&found.file);
        let words = [
            ("{1}", group),
            ("{stem}", &names.stem),
            ("{file}", found.file.file_name()),
            ("{path}", found.file.as_str()),
            ("{folder}", &names.folder),
            ("{project}", &names.project),
            ("{program}", &names.program),
            ("{symbol}", symbol),
            ("{name}", name),
        ];
        let filled = |text: &str| {
            let fill = |text: String, (word, with): &(&str, &str)| text.replace(word, with);
            words.iter().fold(text.to_owned(), fill)
        };
        let default = match name {
            "" => ["{stem}", "`{file}`"],
            _ => ["{name}", "`{symbol}`"],
        };
        let texts = (
            filled(self.name.as_deref().unwrap_or(default[0])),
            filled(self.label.as_deref().unwrap_or(default[1])),
            filled(&self.reason),
        );
        (found.name, found.label, found.reason) = texts;
        found
    }
}

impl SymbolRule {
    fn takes(&self, symbol: &Symbol, text: &Text) -> bool {
        let is_inner = matches!(symbol.kind, SymbolKind::Method | SymbolKind::Heading);
        let signature = symbol.lines.first()..=symbol.signature_lines.last();
        let has = |pattern: &Pattern| {
            signature
                .clone()
                .any(|number| pattern.is_in(text.line(number)))
        };
        self.kinds.iter().any(|kind| kind == symbol.kind.as_str())
            && (symbol.depth == 0 || is_inner)
            && self.has.as_ref().is_none_or(has)
            && !self.not.as_ref().is_some_and(|not| not.is_in(&symbol.path))
            && !self
                .unless
                .as_ref()
                .is_some_and(|unless| is_under(text, symbol.name_line, unless))
    }
}

impl LineRule {
    /// True if one of the attributes directly above line `number` rules the line out.
    fn is_excluded(&self, text: &Text, number: u32) -> bool {
        let above = (1..number).rev().map(|number| text.line(number).trim());
        let mut attributes = above.take_while(|line| line.starts_with("#["));
        let unless = self.unless.as_ref();
        unless.is_some_and(|unless| attributes.any(|line| unless.is_in(line)))
    }

    /// For each line, true if a location may start there: the line is in the right section, and for
    /// fields, it's also a direct child of the outermost brackets.
    fn scope(&self, text: &Text) -> Vec<bool> {
        let (mut depth, mut inside) = (0_i32, self.within.is_none());
        let of_line = |(_, line): (u32, &str)| {
            if let Some(heading) = self.within.as_ref().filter(|_| line.starts_with('[')) {
                inside = heading.is_in(line);
            }
            let counts = inside && (self.extent != Extent::Field || depth == 1);
            depth += opened(line);
            counts
        };
        text.lines().map(of_line).collect()
    }
}

impl Text {
    fn end_of(&self, first: u32, extent: Extent) -> u32 {
        match extent {
            Extent::Target => first,
            Extent::Brackets | Extent::Field | Extent::Group => self.closed_at(first),
            Extent::Continued => (first..=self.len())
                .find(|number| !self.line(*number).trim_end().ends_with('\\'))
                .unwrap_or(first),
            Extent::Indented => self.indented_end(first).min(first + MAX_LINES / 2),
            Extent::Section => {
                let end = (first + 1..=self.len()).find(|n| self.line(*n).starts_with('['));
                self.trimmed(first, end.unwrap_or(self.len() + 1))
            }
        }
    }

    /// The line that closes the brackets opened on line `first`.
    ///
    /// We just count brackets, including those in strings and comments. These are usually balanced,
    /// and if they aren't, the location gets too long and is cut.
    fn closed_at(&self, first: u32) -> u32 {
        let mut open = 0;
        let closes = |number: &u32| {
            open += opened(self.line(*number));
            open <= 0
        };
        (first..=self.len()).find(closes).unwrap_or(self.len())
    }
}

fn opened(line: &str) -> i32 {
    let of = |letter| match letter {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    };
    line.chars().map(of).sum()
}

/// True if line `number` of a C source is in a conditional block whose condition matches `unless`.
/// The part after an `#else` still counts as part of the block.
fn is_under(text: &Text, number: u32, unless: &Pattern) -> bool {
    let mut open = Vec::new();
    for number in 1..number {
        let directive = text.line(number).trim_start().strip_prefix('#');
        match directive.map(str::trim_start) {
            Some(directive) if directive.starts_with("if") => open.push(unless.is_in(directive)),
            Some(directive) if directive.starts_with("endif") => {
                open.pop();
            }
            _ => {}
        }
    }
    open.contains(&true)
}

/// Drops the candidates that aren't in the packages nearest to the root. Packages further down are
/// usually tools for developing the project itself.
fn nearest_packages(survey: &Survey<'_>, mut found: Vec<Candidate>) -> Vec<Candidate> {
    let depth = |candidate: &Candidate| {
        let (folder, _) = survey.package(&candidate.file.parent()?)?;
        (!folder.is_root()).then(|| folder.as_str().split('/').count())
    };
    let nearest = found.iter().map(depth).min();
    found.retain(|candidate| Some(depth(candidate)) == nearest);
    found
}

fn first_part(outline: &Outline, at: usize) -> Option<u32> {
    // The part before it has the symbol's own signature, which says more than the nested symbols.
    let part = outline
        .symbols
        .iter()
        .find(|part| part.container == Some(at));
    part.map(|part| part.lines.first() - 1)
}

/// The first and last line of the largest group of neighboring lines. If several groups are equally
/// large, the first one wins.
fn largest_group(lines: &[(u32, u32)]) -> Option<(u32, u32)> {
    let mut groups: Vec<(usize, u32, u32)> = Vec::new();
    for (first, last) in lines {
        match groups.last_mut() {
            Some(group) if *first <= group.2 + GAP + 1 && *last < group.1 + MAX_LINES => {
                group.0 += 1;
                group.2 = group.2.max(*last);
            }
            _ => groups.push((1, *first, *last)),
        }
    }
    let largest = groups.iter().rev().max_by_key(|group| group.0)?;
    Some((largest.1, largest.2))
}
