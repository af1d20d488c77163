use windlass::NewMail;
use windlass::packs::harmless_line;

use super::{Ended, print_either, print_result};
use crate::args::{MailCommand, MailInboxArgs, MailReadArgs, MailSendArgs};
use crate::commands::command_context::{CommandContext, text_of};
use windlass_render::{inbox_text, mail_sent, mail_text};

pub(crate) fn run(context: &CommandContext<'_>, command: MailCommand) -> Ended {
    match command {
        MailCommand::Send(args) => send(context, args),
        MailCommand::Inbox(args) => inbox(context, &args),
        MailCommand::Read(args) => read(context, &args),
    }
}

fn send(context: &CommandContext<'_>, args: MailSendArgs) -> Ended {
    let body = text_of(args.body)?;
    // Without a subject, use the first line of the body, unless the message has a type.
    let first = body.lines().find(|line| !line.trim().is_empty());
    let is_typed = args.message_type.is_some();
    let first = first
        .filter(|_| !is_typed)
        .map(|line| line.trim().to_owned());
    let mail = NewMail {
        to: args.to,
        subject: args.subject.or(first),
        body,
        message_type: args.message_type,
        priority: args.priority,
        bead: args.bead,
        mol: args.mol,
    };
    context.with("mail send", |ledger| {
        let message = ledger.mail().send(&mail)?;
        print_result(context.screen, args.format, &message, || {
            format!("{}\n", harmless_line(&mail_sent(&message)))
        })
    })
}

fn inbox(context: &CommandContext<'_>, args: &MailInboxArgs) -> Ended {
    let limit = if args.limit == 0 {
        usize::MAX
    } else {
        args.limit
    };
    context.with("mail inbox", |ledger| {
        let inbox = ledger
            .mail()
            .inbox(args.recipient.as_deref(), args.all, limit)?;
        print_either(context.screen, args.format, &inbox, || {
            context.screen.print(&inbox_text(&inbox.messages));
            if inbox.total == 0 {
                context
                    .screen
                    .say(&format!("{} has no unread messages", inbox.recipient));
            } else if inbox.total > inbox.messages.len() {
                let more = inbox.total - inbox.messages.len();
                context
                    .screen
                    .say(&format!("… {more} more; `--limit 0` lists all"));
            }
        })
    })
}

fn read(context: &CommandContext<'_>, args: &MailReadArgs) -> Ended {
    context.with("mail read", |ledger| {
        let message = ledger.mail().read(&args.id, args.peek)?;
        print_result(context.screen, args.format, &message, || {
            mail_text(&message)
        })
    })
}
