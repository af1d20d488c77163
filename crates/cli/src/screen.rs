use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style as Ansi};
use windlass::base::name_root;
use windlass::packs::{Style, Styled, harmless, harmless_line, harmless_lines};
use windlass::redact::hide_known;

use crate::args::ColorWhen;

/// Standard output for data, standard error for everything else.
pub(crate) struct Screen {
    color: ColorWhen,
    quiet: bool,
    /// The root of the repository, as it was typed.
    root: Option<String>,
    failure: RefCell<Option<io::Error>>,
}

impl Screen {
    pub(crate) fn new(color: ColorWhen, quiet: bool, root: Option<&Path>) -> Self {
        let choice = match color {
            ColorWhen::Auto => anstream::ColorChoice::Auto,
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        Self {
            color,
            quiet,
            root: root.map(|root| root.to_string_lossy().into_owned()),
            failure: RefCell::default(),
        }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether somebody watches standard error.
    pub(crate) fn is_watched(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Whether errors are shown in colour.
    pub(crate) fn colors_errors(&self) -> bool {
        match self.color {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => {
                anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
            }
        }
    }

    /// How many columns standard output has, if it is a terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        if !io::stdout().is_terminal() {
            return None;
        }
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0).max(40))
    }

    /// Prints a text that is a result: secret values are replaced, and nothing in it drives the terminal.
    pub(crate) fn print(&self, text: &str) {
        self.print_raw(&harmless(text));
    }

    /// Prints a result as it is: something made by this program, or looked through already.
    pub(crate) fn print_raw(&self, text: &str) {
        self.write(io::stdout().lock(), text);
    }

    /// Prints a result that is no text of this program, as it is.
    pub(crate) fn print_bytes(&self, bytes: &[u8]) {
        self.write_bytes(io::stdout().lock(), bytes);
    }

    /// Writes a text, without the secret values that any text has shown to be secret by now.
    fn write(&self, out: impl io::Write, text: &str) {
        self.write_bytes(out, hide_known(text).as_bytes());
    }

    fn write_bytes(&self, mut out: impl io::Write, bytes: &[u8]) {
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.failure.borrow_mut().get_or_insert(error);
        }
    }

    /// Whether a result could not be printed: nobody reads any more.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Why a result could not be printed. A reader that has gone away is no failure.
    pub(crate) fn failure(&self) -> Option<io::Error> {
        self.failure
            .take()
            .filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// Prints a result in pieces, with colours where there are any.
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

    /// Says something that is no result, on one line.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(
                anstream::stderr(),
                "{}",
                hide_known(&harmless_line(&self.with_root(text)))
            );
        }
    }

    /// Says several lines that are no result, in one pass and one write: there may be as many as a text has.
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

    /// Says what went wrong, also when asked to be quiet.
    pub(crate) fn complain(&self, text: &str) {
        self.complain_styled(&harmless(&self.with_root(text)));
    }

    /// `text` of this program's own, whose commands are about the repository that was named.
    pub(crate) fn with_root<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.root {
            Some(root) => Cow::Owned(name_root(text, root)),
            None => Cow::Borrowed(text),
        }
    }

    /// As [`Screen::complain`], for what is harmless and may be coloured.
    pub(crate) fn complain_styled(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{}", hide_known(text.trim_end()));
    }
}

/// Shows what the parser of arguments says: help that was asked for, or what is wrong with what was typed. That is
/// shown without colour where it has something in it that may not be shown as it is.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    let shown = harmless(&text);
    let printed = if shown == text {
        error.print().and_then(|()| io::stdout().flush())
    } else {
        writeln!(io::stderr(), "{}", shown.trim_end())
    };
    match printed {
        // Help that nobody got.
        Err(why) if !error.use_stderr() && why.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: the result cannot be printed: {why}");
            ExitCode::FAILURE
        }
        _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
    }
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
