//! The society's own tools: what a model calls to make roles and agents, to speak, to keep things. They are decided
//! from the state alone; whatever is wrong with a call is told to the model, which can do it otherwise.
//!
//! Deliberately not here: tools of workspaces, scripts and the toolbox, which are outside.

use super::event::{Artifact, ArtifactId, Call, Change, Event, Kind, Message, Outcome, Party};
use super::org::{Address, Receiver, Role, RoleId};
use super::state::State;
use super::{AgentId, Amounts, Budget, SocietyError, TaskBrief};
use base::{Coded, Lang};
use llm::Tool;
use serde_json::{Map, Value, json};

/// Characters of a name, bytes of a text, of a role's prompt and of an artifact.
const NAME: usize = 80;
const TEXT: usize = 64 * 1024;
const PROMPT: usize = 32 * 1024;
const ARTIFACT: usize = 256 * 1024;
/// What is read of one at once.
const PART: usize = 32 * 1024;
/// Of a delay or a wait, in seconds.
const LONGEST: u64 = 24 * 60 * 60;
/// What an artifact of this kind holds, and its parts.
const MODULE: &str = "Module_Spec";
const MODULE_PARTS: [&str; 5] = ["name", "responsibility", "interfaces", "io", "dependencies"];

const NAMES: [&str; 8] = [
    "create_role",
    "spawn_agent",
    "send_message",
    "terminate_agent",
    "put_artifact",
    "get_artifact",
    "contacts",
    "wait",
];

pub fn is_own(tool: &str) -> bool {
    NAMES.contains(&tool)
}

type Given = Map<String, Value>;
type Decided = Result<(Value, Option<Change>), SocietyError>;

/// What a call gives and changes.
pub(super) fn decide(state: &State, agent: AgentId, nth: usize, call: &Call, now: i64) -> Event {
    let given = match call.arguments.trim() {
        "" => Ok(Map::new()),
        text => serde_json::from_str::<Given>(text),
    };
    let decided = given
        .map_err(|error| wrong(&error.to_string()))
        .and_then(|given| match call.name.as_str() {
            "create_role" => create_role(state, agent, &given),
            "spawn_agent" => spawn_agent(state, agent, &given),
            "send_message" => send_message(state, agent, &given, now),
            "terminate_agent" => terminate_agent(state, agent, &given),
            "put_artifact" => put_artifact(state, agent, &given),
            "get_artifact" => get_artifact(state, &given),
            "contacts" => contacts(state, agent),
            _ => wait(&given, now),
        });
    let (outcome, change) = match decided {
        Ok((value, change)) => (said(&value, false), change),
        Err(error) => (refused(&error), None),
    };
    Event::Gave {
        agent,
        call: nth,
        outcome,
        change,
        cost: Amounts::ONE_CALL,
    }
}

fn said(value: &Value, is_error: bool) -> Outcome {
    Outcome {
        text: value.to_string(),
        is_error,
        pictures: Vec::new(),
    }
}

/// As a model reads it.
fn refused(error: &SocietyError) -> Outcome {
    let mut told = Map::from_iter([("error".to_owned(), Value::from(error.code()))]);
    told.extend(error.args());
    told.insert("message".to_owned(), error.to_string().into());
    said(&told.into(), true)
}

fn wrong(reason: &str) -> SocietyError {
    SocietyError::InvalidArgs {
        reason: base::text::cut(reason, 400),
    }
}

fn text<'a>(given: &'a Given, name: &str, most: usize) -> Result<&'a str, SocietyError> {
    let said = given.get(name).and_then(Value::as_str).unwrap_or_default();
    match said.len() {
        0 => Err(wrong(&format!("{name}: a text is expected"))),
        bytes if bytes > most => Err(wrong(&format!("{name}: at most {most} bytes"))),
        _ => Ok(said),
    }
}

fn name<'a>(given: &'a Given, field: &str) -> Result<&'a str, SocietyError> {
    let said = text(given, field, NAME * 4)?.trim();
    let fine = !said.is_empty() && said.chars().count() <= NAME && !said.chars().any(char::is_control);
    if !fine {
        return Err(wrong(&format!("{field}: 1 to {NAME} characters")));
    }
    Ok(said)
}

