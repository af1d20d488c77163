//! Runs a runbook and prints its pack (`windlass run`).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use windlass::engine::{NoObserver, Observer};
use windlass::packs::{Styled, harmless_line};
use windlass::{
    Ending, NotKept, PageRequest, Part, Refresh, RefreshRequest, RunbookEntry, ViewRequest,
    Workspace,
};

use super::command_context::interruptible;
use super::{Ended, Failure, inputs, limit, pack_format, tell_troubles};
use crate::args::{RunArgs, ViewArgs};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::progress_bar::Progress;
use crate::screen::Screen;
use crate::trace::Trace;

/// The runbook written by `windlass init`. Of several runbooks, we run this one if the user does
/// not name any.
const USUAL: &str = "overview";

const TICK: Duration = Duration::from_millis(100);

pub(crate) fn run(root: Option<&Path>, args: RunArgs, screen: &Screen) -> Ended {
    let view = view(&args.view, screen);
    let workspace = workspace(root)?;
    if let Some(cursor) = args.cursor {
        let page = workspace.kept_packs().page(&PageRequest { cursor, view })?;
        screen.print_styled(&page.printed);
        return Ok(ended(page.ending, screen));
    }
    let known = || workspace.runbooks().all(&workspace.site().snapshot());
    if args.list {
        return list(&known(), screen);
    }
    let runbook = match args.runbook {
        Some(runbook) => runbook,
        // Without a name, run the usual runbook. If there's none but several others, let the user
        // choose.
        None => match (usual(&known()), known().as_slice()) {
            (Some(usual), _) => usual,
            (None, []) => return Err(workspace.runbooks().none_named().into()),
            (None, several) => return list(several, screen),
        },
    };
    let request = RefreshRequest {
        runbook,
        start: here(),
        inputs: inputs(&args.inputs)?,
        part: match args.from {
            Some(step) => Part::From(step),
            None if args.only.is_empty() => Part::Whole,
            None => Part::Only(args.only),
        },
        jobs: args.jobs,
        fail_fast: args.fail_fast,
        allow_commands: args.allow_commands,
        view,
    };
    if args.hook_answer {
        let refresh = refreshed(&workspace, &request, screen)?;
        screen.print_raw(&hook_answer(&refresh.printed.plain()));
        return Ok(ended(refresh.ending, screen));
    }
    refresh(&workspace, &request, screen)
}

fn hook_answer(context: &str) -> String {
    let output =
        serde_json::json!({ "hookEventName": "SessionStart", "additionalContext": context });
    format!("{}\n", serde_json::json!({ "hookSpecificOutput": output }))
}

/// Returns the runbook to use if none is named: the only one, or the one written by `init`.
pub(super) fn usual(known: &[RunbookEntry]) -> Option<String> {
    let usual = match known {
        [only] => Some(only),
        several => several.iter().find(|entry| entry.name == USUAL),
    };
    usual.map(|entry| entry.name.clone())
}

fn list(runbooks: &[RunbookEntry], screen: &Screen) -> Ended {
    if runbooks.is_empty() {
        screen.say("no runbooks: `windlass init` writes a first one");
    }
    for entry in runbooks {
        screen.print(&harmless_line(&format!("{}  {}", entry.name, entry.place)));
        screen.print("\n");
    }
    Ok(Exit::Done)
}

pub(super) fn refresh(workspace: &Workspace, request: &RefreshRequest, screen: &Screen) -> Ended {
    let refresh = refreshed(workspace, request, screen)?;
    print_pack(screen, &refresh.printed, refresh.cursors_lost);
    Ok(ended(refresh.ending, screen))
}

fn refreshed(
    workspace: &Workspace,
    request: &RefreshRequest,
    screen: &Screen,
) -> Result<Refresh, Failure> {
    let refresh = interruptible(async |stop| {
        let run = async |observer| workspace.runs().refresh(request, observer, stop).await;
        watching(screen, run).await
    });
    // Report these even if the run has failed, since they may tell why.
    tell_troubles(workspace, screen);
    let refresh = refresh?;
    if !screen.is_quiet() {
        diagnostics_report::diagnostics(screen, &refresh.warnings);
    }
    for notice in &refresh.notices {
        screen.say(&format!("warning: {notice}"));
    }
    Ok(refresh)
}

pub(super) fn ended(ending: Ending, screen: &Screen) -> Exit {
    if ending == Ending::Stale {
        screen.say("error: evidence is stale or could not be verified under `freshness: strict`");
    }
    ending.into()
}

pub(super) fn print_pack(screen: &Screen, printed: &Styled, cursors_lost: Option<NotKept>) {
    screen.print_styled(printed);
    if let Some(why) = cursors_lost {
        screen.say(&format!("warning: {why}"));
    }
}

pub(super) fn view(args: &ViewArgs, screen: &Screen) -> ViewRequest {
    ViewRequest {
        limit: limit(&args.budget),
        format: pack_format(args.format, screen),
        also: None,
        mode: args.response_mode,
    }
}

/// Adds logging to `screen`, unless the log is off.
pub(super) fn observer(screen: Arc<dyn Observer>) -> Arc<dyn Observer> {
    if tracing::level_filters::LevelFilter::current() == tracing::level_filters::LevelFilter::OFF {
        return screen;
    }
    Arc::new(Trace::before(screen))
}

/// Runs `work`, with a progress display if a person is watching.
pub(super) async fn watching<T>(
    screen: &Screen,
    work: impl AsyncFnOnce(Arc<dyn Observer>) -> T,
) -> T {
    if !screen.is_watched() {
        return work(observer(Arc::new(NoObserver))).await;
    }
    let progress = Arc::new(Progress::new());
    let work = work(observer(Arc::clone(&progress) as Arc<dyn Observer>));
    tokio::pin!(work);
    let mut ticks = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            done = &mut work => {
                progress.clear();
                return done;
            }
            _ = ticks.tick() => progress.tick(),
        }
    }
}
