use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{RepoPath, Source};

use super::{Draft, line_end};
use crate::markdown::{Item, Link, SECTION, items, open_block, with_end, within, within_section};
use crate::records::copied::link_text;
use crate::records::record::Record;

/// A list item that [`Draft::take_from_section`] has removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TakenItem {
    /// Target of the item's link.
    pub(crate) path: RepoPath,
    /// The text of the item, or `None` if it was just a link.
    pub(crate) words: Option<Words>,
}

/// The text of a list item, rewritten as a bullet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    /// The first paragraph, including the bullet.
    pub(crate) lead: String,
    /// Everything below the first paragraph, with its indentation.
    pub(crate) below: String,
}

impl Words {
    fn of(text: &str, item: &Item) -> Self {
        // The lines below are indented by the width of the marker. If the marker was a number such
        // as `12.`, the bullet is narrower, so reduce the indentation by the difference.
        let mark = &text[item.mark.clone()];
        let blanks = mark.len() - mark.trim_end().len();
        let shorter = mark.len() - (1 + blanks);
        let moved = |text: &str| {
            let mut lines = text.split_inclusive('\n').map(|line| {
                let blank = line.len() - line.trim_start_matches(' ').len();
                &line[blank.min(shorter)..]
            });
            lines.by_ref().collect::<String>()
        };
        let lead = &text[item.mark.end..item.lead_end];
        let (first, rest) = lead.split_at(lead.find('\n').map_or(lead.len(), |at| at + 1));
        let below = text[item.lead_end..item.range.end].trim_end();
        Self {
            lead: format!("-{}{first}{}", &mark[mark.len() - blanks..], moved(rest)),
            below: moved(below),
        }
    }
}

/// If a section only says `None` (or nothing at all), returns the text below that paragraph.
/// Returns `None` for a section with actual content.
fn behind_none(section: &str) -> Option<&str> {
    let text = section.trim();
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            break;
        }
        length += line.len();
    }
    let (first, behind) = text.split_at(length);
    let plain = first.trim().trim_start_matches(['-', '*', ' ']);
    let plain = plain.trim_end_matches('.').to_lowercase();
    matches!(plain.as_str(), "" | "none" | "none yet")
        .then(|| behind.trim_start_matches(['\r', '\n']))
}

/// Appends a new section to the record. `says` must end with a line break.
fn with_new_section(record: &Record, title: &str, says: &str) -> String {
    let text = record.source().text();
    let eol = line_end(text);
    let end = match text.is_empty() || text.ends_with('\n') {
        true => "",
        false => eol,
    };
    let gap = match text.is_empty() || text.ends_with(&format!("{eol}{eol}")) {
        true => "",
        false => eol,
    };
    format!("{text}{end}{gap}## {title}{eol}{eol}{says}")
}