fn create_role(state: &State, agent: AgentId, given: &Given) -> Decided {
    let name = name(given, "name")?;
    if let Some(known) = state.org.own_role(agent, name)? {
        return Ok((json!({"roleId": known.0, "reused": true}), None));
    }
    let template = state.template(name);
    let prompt = match (given.get("prompt"), template) {
        (None | Some(Value::Null), Some(template)) => template.prompt.as_str(),
        _ => text(given, "prompt", PROMPT)?,
    };
    let tools = match given.get("tools") {
        None | Some(Value::Null) => template.and_then(|template| template.tools.clone()),
        Some(Value::Array(names)) => {
            let names = names.iter().map(|name| name.as_str().map(str::to_owned));
            Some(
                names
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| wrong("tools: a list of names"))?,
            )
        }
        Some(_) => return Err(wrong("tools: a list of names")),
    };
    // What the team's file allows is only narrowed.
    let tools = match (tools, template.and_then(|template| template.tools.as_ref())) {
        (Some(named), Some(allowed)) => {
            Some(named.into_iter().filter(|name| allowed.contains(name)).collect())
        }
        (tools, _) => tools,
    };
    let role = Role {
        creator: agent,
        name: name.to_owned(),
        prompt: prompt.to_owned(),
        tools,
        service: template.and_then(|template| template.service.clone()),
        confirm: template.is_some_and(|template| template.confirm),
    };
    let id = state.org.next_role();
    Ok((json!({"roleId": id.0}), Some(Change::Role(id, role))))
}

/// A role by its number, or by the name that this agent gave it.
fn role(state: &State, agent: AgentId, given: &Given) -> Result<RoleId, SocietyError> {
    let said = given.get("roleId").or_else(|| given.get("role"));
    match said {
        Some(Value::Number(id)) => Ok(RoleId(id.as_u64().ok_or(SocietyError::UnknownRole)?)),
        Some(Value::String(said)) => match said.trim().parse() {
            Ok(id) => Ok(RoleId(id)),
            Err(_) => state
                .org
                .own_role(agent, said.trim())?
                .ok_or(SocietyError::UnknownRole),
        },
        _ => Err(wrong("roleId: the number that create_role gave")),
    }
}

fn spawn_agent(state: &State, agent: AgentId, given: &Given) -> Decided {
    let role = role(state, agent, given)?;
    let confirm = state.org.may_spawn(agent, role)?.confirm;
    let brief = given.get("brief").or_else(|| given.get("taskBrief"));
    let brief = TaskBrief::read(brief.unwrap_or(&Value::Null))?;
    if brief.told(state.lang).len() > TEXT {
        return Err(wrong(&format!("brief: at most {TEXT} bytes")));
    }
    if confirm && !state.is_confirmed(agent) {
        return Err(SocietyError::PlanNotConfirmed);
    }
    let budget = match given.get("budget") {
        None | Some(Value::Null) => Budget::default(),
        Some(budget) => {
            serde_json::from_value(budget.clone()).map_err(|error| wrong(&format!("budget: {error}")))?
        }
    };
    state.ledger.may_open_below(agent)?;
    let made = state.org.next_agent();
    let change = Change::Agent {
        agent: made,
        role,
        brief,
        budget,
    };
    Ok((json!({"agentId": state.name(made)}), Some(change)))
}

/// An agent as others call it.
fn agent(state: &State, said: &str) -> Result<AgentId, SocietyError> {
    let own = match said.trim().split_once('/') {
        Some((task, own)) if task == state.task() => own,
        // Whose it is does not matter: it is none of here.
        Some(_) => return Err(SocietyError::CrossTask),
        None => said.trim(),
    };
    let id = own.parse().map_err(|_| SocietyError::UnknownAgent)?;
    state.org.agent(AgentId(id)).map(|_| AgentId(id))
}

fn send_message(state: &State, from: AgentId, given: &Given, now: i64) -> Decided {
    let to = match name(given, "to")? {
        "user" => Address::User,
        "parent" => Address::Parent,
        other => Address::Agent(agent(state, other)?),
    };
    // Models write one or the other.
    let inner = given.get("payload").and_then(Value::as_object);
    let text = match (given.get("payload"), inner) {
        (Some(Value::String(said)), _) if said.len() <= TEXT && !said.is_empty() => said,
        (_, Some(payload)) if payload.contains_key("text") => text(payload, "text", TEXT)?,
        _ => text(given, "text", TEXT)?,
    };
    let artifacts = match given.get("artifacts") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(all)) => {
            let ids = all.iter().map(|one| artifact(state, one).map(|(id, _)| id));
            ids.collect::<Result<_, _>>()?
        }
        Some(_) => return Err(wrong("artifacts: a list")),
    };
    let due = seconds(given, "delaySeconds")?.map(|seconds| later(now, seconds));
    let to = match state.org.receiver(from, to)? {
        Receiver::Agent(to) if to == from => return Err(wrong("to: not to oneself")),
        Receiver::Agent(to) => Party::Agent(to),
        Receiver::User if due.is_some() => return Err(wrong("delaySeconds: not to the user")),
        Receiver::User => Party::User,
    };
    if state.would_circle(Party::Agent(from), to, text) {
        return Err(SocietyError::LoopDetected);
    }
    let message = Message {
        from: Party::Agent(from),
        to,
        kind: Kind::Sent,
        text: text.to_owned(),
        artifacts,
        due,
    };
    Ok((json!({"ok": true}), Some(Change::Message(message))))
}

