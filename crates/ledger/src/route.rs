//! Routes map bead prefixes to ledgers.
//!
//! A bead may depend on one in another repository, such as `gt-abc`. The file `routes.jsonl` tells
//! us where to find the ledger of prefix `gt`. Other tools read and write this file as well, so we
//! keep lines and fields that we don't know.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_store::{Lock, LockRequest, RootedPath, read_file, write_shared};

use crate::{LedgerError, Places, side_files};

/// Maximum size of a routes file, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The ledger that holds the beads of a prefix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Route {
    /// Bead id prefix, without the `-` that follows it.
    pub prefix: String,
    /// Absolute path of the `.beads` folder.
    pub path: String,
    /// The rig's name, if it has one.
    pub rig: Option<String>,
}

/// A ledger's routes, in file order.
///
/// Lines that can't be parsed are kept, so that nothing is lost when we write the file again.
#[derive(Debug, Clone, Default)]
pub struct Routes {
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
enum Line {
    Route {
        route: Route,
        /// The JSON object as read, including unknown fields.
        fields: Map<String, Value>,
    },
    Other(String),
}

impl Routes {
    /// Reads the routes at `places`.
    ///
    /// We also accept two variants written by other tools: a prefix with a dash after it, and a
    /// path relative to the parent of `.beads`. The path may point to a `.beads` folder or to its
    /// parent.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub fn read(places: &Places) -> Result<Self, LedgerError> {
        let bytes = read_file(&Self::file(places), MAX_BYTES)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let line = |line: &str| match serde_json::from_str::<Map<String, Value>>(line) {
            Ok(fields) => match route_of(&fields, places.root()) {
                Some(route) => Line::Route { route, fields },
                None => Line::Other(line.to_owned()),
            },
            Err(_) => Line::Other(line.to_owned()),
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Ok(Self {
            lines: lines.map(line).collect(),
        })
    }

    fn file(places: &Places) -> RootedPath {
        places.beads().join("routes.jsonl")
    }

    /// Iterates over all routes.
    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        self.lines.iter().filter_map(|line| match line {
            Line::Route { route, .. } => Some(route),
            Line::Other(_) => None,
        })
    }

    /// Returns the line numbers of anything that isn't a route. They count from 1 and leave out
    /// blank lines, so they may be lower than the numbers in an editor.
    #[must_use]
    pub fn odd_lines(&self) -> Vec<usize> {
        let odd = (1..)
            .zip(&self.lines)
            .filter(|(_, line)| matches!(line, Line::Other(_)));
        odd.map(|(number, _)| number).collect()
    }

