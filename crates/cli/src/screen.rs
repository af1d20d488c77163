//! Output to the terminal.
//!
//! Standard output only gets results, so that scripts can parse them. Everything else goes to
//! standard error: progress, notes, warnings, and errors. Text from a repository may contain
//! secrets, or control characters that would confuse the terminal, so it's cleaned here on the way
//! out.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style as Ansi};
use windlass::base::{name_root, shell_word};
use windlass::packs::{Style, Styled, harmless, harmless_line, harmless_lines};
use windlass::redact::hide_known;

use crate::args::{Args, ColorWhen};
use crate::exit::Exit;

pub(crate) struct Screen {
    color: ColorWhen,
    quiet: bool,
    /// The root as typed on the command line. Commands that we suggest have to repeat it, or the
    /// user would run them in another repository.
    root: Option<String>,
    actor: Option<String>,
    /// The command as typed but without arguments, e.g. `mol claim`.
    command: String,
    failure: RefCell<Option<io::Error>>,
}

pub(crate) fn say_waiting(holder: &str) {
    let holder = harmless_line(holder);
    let _ = writeln!(
        anstream::stderr(),
        "note: waiting for {}",
        hide_known(&holder)
    );
}

impl Screen {
    pub(crate) fn new(args: &Args, command: String) -> Self {
        let choice = match args.color {
            ColorWhen::Auto => anstream::ColorChoice::Auto,
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        Self {
            color: args.color,
            quiet: args.quiet,
            root: (args.root.as_ref()).map(|root| root.to_string_lossy().into_owned()),
            actor: args.actor.clone(),
            command,
            failure: RefCell::default(),
        }
    }

    pub(crate) fn usage_call(&self) -> String {
        match self.command.as_str() {
            "" => "windlass --help".to_owned(),
            command => format!("windlass {command} --help"),
        }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub(crate) fn is_watched(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    pub(crate) fn can_ask(&self) -> bool {
        self.is_watched() && io::stdin().is_terminal()
    }

    /// Asks a question. If the user just presses Enter, that means yes. If the input ends, that
    /// means no.
    pub(crate) fn confirm(&self, question: &str) -> bool {
        let _ = write!(anstream::stderr(), "{question} [Y/n] ");
        let mut answer = String::new();
        let is_answered = io::stdin()
            .read_line(&mut answer)
            .is_ok_and(|bytes| bytes > 0);
        let answer = answer.trim().to_lowercase();
        is_answered && ["", "y", "yes"].contains(&answer.as_str())
    }

    pub(crate) fn colors_errors(&self) -> bool {
        match self.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => {
                anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
            }
        }
    }

    /// Width of standard output in columns, at least 40. `None` if it isn't a terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        if !io::stdout().is_terminal() {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(40))
    }

    /// Prints a result. Replaces secret values and removes control characters.
    pub(crate) fn print(&self, text: &str) {
        self.print_raw(&harmless(text));
    }

    /// Prints a result as it is. We must have generated or redacted it.
    pub(crate) fn print_raw(&self, text: &str) {
        self.write(io::stdout().lock(), text);
    }

    /// Like [`Self::print_raw`], for a result that isn't text of this program.
    pub(crate) fn print_bytes(&self, bytes: &[u8]) {
        self.write_bytes(io::stdout().lock(), bytes);
    }

    fn write(&self, out: impl io::Write, text: &str) {
        self.write_bytes(out, hide_known(text).as_bytes());
    }

    fn write_bytes(&self, mut out: impl io::Write, bytes: &[u8]) {
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            // Keep the first error only. Later ones usually follow from it.
            self.failure.borrow_mut().get_or_insert(error);
        }
    }

    /// True if we couldn't print a result, e.g. because the reader is gone.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Takes the error that kept us from printing a result.
    ///
    /// A closed pipe doesn't count, because programs such as `head` just stop reading once they
    /// have enough.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        self.failure
            .take()
            .filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// Prints a styled result, in color if standard output supports that.
    pub(crate) fn print_styled(&self, styled: &Styled) {
        let colored = self.color == ColorWhen::Always
            || anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        if !colored {
            return self.print_raw(&styled.plain());
        }
        let mut text = String::new();
        for span in styled.spans() {
            let ansi = ansi(span.style);
            if ansi == Ansi::new() {
                text.push_str(&span.text);
            } else {
                text.push_str(&format!("{ansi}{}{ansi:#}", span.text));
            }
        }
        self.write(anstream::stdout().lock(), &text);
    }