fn terminate_agent(state: &State, by: AgentId, given: &Given) -> Decided {
    let field = ["agentId", "agent"]
        .into_iter()
        .find(|field| given.contains_key(*field));
    let said = match field.and_then(|field| given.get(field)) {
        Some(Value::Number(id)) => id.to_string(),
        _ => text(given, field.unwrap_or("agentId"), NAME * 4)?.to_owned(),
    };
    let ending = state.org.may_end(by, agent(state, &said)?)?;
    let names: Vec<String> = ending.iter().map(|id| state.name(*id)).collect();
    Ok((json!({"ended": names}), Some(Change::Ending(ending))))
}

fn put_artifact(state: &State, by: AgentId, given: &Given) -> Decided {
    state.org.acting(by)?;
    let kind = match given.contains_key("type") {
        true => name(given, "type")?,
        false => "text",
    };
    let title = match given.contains_key("name") {
        true => name(given, "name")?,
        false => kind,
    };
    let content = match given.get("content") {
        Some(Value::String(_)) => text(given, "content", ARTIFACT)?.to_owned(),
        Some(other) if !other.is_null() => other.to_string(),
        _ => return Err(wrong("content: a text is expected")),
    };
    if content.len() > ARTIFACT {
        return Err(wrong(&format!("content: at most {ARTIFACT} bytes")));
    }
    if kind == MODULE {
        let parts: Value = serde_json::from_str(&content).unwrap_or_default();
        let missing: Vec<&str> = MODULE_PARTS
            .into_iter()
            .filter(|part| parts.get(part).is_none())
            .collect();
        if !missing.is_empty() {
            return Err(wrong(&format!("content: JSON with {}", missing.join(", "))));
        }
    }
    let id = state.artifacts().len() as ArtifactId + 1;
    let artifact = Artifact {
        by,
        name: title.to_owned(),
        kind: kind.to_owned(),
        content,
    };
    let told = json!({"artifact": format!("artifact:{id}")});
    Ok((told, Some(Change::Artifact(artifact))))
}

fn artifact<'s>(state: &'s State, said: &Value) -> Result<(ArtifactId, &'s Artifact), SocietyError> {
    let id = match said {
        Value::Number(id) => id.as_u64(),
        Value::String(id) => id.trim().trim_start_matches("artifact:").parse().ok(),
        _ => None,
    };
    let found = id.and_then(|id| Some((id, state.artifact(id)?)));
    found.ok_or_else(|| wrong("artifact: none of this task"))
}

fn get_artifact(state: &State, given: &Given) -> Decided {
    let (id, found) = artifact(state, given.get("artifact").unwrap_or(&Value::Null))?;
    let offset = given.get("offset").and_then(Value::as_u64).unwrap_or(0);
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let begin = found.content.floor_char_boundary(offset);
    let end = found.content.floor_char_boundary(begin.saturating_add(PART));
    let mut told = json!({
        "artifact": format!("artifact:{id}"), "name": found.name, "type": found.kind,
        "by": state.name(found.by), "content": &found.content[begin..end],
    });
    if end < found.content.len() {
        told["nextOffset"] = end.into();
    }
    Ok((told, None))
}

fn contacts(state: &State, of: AgentId) -> Decided {
    let parent = state.org.acting(of)?.parent;
    let all = state.org.contacts(of)?;
    let rows: Vec<Value> = all
        .into_iter()
        .filter_map(|id| {
            let agent = state.org.agent(id).ok()?;
            let relation = match () {
                () if parent == Some(id) => "parent",
                () if agent.parent == Some(of) => "child",
                () => "colleague",
            };
            let role = state.org.role_of(id).map(|role| role.name.as_str());
            Some(json!({"agentId": state.name(id), "role": role, "relation": relation}))
        })
        .collect();
    Ok((json!({"contacts": rows}), None))
}