    /// Returns the route for the bead `id`. If several prefixes match, the longest wins.
    #[must_use]
    pub fn resolve(&self, id: &str) -> Option<&Route> {
        let fits = |route: &&Route| {
            // `gt` has the bead `gt-abc`, but not `gta-1`.
            let rest = id.strip_prefix(route.prefix.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.iter()
            .filter(fits)
            .max_by_key(|route| route.prefix.len())
    }

    /// Adds a route in place of any route with the same prefix. Returns the replaced route.
    ///
    /// # Errors
    /// Returns an error if the prefix or path is invalid, or the file can't be written.
    pub fn add(
        places: &Places,
        route: Route,
        request: &LockRequest,
    ) -> Result<Option<Route>, LedgerError> {
        check(&route)?;
        Self::change(places, request, |routes| {
            let mut old = None;
            for line in &mut routes.lines {
                if let Line::Route {
                    route: known,
                    fields,
                } = line
                    && known.prefix == route.prefix
                {
                    old = Some(std::mem::replace(known, route.clone()));
                    // Unknown fields of the old route stay.
                    fields.extend(fields_of(&route));
                }
            }
            if old.is_none() {
                let fields = fields_of(&route);
                routes.lines.push(Line::Route { route, fields });
            }
            old
        })
    }

    /// Removes all routes for `prefix`. Returns one of the removed routes, if there were any.
    ///
    /// # Errors
    /// Returns an error if the file can't be read or written.
    pub fn remove(
        places: &Places,
        prefix: &str,
        request: &LockRequest,
    ) -> Result<Option<Route>, LedgerError> {
        Self::change(places, request, |routes| {
            let removed = routes.iter().find(|route| route.prefix == prefix).cloned();
            routes.lines.retain(
                |line| !matches!(line, Line::Route { route, .. } if route.prefix == prefix),
            );
            removed
        })
    }

    fn change<T>(
        places: &Places,
        request: &LockRequest,
        change: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, LedgerError> {
        places.check_links()?;
        side_files::prepare_folder(places)?;
        let lock = places.home().join("routes.lock");
        let _guard = Lock::acquire(&lock, request)?;
        // Another process may have changed the file, so only read it once we have the lock.
        let mut routes = Self::read(places)?;
        let changed = change(&mut routes);
        let text: String = routes.lines.iter().map(Line::text).collect();
        write_shared(&Self::file(places), text.as_bytes())?;
        Ok(changed)
    }
}

impl Line {
    fn text(&self) -> String {
        match self {
            Self::Route { fields, .. } => format!("{}\n", Value::Object(fields.clone())),
            Self::Other(text) => format!("{text}\n"),
        }
    }
}

fn fields_of(route: &Route) -> Map<String, Value> {
    match serde_json::to_value(route) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn check(route: &Route) -> Result<(), LedgerError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let prefix = &route.prefix;
    if prefix.is_empty() || !prefix.chars().all(is_plain) || prefix.ends_with('-') {
        let message =
            format!("`{prefix}` is not a prefix: use letters, digits, `_`, and `-` between them");
        return Err(LedgerError::invalid(message));
    }
    match Path::new(&route.path).is_absolute() {
        true => Ok(()),
        false => Err(LedgerError::invalid(format!(
            "`{}` is not an absolute path",
            route.path
        ))),
    }
}

fn route_of(fields: &Map<String, Value>, root: &Path) -> Option<Route> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let prefix = text("prefix")?.trim_end_matches('-');
    let path = root.join(text("path")?);
    let is_beads = path.file_name().is_some_and(|name| name == ".beads");
    let path = if is_beads { path } else { path.join(".beads") };
    // Drop `.` components, so that equal paths compare as equal.
    let path: PathBuf = path.components().collect();
    (!prefix.is_empty()).then(|| Route {
        prefix: prefix.to_owned(),
        path: path.to_string_lossy().into_owned(),
        rig: text("rig").map(str::to_owned),
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files they need")]
mod tests {
    use super::*;

    fn soon() -> LockRequest {
        LockRequest::new(std::time::Duration::from_secs(5), "test")
    }

    fn route(prefix: &str, path: &str) -> Route {
        Route {
            prefix: prefix.to_owned(),
            path: path.to_owned(),
            rig: None,
        }
    }

    #[test]
    fn routes_foreign_lines_read_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places::new(dir.path(), None);
        let file = dir.path().join(".beads/routes.jsonl");
        std::fs::create_dir(dir.path().join(".beads")).unwrap();
        let text = "{\"prefix\":\"gt-\",\"path\":\"gastown/rig\",\"more\":1}\nnonsense\n\
                    {\"prefix\":\"hq\",\"path\":\".\",\"rig\":null}\n";
        std::fs::write(&file, text).unwrap();
        let routes = Routes::read(&places).unwrap();
        let root = dir.path().to_string_lossy();
        let found: Vec<_> = routes
            .iter()
            .map(|route| format!("{} {}", route.prefix, route.path))
            .collect();
        assert_eq!(
            found,
            [
                format!("gt {root}/gastown/rig/.beads"),
                format!("hq {root}/.beads")
            ]
        );
        assert_eq!(routes.odd_lines(), [2]);
        assert!(
            Routes::add(&places, route("gt", "/x/.beads"), &soon())
                .unwrap()
                .is_some()
        );
        assert!(
            Routes::add(&places, route("new", "/y/.beads"), &soon())
                .unwrap()
                .is_none()
        );
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            "{\"prefix\":\"gt\",\"path\":\"/x/.beads\",\"more\":1,\"rig\":null}\nnonsense\n\
             {\"prefix\":\"hq\",\"path\":\".\",\"rig\":null}\n{\"prefix\":\"new\",\"path\":\"/y/.beads\",\"rig\":null}\n"
        );
        for (prefix, path) in [("", "/x"), ("a b", "/x"), ("gt-", "/x"), ("gt", "x")] {
            assert!(
                Routes::add(&places, route(prefix, path), &soon()).is_err(),
                "{prefix} {path}"
            );
        }
    }

    #[test]
    fn resolve_longest_prefix_wins() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places::new(dir.path(), None);
        for prefix in ["gt", "gt-api", "g"] {
            Routes::add(&places, route(prefix, &format!("/{prefix}")), &soon()).unwrap();
        }
        let routes = Routes::read(&places).unwrap();
        let of = |id| routes.resolve(id).map(|route| route.prefix.as_str());
        assert_eq!(of("gt-abc"), Some("gt"));
        assert_eq!(of("gt-api-abc"), Some("gt-api"));
        assert_eq!(of("gt-apix"), Some("gt"));
        assert_eq!(of("gta-1"), None);
        assert_eq!(of("g-1"), Some("g"));
    }
}
