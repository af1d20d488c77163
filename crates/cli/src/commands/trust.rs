//! Reviews, trusts and revokes the parts of a repository that need the user's consent: runbooks,
//! plugins, routes, and rules that exempt values from redaction.

use std::path::Path;

use serde::Serialize;
use windlass::base::{Digest, NextAction, counted};
use windlass::packs::harmless_line;
use windlass::{Error, GITLEAKS_FILE, PluginStanding, SECRETS_FILE, Workspace};
use windlass_render::{
    plugin_trust_text, route_trust_text, secrets_text, trust_text, trusted_line,
    trusted_plugin_line, with_next,
};

use super::{Ended, Failure, print_data, print_result, tell_troubles};
use crate::args::{OutputFormat, TrustArgs, TrustDigest};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &TrustArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let Some(name) = &args.runbook else {
        return list(&workspace, args, screen);
    };
    if let Some(prefix) = name.strip_prefix("route:") {
        return trust_route(&workspace, prefix, args, screen);
    }
    // A plugin has to be given by a reference or a file here. Its bare name could also be a
    // runbook's.
    let is_plugin = ["plugin:", "oci://"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.ends_with(".wasm");
    if args.revoke {
        return revoke(&workspace, name, is_plugin, screen);
    }
    if is_plugin {
        return trust_plugin(&workspace, name, args, screen);
    }
    if name == SECRETS_FILE {
        return trust_secrets(&workspace, args, screen);
    }
    if name == GITLEAKS_FILE {
        return trust_allowlists(&workspace, args, screen);
    }
    let catalog = workspace.runs().step_catalog();
    // `mol:ID` and `bead:ID` are runbooks that we make of a molecule's steps or of a bead's
    // criteria. Any other name is that of a file or of an entry in the notebook.
    let runbook = match workspace.molecules().runbook_called(name) {
        Some(made) => made,
        None => workspace
            .runbooks()
            .find(name, &here(), &workspace.site().snapshot(), &catalog),
    };
    tell_troubles(&workspace, screen);
    // The user may have meant a plugin of this name.
    if runbook.is_err()
        && workspace
            .plugins()
            .plugin_files()
            .iter()
            .any(|(known, _)| known == name)
    {
        let call = harmless_line(&format!("windlass trust plugin:{name} --dry-run"));
        screen.say(&format!(
            "a plugin has that name: `{call}` shows what it requests"
        ));
    }
    let runbook = runbook?;
    let report = if args.dry_run {
        workspace.trust().trust_report(&runbook, &catalog)?
    } else {
        workspace
            .trust()
            .trust(&runbook, &catalog, of_document(args.digest)?)?
    };
    let message = TrustMessage {
        name: runbook.call.as_deref().unwrap_or(name),
        digest: report.digest.to_string(),
        text: trust_text(&report),
        trusted: &format!(
            "`{}` is trusted in its current version; a change to it, to a runbook it runs, or to a file listed above revokes trust; programs started by these may change",
            report.file
        ),
    };
    tell(&workspace, message, &report, args, screen)
}

fn revoke(workspace: &Workspace, name: &str, is_plugin: bool, screen: &Screen) -> Ended {
    let mut revoked = match is_plugin {
        true => 0,
        false => workspace.trust().revoke_trust(name)?,
    };
    // A plugin may also be given by its bare name or its digest.
    revoked += workspace.plugins().revoke_plugin(name, &here())?;
    if revoked == 0 {
        screen.say(&format!(
            "no version of `{name}` was trusted; `windlass trust --list` lists what is"
        ));
        return Ok(Exit::NotFound);
    }
    let are = if revoked == 1 { "is" } else { "are" };
    let versions = counted(revoked, "version");
    screen.say(&format!("{versions} of `{name}` {are} no longer trusted"));
    Ok(Exit::Done)
}

/// The digest of a document that the user has reviewed. Rejects that of a plugin.
fn of_document(digest: Option<TrustDigest>) -> Result<Option<Digest>, Failure> {
    match digest {
        None => Ok(None),
        Some(TrustDigest::Document(digest)) => Ok(Some(digest)),
        Some(TrustDigest::Plugin(digest)) => Err(Failure::Usage(format!(
            "`{digest}` is the digest of a plugin, not of a document"
        ))),
    }
}

fn trust_plugin(workspace: &Workspace, name: &str, args: &TrustArgs, screen: &Screen) -> Ended {
    let reviewed = match args.digest {
        None => None,
        Some(TrustDigest::Plugin(digest)) => Some(digest),
        Some(TrustDigest::Document(digest)) => {
            let message = format!("`{digest}` is not the digest of a plugin");
            return Err(Failure::Usage(message));
        }
    };
    let report = match args.dry_run {
        true => workspace.plugins().plugin_trust_report(name, &here())?,
        false => workspace.plugins().trust_plugin(name, &here(), reviewed)?,
    };
    let message = TrustMessage {
        name,
        digest: report.digest.to_string(),
        text: plugin_trust_text(&report),
        trusted: &format!(
            "the plugin `{}` may use what it requests in this repository, if a runbook allows it too; a change to its file revokes trust",
            report.name
        ),
    };
    tell(workspace, message, &report, args, screen)
}

