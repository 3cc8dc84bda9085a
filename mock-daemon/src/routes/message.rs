//! Reading what a caller wants to say.
//!
//! Responsible for: an A2A message or the short form, and the input rules of control-plane 2.4. Not for: doing anything with
//! it (`world::send`, `world::reply`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::decode::{Fields, through_float};
use crate::encode::compact;
use crate::json::Json;
use crate::project::shape::Metadata;
use crate::world::Said;

use super::{Refusal, Result};

/// A raw part decodes to no more.
const LARGEST_FILE: usize = 64 << 20;

/// What a request says, with what only some requests may carry.
#[derive(Debug)]
pub(super) struct Spoken {
    pub(super) said: Said,
    /// The x402 metadata of a payment decision, if there is any.
    pub(super) payment: Metadata,
}

/// Reads the message of a request: `message` when it is there, else the short fields.
pub(super) fn read(fields: Fields<'_>, role: &str) -> Result<Spoken> {
    match fields.any("message") {
        Some(message) => read_message(Fields::of(message, "message")?, role),
        None => read_short(fields),
    }
}

fn read_short(fields: Fields<'_>) -> Result<Spoken> {
    let mut spoken = Spoken { said: Said::default(), payment: Metadata::new() };
    let (text, skill) = (fields.text("text")?, fields.text("skill")?);
    let args = fields.map("args")?.map(through_float).transpose()?;
    let said = &mut spoken.said;
    said.context_id = fields.text("context_id")?;
    said.task_id = fields.text("task_id")?;
    said.message_id = fields.text("message_id")?;
    if !text.is_empty() {
        said.texts.push(text);
    }
    if !skill.trim().is_empty() {
        said.skill = Some((skill, args.unwrap_or(Json::Object(Vec::new()))));
    } else if args.is_some() {
        return Err(Refusal::invalid("args need a skill"));
    }
    read_metadata(&mut spoken, fields)?;
    Ok(spoken)
}

fn read_message(fields: Fields<'_>, own_role: &str) -> Result<Spoken> {
    let role = fields.text("role")?;
    if !(role.is_empty() || role == "ROLE_UNSPECIFIED" || role == own_role) {
        return Err(Refusal::invalid(format!("message.role must be {own_role}")));
    }
    let mut spoken = Spoken { said: Said::default(), payment: Metadata::new() };
    let said = &mut spoken.said;
    said.message_id = fields.text("messageId")?;
    said.context_id = fields.text("contextId")?;
    said.task_id = fields.text("taskId")?;
    said.extensions = fields.texts("extensions")?;
    said.references = fields.texts("referenceTaskIds")?;
    let mut args_seen = false;
    for (index, part) in fields.list("parts")?.iter().enumerate() {
        read_part(said, &format!("message.parts[{index}]"), part, &mut args_seen)?;
    }
    read_metadata(&mut spoken, fields)?;
    Ok(spoken)
}

fn read_part(said: &mut Said, what: &str, part: &Json, args_seen: &mut bool) -> Result<()> {
    let fields = Fields::of(part, what)?;
    let (text, raw, data) = (fields.any("text"), fields.any("raw"), fields.any("data"));
    let url = fields.text("url")?;
    let given = usize::from(text.is_some())
        + usize::from(raw.is_some())
        + usize::from(data.is_some())
        + usize::from(!url.is_empty());
    if given != 1 {
        return Err(Refusal::invalid(format!("{what} must hold exactly one of text, raw, data and url")));
    }
    if !url.is_empty() {
        return Err(Refusal::invalid(format!("{what} holds a url; this node fetches nothing, send the bytes as raw")));
    }
    if text.is_some() {
        said.texts.push(fields.text("text")?);
    } else if raw.is_some() {
        let raw = fields.text("raw")?;
        let Ok(bytes) = STANDARD.decode(raw.as_bytes()) else {
            return Err(Refusal::invalid(format!("{what}.raw is not base64 in the standard alphabet with padding")));
        };
        if bytes.len() > LARGEST_FILE {
            return Err(Refusal::invalid(format!("{what}.raw is larger than 64 MiB")));
        }
        said.files.push((fields.text("filename")?, fields.text("mediaType")?, bytes));
    } else if let Some(data) = data {
        let call = match data {
            Json::Object(_) => Fields::of(data, what)?.any("skill").is_some(),
            _ => false,
        };
        if call {
            let inner = Fields::of(data, what)?;
            let skill = inner.text("skill")?;
            if skill.trim().is_empty() {
                return Err(Refusal::invalid(format!("{what}.data.skill must not be blank")));
            }
            let args = inner.map("args")?;
            name_skill(said, skill, args, args_seen)?;
        } else {
            said.texts.push(compact(&data.clone().sorted()));
        }
    }
    Ok(())
}

/// A capability was named: in a part or in the metadata.
fn name_skill(said: &mut Said, skill: String, args: Option<Json>, args_seen: &mut bool) -> Result<()> {
    if said.skill.as_ref().is_some_and(|(known, _)| *known != skill) {
        return Err(Refusal::invalid("the message names two different capabilities"));
    }
    if args.is_some() && std::mem::replace(args_seen, true) {
        return Err(Refusal::invalid("the message holds more than one args object"));
    }
    match (&mut said.skill, args) {
        (Some((_, known)), Some(args)) => *known = args,
        (Some(_), None) => {}
        (none, args) => *none = Some((skill, args.unwrap_or(Json::Object(Vec::new())))),
    }
    Ok(())
}

fn read_metadata(spoken: &mut Spoken, fields: Fields<'_>) -> Result<()> {
    let Some(metadata) = fields.map("metadata")? else {
        return Ok(());
    };
    let Json::Object(members) = through_float(metadata)? else {
        return Ok(());
    };
    let mut args = None;
    let mut skill = None;
    for (name, value) in members {
        match name.as_str() {
            "anet.skill" => match value.as_str() {
                Some(text) if !text.trim().is_empty() => skill = Some(text.to_owned()),
                _ => {
                    return Err(Refusal::invalid("metadata anet.skill must be a string that is not blank"));
                }
            },
            "anet.args" => match value {
                Json::Object(_) => args = Some(value),
                _ => return Err(Refusal::invalid("metadata anet.args must be an object")),
            },
            _ if name.starts_with("x402.") || name == "anet.payment.accept" => {
                spoken.payment.insert(name, value);
            }
            // What only the node itself may state is dropped.
            _ if name.starts_with("anet.") || name.starts_with("a2a.") => {}
            _ => {
                spoken.said.metadata.insert(name, value);
            }
        }
    }
    let mut args_seen =
        args.is_some() && spoken.said.skill.as_ref().is_some_and(|(_, known)| *known != Json::Object(Vec::new()));
    match skill {
        Some(skill) => name_skill(&mut spoken.said, skill, args, &mut args_seen),
        None if args.is_some() && spoken.said.skill.is_none() => {
            Err(Refusal::invalid("metadata anet.args needs anet.skill"))
        }
        None => Ok(()),
    }
}

/// The rules that hold for what a requester says.
pub(super) fn check(said: &Said) -> Result<()> {
    let text = said.texts.iter().any(|text| !text.trim().is_empty());
    if said.skill.is_some() && (text || !said.files.is_empty()) {
        return Err(Refusal::invalid("a capability call goes without text and files"));
    }
    if said.skill.is_none() && !text && said.files.is_empty() {
        return Err(Refusal::invalid("the message is empty: give text, files or a skill"));
    }
    Ok(())
}
