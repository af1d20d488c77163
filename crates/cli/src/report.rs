//! Errors as people read them: what happened, where, what to do next.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use windlass::Error;
use windlass::base::{Diagnostic, Diagnostics, Severity};

use crate::screen::Screen;

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
        screen.complain(&render(&renderer, diagnostic));
    }
}

fn render(renderer: &Renderer, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.rule);
    let mut group = match &diagnostic.place {
        None => Group::with_title(title),
        Some(place) => {
            let mut snippet = Snippet::source(place.source.text())
                .path(place.source.name())
                .annotation(AnnotationKind::Primary.span(place.range.clone()));
            let (same, _): (Vec<_>, Vec<_>) = diagnostic
                .related
                .iter()
                .partition(|(other, _)| other.source.name() == place.source.name());
            for (other, why) in same {
                snippet = snippet.annotation(
                    AnnotationKind::Context
                        .span(other.range.clone())
                        .label(why.as_str()),
                );
            }
            title.element(snippet)
        }
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}
