//! Finds the end of each XML document in a text. Several may follow each other, the last one cut.

/// End of an XML document, or the missing part of a cut one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// A complete document, which ends at this byte.
    Whole(usize),
    /// A document that ends too early.
    Cut {
        /// End of the part that can be read.
        end: usize,
        /// Start of the next document, or the end of the text.
        next: usize,
        /// Closing tags that complete the document.
        missing: String,
    },
}

struct Open<'a> {
    name: &'a str,
    start: usize,
    /// True if an element inside it, such as `failure`, reports its outcome.
    is_told: bool,
}

/// Returns the extent of the document that begins at byte `start`.
///
/// A cut element `unit` is dropped, unless one of `telling` began in it, because then its outcome
/// is known.
pub(super) fn extent(text: &str, start: usize, unit: &str, telling: &[&str]) -> Extent {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = start;
    let tells = |open: &mut [Open<'_>], name: &str| {
        let within = open.last_mut().filter(|within| within.name == unit);
        let within = within.filter(|_| telling.contains(&name));
        within.is_some_and(|within| {
            within.is_told = true;
            true
        })
    };
    let mut begun = String::new();
    let (end, next) = loop {
        let Some(found) = text[at..].find('<') else {
            break (text.len(), text.len());
        };
        let begin = at + found;
        let rest = &text[begin..];
        // Documents aren't nested, so this one is cut.
        if rest.starts_with("<?xml ") && begin > start {
            break (begin, begin);
        }
        let length = match length_of(rest) {
            Ok(length) => length,
            Err(broken) => {
                let tag = &rest[..broken];
                // The attributes of a cut `failure` may already have its message.
                if tag.contains(char::is_whitespace) && tells(&mut open, name_of(tag)) {
                    begun = completed(tag);
                }
                let is_next = rest[broken..].starts_with("<?xml ");
                break (begin, if is_next { begin + broken } else { text.len() });
            }
        };
        at = begin + length;
        let tag = &rest[..length];
        if tag.starts_with("</") {
            open.pop();
        } else if tag.starts_with("<!") || tag.starts_with("<?") {
            continue;
        } else {
            let name = name_of(tag);
            tells(&mut open, name);
            if !tag.ends_with("/>") {
                open.push(Open {
                    name,
                    start: begin,
                    is_told: false,
                });
            }
        }
        if open.is_empty() {
            return Extent::Whole(at);
        }
    };
    let end = at + without_begun_entity(&text[at..end]).len();
    // Drop the test that was cut, unless we know its outcome.
    let cut = open.iter().position(|one| one.name == unit);
    let cut = cut.filter(|cut| !open[*cut].is_told);
    let end = cut.map_or(end, |cut| open[cut].start);
    open.truncate(cut.unwrap_or(open.len()));
    let missing = open.iter().rev().map(|one| format!("</{}>", one.name));
    Extent::Cut {
        end,
        next,
        missing: [begun].into_iter().chain(missing).collect(),
    }
}

/// Returns `name` for a tag `<name …`.
fn name_of(tag: &str) -> &str {
    let name = tag[1..].split(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
    name.into_iter().next().unwrap_or_default()
}

/// Completes an element whose tag is cut, with the attributes that can be read.
fn completed(tag: &str) -> String {
    let mut quote = None;
    let mut whole = name_of(tag).len() + 1;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(mark), c) if mark == c => {
                quote = None;
                whole = at + 1;
            }
            _ => {}
        }
    }
    match quote {
        Some(mark) => format!("{}{mark}/>", without_begun_entity(tag)),
        None => format!("{}/>", &tag[..whole]),
    }
}

/// Removes a cut entity from the end of `text`: `x &l` becomes `x `.
fn without_begun_entity(text: &str) -> &str {
    let begin = text.rfind('&').filter(|at| {
        let entity = &text[at + 1..];
        entity
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '#')
    });
    &text[..begin.unwrap_or(text.len())]
}

/// Returns the length of the markup at the start of `text`, or the byte where it's known to be cut.
fn length_of(text: &str) -> Result<usize, usize> {
    let ends = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    if let Some((_, end)) = ends.iter().find(|(begin, _)| text.starts_with(begin)) {
        let end = text.find(end).map(|at| at + end.len());
        return end.ok_or(text.len());
    }
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Ok(at + 1),
            // This byte can't occur in a tag, quoted or not.
            (_, '<') if at > 0 => return Err(at),
            (Some(mark), c) if mark == c => quote = None,
            _ => {}
        }
    }
    Err(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Extent {
        extent(text, 0, "case", &["bad"])
    }

    #[test]
    fn a_document_ends_where_its_element_does() {
        for whole in [
            "<a/>",
            "<?xml version=\"1.0\"?>\n<!-- <a> --><a x=\"/a>\" y='>'><b><![CDATA[</a><?xml ?>]]></b><c/></a>",
        ] {
            let text = format!("{whole}<?xml version=\"1.0\"?><a/>");
            assert_eq!(of(&text), Extent::Whole(whole.len()), "{whole}");
        }
    }

    #[test]
    fn cut_document_keeps_reported_cases() {
        for (text, read, missing) in [
            ("<a><case/><case x=\"1", "<a><case/>", "</a>"),
            ("<a><case/><case x=\"1\">", "<a><case/>", "</a>"),
            ("<a><case><bad>no", "<a><case><bad>no", "</bad></case></a>"),
            (
                "<a><case><bad>no</b",
                "<a><case><bad>no",
                "</bad></case></a>",
            ),
            (
                "<a><case><bad/><out>x &am",
                "<a><case><bad/><out>x ",
                "</out></case></a>",
            ),
            (
                "<a><case x=\"1\"><bad why=\"no &l",
                "<a><case x=\"1\">",
                "<bad why=\"no \"/></case></a>",
            ),
            (
                "<a><case><bad why='no' t",
                "<a><case>",
                "<bad why='no'/></case></a>",
            ),
            // Neither output of a case nor an incomplete element reports its outcome.
            (
                "<a><case/><case><out><![CDATA[<bad>]]><bad/></out><out>x",
                "<a><case/>",
                "</a>",
            ),
            ("<a><case/><case><bad", "<a><case/>", "</a>"),
            ("<a", "", ""),
        ] {
            for next in ["", "<?xml version=\"1.0\"?><a/>"] {
                let whole = format!("{text}{next}");
                let Extent::Cut {
                    end,
                    next: after,
                    missing: told,
                } = of(&whole)
                else {
                    panic!("{whole}");
                };
                assert_eq!((&whole[..end], &*told), (read, missing), "{whole}");
                assert_eq!(&whole[after..], next);
            }
        }
        let text = "<a><case/><?xml version=\"1.0\"?><a/>";
        let cut = Extent::Cut {
            end: 10,
            next: 10,
            missing: "</a>".to_owned(),
        };
        assert_eq!(of(text), cut);
    }
}
