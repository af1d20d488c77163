//! Errors as people read them: what happened, where, what to do next.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use windlass::Error;
use windlass::base::{Diagnostic, Diagnostics, Place, Position, Severity, Source};
use windlass::repo::redact_text;

use crate::screen::{Screen, harmless};

/// Tells the user about an error.
pub(crate) fn error(screen: &Screen, error: &Error) {
    if let Error::Document(found) = error {
        return diagnostics(screen, found);
    }
    message(screen, &error.to_string(), error.help().as_deref());
}

/// Tells the user that something went wrong, and what to do.
pub(crate) fn message(screen: &Screen, what: &str, help: Option<&str>) {
    screen.complain(&format!("error: {what}"));
    if let Some(help) = help {
        screen.complain(&format!("hint: {help}"));
    }
}

/// Shows findings with the lines they are about.
pub(crate) fn diagnostics(screen: &Screen, found: &Diagnostics) {
    let renderer = if screen.colors_errors() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut secrets = SecretLines::default();
    for diagnostic in found.iter() {
        screen.complain_styled(&render(&renderer, diagnostic, &mut secrets));
    }
}

fn render<'a>(
    renderer: &Renderer,
    diagnostic: &'a Diagnostic,
    secrets: &mut SecretLines<'a>,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let (message, help) = (
        harmless(&diagnostic.message),
        diagnostic.help.as_deref().map(harmless),
    );
    let title = level.primary_title(message.as_str()).id(diagnostic.rule);
    let mut group = match &diagnostic.place {
        None => Group::with_title(title),
        Some(place) if secrets.show_at(place) => {
            let Position { line, column } = place.position();
            title.element(
                Origin::path(place.source.name())
                    .line(line)
                    .char_column(column),
            )
        }
        Some(place) => {
            let related = diagnostic.related.iter();
            let shown = related.filter(|one| {
                let (other, _): &'a (Place, String) = one;
                !secrets.show_at(other)
            });
            title.elements(snippets(place, shown))
        }
    };
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// How many lines apart two places may be to be shown in one excerpt: all of it is looked through.
const NEAR: usize = 100;

/// The lines a finding is about, and those of what else is to be seen.
fn snippets<'a>(
    place: &'a Place,
    related: impl Iterator<Item = &'a (Place, String)>,
) -> Vec<Snippet<'a, Annotation<'a>>> {
    let near = |other: &Place| {
        let apart = place.position().line.abs_diff(other.position().line);
        Arc::ptr_eq(&place.source, &other.source) && apart <= NEAR
    };
    let (near, far): (Vec<_>, Vec<_>) = related.partition(|(other, _)| near(other));
    let first = excerpt(std::iter::once((place, None)).chain(near.into_iter().map(labelled)));
    let far = far
        .into_iter()
        .map(|other| excerpt([labelled(other)].into_iter()));
    std::iter::once(first).chain(far).collect()
}

fn labelled((place, why): &(Place, String)) -> (&Place, Option<&str>) {
    (place, Some(why))
}

/// The lines from the first to the last of some places in one document; those with a label are context.
fn excerpt<'a>(
    places: impl Iterator<Item = (&'a Place, Option<&'a str>)> + Clone,
) -> Snippet<'a, Annotation<'a>> {
    let lines = places.clone().map(|(place, _)| place.position().line);
    let (first, last) = lines.fold((usize::MAX, 0), |(first, last), line| {
        (first.min(line), last.max(line))
    });
    let mut snippet = Snippet::source("");
    for (at, (place, label)) in places.enumerate() {
        let (from, to) = (
            place.source.line_range(first).start,
            place.source.line_range(last).end,
        );
        if at == 0 {
            let text = place.source.text().get(from..to).unwrap_or("");
            snippet = Snippet::source(text)
                .line_start(first)
                .path(place.source.name());
        }
        let span = first_line(place);
        let span = span.start.saturating_sub(from)..span.end.saturating_sub(from);
        snippet = snippet.annotation(match label {
            None => AnnotationKind::Primary.span(span),
            Some(label) => AnnotationKind::Context.span(span).label(label),
        });
    }
    snippet
}

/// Of a long place the first line is shown: it says where.
fn first_line(place: &Place) -> Range<usize> {
    let Position { line, .. } = place.position();
    let end = place.source.line_range(line).end;
    place.range.start..place.range.end.min(end.max(place.range.start))
}

/// The lines of documents that hold a secret value, or a part of one. Each document is looked through once.
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

/// The numbers of those lines, from 1.
fn secret_lines(text: &str) -> BTreeSet<usize> {
    let (scanned, _) = redact_text(text);
    let mut scanned = scanned.as_str().split('\n');
    let differs = |line: &str| scanned.next() != Some(line);
    let lines = (1..).zip(text.split('\n').map(differs));
    lines
        .filter_map(|(at, differs)| differs.then_some(at))
        .collect()
}
