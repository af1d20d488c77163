use serde::{Deserialize, Serialize};

/// A line range: 1-based, inclusive, never empty.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema,
)]
pub struct LineSpan {
    /// First line, from 1.
    #[schemars(range(min = 1))]
    start_line: u32,
    /// Last line, at least `start_line`.
    #[schemars(range(min = 1))]
    end_line: u32,
}

/// Reason why two numbers aren't a range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineSpanError {
    /// Lines are counted from 1, so line 0 doesn't exist.
    #[error("lines are counted from 1")]
    Zero,
    /// The range ends before it starts.
    #[error("the last line ({end}) lies before the first ({start})")]
    Reversed {
        /// The given start.
        start: u32,
        /// The given end.
        end: u32,
    },
}

impl LineSpan {
    /// Creates a range that includes both `start` and `end`.
    ///
    /// # Errors
    /// Returns an error if `start` is 0, or `end` is less than `start`.
    pub fn new(start: u32, end: u32) -> Result<Self, LineSpanError> {
        if start == 0 {
            return Err(LineSpanError::Zero);
        }
        if end < start {
            return Err(LineSpanError::Reversed { start, end });
        }
        Ok(Self {
            start_line: start,
            end_line: end,
        })
    }

    /// Creates a range of a single line. Since there's no line 0, that becomes line 1.
    #[must_use]
    pub fn single(line: u32) -> Self {
        let line = line.max(1);
        Self {
            start_line: line,
            end_line: line,
        }
    }

    /// First line (1-based).
    #[must_use]
    pub fn start(self) -> u32 {
        self.start_line
    }

    /// Last line, which is included.
    #[must_use]
    pub fn end(self) -> u32 {
        self.end_line
    }

    /// Number of lines, at least 1.
    #[must_use]
    pub fn count(self) -> u32 {
        (self.end_line - self.start_line).saturating_add(1)
    }

    /// Returns true if `line` is in the range, including both ends.
    #[must_use]
    pub fn contains(self, line: u32) -> bool {
        (self.start_line..=self.end_line).contains(&line)
    }
}

impl<'de> Deserialize<'de> for LineSpan {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Raw {
            start_line: u32,
            end_line: u32,
        }
        let raw = Raw::deserialize(deserializer)?;
        Self::new(raw.start_line, raw.end_line).map_err(serde::de::Error::custom)
    }
}

impl std::fmt::Display for LineSpan {
    /// Formats the range as `7` or `7-12`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.start_line == self.end_line {
            write!(f, "{}", self.start_line)
        } else {
            write!(f, "{}-{}", self.start_line, self.end_line)
        }
    }
}

impl std::str::FromStr for LineSpan {
    type Err = String;

    /// Accepts `7`, `7-12`, `L7`, `L7-L12` and `7:12`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str| {
            let digits = part.strip_prefix(['L', 'l']).unwrap_or(part);
            // `parse` accepts a `+` in front of the digits, but we don't.
            let number = digits.parse::<u32>().ok();
            number
                .filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
                .ok_or_else(|| format!("`{text}` is not a range of lines: write `7` or `7-12`"))
        };
        let (start, end) = match text.split_once(['-', ':']) {
            Some((start, end)) => (number(start)?, number(end)?),
            None => (number(text)?, number(text)?),
        };
        Self::new(start, end).map_err(|error| format!("`{text}`: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_span_is_never_empty() {
        assert_eq!(LineSpan::new(0, 3), Err(LineSpanError::Zero));
        assert_eq!(
            LineSpan::new(4, 3),
            Err(LineSpanError::Reversed { start: 4, end: 3 })
        );
        assert_eq!(LineSpan::new(3, 3).unwrap().count(), 1);
        assert!(serde_json::from_str::<LineSpan>(r#"{"start_line":9,"end_line":1}"#).is_err());
    }

    #[test]
    fn line_span_parses_common_forms() {
        for (text, start, end) in [
            ("7", 7, 7),
            ("7-12", 7, 12),
            ("L7-L12", 7, 12),
            ("7:12", 7, 12),
        ] {
            assert_eq!(
                text.parse::<LineSpan>().unwrap(),
                LineSpan::new(start, end).unwrap()
            );
        }
        assert!("12-7".parse::<LineSpan>().is_err());
        for text in [
            "x",
            "",
            "7-",
            "-7",
            "+7",
            "7-+9",
            "7-9-12",
            "7-9 ",
            " 7",
            "7,9",
            "7-9x",
            "LL7",
            "7..9",
            "4294967296",
        ] {
            assert!(text.parse::<LineSpan>().is_err(), "{text}");
        }
    }
}
