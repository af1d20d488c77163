//! Converts, measures and migrates documents.

use serde::Serialize;
use windlass::base::{counted, is_harmful};
use windlass::packs::{Measure, harmless, harmless_line};
use windlass::vcontext::{
    Document, Encoding, Layout, MigrationChange, Value, Version, markdown, migrate, migrate_to,
    without_nulls, write,
};
use windlass::{DocumentDraft, lightest_tron};
use windlass_render::migration_line;

use super::input::document;
use super::large_file;
use super::{DocContext, Ended, print_either};
use crate::args::{DocCompact, DocConvertArgs, DocEncoding, DocMigrateArgs, DocStatsArgs};
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

pub(super) fn convert(at: &DocContext<'_>, args: &DocConvertArgs) -> Ended {
    if let Some(max) = large_file::limit(args) {
        return large_file::convert(at, args, max);
    }
    let document = document(at.workspace, &args.file, &at.workspace.site().snapshot())?;
    let layout = match args.compact.is_some() {
        true => Layout::compact(),
        false => Layout::pretty(),
    };
    let value = match args.keep_null {
        true => document.value().clone(),
        false => without_nulls(document.value()),
    };
    let form = |value: &Value<'static>| match args.format {
        DocEncoding::Tron if args.compact == Some(DocCompact::Tokens) => lightest_tron(value),
        DocEncoding::Tron => write(value, Encoding::Tron, &layout),
        DocEncoding::Json | DocEncoding::Markdown => write(value, Encoding::Json, &layout),
    };
    let text = match args.format {
        DocEncoding::Json | DocEncoding::Tron => form(&value),
        DocEncoding::Markdown => {
            if document.container().is_none() {
                let found = at.workspace.documents().check_vcontext(
                    &document,
                    &here().join(&args.file),
                    None,
                    &at.workspace.site().snapshot(),
                );
                return Err(windlass::Error::document(found).into());
            }
            markdown(&document)
        }
    };
    match &args.out {
        Some(out) => {
            match args.format {
                DocEncoding::Markdown => {
                    at.workspace
                        .documents()
                        .write_document(out, &here(), &text)?;
                }
                _ => {
                    at.workspace
                        .documents()
                        .put_vcontext(out, &here(), at.actor, &value, &form)?;
                }
            }
            at.screen.say(&format!("wrote `{}`", harmless_line(out)));
        }
        None if args.format == DocEncoding::Markdown => print(at.screen, &text),
        None => print_document(at.screen, &text),
    }
    Ok(Exit::Done)
}

/// Prints a document in JSON or TRON, and escapes control characters. These only occur inside of
/// strings, so what we print still parses to the same value.
pub(in crate::commands) fn print_document(screen: &Screen, text: &str) {
    let harmful = |c: char| is_harmful(c) && !matches!(c, '\n' | '\r');
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match harmful(c) {
            true => (c.encode_utf16(&mut [0; 2]).iter())
                .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}"))),
            false => escaped.push(c),
        }
    }
    print(screen, &escaped);
}

/// Prints a document without its secret values. If that changes anything, warns the user.
fn print(screen: &Screen, text: &str) {
    let shown = harmless(text);
    if shown != text {
        screen.complain("warning: the printed document differs from the file: secret values and control characters were replaced");
    }
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    screen.print_raw(&format!("{shown}{end}"));
}

#[derive(Serialize)]
struct Stats {
    file: String,
    encodings: Vec<Length>,
}

#[derive(Serialize)]
struct Length {
    encoding: &'static str,
    chars: usize,
    tokens: usize,
    /// Difference to compact JSON in tokens, in percent. For example, -10.5 means about a tenth
    /// less.
    percent: f64,
}

