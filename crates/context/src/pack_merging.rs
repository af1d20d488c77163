//! Merges packs where the branches of a run join, and creates the payload for the node after the
//! join.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use windlass_base::Digest;
use windlass_packs::context::{
    Arrived, ArtifactKind, ArtifactRef, ContextPack, EdgePayload, JoinPolicy, JoinState,
    OutsideResults, PackId, PayloadKind, PayloadMessage, PayloadStatus, dangling_origins,
    is_likely_payload, join, merge, read_payload,
};
use windlass_repo::Snapshot;

use windlass_site::Error;

use crate::compose::safe;
use crate::context_error::ContextError;
use crate::named_packs::{NamedPacks, pack_value};

/// The inputs of a join, and what the merged pack is for.
#[derive(Debug, Clone)]
pub struct MergePacks {
    /// IDs and files of packs, or files with payloads that refer to a pack.
    pub names: Vec<String>,
    /// Decides when there are enough inputs.
    pub policy: JoinPolicy,
    /// The number of inputs to expect. By default, it is the number of different ones in `names`.
    pub expected: Option<usize>,
    /// The goal of the merged pack. By default, it is the goal of one of the inputs.
    pub goal: Option<String>,
    /// The run that will use the merged pack.
    pub run_id: Option<String>,
    /// The node that will use the merged pack. The payload names it as the sender; the default
    /// there is `join`.
    pub node_id: Option<String>,
    /// The edge that carries the payload. The default is `join`.
    pub edge_id: Option<String>,
    /// The folder that relative paths start from.
    pub start: PathBuf,
}

/// A completed merge.
#[derive(Debug)]
pub struct MergedPacks {
    /// The whole pack, regardless of any budget.
    pub pack: ContextPack,
    /// The payload for the next node. The status is not `ok` if an input has failed, or if the
    /// packs disagree.
    pub payload: EdgePayload,
    /// Tells if all inputs have arrived.
    pub state: JoinState,
    /// The number of packs that were merged.
    pub joined: usize,
    /// Inputs that came too late, or that were not needed.
    pub left_out: Vec<PackId>,
    /// The reason why we could not store the pack. `None` if we did.
    pub not_kept: Option<String>,
    /// Entries in the provenance for parts that the pack does not have, along with the ID of that
    /// pack. We skip these, because after the merge they could describe the text of another pack.
    pub dangling: Vec<(PackId, String)>,
}

impl MergedPacks {
    /// Returns a warning if we have skipped entries in the provenance.
    #[must_use]
    pub fn told_of_nothing(&self) -> Option<String> {
        let (pack, item) = self.dangling.first()?;
        let more = match self.dangling.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        Some(format!(
            "the provenance of pack {pack} has an origin for `{item}`, which the pack does not have; it was skipped{more}"
        ))
    }
}

struct Input {
    from_node_id: String,
    edge_id: String,
    payload_id: PackId,
    created_at: String,
    is_ok: bool,
    pack: ContextPack,
}

/// Reads all inputs from a single snapshot of the files.
pub(crate) struct PackJoin<'s> {
    shelf: &'s NamedPacks,
    snapshot: Snapshot,
}

impl<'s> PackJoin<'s> {
    pub(crate) fn new(shelf: &'s NamedPacks) -> Self {
        Self {
            shelf,
            snapshot: shelf.site().snapshot(),
        }
    }

