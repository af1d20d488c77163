use windlass_base::one_line;
use windlass_search::composed;

use super::NewRecord;
use crate::markdown::{self, SECTION, Section, is_same_heading};
use crate::records::kind::RecordKind;

impl NewRecord {
    /// Brings the content into the form for a new record: the title is on one line, and the text is
    /// in the main section of `kind`.
    pub(super) fn with_text_in(&self, kind: RecordKind) -> Self {
        let mut same = self.with_sections_apart();
        if let Some(text) = same.text.take() {
            same.sections
                .insert(0, (kind.main_part()[0].to_owned(), text));
        }
        same
    }

    /// Converts the title, the keywords and the aliases to NFC, so that equal words consist of
    /// equal bytes.
    fn composed(&self) -> Self {
        let all = |words: &[String]| {
            words
                .iter()
                .map(|word| composed(word).into_owned())
                .collect()
        };
        Self {
            title: composed(&self.title).into_owned(),
            keywords: all(&self.keywords),
            aliases: all(&self.aliases),
            ..self.clone()
        }
    }

    /// Puts the title on one line, and splits off the sections in the text. If we wrote the text as
    /// it is, its headings would end the section around it.
    pub(super) fn with_sections_apart(&self) -> Self {
        let mut same = self.composed();
        same.title = one_line(&same.title);
        if let Some(text) = &self.text {
            let (lead, sections) = apart(without_title(text, &same.title));
            same.text = (!lead.trim().is_empty() || sections.is_empty()).then(|| lead.to_owned());
            same.sections.splice(0..0, sections);
        }
        same
    }
}

impl NewRecord {
    /// Warns about repeated sections. We join them, which may not be what the caller had in mind.
    pub(super) fn said_twice(&self) -> Option<String> {
        let names = self.sections.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.collect();
        let is_again = |(at, name): &(usize, &&str)| {
            let mut before = names[..*at].iter();
            before.any(|other| is_same_heading(other, name))
        };
        let again: Vec<String> = names
            .iter()
            .enumerate()
            .filter(is_again)
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        (!again.is_empty()).then(|| format!("repeated sections were joined: {}", again.join(", ")))
    }

    /// Joins the texts of repeated sections. A section called `main` is joined with the text.
    pub(super) fn with_each_section_once(&self, main: &str) -> Self {
        let mut once: Vec<(String, String)> = Vec::new();
        let mut same = self.clone();
        let below = |above: &mut String, says: &str| {
            *above = format!("{}\n\n{}", above.trim_end(), says.trim());
        };
        for (name, says) in std::mem::take(&mut same.sections) {
            let known = once
                .iter_mut()
                .find(|(other, _)| is_same_heading(other, &name));
            match (&mut same.text, known) {
                (Some(text), _) if is_same_heading(&name, main) => below(text, &says),
                (_, Some((_, known))) => below(known, &says),
                _ => once.push((name, says)),
            }
        }
        same.sections = once;
        same
    }
}

/// Removes the first heading if it just repeats the title, unless there is nothing else.
fn without_title<'a>(text: &'a str, title: &str) -> &'a str {
    let (sections, _) = markdown::read(text, 0);
    let first = sections.first().filter(|first| {
        first.level < SECTION
            && text[..first.heading.start].trim().is_empty()
            && one_line(&first.title) == title
    });
    let rest = first.map(|first| &text[first.heading.end..]);
    rest.filter(|rest| !rest.trim().is_empty()).unwrap_or(text)
}

/// Splits `text` into its sections and the text above the first one.
fn apart(text: &str) -> (&str, Vec<(String, String)>) {
    let (all, _) = markdown::read(text, 0);
    // A nested, underlined or empty heading may not be meant as one, so leave it in the text.
    let is_own = |at: usize| at == 0 || text[..at].ends_with('\n');
    let says_something = |section: &Section| {
        let next = all.iter().map(|next| next.heading.start);
        let end = next.filter(|next| *next > section.heading.start).min();
        let body = section.body.start..end.unwrap_or(text.len());
        !section.title.is_empty() && !text[body].trim().is_empty()
    };
    let own = all.iter().filter(|section| {
        section.level == SECTION
            && is_own(section.heading.start)
            && text[section.heading.clone()].starts_with("##")
            && says_something(section)
    });
    let own: Vec<_> = own.collect();
    let lead = own.first().map_or(text.len(), |first| first.heading.start);
    let ends = own.iter().skip(1).map(|next| next.heading.start);
    let sections = own.iter().zip(ends.chain([text.len()]));
    let sections = sections.map(|(section, end)| {
        let body = text[section.body.start..end].trim();
        (section.title.clone(), body.to_owned())
    });
    (&text[..lead], sections.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_splits_into_sections() {
        let text = "So it is.\n\n## Rationale\n\nBecause.\n\n### In detail\n\nx\n\n```\n## no\n```\n\n## More\n- ## within\n";
        let (lead, sections) = apart(text);
        assert_eq!(lead, "So it is.\n\n");
        let sections: Vec<(&str, &str)> = sections
            .iter()
            .map(|(title, says)| (title.as_str(), says.as_str()))
            .collect();
        assert_eq!(
            sections,
            [
                (
                    "Rationale",
                    "Because.\n\n### In detail\n\nx\n\n```\n## no\n```"
                ),
                ("More", "- ## within"),
            ]
        );
        assert_eq!(
            apart("Plain, with # no heading"),
            ("Plain, with # no heading", Vec::new())
        );
        for kept in [
            "Stop here.\n\nNever use the old proxy\n---",
            "A.\n\n## Never use the old proxy",
            "A.\n\n## Never\n\n### At all",
            "## Never",
        ] {
            assert_eq!(apart(kept), (kept, Vec::new()));
        }
        let new = NewRecord {
            text: Some("## Rationale\nbecause".to_owned()),
            ..NewRecord::default()
        };
        let new = new.with_text_in(RecordKind::Decision);
        let said = ("Rationale".to_owned(), "because".to_owned());
        assert_eq!((new.text, new.sections), (None, vec![said]));
    }
}