    /// Prints a one-line message to standard error, unless the user asked for quiet.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(
                anstream::stderr(),
                "{}",
                hide_known(&harmless_line(&self.with_root(text)))
            );
        }
    }

    /// Like [`Self::say`], but for several lines.
    ///
    /// There can be as many lines as in a whole document, so we redact and write them together
    /// rather than one at a time.
    pub(crate) fn say_lines(&self, lines: &[String]) {
        if self.quiet {
            return;
        }
        let lines: Vec<String> = (lines.iter())
            .map(|line| self.with_root(line).into_owned())
            .collect();
        let said: String = (harmless_lines(&lines).into_iter())
            .map(|line| line + "\n")
            .collect();
        let _ = anstream::stderr().write_all(hide_known(&said).as_bytes());
    }

    pub(crate) fn complain(&self, text: &str) {
        self.complain_styled(&harmless(&self.with_root(text)));
    }

    /// Adds the typed `--root` and `--actor` to the commands that `text` suggests, so that users
    /// can paste them as they are.
    ///
    /// The text must be our own: in a user's text, a quoted command would change as well.
    pub(crate) fn with_root<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = match &self.actor {
            Some(actor) => Cow::Owned(name_actor(text, actor)),
            None => Cow::Borrowed(text),
        };
        match &self.root {
            Some(root) => Cow::Owned(name_root(&text, root)),
            None => text,
        }
    }

    /// Like [`Screen::complain`], but for a text that's redacted already. It may have colors.
    pub(crate) fn complain_styled(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{}", hide_known(text.trim_end()));
    }
}

/// Groups of commands whose effect or result depends on the actor.
///
/// If you add such a group, list it here. Otherwise, the commands that we suggest to users of
/// `--actor` would run as another actor.
const OF_ACTORS: [&str; 6] = ["agent", "bead", "hook", "mail", "mol", "verify"];

/// Expects a command without its arguments, e.g. `mol claim`.
pub(crate) fn of_an_actor(command: &str) -> bool {
    let group = command.split(' ').next().unwrap_or_default();
    OF_ACTORS.contains(&group)
}

fn name_actor(text: &str, actor: &str) -> String {
    let actor = shell_word(actor);
    OF_ACTORS.iter().fold(text.to_owned(), |text, group| {
        let call = format!("`windlass {group} ");
        text.replace(&call, &format!("`windlass --actor {actor} {group} "))
    })
}

/// Prints the argument parser's answer, i.e. either the help that the user asked for, or a usage
/// error.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let shown = harmless(&text);
    // An error quotes the arguments, and these may have a secret or a control character. If we had
    // to replace any, print the plain text instead and do without the colors.
    let printed = if shown == text {
        error.print().and_then(|()| io::stdout().flush())
    } else {
        writeln!(io::stderr(), "{}", shown.trim_end())
    };
    match printed {
        // We couldn't print the help that the user asked for.
        Err(why) if !error.use_stderr() && why.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: cannot print the result: {why}");
            ExitCode::FAILURE
        }
        _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}

/// Reports that `typed` isn't a command, and suggests some that the user may have meant.
pub(crate) fn unknown_command(typed: &[OsString], commands: &[&str]) -> ExitCode {
    let typed: Vec<_> = typed.iter().map(|word| word.to_string_lossy()).collect();
    let calls: Vec<String> = commands
        .iter()
        .map(|name| format!("`windlass {name}`"))
        .collect();
    let message = format!("error: unknown command `{}`", typed.join(" "));
    let _ = writeln!(
        io::stderr(),
        "{}\nhelp: run {}",
        harmless_line(&message),
        calls.join(" or ")
    );
    ExitCode::from(Exit::Invalid.code())
}

fn ansi(style: Style) -> Ansi {
    let color = |color: AnsiColor| Ansi::new().fg_color(Some(color.into()));
    match style {
        Style::Plain => Ansi::new(),
        Style::Title => Ansi::new().bold().underline(),
        Style::Heading => Ansi::new().bold(),
        Style::Good => color(AnsiColor::Green),
        Style::Warn => color(AnsiColor::Yellow),
        Style::Bad => color(AnsiColor::Red).bold(),
        Style::Dim => Ansi::new().dimmed(),
        Style::Place => color(AnsiColor::Cyan),
        Style::Command => color(AnsiColor::Blue),
    }
}
