//! Cobertura XML, as written by coverage.py, gcovr, JaCoCo converters and many others.

use crate::Hits;
use crate::xml::{Event, attribute, events};

/// Parses a Cobertura XML report. Its paths are relative to a folder named in its `source` elements.
pub(crate) fn read(text: &str) -> Result<Hits, String> {
    let mut hits = Hits::new();
    let mut sources: Vec<String> = Vec::new();
    let (mut is_cobertura, mut in_source) = (false, false);
    let mut file: Option<String> = None;
    for event in events(text)? {
        match event {
            Event::Start {
                name, attributes, ..
            } => match &*name {
                "coverage" => is_cobertura = true,
                "source" => in_source = true,
                "class" => {
                    let path = attribute(&attributes, "filename").map(str::to_owned);
                    if let Some(path) = &path {
                        hits.entry(path.clone()).or_default();
                    }
                    file = path;
                }
                "line" => {
                    let number =
                        attribute(&attributes, "number").and_then(|line| line.parse().ok());
                    let count = attribute(&attributes, "hits").and_then(|hits| hits.parse().ok());
                    let lines = file.as_ref().and_then(|file| hits.get_mut(file));
                    if let (Some(number), Some(count), Some(lines)) = (number, count, lines) {
                        // Lines of methods are listed for the class as well.
                        let most: &mut u64 = lines.entry(number).or_default();
                        *most = (*most).max(count);
                    }
                }
                _ => {}
            },
            Event::Text(text) if in_source => sources.push(text.trim().to_owned()),
            Event::End(name) if name == "source" => in_source = false,
            Event::End(name) if name == "class" => file = None,
            _ => {}
        }
    }
    if !is_cobertura {
        return Err("this XML is no Cobertura report: it has no `coverage`".to_owned());
    }
    // With a single source, the paths are relative to it. With several, we can't know to which.
    match &sources[..] {
        [source] => Ok(hits
            .into_iter()
            .map(|(path, lines)| (joined(source, path), lines))
            .collect()),
        _ => Ok(hits),
    }
}

fn joined(source: &str, path: String) -> String {
    let source = source.trim_end_matches('/');
    match path.starts_with('/') || source.is_empty() || source == "." {
        true => path,
        false => format!("{source}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn class_and_method_lines_merged() {
        let text = r#"<?xml version="1.0" ?>
            <!DOCTYPE coverage SYSTEM 'http://cobertura.sourceforge.net/xml/coverage-04.dtd'>
            <coverage line-rate="0.5"><sources><source>/home/me/app</source></sources><packages><package name="p"><classes>
            <class name="a" filename="src/a.py"><methods><method name="f"><lines><line number="2" hits="4"/></lines></method></methods>
            <lines><line number="1" hits="0"/><line number="2" hits="4"/></lines></class>
            </classes></package></packages></coverage>"#;
        let hits = read(text).unwrap();
        assert_eq!(
            hits["/home/me/app/src/a.py"],
            BTreeMap::from([(1, 0), (2, 4)])
        );
        let several = text.replace("</sources>", "<source>/other</source></sources>");
        assert!(read(&several).unwrap().contains_key("src/a.py"));
        assert!(read("<testsuites/>").is_err());
    }
}
