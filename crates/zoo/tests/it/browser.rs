//! Opens the report in a real browser, in the widths of a phone and a desktop, and in light and
//! dark mode. There must be no errors, nothing may overflow horizontally, and all text must be
//! readable.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use windlass_zoo::report::{History, Report};
use windlass_zoo::{
    BUILT_IN, CaseResult, Checked, Held, Kind, Measured, Metric, OURS, Regression, Results,
    archetypes,
};

/// Commands of browsers that are based on Chromium.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Devices and their widths.
const WIDTHS: [(&str, u32); 2] = [("phone", 390), ("desk", 1280)];
/// Colour schemes, with the values of the browser's setting.
const SCHEMES: [(&str, &str); 2] = [("light", "1"), ("dark", "0")];
/// Options that keep the browser from using the network and stored state.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];
/// Height of a screenshot, in pixels.
const HEIGHT: u32 = 6_000;
/// Minimum font size, in pixels.
const SMALLEST: f64 = 11.0;
/// Minimum contrast ratio of text, by WCAG 2 level AA.
const CONTRAST: f64 = 4.5;

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

/// Inspects the report in the frame, and adds the findings to the page. That's where `--dump-dom`
/// prints them.
const LOOK: &str = r"
addEventListener('load', () => {
  const page = document.getElementById('it').contentDocument, win = page.defaultView, root = page.documentElement;
  page.querySelectorAll('details').forEach(one => one.open = true);
  const all = [...page.querySelectorAll('body *')];
  const named = one => one.tagName + '.' + (one.className.baseVal ?? one.className) + ' ' + one.textContent.trim().slice(0, 30);
  const wide = all.filter(one => !one.closest('.wide,pre,svg') && one.getBoundingClientRect().right > WIDTH + 1).map(named);
  const outside = [...page.querySelectorAll('svg text')].filter(one =>
    one.getBoundingClientRect().right > one.closest('svg').getBoundingClientRect().right + 1).map(named);
  const parts = text => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = text => parts(text).slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = one => {
    for (; one; one = one.parentElement) {
      const colour = win.getComputedStyle(one).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  let smallest = 1e9, contrast = 1e9, least = '';
  for (const one of all) {
    if (![...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()) || one.tagName === 'title') continue;
    const style = win.getComputedStyle(one), svg = one.closest('svg');
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    smallest = Math.min(smallest, parseFloat(style.fontSize) * scale);
    const [fore, back] = [light(svg ? style.fill : style.color), light(behind(one))];
    const apart = (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05);
    if (apart < contrast) [contrast, least] = [apart, named(one)];
  }
  document.body.dataset.said = JSON.stringify({scroll: root.scrollWidth, height: root.scrollHeight, wide, outside, smallest, contrast, least,
    back: win.getComputedStyle(page.body).backgroundColor, tables: page.querySelectorAll('table').length});
});";

/// Returns a page with `report` in a frame of the given width. A frame can be narrower than the
/// window of any browser.
fn frame(report: &str, width: u32) -> String {
    let report = report.replace('&', "&amp;").replace('"', "&quot;");
    let look = LOOK.replace("WIDTH", &width.to_string());
    format!(
        "<!DOCTYPE html><body style=\"margin:0\"><iframe id=\"it\" style=\"border:0;width:{width}px;height:{HEIGHT}px\" \
         srcdoc=\"{report}\"></iframe><script>{look}</script>"
    )
}

/// Returns the findings about `page`, and the messages on the console of the browser. A screenshot
/// is written to `picture`.
fn looked_at(
    browser: &str,
    page: &Path,
    (scheme, width): (&str, u32),
    picture: &Path,
) -> (Value, String) {
    let profile = tempfile::tempdir().unwrap();
    let run = |what: &str| {
        let output = Command::new(browser)
            .args(FLAGS)
            .args(["--enable-logging=stderr", "--v=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg(format!("--window-size={},{HEIGHT}", width.max(500)))
            .arg(what)
            .arg(format!("file://{}", page.display()))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(output.stdout), text(output.stderr))
    };
    let _ = run(&format!("--screenshot={}", picture.display()));
    let (dom, console) = run("--dump-dom");
    let said = dom
        .split("data-said=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let said = said.unwrap_or_else(|| panic!("the page says nothing: {console}"));
    let said = said
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    (
        serde_json::from_str(&said.replace("&amp;", "&")).unwrap(),
        console,
    )
}

/// Returns cases of all kinds for all samples. Many of them have bad values and very long names and
/// texts.
fn results(worse: f64) -> Results {
    let long = "internal/a-folder-with-a-long-name/another_one/a_file_that_somebody_gave_a_very_long_name_to.rs";
    let mut cases = Vec::new();
    for (number, (archetype, _)) in archetypes().unwrap().into_iter().enumerate() {
        for (at, kind) in [Kind::Plain, Kind::Both, Kind::Mined]
            .into_iter()
            .cycle()
            .take(9)
            .enumerate()
        {
            for (place, system) in BUILT_IN.into_iter().enumerate() {
                let value = |metric: &Metric| {
                    let share = ((at * 7 + number * 3 + place * 5) % 10) as f64 / 10.0;
                    let value = match metric.definition().range {
                        (low, high) if low.is_finite() && high.is_finite() => {
                            low + (high - low) * share
                        }
                        (low, _) if low.is_finite() => share * 26_305.0,
                        _ => share - 3.0,
                    };
                    (*metric, (at != 4).then_some(value * worse))
                };
                cases.push(CaseResult {
                    kind: Some(kind),
                    values: Metric::ALL.iter().map(value).collect(),
                    asked: format!("where is <b>\"it\"</b> that {long} speaks of, and what_else_is_there_to_be_said_of_it & more"),
                    expected: vec![format!("{long}:1-2"); 3],
                    shown: vec![format!("{long}:{}-{}", at * 100, at * 100 + 9); 8],
                    failure: (at == 5).then(|| format!("it ended without an answer: `{long}`")),
                    ..CaseResult::new(&archetype, &format!("a-case-with-a-name-{at}"), system)
                });
            }
        }
    }
    Results::of(cases)
}

/// Returns a report with failed gates and earlier runs.
fn report() -> String {
    let now = results(1.0);
    let mut history = History::default();
    for run in 1..14 {
        let mut found = results(f64::from(run) / 14.0);
        let at = format!("2026-01-{run:02}T12:00:00Z");
        found.run = Some(Measured {
            version: "10.20.30".to_owned(),
            at,
        });
        history.add(&found);
    }
    history.add(&now);
    let broken = |metric: Metric| Regression {
        archetype: "dataset-heavy".to_owned(),
        metric: metric.name().to_owned(),
        must: "ahead of rg, bm25, whole-file".to_owned(),
        is: "-0.1234 against `whole-file`, 95 % within -0.2 to +0.1: it may be chance".to_owned(),
        cases: vec!["a-case-with-a-name-1: 0.1234".to_owned(); 3],
        reproduce: now.reproduce(Some("dataset-heavy"), Some("a-case-with-a-name-1"), &[OURS]),
        ..Regression::default()
    };
    let held = Held {
        archetype: "dataset-heavy".to_owned(),
        metric: "recall_at_2000_tokens".to_owned(),
        must: "no worse than rg, bm25, whole-file".to_owned(),
        is: "+0.1234 against `whole-file`, 95 % within -0.2 to +0.1".to_owned(),
    };
    let checked = Checked {
        held: vec![held; 20],
        broken: vec![
            broken(Metric::RecallAtTokens),
            broken(Metric::BudgetOverflow),
        ],
    };
    let report = Report {
        results: &now,
        checked: Some(&checked),
        baseline: Some(&results(0.5).baseline()),
        history: &history,
    };
    report.html().unwrap()
}

#[test]
fn report_is_self_contained() {
    let report = report();
    for needs in ["<script", "http://", "https://", "src=", "@import", "url("] {
        assert!(!report.contains(needs), "it needs something else: {needs}");
    }
}

#[test]
#[ignore = "needs Chromium: `cargo test -p windlass-zoo --test it browser -- --ignored`"]
fn report_fits_phone_and_desktop() {
    let none = || panic!("none of {} is here", BROWSERS.join(", "));
    let browser = browser().unwrap_or_else(none);
    // As a developer, you can inspect another report here, and keep the screenshots.
    let report = std::env::var_os("WINDLASS_ZOO_REPORT")
        .map_or_else(report, |file| std::fs::read_to_string(file).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let pictures = std::env::var_os("WINDLASS_ZOO_PICTURES")
        .map_or_else(|| folder.path().to_path_buf(), PathBuf::from);
    let mut colours = Vec::new();
    for (device, width) in WIDTHS {
        let page = folder.path().join(format!("{device}.html"));
        std::fs::write(&page, frame(&report, width)).unwrap();
        for (name, scheme) in SCHEMES {
            let picture = pictures.join(format!("{device}-{name}.png"));
            let (said, console) = looked_at(browser, &page, (scheme, width), &picture);
            let at = format!("{device} {name}: {said:#}");
            assert!(!console.contains("CONSOLE"), "{at}\n{console}");
            assert!(std::fs::metadata(&picture).unwrap().len() > 5_000, "{at}");
            assert_eq!(said["scroll"], width, "{at}");
            for beyond in ["wide", "outside"] {
                assert_eq!(said[beyond], Value::Array(Vec::new()), "{at}");
            }
            assert!(said["smallest"].as_f64() >= Some(SMALLEST), "{at}");
            assert!(said["contrast"].as_f64() >= Some(CONTRAST), "{at}");
            assert!(said["tables"].as_u64() > Some(2), "{at}");
            colours.push(said["back"].clone());
        }
    }
    assert_eq!(colours[0], colours[2]);
    assert_ne!(colours[0], colours[1], "dark is not light");
    assert!(report.contains(OURS));
}
