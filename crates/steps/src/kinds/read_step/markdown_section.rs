//! Finds sections by their Markdown headings, in a file of any name.

use windlass_base::{LineSpan, did_you_mean, similar_hint};
use windlass_outline::{Language, Limits, Symbol, outline};
use windlass_repo::SourceFile;

use windlass_evidence::span_of;

/// Returns the lines of the section with the heading `wanted`, up to the next heading at the same
/// or a higher level. Case does not matter, and neither do any `#` that the caller has left in.
pub(crate) fn section_of(source: &SourceFile, wanted: &str) -> Result<LineSpan, String> {
    let outline = outline(
        Language::Markdown,
        &source.shown().bytes(),
        Limits::default(),
    )
    .map_err(|error| error.to_string())?;
    let wanted = wanted.trim().trim_start_matches('#').trim();
    let same = |heading: &&Symbol| heading.name.eq_ignore_ascii_case(wanted);
    let mut matching = outline.symbols.iter().filter(same);
    let Some(heading) = matching.next() else {
        let names = outline.symbols.iter().map(|heading| heading.name.as_str());
        let near = similar_hint(did_you_mean(wanted, names));
        return Err(format!("there is no heading `{wanted}`{near}"));
    };
    // If we just took the first one, the step might silently read something else once a heading is
    // added.
    if let Some(second) = matching.next() {
        return Err(format!(
            "there are two headings `{wanted}`, on lines {} and {}",
            heading.name_line, second.name_line
        ));
    }
    span_of(heading.lines).ok_or_else(|| format!("the heading `{wanted}` has no lines"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str, wanted: &str) -> Result<String, String> {
        let source = SourceFile::from_bytes(text.as_bytes().to_vec());
        section_of(&source, wanted).map(|span| span.to_string())
    }

    const TEXT: &str =
        "# A\n\n## B ##\ntext\n### C\n```sh\n# not a heading\n```\n## D\nend\n## D\n";

    #[test]
    fn section_ends_at_same_level() {
        assert_eq!(section(TEXT, "a").unwrap(), "1-11");
        assert_eq!(section(TEXT, "## B").unwrap(), "3-8");
        assert_eq!(section(TEXT, "C").unwrap(), "5-8");
    }

    #[test]
    fn heading_secret_not_matched() {
        let text = "# password: hunter2\ntext\n";
        let shown = "password: [redacted:assigned-secret]";
        assert_eq!(section(text, shown).unwrap(), "1-2");
        for guess in ["password: hunter2", "password: hunter3"] {
            let why = section(text, guess).unwrap_err();
            assert!(!why.replace(guess, "").contains("hunter2"), "{why}");
        }
    }

    #[test]
    fn underlined_heading_found() {
        let text = "Title\n=====\n\nUsage\n-----\ntext\n\nEnd\n---\n";
        assert_eq!(section(text, "usage").unwrap(), "4-7");
        assert_eq!(section(text, "Title").unwrap(), "1-9");
    }

    #[test]
    fn heading_ambiguous_refused() {
        assert_eq!(
            section(TEXT, "D").unwrap_err(),
            "there are two headings `D`, on lines 9 and 11"
        );
        assert_eq!(
            section(TEXT, "not a heading").unwrap_err(),
            "there is no heading `not a heading`"
        );
        assert_eq!(
            section("# Usage\n", "Usgae").unwrap_err(),
            "there is no heading `Usgae`; did you mean `Usage`?"
        );
    }
}
