//! Errors as people read them: what happened, where, what to do next.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use windlass::Error;
use windlass::base::{Diagnostic, Diagnostics, Place, Position, Severity};
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
    for diagnostic in found.iter() {
        screen.complain_styled(&render(&renderer, diagnostic));
    }
}

fn render(renderer: &Renderer, diagnostic: &Diagnostic) -> String {
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
        Some(place) if shows_secrets(place) => {
            let Position { line, column } = place.position();
            title.element(
                Origin::path(place.source.name())
                    .line(line)
                    .char_column(column),
            )
        }
        Some(place) => title.element(snippet(place, &diagnostic.related)),
    };
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The lines a finding is about. Of a long place the first line is shown: it says where.
fn snippet<'a>(place: &'a Place, related: &'a [(Place, String)]) -> Snippet<'a, Annotation<'a>> {
    let main = AnnotationKind::Primary.span(first_line(place));
    let snippet = Snippet::source(place.source.text())
        .path(place.source.name())
        .annotation(main);
    let same = related
        .iter()
        .filter(|(other, _)| other.source.name() == place.source.name());
    same.filter(|(other, _)| !shows_secrets(other))
        .fold(snippet, |snippet, (other, why)| {
            snippet.annotation(
                AnnotationKind::Context
                    .span(first_line(other))
                    .label(why.as_str()),
            )
        })
}

fn first_line(place: &Place) -> std::ops::Range<usize> {
    let Position { line, .. } = place.position();
    let end = place.source.line_range(line).end;
    place.range.start..place.range.end.min(end.max(place.range.start))
}

/// Whether the line of `place` holds a secret value, or a part of one.
fn shows_secrets(place: &Place) -> bool {
    let (scanned, _) = redact_text(place.source.text());
    let at = place.position().line - 1;
    let shown = scanned.as_str().split('\n').nth(at);
    shown != place.source.text().split('\n').nth(at)
}
