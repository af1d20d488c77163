use std::collections::BTreeSet;

use serde_json::json;
use windlass_base::{Diagnostics, Severity};

use crate::{Effects, InputReading, KindSpec};

pub(crate) fn kind(name: &str) -> KindSpec {
    KindSpec {
        name: name.to_owned(),
        summary: format!("does {name}"),
        input_schema: json!(true),
        output_schema: json!(true).into(),
        main: None,
        effects: Effects::default(),
        asks: BTreeSet::new(),
        worst_first: false,
        reads: InputReading::default(),
    }
}

pub(crate) fn shown(found: &Diagnostics) -> String {
    let mut text = String::new();
    for diagnostic in found.iter() {
        let place = match &diagnostic.place {
            Some(place) => place.to_string(),
            None => "nowhere".to_owned(),
        };
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        text += &format!(
            "{place}: {severity}[{}]: {}\n",
            diagnostic.rule, diagnostic.message
        );
        for (place, why) in &diagnostic.related {
            text += &format!("  see {place}: {why}\n");
        }
        if let Some(help) = &diagnostic.help {
            text += &format!("  help: {help}\n");
        }
    }
    text
}