    /// Merges packs, and stores the result. If we cannot store it, the caller still gets the pack.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read or is not whole, or if the join has to wait for
    /// more inputs.
    pub(crate) fn merge(&self, request: &MergePacks) -> Result<MergedPacks, Error> {
        let inputs = request
            .names
            .iter()
            .map(|name| self.input(name, &request.start))
            .collect::<Result<Vec<_>, _>>()?;
        let arrived: Vec<Arrived> = inputs
            .iter()
            .map(|input| Arrived {
                payload_id: input.payload_id,
                at: millis(&input.created_at),
            })
            .collect();
        let now = self
            .shelf
            .site()
            .environment()
            .timestamp()
            .unwrap_or_default();
        let named: BTreeSet<PackId> = arrived.iter().map(|one| one.payload_id).collect();
        let expected = request.expected.unwrap_or(named.len());
        let joined = join(request.policy, expected, &arrived, millis(&now)).map_err(|wait| {
            let until = wait
                .until
                .and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
            ContextError::JoinWaits {
                wait,
                until: until.map(|until| until.to_string()),
            }
        })?;
        let mut all = joined.taken.iter().filter_map(|at| inputs.get(*at));
        let first = all.next().map(|input| input.pack.clone());
        let mut pack = first.ok_or_else(|| Error::internal("a join of nothing".to_owned()))?;
        for input in all {
            pack = merge(&pack, &input.pack).map_err(Error::internal)?;
        }
        address(&mut pack, request);
        let taken: Vec<&Input> = joined
            .taken
            .iter()
            .filter_map(|at| inputs.get(*at))
            .collect();
        // The merged pack only counts as built here if that's true for all inputs.
        let mut outside = Some(OutsideResults::default());
        for input in &taken {
            let own = self.shelf.outside_of(input.pack.pack_id);
            outside = outside.zip(own).map(|(all, own)| all.join(own));
        }
        let not_kept = self.shelf.kept().keep(&pack, outside).err();
        let not_kept = not_kept.map(|error| error.to_string());
        let left: Vec<&Input> = joined
            .left
            .iter()
            .filter_map(|at| inputs.get(*at))
            .collect();
        let dangling = taken.iter().flat_map(|input| {
            let items = dangling_origins(&input.pack).into_iter();
            items.map(|item| (input.pack.pack_id, item.to_owned()))
        });
        let dangling = dangling.collect();
        let payload = payload(request, joined.state, &taken, &left, &pack, now);
        Ok(MergedPacks {
            pack,
            payload,
            state: joined.state,
            joined: taken.len(),
            left_out: left.iter().map(|input| input.pack.pack_id).collect(),
            not_kept,
            dangling,
        })
    }

    /// Reads an input. `name` is a pack, or a file with a payload that refers to one.
    fn input(&self, name: &str, start: &Path) -> Result<Input, Error> {
        if name.ends_with(".json") || name.ends_with(".tron") {
            let (file, bytes) =
                self.shelf
                    .site()
                    .files()
                    .read_document(name, start, &self.snapshot)?;
            let value: Option<Value> = pack_value(&file, &bytes).ok();
            if let Some(value) = value.filter(is_likely_payload) {
                return self.carried(&file, value, start);
            }
        }
        let pack = self.shelf.find_whole(name, start, &self.snapshot)?;
        Ok(Input {
            from_node_id: pack.node_id.clone().unwrap_or_default(),
            edge_id: String::new(),
            payload_id: pack.pack_id,
            created_at: pack.created_at.clone().unwrap_or_default(),
            is_ok: true,
            pack,
        })
    }

    fn carried(&self, file: &str, value: Value, start: &Path) -> Result<Input, Error> {
        let payload = read_payload(value).map_err(|error| Error::unusable(file, error))?;
        let Some(reference) = &payload.context_pack_ref else {
            return Err(Error::unusable(
                file,
                "the payload references no context pack (`contextPackRef`)",
            ));
        };
        let pack = self
            .shelf
            .find_whole(&reference.reference, start, &self.snapshot)?;
        Ok(Input {
            from_node_id: payload.from_node_id,
            edge_id: payload.edge_id,
            payload_id: payload.payload_id,
            created_at: payload.created_at,
            is_ok: payload.status.ok,
            pack,
        })
    }
}

