//! Changes of vContext documents: a rewrite has the intended value, and a second migration changes
//! nothing.

use windlass_vcontext::{Document, Value, migrate, without_nulls};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(document) = Document::parse("d.tron", bytes) else {
        return;
    };
    if let Ok(migrated) = migrate(document.value()) {
        changed(&document, &migrated.value);
        let again = migrate(&migrated.value).expect("a migrated document can be migrated");
        assert_eq!(again.value.to_string(), migrated.value.to_string());
    }
    changed(&document, &without_nulls(document.value()));
}

fn changed(document: &Document, value: &Value<'static>) {
    let text = document.rewritten(value);
    let again = Document::parse("d.tron", text.as_bytes()).expect("written text is readable");
    assert_eq!(again.value().to_string(), value.to_string(), "{text}");
}
