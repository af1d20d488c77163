//! vContext documents: anything we can read survives both encodings, and a valid document is a plan
//! that can be scheduled.

use windlass_vcontext::{
    CheckOptions, Document, Encoding, Layout, as_formula, as_plan, check as check_document,
    markdown, write,
};

pub(crate) fn check(bytes: &[u8]) {
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
        let again = Document::parse("d.tron", text.as_bytes()).expect("written text is readable");
        assert_eq!(again.value().to_string(), rendered, "{text}");
    }
    assert_eq!(
        document.rewritten(document.value()),
        document.source().text()
    );
    let found = check_document(&document, &CheckOptions::default());
    let plan = as_plan(&document);
    assert!(
        plan.is_err() || !found.has_errors(),
        "an invalid document became a plan"
    );
    if let Ok(formula) = as_formula(&document, "d.tron") {
        formula.node_specs().expect("steps that can be scheduled");
    }
    if document.container().is_some() {
        let _ = markdown(&document);
    }
}