fn wait(given: &Given, now: i64) -> Decided {
    let until = seconds(given, "seconds")?.map(|seconds| later(now, seconds));
    Ok((json!({"ok": true}), Some(Change::Wait { until })))
}

fn seconds(given: &Given, field: &str) -> Result<Option<u64>, SocietyError> {
    match given.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(seconds) if (0.0..=LONGEST as f64).contains(&seconds) => Ok(Some(seconds.ceil() as u64)),
            _ => Err(wrong(&format!("{field}: 0 to {LONGEST}"))),
        },
    }
}

fn later(now: i64, seconds: u64) -> i64 {
    now.saturating_add(i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX))
}

/// As they are offered to a model.
pub fn offered(lang: Lang) -> Vec<Tool> {
    let brief = lang.pick(
        "任务说明，每一项都要写明",
        "What it is to do; each part says something",
    );
    let brief = json!({
        "type": "object", "description": brief,
        "properties": {
            "objective": {"type": "string"}, "constraints": {"type": "string"}, "inputs": {"type": "string"},
            "outputs": {"type": "string"}, "completion_criteria": {"type": "string"},
        },
        "required": ["objective", "constraints", "inputs", "outputs", "completion_criteria"],
    });
    let tool = |name: &str, about: [&str; 2], properties: Value, required: &[&str]| Tool {
        name: name.to_owned(),
        description: lang.pick(about[0], about[1]).to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    };
    let to = lang.pick(
        "\"user\"、\"parent\" 或智能体编号",
        "\"user\", \"parent\", or an agent's id",
    );
    vec![
        tool(
            "create_role",
            [
                "创建岗位（角色）。同名岗位会被复用。名称与任务模板中的岗位相同时可省略 prompt。返回 {roleId}。",
                "Makes a role; one of that name is used again. For a role of the task's template leave prompt out. Gives {roleId}.",
            ],
            json!({
                "name": {"type": "string"}, "prompt": {"type": "string"},
                "tools": {"type": "array", "items": {"type": "string"}},
            }),
            &["name"],
        ),
        tool(
            "spawn_agent",
            [
                "用自己创建的岗位创建智能体，它立即按任务说明开始工作；最后的回答会发给你。返回 {agentId}。",
                "Makes an agent of a role that you made. It begins at once with its brief; the last that it says comes to you. Gives {agentId}.",
            ],
            json!({"roleId": {"type": "integer"}, "brief": brief, "budget": {"type": "object"}}),
            &["roleId", "brief"],
        ),
        tool(
            "send_message",
            [
                "发送消息。delaySeconds 表示延迟送达；artifacts 是产物编号的列表。",
                "Sends a message; delaySeconds lets it arrive later, artifacts is a list of artifacts.",
            ],
            json!({
                "to": {"type": "string", "description": to}, "text": {"type": "string"},
                "artifacts": {"type": "array", "items": {"type": "string"}}, "delaySeconds": {"type": "number"},
            }),
            &["to", "text"],
        ),
        tool(
            "terminate_agent",
            [
                "结束自己的下级智能体，以及它的所有下级。",
                "Ends an agent below you, and all below it.",
            ],
            json!({"agentId": {"type": "string"}}),
            &["agentId"],
        ),
        tool(
            "put_artifact",
            [
                "保存产物供本任务的智能体使用。type 例如 Module_Spec（content 为 JSON：name、responsibility、interfaces、io、dependencies）、Integration_Plan、Progress。返回 {artifact}。",
                "Keeps something for the agents of this task. type is for example Module_Spec (content is JSON with name, responsibility, interfaces, io, dependencies), Integration_Plan or Progress. Gives {artifact}.",
            ],
            json!({"name": {"type": "string"}, "type": {"type": "string"}, "content": {"type": "string"}}),
            &["type", "content"],
        ),
        tool(
            "get_artifact",
            [
                "读取产物。长的内容分段返回：用 nextOffset 作为下一次的 offset。",
                "Reads an artifact; a long one in parts: give nextOffset as the next offset.",
            ],
            json!({"artifact": {"type": "string"}, "offset": {"type": "integer"}}),
            &["artifact"],
        ),
        tool(
            "contacts",
            [
                "列出你认识的智能体：上级、下级和同级。",
                "Whom you know: above, below and beside you.",
            ],
            json!({}),
            &[],
        ),
        tool(
            "wait",
            [
                "停下来等待消息；给出 seconds 时，到时会收到提醒。",
                "Rests until a message comes; with seconds, at the latest until then.",
            ],
            json!({"seconds": {"type": "number"}}),
            &[],
        ),
    ]
}
