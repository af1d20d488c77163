//! Commands on the events in the ledger's log (`windlass events`).

use std::time::Duration;

use serde_json::Value;
use windlass::LedgerSession;
use windlass::ledger::{Check, EventFilter, FoundEvent, Stamp};
use windlass::plan::DurationText;
use windlass::redact::redact_value;
use windlass_render::{event_line, event_stats_text, log_finding_line};

use super::{Ended, Failure, print_data, print_result};
use crate::args::{EventFilterArgs, EventsCommand, OutputFormat};
use crate::commands::command_context::CommandContext;
use crate::exit::Exit;
use crate::screen::Screen;

/// Time between two checks for new events, which may come from other processes.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(context: &CommandContext<'_>, command: EventsCommand) -> Ended {
    match command {
        EventsCommand::List(args) => context.with("events list", |ledger| {
            let mut filter = filter(&args.filter, ledger.now())?;
            filter.limit = Some(args.limit);
            let found = ledger.events().find(&filter)?;
            list(context.screen, args.format, &found)
        }),
        EventsCommand::Tail { limit, follow } => tail(context, limit, follow),
        EventsCommand::Stats { at, format } => context.with("events stats", |ledger| {
            let stats = ledger.events().stats(at)?;
            print_result(context.screen, format.format, &stats, || {
                event_stats_text(&stats)
            })
        }),
        EventsCommand::Export(args) => context.with("events export", |ledger| {
            let filter = filter(&args, ledger.now())?;
            for event in ledger.events().find(&filter)? {
                context.screen.print(&format!("{}\n", event.line));
            }
            Ok(Exit::Done)
        }),
        EventsCommand::Verify(format) => context.with("events verify", |ledger| {
            let check = ledger.events().verify()?;
            match format.format {
                OutputFormat::Text => print_check(context.screen, &check),
                format => print_data(context.screen, format, &check)?,
            }
            Ok(Exit::done_if(check.is_clean()))
        }),
        EventsCommand::Rebuild => context.with("events rebuild", |ledger| {
            ledger.events().rebuild()?;
            let beads = ledger.state().beads.count();
            context.screen.say(&format!(
                "rebuilt from {} events: {beads} beads",
                ledger.state().events()
            ));
            Ok(Exit::Done)
        }),
        EventsCommand::Sync { clean } => context.with("events sync", |ledger| {
            let markers = ledger.events().sync(clean)?;
            if markers > 0 {
                context.screen.say(&format!(
                    "removed {markers} conflict markers from .beads/events.jsonl"
                ));
            }
            Ok(Exit::Done)
        }),
    }
}

fn filter(args: &EventFilterArgs, now: Stamp) -> Result<EventFilter, Failure> {
    Ok(EventFilter {
        id: args.id.clone(),
        event_type: args.event_type.clone(),
        actor: args.by.clone(),
        since: moment(args.since.as_deref(), now)?,
        until: moment(args.until.as_deref(), now)?,
        correlation_id: args.correlation.clone(),
        about: args.about.clone(),
        rejected: args.rejected,
        limit: None,
    })
}

/// Parses a time, or how long ago it was.
fn moment(given: Option<&str>, now: Stamp) -> Result<Option<Stamp>, Failure> {
    let Some(given) = given else {
        return Ok(None);
    };
    if let Ok(ago) = DurationText::new(given).parse() {
        let micros = i64::try_from(ago.as_micros()).unwrap_or(i64::MAX);
        return Ok(Some(Stamp::from_micros(
            now.micros().saturating_sub(micros),
        )));
    }
    let stamp = given.parse().map_err(|_| {
        Failure::Usage(format!(
            "`{given}` is neither a time (`2026-01-31T12:00:00Z`) nor a duration (`2h`, `30m`)"
        ))
    });
    stamp.map(Some)
}

fn list(screen: &Screen, format: OutputFormat, found: &[FoundEvent]) -> Ended {
    match format {
        OutputFormat::Text => {
            let lines = found.iter().map(|event| format!("{}\n", event_line(event)));
            screen.print_raw(&lines.collect::<String>());
            if found.is_empty() {
                screen.say("no event matches");
            }
        }
        format => {
            let events: Vec<Value> = found.iter().map(as_value).collect();
            print_data(screen, format, &serde_json::json!({ "events": events }))?;
        }
    }
    Ok(Exit::Done)
}

fn as_value(event: &FoundEvent) -> Value {
    let mut value: Value = serde_json::from_str(&event.line).unwrap_or_default();
    if let (Some(fields), Some(reason)) = (value.as_object_mut(), &event.rejected) {
        fields.insert("rejected".to_owned(), reason.clone().into());
    }
    redact_value(value)
}

fn tail(context: &CommandContext<'_>, limit: usize, follow: bool) -> Ended {
    let mut shown: Option<Stamp> = None;
    let mut last_ids: Vec<String> = Vec::new();
    loop {
        context.with("events tail", |ledger| {
            let filter = EventFilter {
                since: shown,
                // The limit is only for events of the past. From then on, show all of them.
                limit: shown.is_none().then_some(limit),
                ..EventFilter::default()
            };
            let found = ledger.events().find(&filter)?;
            let fresh: Vec<&FoundEvent> = found
                .iter()
                .filter(|event| !last_ids.contains(&event.line))
                .collect();
            for event in &fresh {
                context
                    .screen
                    .print_raw(&format!("{}\n", event_line(event)));
            }
            shown = newest(ledger).or(shown);
            // More events with the same timestamp may follow, so remember these.
            last_ids = found.into_iter().map(|event| event.line).collect();
            Ok(Exit::Done)
        })?;
        // Once the reader is gone, there's no point in following the log.
        if !follow || context.screen.has_failed() {
            return Ok(Exit::Done);
        }
        std::thread::sleep(PAUSE);
    }
}

fn newest(ledger: &LedgerSession) -> Option<Stamp> {
    ledger
        .state()
        .last()
        .map(windlass::ledger::event::OrderKey::timestamp)
}

fn print_check(screen: &Screen, check: &Check) {
    for finding in &check.findings {
        screen.print(&log_finding_line(finding));
    }
    match check.is_clean() {
        true => screen.say(&format!("{} events verified", check.events)),
        false => screen.say(&format!(
            "{} events; problems are listed above",
            check.events
        )),
    }
}
