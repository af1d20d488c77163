//! Benchmarks for documents: a conversion compared with `jq`, and a scan for citations compared
//! with one pass of git over the history.

use std::fmt::Write as _;

use super::bench_times::{Row, in_turn, time};
use super::bench_world::World;
use super::made_sources::{settle, write_sources};
use crate::Error;

/// Converts a document of 2,000 items to a new file, and onto an existing one.
pub(crate) fn convert(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.repository("convert")?;
    let item = |at: usize| {
        format!("{{\"id\":\"i{at}\",\"title\":\"Item {at} of the list\",\"status\":\"pending\"}}")
    };
    let items: Vec<String> = (0..2_000).map(item).collect();
    let list = format!(
        "{{\"vContextInfo\":{{\"version\":\"0.4\"}},\"todoList\":{{\"items\":[{}]}}}}",
        items.join(",")
    );
    std::fs::write(root.join("list.json"), list)?;
    let mut rows = Vec::new();
    for (name, is_new, times) in [("onto a new file", true, 6.0), ("onto a file", false, 9.0)] {
        let mut ours = || {
            if is_new {
                std::fs::remove_file(root.join("out.json")).or_else(|_| Ok::<_, Error>(()))?;
            }
            let args = [
                "doc",
                "convert",
                "list.json",
                "--format",
                "json",
                "--out",
                "out.json",
            ];
            time(&mut world.windlass(&root, args))
        };
        let mut jq = || time(world.program("jq", &root).args([".", "list.json"]));
        let [ours, jq] = in_turn([&mut ours, &mut jq], world.repeat(21))?;
        rows.push(Row::beside(
            format!("convert: {name}"),
            ours,
            times,
            ("jq", jq),
        ));
    }
    Ok(rows)
}

/// Scans 400 folders, each with a page that cites nothing but has texts that look like citations.
pub(crate) fn scan(world: &World) -> Result<Vec<Row>, Error> {
    let root = world.repository("scan")?;
    write_sources(&root, 400, 20)?;
    for at in 0..400 {
        let mut page = format!("# Package {at}\n\n");
        for port in 0..5 {
            let _ = writeln!(page, "Start it with `host{port}.local:80{port}0`.");
        }
        let folder = root.join(format!("packages/p{at}"));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("README.md"), page)?;
        if at % 4 == 0 {
            world.git(&root, &["add", "-A"])?;
            world.git(&root, &["commit", "-q", "-m", "more"])?;
        }
    }
    settle();
    let log = ["log", "--format=", "--name-only", "--diff-filter=A"];
    let mut ours = || time(&mut world.windlass(&root, ["anchor", "scan"]));
    let mut git = || time(world.program("git", &root).args(log));
    let [ours, git] = in_turn([&mut ours, &mut git], world.repeat(11))?;
    Ok(vec![Row::beside(
        "scan: no citations",
        ours,
        20.0,
        ("git log", git),
    )])
}
