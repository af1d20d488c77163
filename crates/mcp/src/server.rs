//! Handlers of protocol requests.
//!
//! Each call opens the workspace again and leaves no state behind in the server, so that servers
//! and commands can work on the same files. Calls run on blocking threads, of which there's a
//! limited number. If a call is cancelled or its client disconnects, we raise its `Stop` and don't
//! send an answer.
//!
//! The library suggests commands in its messages and next actions. We translate them to tool calls,
//! and since that changes the length of a text, it happens before budgets are applied. What's up to
//! the user, such as trusting a runbook, remains a command.
//!
//! Calls are confined to the repository. A read-only server doesn't start programs at all. Trust
//! isn't enough there, because a trusted program may still change files.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest,
    CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use windlass::base::Limit;
use windlass::engine::{NoObserver, Observer, Stop, StopLevel};
use windlass::packs::harmless_line;
use windlass::plan::check_arguments;
use windlass::redact::SecretScope;
use windlass::{Environment, Error, Site, Workspace};

use crate::answer::{Answer, Answered, cleaned};
use crate::call_translation::Listener;
use crate::coerce::coerced;
use crate::failure_answer::failure_answer;
use crate::instructions::instructions;
use crate::offered_roots::offered_roots;
use crate::progress_notifications::{Progress, ProgressObserver, Pulse};
use crate::prompts::{names as prompt_names, prompt, prompts};
use crate::resources::{Target, listed, schema, target, templates};
use crate::roots::Scope;
use crate::running_calls::Running;
use crate::server_limits::{HEARTBEAT, MAX_WAITING, PER_THREAD};
use crate::tool::Tool;
use crate::tool_call::{Call, limit_of};
use crate::tool_failure::{Failure, no_tool};
use crate::tools::{callable, tools};

/// At most this many argument errors are listed in an answer.
const MAX_MISTAKES: usize = 8;

/// Number of characters of a client's name that become its actor name.
const MAX_NAME: usize = 60;

/// The known methods. A request for one of them is handled here only if its parameters are
/// malformed, so that's the error to report.
const METHODS: [&str; 7] = [
    "initialize",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "prompts/get",
    "prompts/list",
];

/// Time for which clients may cache the list of tools, in milliseconds. This could be longer, since
/// the list never changes while the program runs.
const LIST_STAYS_MS: u64 = 3_600_000;

/// Settings of a server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Repositories to serve.
    pub scope: Scope,
    /// True to offer only what changes nothing.
    pub only_reading: bool,
    /// Default actor for beads, molecules and mail. Without one, it's `BD_ACTOR` or the client's
    /// name.
    pub actor: Option<String>,
    /// Environment, clock and process state for the library.
    pub environment: Environment,
}

/// Handler for the requests of all clients. Cloning is cheap, and clones share the limits.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Arc<Settings>,
    /// Slots for calls that run at the same time.
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    running: Running,
    /// True if a single client has started this server. We only ask such a client for its roots.
    has_one_client: bool,
}

impl Server {
    /// Creates a server with these settings. The number of calls that can run at the same time
    /// depends on the number of threads.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let threads = settings.environment.threads.get();
        Self {
            settings: Arc::new(settings),
            places: Arc::new(Semaphore::new(threads * PER_THREAD)),
            waiting: Arc::default(),
            running: Running::default(),
            has_one_client: false,
        }
    }

    /// Ties the server to one client, whose roots limit the served repositories unless the settings
    /// name one.
    pub(crate) fn of_one_client(mut self) -> Self {
        self.has_one_client = true;
        self
    }

    pub(crate) fn running(&self) -> &Running {
        &self.running
    }

    /// Runs a call on its own thread once there's a slot, or refuses it if too many others are
    /// waiting already.
    async fn work(&self, request: Request) -> Answer {
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst);
        let place = match waiting < MAX_WAITING {
            true => Arc::clone(&self.places).acquire_owned().await.ok(),
            false => None,
        };
        // Either we have a slot now, or we're about to refuse the call. It doesn't wait any more.
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let Some(place) = place else {
            return failure_answer(&Failure::Busy { waiting }, Listener::default(), None);
        };
        let settings = Arc::clone(&self.settings);
        let running = self.running.begun(&request.stop);
        let work = move || {
            // Secrets found by one call must not change answers to others.
            let _scope = SecretScope::begin();
            let answer = answer(&settings, request).without_known_secrets();
            // Keep the slot until here. If the client's connection kept it instead, a client could
            // start any number of calls just by cancelling them.
            drop((place, running));
            answer
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(answer) => answer,
            Err(error) => failure_answer(&Error::internal(error).into(), Listener::default(), None),
        }
    }
}

impl Server {
    /// Returns the client's name in the form of an actor name, unless `BD_ACTOR` names the actor.
    fn client_of(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        if self.settings.environment.get("BD_ACTOR").is_some() {
            return None;
        }
        let name = context.client_info()?.name;
        // Make an actor name of it. For example, `Claude Code` becomes `claude-code`.
        let plain = name
            .chars()
            .take(MAX_NAME)
            .map(|c| match c.is_alphanumeric() {
                true => c.to_ascii_lowercase(),
                false => '-',
            });
        let plain: String = plain.collect();
        let plain = plain.trim_matches('-');
        (!plain.is_empty()).then(|| plain.to_owned())
    }