/// Sets the goal, the node and the run of the request. Since the ID depends on these, the pack gets
/// a new one.
fn address(pack: &mut ContextPack, request: &MergePacks) {
    if request.goal.is_none() && request.node_id.is_none() && request.run_id.is_none() {
        return;
    }
    let text = |text: &String| safe(text);
    if let Some(goal) = &request.goal {
        // With a goal of its own, it doesn't matter that the goals of the inputs differ.
        pack.goal = text(goal);
        pack.conflicts.retain(|conflict| conflict.item != "goal");
    }
    pack.node_id = request
        .node_id
        .as_ref()
        .map(text)
        .or_else(|| pack.node_id.take());
    pack.run_id = request
        .run_id
        .as_ref()
        .map(text)
        .or_else(|| pack.run_id.take());
    *pack = std::mem::take(pack).seal();
}

/// Parses a timestamp, in milliseconds since the epoch. An invalid one becomes 0, so it is the
/// earliest.
fn millis(text: &str) -> i64 {
    let moment: Result<jiff::Timestamp, _> = text.parse();
    moment.map_or(0, jiff::Timestamp::as_millisecond)
}

/// Creates the payload for the next node. It refers to the packs by their IDs.
fn payload(
    request: &MergePacks,
    state: JoinState,
    taken: &[&Input],
    left: &[&Input],
    pack: &ContextPack,
    now: String,
) -> EdgePayload {
    let told = |input: &&Input| {
        json!({
            "fromNodeId": input.from_node_id, "edgeId": input.edge_id, "payloadId": input.payload_id, "ts": input.created_at,
        })
    };
    let inputs: Vec<Value> = taken.iter().map(told).collect();
    let aggregated: Vec<Value> = taken
        .iter()
        .map(|input| json!({ "payloadId": input.payload_id, "contextPackRef": format!("pack:{}", input.pack.pack_id) }))
        .collect();
    let conflicts: Vec<&str> = pack
        .conflicts
        .iter()
        .map(|conflict| conflict.item.as_str())
        .collect();
    let mut structured = object(json!({ "joinStatus": state, "aggregated": aggregated }));
    if !conflicts.is_empty() {
        structured.insert("conflicts".to_owned(), json!(conflicts));
    }
    if !left.is_empty() {
        structured.insert(
            "notTaken".to_owned(),
            Value::Array(left.iter().map(told).collect()),
        );
    }
    let failed: Vec<&str> = taken
        .iter()
        .filter(|input| !input.is_ok)
        .map(|input| &*input.from_node_id)
        .collect();
    let (code, reason) = match (failed.is_empty(), conflicts.len()) {
        (false, _) => (
            Some("failed"),
            Some(format!("not all went well: {}", failed.join(", "))),
        ),
        (true, 0) => (None, None),
        (true, count) => (
            Some("conflicts"),
            Some(format!(
                "{} between the packs",
                windlass_base::counted(count, "conflict")
            )),
        ),
    };
    let packs = windlass_base::counted(taken.len(), "pack");
    let mut payload = EdgePayload {
        payload_id: PackId::default(),
        kind: PayloadKind::Join,
        from_node_id: request.node_id.clone().unwrap_or_else(|| "join".to_owned()),
        edge_id: request.edge_id.clone().unwrap_or_else(|| "join".to_owned()),
        created_at: now,
        status: PayloadStatus {
            ok: code.is_none(),
            code: code.map(str::to_owned),
            reason,
            ..PayloadStatus::default()
        },
        message: Some(PayloadMessage {
            content: format!("{packs} joined by `{}`", request.policy),
            ..PayloadMessage::default()
        }),
        structured,
        artifacts: Vec::new(),
        context_pack_ref: Some(ArtifactRef {
            reference: format!("pack:{}", pack.pack_id),
            kind: ArtifactKind::ContextPack,
            ..ArtifactRef::default()
        }),
        provenance: object(json!({ "inputs": inputs })),
        rest: Map::new(),
    };
    // Leave out the creation time, so that the same join has the same ID.
    let named = json!([
        payload.from_node_id,
        payload.edge_id,
        payload.structured,
        payload.context_pack_ref
    ]);
    let digest = Digest::of_json(&named).unwrap_or_else(|_| Digest::of_bytes(b""));
    payload.payload_id = PackId::of_digest(&digest);
    payload
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
