//! Client hooks, i.e. the commands that a client runs at events of a session.

use serde_json::{Value, json};
use windlass::base::shell_word;

/// The hooks of a client. All clients that have hooks use the same format: a list for each event.
#[derive(Debug)]
pub(super) struct ClientHooks {
    pub(super) file: &'static str,
    pub(super) start: StartAnswer,
    /// The event before compaction. Set if `windlass suggest` can read this client's transcripts.
    pub(super) compaction: Option<&'static str>,
    /// Name that the client introduces itself with. The server uses it as the actor of tool calls.
    pub(super) actor: &'static str,
}

/// Forms in which a hook can give context to a client at the start of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartAnswer {
    Text,
    /// JSON with `hookSpecificOutput.additionalContext`.
    Json,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) event: &'static str,
    /// Beginning of the command that calls Windlass.
    ///
    /// Any command with this text counts as the same hook. So we do not add a second one if the
    /// user has edited ours.
    pub(super) call: &'static str,
    pub(super) command: String,
}

impl Hook {
    /// A hook that runs `call arguments`.
    ///
    /// The command never fails, because clients discard the output of a failed hook. If Windlass
    /// is not installed, for example in a container, it does nothing.
    fn new(event: &'static str, call: &'static str, arguments: &str) -> Self {
        let command =
            format!("command -v windlass >/dev/null 2>&1 || exit 0; {call} {arguments} || exit 0");
        Self {
            event,
            call,
            command,
        }
    }

    pub(super) fn entry(&self) -> Value {
        json!({ "hooks": [{ "type": "command", "command": self.command }] })
    }
}

/// Beginning of the command that releases claims when a session ends.
pub(super) const RELEASE: &str = "windlass mol release";

impl ClientHooks {
    /// All hooks. They show the pack of `runbook` when a session begins and after compaction,
    /// suggest anchors before compaction, and release claims at the end.
    pub(super) fn all(&self, runbook: Option<&str>) -> Vec<Hook> {
        let start = runbook.map(|runbook| {
            let answer = match self.start {
                StartAnswer::Text => "",
                StartAnswer::Json => " --hook-answer",
            };
            let runbook = shell_word(runbook);
            let arguments = format!("{runbook} --max-chars 6000{answer}");
            Hook::new("SessionStart", "windlass run", &arguments)
        });
        let compaction = self
            .compaction
            .map(|event| Hook::new(event, "windlass suggest", "--read - --max-chars 2000"));
        let release = format!(
            "--all --reason 'the session ended' --actor \"${{BD_ACTOR:-{}}}\"",
            self.actor
        );
        let end = Hook::new("SessionEnd", RELEASE, &release);
        start.into_iter().chain(compaction).chain([end]).collect()
    }
}

/// The actor that a hook's command names. For `${BD_ACTOR:-NAME}`, that is the default, `NAME`.
pub(super) fn actor_of(command: &str) -> Option<&str> {
    let (_, named) = command.split_once("--actor")?;
    let named = named.trim_start_matches(['=', ' ', '"', '\'']);
    let named = named.strip_prefix("${BD_ACTOR:-").unwrap_or(named);
    let end = named.find(['}', '"', '\'', ' ', ';']);
    let name = &named[..end.unwrap_or(named.len())];
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runbook_name_is_one_word_of_the_command() {
        let hooks = ClientHooks {
            file: "x.json",
            start: StartAnswer::Text,
            compaction: None,
            actor: "some-client",
        };
        let all = hooks.all(Some("x; touch y #"));
        let command = &all[0].command;
        assert!(
            command.contains("windlass run 'x; touch y #' --max-chars"),
            "{command}"
        );
    }

    #[test]
    fn actor_of_a_command_is_read() {
        let hooks = ClientHooks {
            file: "x.json",
            start: StartAnswer::Text,
            compaction: None,
            actor: "some-client",
        };
        let all = hooks.all(Some("overview"));
        assert_eq!(all.len(), 2);
        assert_eq!(actor_of(&all[0].command), None);
        assert_eq!(actor_of(&all[1].command), Some("some-client"));
        for (command, actor) in [
            ("windlass mol release --all --actor al", Some("al")),
            ("windlass --actor='al' mol release --all", Some("al")),
            ("windlass mol release --all --actor", None),
        ] {
            assert_eq!(actor_of(command), actor, "{command}");
        }
    }
}