impl Draft<'_> {
    fn parsed(&self, path: &RepoPath) -> Option<Record> {
        let text = self.text(path).unwrap_or_default().to_owned();
        Record::of(path, &Source::new(path.as_str(), text))
    }

    /// Adds lines to the first section with one of `names`. If there is not one, we append a new
    /// section.
    pub fn add_to_section(&mut self, path: &RepoPath, names: &[&str], items: &[String]) {
        if items.is_empty() {
            return;
        }
        if let Some(record) = self.parsed(path) {
            self.add_to_section_of(&record, names, items);
        }
    }

    /// Like [`add_to_section`](Self::add_to_section), for a caller who has already parsed the
    /// present text of the file as `record`.
    pub(crate) fn add_to_section_of(&mut self, record: &Record, names: &[&str], items: &[String]) {
        let text = record.source().text();
        let eol = line_end(text);
        let added: String = items.iter().map(|item| format!("{item}{eol}")).collect();
        let changed = match record.body().section(names) {
            None => {
                let name = names.first().unwrap_or(&"Related");
                with_new_section(record, name, &added)
            }
            Some(section) => {
                // Subsections are at the end of a section. Insert above the first one, because the
                // items would belong to it otherwise.
                let inner = record.sections().iter().filter(|one| {
                    one.heading.start >= section.body.start && one.heading.start < section.body.end
                });
                let end = inner
                    .map(|one| one.heading.start)
                    .min()
                    .unwrap_or(section.body.end);
                let (own, rest) = (&text[section.body.start..end], &text[end..]);
                let tail = if rest.is_empty() { "" } else { eol };
                let heading_end = text[..section.body.start].trim_end().len();
                let heading = &text[..heading_end];
                // Replace the word `None` by the items.
                if let Some(behind) = behind_none(own) {
                    let behind = match behind {
                        "" => String::new(),
                        behind => format!("{eol}{behind}{eol}"),
                    };
                    format!("{heading}{eol}{eol}{added}{behind}{tail}{rest}")
                } else {
                    let kept = own.trim_end();
                    // Another item of the same list must not be separated by a blank line, which
                    // would make it a loose list.
                    let follows_list = kept.lines().next_back().is_some_and(|line| {
                        line.trim_start().starts_with(['-', '*']) || line.starts_with("  ")
                    });
                    let gap = match follows_list {
                        true => eol.to_owned(),
                        false => format!("{eol}{eol}"),
                    };
                    let lead = &text[..section.body.start];
                    format!("{lead}{kept}{gap}{added}{tail}{rest}")
                }
            }
        };
        self.texts.insert(record.path.clone(), changed);
    }

    /// Removes list items from a section if their only link leads to one of `targets`. An item with
    /// words of its own is only removed if `wanted_with_words` is true.
    pub(crate) fn take_from_section(
        &mut self,
        path: &RepoPath,
        names: &[&str],
        targets: &BTreeSet<&RepoPath>,
        wanted_with_words: bool,
    ) -> Vec<TakenItem> {
        let mut taken = Vec::new();
        let Some(text) = self.text(path).filter(|_| !targets.is_empty()) else {
            return taken;
        };
        let source = Source::new(path.as_str(), text.to_owned());
        let Some(record) = Record::of(path, &source) else {
            return taken;
        };
        let Some(section) = record.body().section(names) else {
            return taken;
        };
        let links: BTreeMap<usize, &Link> = record
            .links()
            .iter()
            .map(|link| (link.range.start, link))
            .collect();
        let text = record.source().text();
        let (mut changed, mut at) = (text[..section.body.start].to_owned(), section.body.start);
        let items = items(text, record.body_start());
        let of_section = items.iter().filter(|item| {
            item.range.start >= section.body.start && item.range.end <= section.body.end
        });
        for item in of_section {
            let mut own = links.range(item.range.clone()).map(|(_, link)| *link);
            let Some(link) = own.next().filter(|_| own.next().is_none()) else {
                continue;
            };
            let leads_to = record.target_of(link).and_then(Result::ok);
            let Some(path) = leads_to.filter(|path| targets.contains(path)) else {
                continue;
            };
            let after = &text[link.range.end.min(item.range.end)..item.range.end];
            let is_bare =
                link.range.start == item.mark.end && matches!(after.trim(), "" | "." | "," | ";");
            if is_bare || wanted_with_words {
                let words = (!is_bare).then(|| Words::of(text, item));
                taken.push(TakenItem { path, words });
                changed.push_str(&text[at..item.range.start]);
                at = item.range.end;
            }
        }
        // If we've removed the end of the section, the blank line above the next heading went with
        // it. Restore that.
        let (kept, rest) = text[..section.body.end].split_at(at);
        if rest.trim().is_empty() && !taken.is_empty() {
            let end = changed.trim_end().len().max(section.body.start);
            changed.truncate(end);
            let blank = kept.trim_end().len();
            changed.push_str(&kept[blank..]);
        }
        changed.push_str(rest);
        // The list is empty now, so say so. (An empty section would look as if it had been
        // forgotten.)
        if changed[section.body.start..].trim().is_empty() {
            let eol = line_end(text);
            let heading = changed.trim_end().len();
            changed.truncate(heading);
            let gap = if section.body.end < text.len() {
                eol
            } else {
                ""
            };
            changed.push_str(&format!("{eol}{eol}None.{eol}{gap}"));
        }
        changed.push_str(&text[section.body.end..]);
        if !taken.is_empty() {
            self.texts.insert(path.clone(), changed);
        }
        taken
    }

    /// Replaces the body of a section, or appends a new section.
    pub fn set_section(&mut self, path: &RepoPath, title: &str, says: &str) {
        let Some(record) = self.parsed(path) else {
            return;
        };
        let text = record.source().text();
        let eol = line_end(text);
        let section = record.body().part(&[title]);
        let level = section.map_or(SECTION, |section| section.level.max(SECTION));
        let says = within(says.trim(), level);
        let says = says.lines().collect::<Vec<_>>().join(eol);
        let changed = match section {
            None if open_block(text, record.body_start()).is_some() => {
                // The new heading would become part of the open block, so close that first.
                let text = with_end(text, record.body_start());
                format!("{text}{eol}{eol}## {}{eol}{eol}{says}{eol}", title.trim())
            }
            None => with_new_section(&record, title.trim(), &format!("{says}{eol}")),
            Some(section) => {
                let heading = text[..section.body.start].trim_end();
                let rest = &text[record.body().own_range(section).end..];
                let gap = if rest.is_empty() { "" } else { eol };
                format!("{heading}{eol}{eol}{says}{eol}{gap}{rest}")
            }
        };
        self.texts.insert(path.clone(), changed);
    }

    /// Replaces the text above the first section.
    pub fn set_lead(&mut self, path: &RepoPath, says: &str) {
        let Some(record) = self.parsed(path) else {
            return;
        };
        let text = record.source().text();
        let (eol, lead) = (line_end(text), record.body().lead());
        let says = within_section(says.trim());
        let says = says.lines().collect::<Vec<_>>().join(eol);
        let (before, after) = (text[..lead.start].trim_end(), &text[lead.end..]);
        let gap = if after.is_empty() { "" } else { eol };
        let changed = format!("{before}{eol}{eol}{says}{eol}{gap}{after}");
        self.texts.insert(path.clone(), changed);
    }

    /// Replaces the first heading, if its text is still `old`.
    pub fn set_heading(&mut self, path: &RepoPath, old: &str, new: &str) {
        let Some(record) = self.parsed(path) else {
            return;
        };
        let text = record.source().text();
        let Some(first) = record.sections().first().filter(|first| first.title == old) else {
            return;
        };
        let heading = &text[first.heading.clone()];
        let marks = heading.len() - heading.trim_start_matches('#').len();
        // We leave a heading alone that's underlined instead of marked with `#`.
        if marks > 0 {
            let end = &heading[heading.trim_end().len()..];
            let (before, after) = (&text[..first.heading.start], &text[first.heading.end..]);
            let changed = format!("{before}{} {new}{end}{after}", &heading[..marks]);
            self.texts.insert(path.clone(), changed);
        }
    }

    /// Changes the text of links to `target` from `old` to `new`. Links with any other text stay
    /// the same, because their author must have chosen it.
    pub fn set_link_text(&mut self, path: &RepoPath, target: &RepoPath, old: &str, new: &str) {
        let Some(record) = self.parsed(path) else {
            return;
        };
        let text = record.source().text();
        let old = format!("[{}]", link_text(old));
        let (mut changed, mut at) = (String::new(), 0);
        for link in record.links() {
            let leads_there = record
                .target_of(link)
                .is_some_and(|leads_to| leads_to.is_ok_and(|path| path == *target));
            if leads_there && text[link.range.clone()].starts_with(&old) {
                changed.push_str(&text[at..link.range.start]);
                changed.push_str(&format!("[{}]", link_text(new)));
                at = link.range.start + old.len();
            }
        }
        if at > 0 {
            changed.push_str(&text[at..]);
            self.texts.insert(path.clone(), changed);
        }
    }
}