pub(super) fn stats(at: &DocContext<'_>, args: &DocStatsArgs) -> Ended {
    let snapshot = at.workspace.site().snapshot();
    let mut all = Vec::new();
    for file in &args.files {
        let document = document(at.workspace, file, &snapshot)?;
        all.push(Stats {
            file: file.clone(),
            encodings: lengths(&document),
        });
    }
    print_either(
        at.screen,
        args.format,
        &serde_json::json!({ "documents": all }),
        || {
            for stats in &all {
                at.screen
                    .print(&format!("{}\n", harmless_line(&stats.file)));
                for one in &stats.encodings {
                    at.screen.print(&format!(
                        "  {:<13} {:>9} characters {:>8} tokens {:>+7.1} %\n",
                        one.encoding, one.chars, one.tokens, one.percent
                    ));
                }
            }
        },
    )
}

fn lengths(document: &Document) -> Vec<Length> {
    let value = without_nulls(document.value());
    let as_text = |encoding, layout| write(&value, encoding, &layout);
    let texts = [
        ("as it is", document.source().text().to_owned()),
        ("JSON, pretty", as_text(Encoding::Json, Layout::pretty())),
        ("JSON", as_text(Encoding::Json, Layout::compact())),
        ("TRON, pretty", as_text(Encoding::Tron, Layout::pretty())),
        ("TRON", as_text(Encoding::Tron, Layout::compact())),
        ("TRON, tokens", lightest_tron(&value)),
        ("Markdown", windlass::vcontext::markdown(document)),
    ];
    let tokens: Vec<usize> = texts
        .iter()
        .map(|(_, text)| Measure::Tokens.weigh(text))
        .collect();
    // Compact JSON, the third text, is what we compare with.
    let json = tokens.get(2).copied().unwrap_or_default().max(1);
    let each = texts.iter().zip(tokens);
    each.map(|((encoding, text), tokens)| Length {
        encoding,
        chars: text.chars().count(),
        tokens,
        percent: percent(tokens, json),
    })
    .collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "there are fewer than 2^53 tokens"
)]
fn percent(tokens: usize, of: usize) -> f64 {
    let percent = 100.0 * (tokens as f64 / of as f64 - 1.0);
    (10.0 * percent).round() / 10.0
}

pub(super) fn migrate_file(at: &DocContext<'_>, args: &DocMigrateArgs) -> Ended {
    let here = here();
    let is_done = |changes: &[MigrationChange]| changes.iter().any(|change| !change.left);
    let target = args.to.as_deref().and_then(Version::named);
    let migrate = |document: &Document| match target {
        Some(version) => migrate_to(document.value(), version),
        None => migrate(document.value()),
    };
    let (changes, text, version) = if args.write {
        at.workspace
            .documents()
            .change_vcontext(&args.file, &here, |document| {
                let migrated = migrate(document)?;
                let version = Version::of(&migrated.value);
                // The meaning hasn't changed, so don't add an entry to the change log.
                let draft = is_done(&migrated.changes).then_some(DocumentDraft {
                    value: migrated.value,
                    author: at.workspace.documents().author(at.actor),
                    note: None,
                    dry_run: false,
                });
                Ok((draft, (migrated.changes, None, version)))
            })?
    } else {
        let document = document(at.workspace, &args.file, &at.workspace.site().snapshot())?;
        let migrated = migrate(&document)?;
        let text = document.rewritten(&migrated.value);
        let version = Version::of(&migrated.value);
        (migrated.changes, Some(text), version)
    };
    for change in &changes {
        match change.left || change.is_lossy {
            true => at.screen.complain(&migration_line(change)),
            false => at.screen.say(&migration_line(change)),
        }
    }
    let count = changes.iter().filter(|change| !change.left).count();
    if changes.is_empty() {
        at.screen
            .say(&format!("already version {}", version.number()));
    } else if args.write && count > 0 {
        let count = counted(count, "change");
        at.screen.say(&format!(
            "wrote `{}` with {count}; `windlass doc check` reports what is left to do",
            harmless_line(&args.file)
        ));
    }
    if let Some(text) = text {
        print_document(at.screen, &text);
    }
    Ok(Exit::Done)
}
