//! Tables of commands and routes, and what a program can be told.

use windlass_outline::{Symbol, SymbolKind, Visibility};

use super::candidate::{Candidate, Topic};
use super::file_survey::{Survey, Text, depth};

/// Lines that may begin what this is about.
pub(super) const PATTERN: &str = concat!(
    r"derive\(.*\bSubcommand\b|^urlpatterns\b|add_subparsers\(|\.AddCommand\(",
    r"|\b(COMMANDS|ROUTES|FLAGS|HANDLERS|commands|routes|function_list|command_table|cmd_table)\b\s*(:.*)?(\[\])?\s*=",
    r"|\b(struct|class|interface|type)\s+\w*(Config|Settings|Configuration|Options)\b"
);

/// Shorter ones are no table worth a name.
const MIN_TABLE: u32 = 6;

pub(super) fn find_tables(survey: &Survey<'_>) -> Vec<Candidate> {
    symbols(survey, |text, symbol| {
        let name = symbol.name.to_lowercase();
        let is_list = [
            "commands",
            "routes",
            "flags",
            "handlers",
            "function_list",
            "command_table",
            "cmd_table",
            "urlpatterns",
        ]
        .contains(&name.as_str());
        let is_table = matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            && is_list
            && symbol.depth == 0;
        let derives = (symbol.lines.first()..=symbol.signature_lines.last()).any(|n| {
            let line = text.line(n);
            line.contains("derive(") && line.contains("Subcommand")
        });
        let is_commands = symbol.kind == SymbolKind::Enum && derives;
        if symbol.lines.count() < MIN_TABLE || !(is_table || is_commands) {
            return None;
        }
        let reason = if is_commands {
            "the commands that can be typed"
        } else {
            "a table that says what there is to call"
        };
        Some(Candidate::symbol(Topic::Table, text, symbol)?.because(reason))
    })
}

/// The names of types that hold settings, exactly or at the end.
const SETTINGS: [&str; 4] = ["Config", "Settings", "Configuration", "Options"];

pub(super) fn find_config(survey: &Survey<'_>) -> Vec<Candidate> {
    let mut found = symbols(survey, |text, symbol| {
        let is_type = matches!(
            symbol.kind,
            SymbolKind::Struct | SymbolKind::Class | SymbolKind::Interface
        );
        let exact = SETTINGS.contains(&symbol.name.as_str());
        let is_public = matches!(symbol.visibility, None | Some(Visibility::Public));
        let is_central = exact || symbol.name == "AppConfig" || symbol.name == "ServerConfig";
        if !is_type || !is_central || !is_public || symbol.depth > 0 || symbol.lines.count() < 5 {
            return None;
        }
        let file = text.file.file_name().to_lowercase();
        let is_named = ["config", "settings", "options"]
            .iter()
            .any(|word| file.contains(word));
        if !is_named && depth(&text.file) > 2 {
            return None;
        }
        let found = Candidate::symbol(Topic::Config, text, symbol)?;
        Some(found.because(format!("`{}` holds what can be configured", symbol.name)))
    });
    // Of many types of one name none is the one.
    let names: Vec<String> = found.iter().map(|found| found.name.clone()).collect();
    found.retain(|found| names.iter().filter(|name| **name == found.name).count() == 1);
    found
}

fn symbols(
    survey: &Survey<'_>,
    wanted: impl Fn(&Text, &Symbol) -> Option<Candidate>,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    for matches in &survey.matches {
        let Some(text) = survey.text(&matches.path) else {
            continue;
        };
        let Some(outline) = survey.outline(&text) else {
            continue;
        };
        found.extend(
            outline
                .symbols
                .iter()
                .filter_map(|symbol| wanted(&text, symbol)),
        );
    }
    found
}
