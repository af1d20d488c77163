use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// ID of a run, e.g. `20261121-193055-4f2a`.
///
/// It starts with date and time in UTC, to the second, so IDs sort by time. The four hex digits
/// distinguish runs within a second.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

impl RunId {
    /// Creates the ID of a run that starts at `at`. Returns `None` for a year outside of 0 to 9999,
    /// which would not have four digits.
    #[must_use]
    pub fn new(at: SystemTime, seed: u16) -> Option<Self> {
        let time = jiff::Timestamp::try_from(at).ok()?;
        let text = format!("{}-{seed:04x}", time.strftime("%Y%m%d-%H%M%S"));
        Self::parse(&text)
    }

    /// Parses a full ID. Returns `None` for anything else, including the start of an ID.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |(at, byte): (usize, u8)| match at {
            8 | 15 => byte == b'-',
            0..15 => byte.is_ascii_digit(),
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        };
        let is_id = text.len() == 20 && text.bytes().enumerate().all(fits);
        is_id.then(|| Self(text.to_owned()))
    }

    /// Returns the ID as it is used in file names and on the command line.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ids_are_ordered_by_time() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let first = RunId::new(at(1_795_289_455), 0x4f2a).unwrap();
        assert_eq!(first.as_str(), "20261121-193055-4f2a");
        assert_eq!(RunId::parse(first.as_str()), Some(first.clone()));
        assert!(first < RunId::new(at(1_795_289_456), 0).unwrap());
        for bad in [
            "",
            "20261121-193055-4F2A",
            "20261121_193055-4f2a",
            "../61121-193055-4f2a",
        ] {
            assert_eq!(RunId::parse(bad), None, "{bad}");
        }
    }
}
