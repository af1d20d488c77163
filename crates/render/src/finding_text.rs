//! Formats findings about documents like compiler errors, with the relevant lines.

mod finding_excerpt;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use windlass::base::{Diagnostic, Place, Position, Severity, Source, counted, is_harmful};
use windlass::packs::harmless;
use windlass::redact::redact_text;

use self::finding_excerpt::Excerpt;

/// Formats findings about documents. This remembers the lines with secrets, so that a document with
/// many findings is scanned only once.
pub struct FindingText<'a> {
    renderer: Renderer,
    secrets: SecretLines<'a>,
}

impl<'a> FindingText<'a> {
    /// Creates a formatter, which uses terminal colors if `is_colored` is set.
    #[must_use]
    pub fn new(is_colored: bool) -> Self {
        Self {
            renderer: match is_colored {
                true => Renderer::styled(),
                false => Renderer::plain(),
            },
            secrets: SecretLines::default(),
        }
    }

    /// Formats a finding and its lines, except for those with a secret. `named` adds the user's
    /// `--root` to commands in the text.
    pub fn write(&mut self, finding: &'a Diagnostic, named: impl Fn(&str) -> String) -> String {
        render(&self.renderer, finding, named, &mut self.secrets)
    }
}

/// Maximum number of line ranges to list for omitted findings.
const NAMED_RANGES: usize = 20;

/// Counts the omitted findings of a rule, and lists their lines.
#[must_use]
pub fn more_findings(rule: &str, same: &[&Diagnostic]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in same
        .iter()
        .filter_map(|found| Some(found.place.as_ref()?.position().line))
    {
        match ranges.last_mut() {
            Some((_, last)) if line <= *last + 1 && line >= *last => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    let named = ranges.iter().take(NAMED_RANGES);
    let named: Vec<String> = named
        .map(|(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        })
        .collect();
    let more = if ranges.len() > NAMED_RANGES {
        ", …; `windlass check FILE --format json` lists all"
    } else {
        ""
    };
    let count = counted(same.len(), "more finding");
    match named.is_empty() {
        true => format!("{count} of `{rule}`"),
        false => format!("{count} of `{rule}`: lines {}{more}", named.join(", ")),
    }
}

fn render<'a>(
    renderer: &Renderer,
    diagnostic: &'a Diagnostic,
    name_root: impl Fn(&str) -> String,
    secrets: &mut SecretLines<'a>,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let clean = |text: &str| harmless(&name_root(text)).replace(PLACE, "\u{fffd}");
    let message = clean(&diagnostic.message);
    let help = diagnostic.help.as_deref().map(clean);
    let title = level.primary_title(message.as_str()).id(diagnostic.rule);
    let mut places: Vec<PlaceGroup<'a>> = Vec::new();
    let mut group = match &diagnostic.place {
        None => Group::with_title(title),
        Some(place) if secrets.show_at(place) => {
            // There's a secret at the place itself, so just name it without showing any lines.
            places.push(vec![(place, None)]);
            let Position { line, column } = place.position();
            let origin = Origin::path(PLACE.to_string());
            title.element(origin.line(line).char_column(column))
        }
        Some(place) => {
            let related = diagnostic.related.iter();
            let related = related.filter(|(other, _)| !secrets.show_at(other));
            places = shown(place, related);
            title.elements(places.iter().map(snippet))
        }
    };
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let first = places.iter().filter_map(|shown| shown.first());
    // The renderer replaces some of these characters, but not all. The escapes that are left are
    // its own colors.
    let is_foreign = |c: char| is_harmful(c) && !matches!(c, '\n' | '\u{1b}');
    let rendered = renderer.render(&[group]).replace(is_foreign, "\u{fffd}");
    with_places(&rendered, first.map(|(place, _)| *place))
}

/// Maximum distance of two places in a shared excerpt, in lines. Every line of an excerpt is
/// scanned for secrets, so an excerpt should not span too many.
const NEAR: usize = 100;

/// The places in one excerpt. The first one is the main place, and carries no label.
type PlaceGroup<'a> = Vec<(&'a Place, Option<&'a str>)>;

/// Groups the related places. Those near the finding's own place share an excerpt with it.
fn shown<'a>(
    place: &'a Place,
    related: impl Iterator<Item = &'a (Place, String)>,
) -> Vec<PlaceGroup<'a>> {
    let near = |other: &Place| {
        let apart = place.position().line.abs_diff(other.position().line);
        Arc::ptr_eq(&place.source, &other.source) && apart <= NEAR
    };
    let (near, far): (Vec<_>, Vec<_>) = related.partition(|(other, _)| near(other));
    let first = std::iter::once((place, None)).chain(near.into_iter().map(labelled));
    let far = far.into_iter().map(|other| vec![labelled(other)]);
    std::iter::once(first.collect()).chain(far).collect()
}

