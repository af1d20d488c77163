//! The TOML configuration of Codex. We append a table, and leave the rest of the file alone.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use windlass::Error;

use super::server_entry::{ServerEntry, TAKEN};

/// The server's table. By default, Codex passes few environment variables to servers, so we list
/// those we need.
fn table(key: &str, root: &str) -> String {
    format!(
        "[{key}.windlass]\ncommand = \"windlass\"\nargs = [\"mcp\", \"--root\", \"{root}\"]\nenv_vars = [\"BD_ACTOR\"]\n"
    )
}

/// Adds the server to the table `key` of `before`, unless it is there already.
///
/// # Errors
/// Returns an error if `before` is not TOML, or if something else is named `windlass` there.
pub(super) fn with_server(
    file: &str,
    before: Option<&str>,
    key: &str,
    root: &str,
) -> Result<String, Error> {
    let before = before.unwrap_or_default();
    let document = DeTable::parse(before)
        .map_err(|error| Error::unusable(file, format!("not TOML: {}", error.message())))?;
    let named = document.get_ref().get(key);
    let servers = named.and_then(|servers| servers.get_ref().as_table());
    if let Some(there) = servers.and_then(|servers| servers.get("windlass")) {
        // The user may have edited this entry. Keep it as long as it starts Windlass.
        let there = there.get_ref().as_table().map(entry_of);
        return match there.is_none_or(|there| there.starts_server()) {
            true => Ok(before.to_owned()),
            false => Err(Error::unusable(file, TAKEN)),
        };
    }
    if named.is_some() && servers.is_none() {
        return Err(Error::unusable(file, format!("its `{key}` is not a table")));
    }
    let gap = match before {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let after = format!("{before}{gap}{}", table(key, root));
    // We can't extend an inline table from outside, so appending to one gives invalid TOML.
    let is_toml = DeTable::parse(&after).is_ok();
    let in_one_line = format!("its `{key}` is an inline table; add `windlass` by hand");
    is_toml
        .then_some(after)
        .ok_or_else(|| Error::unusable(file, in_one_line))
}

/// The entry of Windlass in a file.
///
/// # Errors
/// Returns the reason why the file is not TOML.
pub(super) fn server_entry(text: &str, key: &str) -> Result<Option<ServerEntry>, String> {
    let document =
        DeTable::parse(text).map_err(|error| format!("not TOML: {}", error.message()))?;
    let servers = document.get_ref().get(key);
    let servers = servers.and_then(|servers| servers.get_ref().as_table());
    let entry = servers.and_then(|servers| servers.get("windlass")?.get_ref().as_table());
    Ok(entry.map(entry_of))
}

fn entry_of(entry: &DeTable<'_>) -> ServerEntry {
    let value = |name: &str| entry.get(name).map(Spanned::get_ref);
    let args = value("args").and_then(DeValue::as_array);
    let args = args.into_iter().flat_map(|args| args.iter());
    let variables = value("env").and_then(DeValue::as_table);
    let actor = variables.and_then(|variables| variables.get("BD_ACTOR")?.get_ref().as_str());
    ServerEntry {
        command: value("command")
            .and_then(DeValue::as_str)
            .map(str::to_owned),
        args: args
            .filter_map(|arg| arg.get_ref().as_str().map(str::to_owned))
            .collect(),
        variable: actor.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_server(file: &str, before: Option<&str>) -> Result<String, Error> {
        super::with_server(file, before, "mcp_servers", ".")
    }

    #[test]
    fn table_is_added_once() {
        let table = table("mcp_servers", ".");
        assert_eq!(with_server("x", None).unwrap(), table);
        let own = "# mine\nmodel = \"x\"\n[mcp_servers.other]\ncommand = \"o\"\n";
        let merged = with_server("x", Some(own)).unwrap();
        assert_eq!(merged, format!("{own}\n{table}"));
        assert_eq!(with_server("x", Some(&merged)).unwrap(), merged);
    }

    #[test]
    fn unmergeable_config_is_refused() {
        for odd in [
            "mcp_servers = { other = { command = 'x' } }\n",
            "mcp_servers = 3\n",
            "[mcp_servers.windlass]\ncommand = \"old\"\n",
            "a = \n",
        ] {
            assert!(with_server("x", Some(odd)).is_err(), "{odd}");
        }
    }
}
