//! Properties that hold for any bytes: shared by the fuzz targets and by a test that mutates known documents.

use windlass_vcontext::{
    CheckOptions, Document, Encoding, Layout, as_formula, as_plan, check, markdown, migrate,
    without_nulls, write,
};

/// Checks that any bytes are read or refused. Any document that was read can be checked, migrated, displayed
/// and converted to a plan, and survives both encodings.
pub(crate) fn document(bytes: &[u8]) {
    let Ok(document) = Document::parse("d.tron", bytes) else {
        return;
    };
    let rendered = document.value().to_string();
    for (encoding, layout) in [
        (Encoding::Json, Layout::compact()),
        (Encoding::Json, Layout::pretty()),
        (Encoding::Tron, Layout::compact()),
        (Encoding::Tron, Layout::pretty()),
    ] {
        let text = write(document.value(), encoding, &layout);
        let again = Document::parse("d.tron", text.as_bytes()).expect("what is written is read");
        assert_eq!(again.value().to_string(), rendered, "{text}");
    }
    assert_eq!(
        document.rewritten(document.value()),
        document.source().text()
    );
    let found = check(&document, &CheckOptions::default());
    let plan = as_plan(&document);
    assert!(
        plan.is_err() || !found.has_errors(),
        "an invalid document is no plan"
    );
    // Every formula can be scheduled.
    if let Ok(formula) = as_formula(&document, "d.tron") {
        formula.node_specs().expect("steps that can be scheduled");
    }
    if document.container().is_some() {
        let _ = markdown(&document);
    }
}

/// Checks that any document that was read can be migrated once. A change of the text has the intended effect.
pub(crate) fn change(bytes: &[u8]) {
    let Ok(document) = Document::parse("d.tron", bytes) else {
        return;
    };
    if let Ok(migrated) = migrate(document.value()) {
        changed(&document, &migrated.value);
        let again = migrate(&migrated.value).expect("no later version");
        assert_eq!(again.value.to_string(), migrated.value.to_string());
    }
    changed(&document, &without_nulls(document.value()));
}

fn changed(document: &Document, value: &windlass_vcontext::Value<'static>) {
    let text = document.rewritten(value);
    let again = Document::parse("d.tron", text.as_bytes()).expect("what is written is read");
    assert_eq!(again.value().to_string(), value.to_string(), "{text}");
}
