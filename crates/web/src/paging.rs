//! Pages of a list, and the values after `?` that select the rows.

use std::collections::BTreeMap;

use form_urlencoded::Serializer;
use serde::Serialize;
use windlass::Error;
use windlass::ledger::LedgerError;

/// Number of rows per page of a list.
pub(crate) const ROWS: usize = 50;

/// Maximum page number, so that computing row numbers cannot overflow.
const MAX_PAGE: usize = 1_000_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query(pub(crate) BTreeMap<String, String>);

impl Query {
    /// Returns a value, or `None` if it is missing or blank.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name).map(|value| value.trim());
        value.filter(|value| !value.is_empty())
    }

    /// Checks the names and the page number.
    ///
    /// # Errors
    /// Returns an error for a name missing from `known`, or for an invalid page number.
    pub(crate) fn check(&self, known: &[&str]) -> Result<(), Error> {
        let mut names = self.0.keys().map(String::as_str);
        if let Some(other) = names.find(|name| !known.contains(name)) {
            return Err(unknown("parameter", other, known.iter().copied()));
        }
        let page = self.get("page").map(|page| (page, page.parse::<usize>()));
        match page {
            None | Some((_, Ok(1..=MAX_PAGE))) => Ok(()),
            Some((page, _)) => Err(invalid(&format!(
                "`page` is `{page}`, not a number from 1 to {MAX_PAGE}"
            ))),
        }
    }

    /// Returns a value that must be one of `known`, or `None` if it is missing.
    ///
    /// # Errors
    /// Returns an error for any other value.
    pub(crate) fn one_of<'a>(
        &self,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Result<Option<&'a str>, Error> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let known: Vec<&str> = known.into_iter().collect();
        let found = known.iter().find(|one| **one == value).copied();
        match found {
            Some(_) => Ok(found),
            None => Err(unknown(name, value, known)),
        }
    }

    /// Changes the page to the one with row `index`, counted from 0.
    pub(crate) fn at_row(&self, index: usize) -> Self {
        let mut query = self.clone();
        let page = index / ROWS + 1;
        query.0.remove("step");
        query.0.insert("page".to_owned(), page.to_string());
        query
    }

    pub(crate) fn page(&self) -> usize {
        let page = self.get("page").and_then(|page| page.parse().ok());
        page.unwrap_or(1).clamp(1, MAX_PAGE)
    }

    pub(crate) fn skip(&self) -> usize {
        (self.page() - 1) * ROWS
    }

    /// Picks the rows on this page from `all`. Later rows may be missing there.
    pub(crate) fn rows<T>(&self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.skip()).take(ROWS).collect()
    }

    pub(crate) fn pages(&self, total: usize) -> Pages {
        let (page, skip) = (self.page(), self.skip());
        let last = total.min(skip + ROWS);
        let last_page = total.div_ceil(ROWS).max(1);
        let to = |page: usize| {
            let mut query = self.0.clone();
            query.insert("page".to_owned(), page.to_string());
            let mut text = Serializer::new(String::new());
            text.extend_pairs(query.iter());
            format!("?{}", text.finish())
        };
        Pages {
            total,
            first: if skip < total { skip + 1 } else { last },
            last,
            previous: (page > 1).then(|| to(last_page.min(page - 1))),
            next: (last < total).then(|| to(page + 1)),
        }
    }
}

pub(crate) fn invalid(message: &str) -> Error {
    LedgerError::Invalid(message.to_owned()).into()
}

fn unknown<'a>(what: &str, value: &str, known: impl IntoIterator<Item = &'a str>) -> Error {
    let known: Vec<String> = known.into_iter().map(|one| format!("`{one}`")).collect();
    let known = match known.is_empty() {
        true => "none".to_owned(),
        false => known.join(", "),
    };
    invalid(&format!("unknown {what} `{value}`; known: {known}"))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Pages {
    /// Number of rows in the list. Events are only counted up to one row beyond this page.
    pub(crate) total: usize,
    /// Number of the page's first row, from 1. Equal to `last` without any rows.
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// Address of the previous page, if any. Beyond the end of the list, it is the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<String>,
    /// Address of the next page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pairs: &[(&str, &str)]) -> Query {
        let pairs = pairs.iter();
        Query(
            pairs
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn pages_link_to_neighbours_with_filters() {
        let pages = query(&[("page", "2"), ("state", "a b&c")]).pages(120);
        assert_eq!((pages.first, pages.last), (51, 100));
        assert_eq!(pages.previous.as_deref(), Some("?page=1&state=a+b%26c"));
        assert_eq!(pages.next.as_deref(), Some("?page=3&state=a+b%26c"));
        assert_eq!(query(&[]).pages(50).next, None);
    }

    #[test]
    fn unknown_name_or_value_is_an_error() {
        let message = |result: Result<(), Error>| result.unwrap_err().to_string();
        let states = ["ready", "all"];
        let given = query(&[("state", "bogus"), ("page", "0")]);
        let checked = message(given.check(&["page"]));
        assert!(checked.contains("unknown parameter `state`; known: `page`"));
        assert!(message(given.check(&["page", "state"])).contains("`page` is `0`"));
        let state = message(given.one_of("state", states).map(drop));
        assert!(state.contains("unknown state `bogus`; known: `ready`, `all`"));
        let given = query(&[("state", "all"), ("page", "")]);
        given.check(&["page", "state"]).unwrap();
        assert_eq!(given.one_of("state", states).unwrap(), Some("all"));
        assert_eq!(given.one_of("q", []).unwrap(), None);
    }

    #[test]
    fn page_beyond_the_end_is_empty() {
        let query = query(&[("page", "99999999999999999999")]);
        assert_eq!(query.page(), 1);
        let query = super::Query(BTreeMap::from([("page".to_owned(), "9".to_owned())]));
        assert_eq!(query.rows(vec![1, 2, 3]), Vec::<i32>::new());
        let pages = query.pages(120);
        assert_eq!((pages.first, pages.last), (120, 120));
        assert_eq!(pages.previous.as_deref(), Some("?page=3"));
        assert_eq!(query.pages(0).previous.as_deref(), Some("?page=1"));
    }
}
