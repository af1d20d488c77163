use crate::{Lines, Outline, Symbol};

impl Outline {
    /// Finds the smallest symbol around all of `lines`. Of two symbols with the same lines, returns
    /// the inner one.
    #[must_use]
    pub fn enclosing(&self, lines: Lines) -> Option<&Symbol> {
        let holding = self
            .symbols
            .iter()
            .filter(|symbol| symbol.lines.holds(lines));
        // Inner symbols come after their containers, and `min_by_key` returns the first of equal
        // elements, so iterate from the end.
        holding.rev().min_by_key(|symbol| symbol.lines.count())
    }

    /// Finds the possible meanings of `wanted`, in file order.
    ///
    /// A symbol with exactly this path wins over symbols whose paths end with the parts of
    /// `wanted`. Failing both, case is ignored. Parts can be separated by `::`, `.`, `#` or `>` in
    /// any language. `Type::method` and `Trait::method` both find `<Type as Trait>::method`. A
    /// heading may contain separators itself.
    #[must_use]
    pub fn find(&self, wanted: &str) -> Vec<&Symbol> {
        let select = |matches: &dyn Fn(&Symbol) -> bool| -> Vec<&Symbol> {
            self.symbols
                .iter()
                .filter(|symbol| matches(symbol))
                .collect()
        };
        let written = wanted.trim().trim_start_matches('#').trim();
        // Try the text as given first, since the path of a heading may begin or end with spaces or
        // `#` marks.
        for path in [wanted, written] {
            let exact = select(&|symbol| !path.is_empty() && symbol.path == path);
            if !exact.is_empty() {
                return exact;
            }
        }
        let wanted = written;
        if wanted.is_empty() {
            return Vec::new();
        }
        let same_case = |a: &str, b: &str| a == b;
        let any_case = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
        let parts = parts(wanted);
        for same in [same_case as fn(&str, &str) -> bool, any_case] {
            let found = select(&|symbol| {
                same(&symbol.name, wanted)
                    || same(&symbol.path, wanted)
                    || ends_with(symbol, &parts, same)
            });
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

fn ends_with(symbol: &Symbol, parts: &[&str], same: fn(&str, &str) -> bool) -> bool {
    let Some(skipped) = symbol.segments().len().checked_sub(parts.len()) else {
        return false;
    };
    let last = symbol.segments().skip(skipped);
    !parts.is_empty()
        && last
            .zip(parts)
            .all(|(segment, part)| is_part(segment, part, same))
}

/// Returns true if `part` names `segment`. For example, `Type`, `Trait` and `Trait<T>` all name
/// `<Type as Trait<T>>`.
fn is_part(segment: &str, part: &str, same: fn(&str, &str) -> bool) -> bool {
    if same(segment, part) {
        return true;
    }
    let of_trait = segment
        .strip_prefix('<')
        .and_then(|inner| inner.strip_suffix('>'))
        .and_then(|inner| inner.split_once(" as "));
    of_trait.is_some_and(|(of, of_trait)| {
        let bare = of_trait.split('<').next().unwrap_or(of_trait);
        [of, of_trait, bare].iter().any(|name| same(name, part))
    })
}

/// Splits a name at separators, except for those inside angle brackets.
fn parts(wanted: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, letter) in wanted.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            ':' | '.' | '#' | '>' if depth == 0 => {
                parts.push(&wanted[start..at]);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&wanted[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}