    async fn scope_for(&self, context: &RequestContext<RoleServer>) -> Scope {
        let scope = &self.settings.scope;
        // If the user has named a repository, that's the only one no matter what the client offers.
        let asks = self.has_one_client && matches!(scope, Scope::From(_));
        let offered = match asks {
            true => offered_roots(context).await,
            false => None,
        };
        offered.map_or_else(|| scope.clone(), Scope::Offered)
    }

    /// Runs `work` on the server's own repository, on a blocking thread.
    async fn look<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Workspace) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let settings = Arc::clone(&self.settings);
        let scope = self.scope_for(context).await;
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let look = move || {
            let workspace = scope.workspace(None, settings.only_reading, &settings.environment)?;
            let found = work(&workspace);
            drop(place);
            found
        };
        let looked = tokio::task::spawn_blocking(look).await;
        let looked = looked.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        looked.map_err(|failure| not_there(&failure))
    }
}

struct Request {
    tool: &'static Tool,
    scope: Scope,
    arguments: Map<String, Value>,
    client: Option<String>,
    observer: Arc<dyn Observer>,
    stop: Stop,
}

fn answer(settings: &Settings, request: Request) -> Answer {
    let arguments = request.arguments.clone();
    let root = arguments.get("root").and_then(Value::as_str);
    let limit = limit_of(&arguments).unwrap_or_default();
    let work = || done(settings, request, limit);
    // A bug in one call must not end the others, so catch panics and report them like errors.
    let done = std::panic::catch_unwind(AssertUnwindSafe(work));
    let done = done.unwrap_or_else(|_| {
        Err(Error::internal("the call crashed; the server continues".to_owned()).into())
    });
    let to = Listener::new(root, callable(settings.only_reading));
    done.unwrap_or_else(|failure| failure_answer(&failure, to, limit))
}

fn done(settings: &Settings, request: Request, limit: Option<Limit>) -> Answered {
    let Request {
        tool,
        scope,
        arguments,
        client,
        observer,
        stop,
    } = request;
    let given = Value::Object(arguments.clone());
    let wrong = |only_reading| check_arguments(&tool.schema(only_reading), &given, MAX_MISTAKES);
    let found = wrong(settings.only_reading);
    if !found.is_empty() {
        // The arguments may just be those of a tool or an action that writes. In that case, listing
        // them as mistakes would be confusing.
        if settings.only_reading && wrong(false).is_empty() {
            return Err(Failure::OnlyReading);
        }
        return Err(Failure::Arguments {
            tool: tool.name,
            wrong: found,
        });
    }
    // `answer` needs a limit even for errors, so it has ignored contradictory ones. Report them
    // here.
    limit_of(&arguments)?;
    let root = arguments.get("root").and_then(Value::as_str);
    let workspace = scope.workspace(root, settings.only_reading, &settings.environment)?;
    let workspace = match settings.only_reading {
        true => workspace.with(Site::starting_nothing),
        false => workspace,
    };
    let actor = settings.actor.as_deref().or(client.as_deref());
    let workspace = workspace.with(|site| site.stopped_by(stop.flag()).acting_as(actor));
    let mut own = arguments.clone();
    // These are common to all tools, and have served their purpose by now. The tools themselves
    // would reject them.
    for common in ["root", "max_chars", "max_tokens"] {
        own.shift_remove(common);
    }
    (tool.call)(&Call {
        workspace: &workspace,
        arguments: &own,
        actor,
        limit,
        only_reading: settings.only_reading,
        stop,
        observer,
    })
}