fn trust_secrets(workspace: &Workspace, args: &TrustArgs, screen: &Screen) -> Ended {
    let report = if args.dry_run {
        workspace.trust().secrets_report()
    } else {
        workspace.trust().trust_secrets(of_document(args.digest)?)?
    };
    let Some(report) = report else {
        return Err(Error::missing(SECRETS_FILE).into());
    };
    let message = TrustMessage {
        name: SECRETS_FILE,
        digest: report.digest.to_string(),
        text: secrets_text(&report),
        trusted: "the `!` lines of its current version apply; a change to it revokes trust",
    };
    tell(workspace, message, &report, args, screen)
}

#[derive(Serialize)]
struct Allowlists {
    file: &'static str,
    digest: Digest,
}

fn trust_allowlists(workspace: &Workspace, args: &TrustArgs, screen: &Screen) -> Ended {
    let digest = match args.dry_run {
        true => workspace.site().repo().own_rules().allowlists(),
        false => workspace
            .trust()
            .trust_allowlists(of_document(args.digest)?)?,
    };
    let Some(digest) = digest else {
        return Err(Error::missing(GITLEAKS_FILE).into());
    };
    let message = TrustMessage {
        name: GITLEAKS_FILE,
        digest: digest.to_string(),
        text: format!("{GITLEAKS_FILE}  {digest}\n  its allowlists exempt values\n"),
        trusted: "the allowlists of its current version apply; a change to it revokes trust",
    };
    let report = Allowlists {
        file: GITLEAKS_FILE,
        digest,
    };
    tell(workspace, message, &report, args, screen)
}

fn trust_route(workspace: &Workspace, prefix: &str, args: &TrustArgs, screen: &Screen) -> Ended {
    let routes = workspace.ledger().routes();
    if args.revoke {
        return Ok(match routes.revoke(prefix)? {
            0 => {
                screen.say(&format!("the route of `{prefix}` was not trusted"));
                Exit::NotFound
            }
            _ => {
                screen.say(&format!("the route of `{prefix}` is no longer trusted"));
                Exit::Done
            }
        });
    }
    let report = match args.dry_run {
        true => routes.trust_report(prefix)?,
        false => routes.trust(prefix, of_document(args.digest)?)?,
    };
    let name = format!("route:{prefix}");
    let message = TrustMessage {
        name: &name,
        digest: report.digest.to_string(),
        text: route_trust_text(&report),
        trusted: "beads of that prefix are read and written there; another path or folder revokes trust",
    };
    tell(workspace, message, &report, args, screen)
}

struct TrustMessage<'a> {
    name: &'a str,
    digest: String,
    text: String,
    /// A sentence for the user about the consequences.
    trusted: &'a str,
}

/// Prints what the user has trusted, or would trust after a dry run.
///
/// A dry run also prints the command to trust exactly what is shown. We include the digest, so that
/// the user can't trust a version they have not seen.
fn tell<T: Serialize>(
    workspace: &Workspace,
    message: TrustMessage<'_>,
    report: &T,
    args: &TrustArgs,
    screen: &Screen,
) -> Ended {
    #[derive(Serialize)]
    struct WithNext<'a, T> {
        #[serde(flatten)]
        report: &'a T,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_actions: Option<[NextAction; 1]>,
    }
    let next = NextAction::new("trust", "trust it exactly as it is shown here")
        .positional(message.name)
        .option("digest", message.digest)
        .for_caller(workspace.site().caller())
        .filter(|_| args.dry_run);
    let report_with_next = WithNext {
        report,
        next_actions: next.clone().map(|next| [next]),
    };
    print_result(screen, args.format, &report_with_next, || {
        with_next(message.text, next)
    })?;
    if !args.dry_run {
        screen.say(message.trusted);
    }
    Ok(Exit::Done)
}

fn list(workspace: &Workspace, args: &TrustArgs, screen: &Screen) -> Ended {
    let trusted = workspace
        .trust()
        .trusted(&workspace.runs().step_catalog(), &|name| {
            workspace.molecules().runbook_called(name)
        })?;
    let plugins = workspace.plugins().trusted_plugins()?;
    let routes = workspace.ledger().routes().trusted()?;
    match args.format {
        OutputFormat::Json | OutputFormat::Tron => {
            let plugins = plugins.iter().map(|(plugin, now)| {
                let mut row = serde_json::json!(plugin);
                row["state"] = match now {
                    PluginStanding::Current => "current",
                    PluginStanding::Changed(_) => "changed",
                    PluginStanding::Gone => "gone",
                }
                .into();
                row
            });
            let plugins: Vec<_> = plugins.collect();
            let data =
                serde_json::json!({ "trusted": trusted, "plugins": plugins, "routes": routes });
            print_data(screen, args.format, &data)?;
        }
        OutputFormat::Text => {
            let plugins = plugins.iter().map(trusted_plugin_line);
            let routes = routes.iter().map(route_trust_text);
            let text = trusted
                .iter()
                .map(trusted_line)
                .chain(plugins)
                .chain(routes);
            screen.print(&text.collect::<String>());
        }
    }
    Ok(Exit::Done)
}