/// Placeholder for a place while rendering. The character is first removed from all texts, so it
/// cannot occur in any of them.
const PLACE: char = '\u{fffe}';

/// Replaces the placeholders in rendered text by the places.
///
/// The renderer cannot write the places itself because it only sees the excerpt, and would count
/// the column from the beginning of that.
fn with_places<'a>(rendered: &str, places: impl Iterator<Item = &'a Place>) -> String {
    let mut parts = rendered.split(PLACE);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut places = places.map(|place| harmless(&place.to_string()));
    for part in parts {
        text.extend(places.next());
        let counted = |c: char| c == ':' || c.is_ascii_digit();
        text.push_str(part.trim_start_matches(counted));
    }
    text
}

fn labelled((place, why): &(Place, String)) -> (&Place, Option<&str>) {
    (place, Some(why))
}

/// Builds the snippet for a group of places. Those with a label are marked as context.
fn snippet<'a>(places: &PlaceGroup<'a>) -> Snippet<'a, Annotation<'a>> {
    let lines = places.iter().map(|(place, _)| place.position().line);
    let (first, last) = lines.fold((usize::MAX, 0), |(first, last), line| {
        (first.min(line), last.max(line))
    });
    let spans: Vec<_> = places.iter().map(|(place, _)| first_line(place)).collect();
    let excerpt = places.first().map_or_else(Excerpt::default, |(place, _)| {
        Excerpt::new(&place.source, first..=last, &spans)
    });
    let annotations = places.iter().zip(&spans).map(|((_, label), span)| {
        let span = excerpt.locate(span);
        match label {
            None => AnnotationKind::Primary.span(span),
            Some(label) => AnnotationKind::Context.span(span).label(*label),
        }
    });
    Snippet::source(excerpt.text().to_owned())
        .line_start(first)
        .path(PLACE.to_string())
        .annotations(annotations.collect::<Vec<_>>())
}

/// Cuts a place off at the end of its first line, because the beginning is enough to find it.
fn first_line(place: &Place) -> Range<usize> {
    let Position { line, .. } = place.position();
    let end = place.source.line_range(line).end;
    place.range.start..place.range.end.min(end.max(place.range.start))
}

/// For each document so far, the lines with a secret or a part of one.
#[derive(Default)]
struct SecretLines<'a>(Vec<(&'a Arc<Source>, BTreeSet<usize>)>);

impl<'a> SecretLines<'a> {
    fn show_at(&mut self, place: &'a Place) -> bool {
        let line = place.position().line;
        let known = self
            .0
            .iter()
            .find(|(source, _)| Arc::ptr_eq(source, &place.source));
        if let Some((_, lines)) = known {
            return lines.contains(&line);
        }
        let lines = secret_lines(place.source.text());
        let shows = lines.contains(&line);
        self.0.push((&place.source, lines));
        shows
    }
}

/// Returns the lines (1-based) with a secret.
fn secret_lines(text: &str) -> BTreeSet<usize> {
    let (scanned, _) = redact_text(text);
    let mut scanned = scanned.as_str().split('\n');
    let differs = |line: &str| scanned.next() != Some(line);
    let lines = (1..).zip(text.split('\n').map(differs));
    lines
        .filter_map(|(at, differs)| differs.then_some(at))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_excerpt_are_replaced() {
        let source = Source::new(
            "x.md",
            "\u{1b}[1m\u{9b}2J\u{9d}\u{e0041}\u{202e}\n".to_owned(),
        );
        let finding = Diagnostic::error("syntax", "wrong").at(Place::new(&source, 0..1));
        let text = FindingText::new(false).write(&finding, str::to_owned);
        assert!(!text.replace('\n', "").contains(is_harmful), "{text:?}");
    }

    #[test]
    fn place_in_long_line_keeps_column() {
        let long = "ü, ".repeat(1_000);
        let source = Source::new("x.yaml", format!("a: 1\nb: [{long}zz, {long}]\n"));
        let start = "a: 1\nb: [".len() + long.len();
        let place = Place::new(&source, start..start + 2);
        let finding = Diagnostic::error("unknown-step", "there is no `zz`\u{fffe}:1:1")
            .at(place)
            .see(Place::new(&source, 0..1), "see here");
        let text = render(
            &Renderer::plain(),
            &finding,
            str::to_owned,
            &mut SecretLines::default(),
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..2],
            [
                "error[unknown-step]: there is no `zz`\u{fffd}:1:1",
                " --> x.yaml:2:3005"
            ]
        );
        let at = |what: &str| lines.iter().position(|line| line.contains(what)).unwrap();
        assert!(lines[at("ü, zz, ü") + 1].ends_with(" ^^"));
        assert!(lines[at("- see here") - 1].ends_with("a: 1"));
        assert!(text.chars().count() < 1_000);
    }
}