/// Sends progress notifications until the call has ended, along with heartbeats while it makes no
/// progress.
async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut from: UnboundedReceiver<Progress>) {
    let mut pulse = Pulse::default();
    loop {
        let progress = match tokio::time::timeout(HEARTBEAT, from.recv()).await {
            Ok(Some(progress)) => {
                pulse.heard(&progress);
                progress
            }
            // The call has ended, and its observer with it.
            Ok(None) => return,
            Err(_) => pulse.beat(),
        };
        let mut notification = ProgressNotificationParam::new(token.clone(), progress.done)
            .with_message(progress.message);
        notification.total = progress.total;
        if peer.notify_progress(notification).await.is_err() {
            return;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("windlass", version).with_title("Windlass"))
            .with_instructions(instructions(self.settings.only_reading))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let only_reading = self.settings.only_reading;
        let listed = tools(only_reading).map(|tool| tool.listed(only_reading));
        Ok(ListToolsResult::with_all_items(listed.collect())
            .with_ttl_ms(LIST_STAYS_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let all = tools(self.settings.only_reading);
        let Some(tool) = all.clone().find(|tool| tool.name == request.name) else {
            let names = all.map(|tool| tool.name);
            // If a server that writes has the tool, the message says so instead of suggesting a
            // similar name.
            let is_hidden = tools(false).any(|tool| tool.name == request.name);
            return Err(ErrorData::invalid_params(
                no_tool(&named(&request.name), names, is_hidden),
                None,
            ));
        };
        let stop = Stop::default();
        let arguments = request.arguments.unwrap_or_default();
        let mut arguments = coerced(&tool.schema(false), arguments);
        // Some clients send null in place of an omitted argument.
        arguments.retain(|_, value| !value.is_null());
        let token = context.meta.get_progress_token();
        let (observer, notifying): (Arc<dyn Observer>, _) = match token {
            Some(token) => {
                let (to, from) = unbounded_channel();
                (
                    Arc::new(ProgressObserver::new(to)),
                    Some(tell(context.peer.clone(), token, from)),
                )
            }
            None => (Arc::new(NoObserver), None),
        };
        let work = self.work(Request {
            tool,
            scope: self.scope_for(&context).await,
            arguments,
            client: self.client_of(&context),
            observer,
            stop: stop.clone(),
        });
        let tell = async {
            if let Some(notifying) = notifying {
                notifying.await;
            }
        };
        tokio::select! {
            // The client doesn't wait for an answer any more. The call ends like an interrupted
            // run.
            () = context.ct.cancelled() => {
                stop.request(StopLevel::Cancel);
                Ok(CallToolResult::error(Vec::new()).into())
            }
            (answer, ()) = async { tokio::join!(work, tell) } => Ok(answer.into_result().into()),
        }
    }

    /// Answers requests the protocol's types couldn't represent: unknown methods, and known ones
    /// with malformed parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = named(&request.method);
        Err(match METHODS.contains(&request.method.as_str()) {
            true => ErrorData::invalid_params(
                format!(
                    "invalid parameters of `{method}`: `name` or `uri` must be a string, and `arguments` an object"
                ),
                None,
            ),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.look(&context, listed).await?;
        Ok(ListResourcesResult::with_all_items(listed)
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(templates())
            .with_ttl_ms(LIST_STAYS_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some((target, mime)) = target(&request.uri) else {
            let message = format!("no resource at `{}`", named(&request.uri));
            return Err(at(
                &request.uri,
                ErrorData::resource_not_found(message, None),
            ));
        };
        let stop = Stop::default();
        let text = async {
            match target {
                Target::Schema(name) => schema(&name).map_err(|failure| not_there(&failure)),
                Target::Runbook(name) => {
                    let text = move |workspace: &Workspace| Ok(workspace.runbooks().text(&name)?);
                    self.look(&context, text).await
                }
                Target::Tool {
                    name,
                    arguments,
                    as_data,
                } => {
                    let tool = tools(self.settings.only_reading).find(|tool| tool.name == name);
                    let tool =
                        tool.ok_or_else(|| ErrorData::internal_error("no such tool", None))?;
                    let work = self.work(Request {
                        tool,
                        scope: self.scope_for(&context).await,
                        arguments,
                        client: None,
                        observer: Arc::new(NoObserver),
                        stop: stop.clone(),
                    });
                    match work.await {
                        // A resource is just text, so there's no way to mark it as an error. Use an
                        // error of the protocol.
                        answer if answer.data.get("error").is_some() => {
                            Err(ErrorData::resource_not_found(answer.text, None))
                        }
                        answer if as_data => Ok(cleaned(answer.data).to_string()),
                        answer => Ok(answer.text),
                    }
                }
            }
        };
        let text = tokio::select! {
            () = context.ct.cancelled() => {
                stop.request(StopLevel::Cancel);
                return Err(ErrorData::internal_error("cancelled", None));
            }
            text = text => text.map_err(|error| at(&request.uri, error))?,
        };
        let contents =
            ResourceContents::text(text, harmless_line(&request.uri)).with_mime_type(mime);
        let result = ReadResourceResult::new(vec![contents]);
        // The contents may be out of date very soon, so clients must not cache them.
        Ok(result
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private)
            .into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(
            ListPromptsResult::with_all_items(prompts(self.settings.only_reading))
                .with_ttl_ms(LIST_STAYS_MS)
                .with_cache_scope(CacheScope::Public),
        )
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        prompt(&request.name, &arguments, self.settings.only_reading)
            .map(Into::into)
            .ok_or_else(|| {
                let known: Vec<&str> = prompt_names(self.settings.only_reading).collect();
                let message = format!(
                    "unknown prompt `{}`; known prompts: {}",
                    named(&request.name),
                    known.join(", ")
                );
                ErrorData::invalid_params(message, None)
            })
    }
}

/// Shortens a name from a client for use in a message, and makes it harmless, since it could be a
/// secret value in the wrong field.
fn named(name: &str) -> String {
    harmless_line(name).chars().take(200).collect()
}

fn at(address: &str, error: ErrorData) -> ErrorData {
    ErrorData {
        data: Some(json!({ "uri": named(address) })),
        ..error
    }
}

fn not_there(failure: &Failure) -> ErrorData {
    ErrorData::resource_not_found(
        failure_answer(failure, Listener::default(), None).text,
        None,
    )
}
