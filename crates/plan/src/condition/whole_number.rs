use super::{ENVIRONMENT, message_of};

/// The maximum length of an expression in bytes.
///
/// Parsing is recursive in minijinja, so a long run of `(` or `-` could overflow the stack.
const MAX_LEN: usize = 200;

/// Evaluates an expression of integers, `+ - * / ^` and parentheses. Division rounds down.
///
/// # Errors
/// Returns a short reason, for use in a message.
pub fn whole_number(text: &str) -> Result<i64, String> {
    let is_known = |c: char| c.is_ascii_digit() || c.is_ascii_whitespace() || "+-*/^()".contains(c);
    if let Some(other) = text.chars().find(|c| !is_known(*c)) {
        return Err(format!("unexpected `{}`", other.escape_default()));
    }
    if text.len() > MAX_LEN {
        return Err(format!("it has more than {MAX_LEN} bytes"));
    }
    // For minijinja, these are a power and an integer division. We have other operators for them.
    if let Some(operator) = ["**", "//"].into_iter().find(|it| text.contains(it)) {
        return Err(format!("unexpected `{operator}`"));
    }
    if has_power_of_power(text) {
        return Err("a power of a power needs parentheses, as in `2^(3^2)`".to_owned());
    }
    let text = text.replace('/', "//").replace('^', "**");
    let number = ENVIRONMENT
        .compile_expression(&text)
        .and_then(|expression| expression.eval(()))
        .map_err(|error| message_of(&error))?;
    number
        .as_i64()
        .ok_or_else(|| "it is no integer of 64 bits".to_owned())
}

/// True if a `^` follows another without parentheses.
///
/// In mathematics, `2^3^2` is read from the right, but minijinja reads it from the left, so it is
/// better to ask the author.
fn has_power_of_power(text: &str) -> bool {
    text.match_indices('^').any(|(at, _)| {
        let rest = text[at + 1..].trim_start_matches(['-', ' ']);
        let mut depth = 0;
        let end = rest.chars().find(|c| {
            depth += i32::from(*c == '(') - i32::from(*c == ')');
            depth < 0 || depth == 0 && "+-*/^".contains(*c)
        });
        end == Some('^')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_number_is_evaluated() {
        for (text, number) in [
            (" 2^3 - 1 ", 7),
            ("-(1+2)*3/2", -5),
            ("2^(3^2)", 512),
            ("2^3*2^2", 32),
            ("-2^2", 4),
            ("9223372036854775807", i64::MAX),
        ] {
            assert_eq!(whole_number(text), Ok(number), "{text}");
        }
    }

    #[test]
    fn whole_number_refuses_other_texts() {
        for text in [
            "",
            "x",
            "2^99",
            "1/0",
            "2 3",
            "2**3",
            "7//2",
            "2^3^2",
            "2^(1)^2",
            "1.5",
            "2^-1",
            "99999999999999999999",
            "range(9)",
        ] {
            assert!(whole_number(text).is_err(), "{text}");
        }
        // These must fail because of their length, before minijinja's parser overflows the stack.
        assert!(whole_number(&"(".repeat(MAX_LEN)).is_err());
        assert!(whole_number(&"-".repeat(MAX_LEN)).is_err());
        assert!(whole_number(&"(".repeat(100_000)).is_err());
    }
}
