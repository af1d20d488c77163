//! Markdown headings, as far as finding a section needs them.

use windlass_base::{LineSpan, did_you_mean};
use windlass_repo::SourceFile;

/// A heading: its level from 1, its text, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    level: usize,
    text: String,
    line: u32,
}

/// The ATX headings of `source`, outside of fenced code.
pub(crate) fn headings(source: &SourceFile) -> Vec<Heading> {
    let lines = (1..=source.line_count()).map(|number| {
        (
            number,
            String::from_utf8_lossy(source.line(number).unwrap_or(b"")).into_owned(),
        )
    });
    let mut fence: Option<String> = None;
    let mut found = Vec::new();
    for (line, text) in lines {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let text = text.trim();
        if let Some(open) = &fence {
            let closes =
                text.starts_with(open.as_str()) && text.trim_start_matches(&open[..1]).is_empty();
            if closes {
                fence = None;
            }
            continue;
        }
        if indent > 3 {
            continue;
        }
        let run = |mark: char| text.chars().take_while(|c| *c == mark).count();
        if let Some(mark) = ['`', '~'].into_iter().find(|mark| run(*mark) >= 3) {
            fence = Some(mark.to_string().repeat(run(mark)));
        } else if (1..=6).contains(&run('#')) {
            let level = run('#');
            let rest = &text[level..];
            if rest.is_empty() || rest.starts_with([' ', '\t']) {
                let text = rest.trim().trim_end_matches('#').trim_end().to_owned();
                found.push(Heading { level, text, line });
            }
        }
    }
    found
}

/// The lines of the section under the heading `wanted`: up to the next heading of its level or above.
pub(crate) fn section_of(
    headings: &[Heading],
    lines: u32,
    wanted: &str,
) -> Result<LineSpan, String> {
    let wanted = wanted.trim().trim_start_matches('#').trim();
    let same = |heading: &&Heading| heading.text.eq_ignore_ascii_case(wanted);
    let mut matching = headings.iter().filter(same);
    let Some(heading) = matching.next() else {
        let near = did_you_mean(wanted, headings.iter().map(|heading| heading.text.as_str()));
        let near = near
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        return Err(format!("there is no heading `{wanted}`{near}"));
    };
    if let Some(second) = matching.next() {
        return Err(format!(
            "there are two headings `{wanted}`, on lines {} and {}",
            heading.line, second.line
        ));
    }
    let after = headings
        .iter()
        .find(|other| other.line > heading.line && other.level <= heading.level);
    let end = after.map_or(lines, |after| after.line - 1);
    LineSpan::new(heading.line, end).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str, wanted: &str) -> Result<String, String> {
        let source = SourceFile::from_bytes(text.as_bytes().to_vec());
        section_of(&headings(&source), source.line_count(), wanted).map(|span| span.to_string())
    }

    const TEXT: &str =
        "# A\n\n## B ##\ntext\n### C\n```sh\n# not a heading\n```\n## D\nend\n## D\n";

    #[test]
    fn a_section_ends_before_the_next_heading_of_its_level() {
        assert_eq!(section(TEXT, "a").unwrap(), "1-11");
        assert_eq!(section(TEXT, "## B").unwrap(), "3-8");
        assert_eq!(section(TEXT, "C").unwrap(), "5-8");
    }

    #[test]
    fn a_heading_must_be_there_once() {
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
