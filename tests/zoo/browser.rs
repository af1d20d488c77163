//! The report in a real browser: no errors, nothing that is wider than the screen, at two widths, light and dark.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::repository;

/// Names that browsers of one kind go by.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// A phone, and a desk.
const WIDTHS: [(&str, u32); 2] = [("phone", 390), ("desk", 1280)];
/// As the browser's setting has them.
const SCHEMES: [(&str, &str); 2] = [("light", "1"), ("dark", "0")];

fn browser() -> Option<&'static str> {
    let answers = |name: &&&str| {
        let asked = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        asked.is_ok_and(|status| status.success())
    };
    BROWSERS.iter().find(answers).copied()
}

/// A page that shows `report` at a width that windows need not have, and says how wide it is, what went wrong in it and which
/// colour stands behind it.
fn frame(report: &str, width: u32) -> String {
    let report = report.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!DOCTYPE html><body style=\"margin:0\"><iframe id=\"it\" style=\"border:0;width:{width}px;height:2400px\" srcdoc=\"{report}\"></iframe>\
         <script>addEventListener('load',()=>{{const d=document.getElementById('it').contentDocument;\
         d.querySelectorAll('details').forEach(e=>e.open=true);const r=d.documentElement;\
         const wide=[...d.querySelectorAll('body *')].filter(e=>!e.closest('.wide,pre,svg')&&e.getBoundingClientRect().right>{width}+1).map(e=>e.tagName+'.'+e.className);\
         document.body.dataset.said=JSON.stringify({{scroll:r.scrollWidth,wide,bg:getComputedStyle(d.body).backgroundColor,tables:d.querySelectorAll('table').length}})}})</script>"
    )
}

/// What the browser shows of `page`, and what it says on its console; the picture goes to `picture`.
fn looked_at(
    browser: &str,
    page: &Path,
    scheme: &str,
    width: u32,
    picture: &Path,
) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let run = |what: &str| {
        let output = Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .args(["--no-first-run", "--enable-logging=stderr", "--v=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg(format!("--window-size={},2400", width.max(500)))
            .arg(what)
            .arg(format!("file://{}", page.display()))
            .output()
            .unwrap();
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let _ = run(&format!("--screenshot={}", picture.display()));
    run("--dump-dom")
}

#[test]
fn the_report_fits_phones_and_desks_in_light_and_dark() {
    let Some(browser) = browser() else {
        eprintln!("skipped: none of {} is here", BROWSERS.join(", "));
        return;
    };
    let sandbox = repository();
    sandbox.edit(
        "src/other.rs",
        "    a + b",
        "    let sum = a + b;\n    debug_assert!(sum >= a);\n    sum",
    );
    sandbox.commit("check that adding numbers does not overflow");
    let root = sandbox.root().to_str().unwrap().to_owned();
    sandbox
        .windlass(&["zoo", "run", "--repo", &root])
        .succeeds();
    let out = sandbox.outside().join("report.html");
    sandbox
        .windlass(&[
            "zoo",
            "report",
            "--repo",
            &root,
            "--out",
            out.to_str().unwrap(),
        ])
        .succeeds();
    // Another report can be looked at, and pictures kept, by hand.
    let out = std::env::var_os("WINDLASS_ZOO_REPORT").map_or(out, PathBuf::from);
    let report = std::fs::read_to_string(out).unwrap();
    assert!(
        !report.contains("<script") && !report.contains("http://") && !report.contains("https://")
    );
    let pictures =
        std::env::var_os("WINDLASS_ZOO_PICTURES").map_or(sandbox.outside(), PathBuf::from);
    let mut colours = Vec::new();
    for (device, width) in WIDTHS {
        let page = sandbox.outside().join(format!("{device}.html"));
        std::fs::write(&page, frame(&report, width)).unwrap();
        for (name, scheme) in SCHEMES {
            let picture = pictures.join(format!("{device}-{name}.png"));
            let (dom, console) = looked_at(browser, &page, scheme, width, &picture);
            assert!(!console.contains("CONSOLE"), "{device} {name}: {console}");
            assert!(
                std::fs::metadata(&picture).unwrap().len() > 5_000,
                "{device} {name}"
            );
            let said = dom
                .split("data-said=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let said = said
                .unwrap_or_else(|| panic!("{device} {name}: {console}"))
                .replace("&quot;", "\"");
            let said: serde_json::Value = serde_json::from_str(&said).unwrap();
            assert_eq!(
                said["scroll"], width,
                "{device} {name} is as wide as the screen"
            );
            assert_eq!(said["wide"], serde_json::json!([]), "{device} {name}");
            assert!(said["tables"].as_u64().unwrap() > 2);
            colours.push(said["bg"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(colours[0], colours[2]);
    assert_ne!(colours[0], colours[1], "dark is not light");
}
