use windlass::NewMail;
use windlass::packs::harmless_line;

use super::{Ended, print_either, print_result};
use crate::args::{MailCommand, MailInboxArgs, MailReadArgs, MailSendArgs};
use crate::commands::desk::{Desk, text_of};
use windlass_render::{inbox_text, mail_sent, mail_text};

pub(crate) fn run(desk: &Desk<'_>, command: MailCommand) -> Ended {
    match command {
        MailCommand::Send(args) => send(desk, args),
        MailCommand::Inbox(args) => inbox(desk, &args),
        MailCommand::Read(args) => read(desk, &args),
    }
}

fn send(desk: &Desk<'_>, args: MailSendArgs) -> Ended {
    let mail = NewMail {
        to: args.to,
        subject: args.subject,
        body: text_of(args.body)?,
        message_type: args.message_type,
        priority: args.priority,
        bead: args.bead,
        mol: args.mol,
    };
    desk.with("mail send", |ledger| {
        let message = ledger.mail().send(&mail)?;
        print_result(desk.screen, args.format, &message, || {
            format!("{}\n", harmless_line(&mail_sent(&message)))
        })
    })
}

fn inbox(desk: &Desk<'_>, args: &MailInboxArgs) -> Ended {
    let limit = if args.limit == 0 {
        usize::MAX
    } else {
        args.limit
    };
    desk.with("mail inbox", |ledger| {
        let inbox = ledger
            .mail()
            .inbox(args.recipient.as_deref(), args.all, limit)?;
        print_either(desk.screen, args.format, &inbox, || {
            desk.screen.print(&inbox_text(&inbox.messages));
            if inbox.total == 0 {
                desk.screen.say(&format!(
                    "{} has no message that was not read",
                    inbox.recipient
                ));
            } else if inbox.total > inbox.messages.len() {
                let more = inbox.total - inbox.messages.len();
                desk.screen
                    .say(&format!("… {more} more; `--limit 0` names all"));
            }
        })
    })
}

fn read(desk: &Desk<'_>, args: &MailReadArgs) -> Ended {
    desk.with("mail read", |ledger| {
        let message = ledger.mail().read(&args.id, args.peek)?;
        print_result(desk.screen, args.format, &message, || mail_text(&message))
    })
}
