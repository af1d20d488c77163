//! The format of `lcov`, `cargo llvm-cov --lcov`, `c8` and many others.

use crate::Hits;

/// Parses an lcov trace file; `None` if the text is something else.
///
/// # Errors
/// The text ends in the middle of a record.
pub(crate) fn read(text: &str) -> Result<Option<Hits>, String> {
    let mut hits = Hits::new();
    let mut file: Option<String> = None;
    let mut is_lcov = false;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            is_lcov = true;
            let path = path.trim().to_owned();
            hits.entry(path.clone()).or_default();
            file = Some(path);
        } else if line == "end_of_record" {
            file = None;
        } else if let (Some(data), Some(file)) = (line.strip_prefix("DA:"), &file) {
            // Line number, number of executions, and optionally a checksum. Some tools write fractions.
            let mut parts = data.split(',');
            let number = parts.next().and_then(|number| number.trim().parse().ok());
            let count = parts
                .next()
                .and_then(|count| count.trim().parse::<f64>().ok());
            if let (Some(number), Some(count), Some(lines)) = (number, count, hits.get_mut(file)) {
                let sum: &mut u64 = lines.entry(number).or_default();
                *sum = sum.saturating_add(count.ceil() as u64);
            }
        }
    }
    match file {
        Some(file) => Err(format!(
            "the record of `{file}` has no end: the report is not whole"
        )),
        None => Ok(is_lcov.then_some(hits)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn counts_of_records_are_summed() {
        let text = "TN:a\nSF:src/a.rs\nFN:1,main\nDA:1,0\nDA:2,3,checksum\nDA:x,1\nLF:2\nend_of_record\nDA:9,1\nTN:b\nSF:src/a.rs\nDA:1,2\nDA:3,0.5\nend_of_record\nSF:src/b.rs\nend_of_record\n";
        let hits = read(text).unwrap().unwrap();
        assert_eq!(hits["src/a.rs"], BTreeMap::from([(1, 2), (2, 3), (3, 1)]));
        assert_eq!(hits["src/b.rs"], BTreeMap::new());
        assert_eq!(read("DA:1,2\nhello\n"), Ok(None));
        assert!(read("SF:src/a.rs\nDA:1,2\n").is_err());
    }
}
