//! Model services as calls: `models` of the settings, and their keys, which go in and never come out.

use super::actor_of;
use super::model_runs::Recording;
use crate::app::App;
use crate::models::default;
use crate::work::blocking;
use base::settings::{ModelProtocol, ModelService, ModelSettings, ModelTerms};
use base::{Event, Failure, Lang, Settings};
use llm::{Chat, Key, Keys, Limits, Message, ModelError, Piece, Role, Service};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::AuditEntry;
use toolbox::modes::Stream;
use wire::{Caller, ModelKey, ModelList, ModelRef, ModelRow, ModelSave, ModelTested};

/// A test waits for no more.
const TEST: Limits = Limits {
    total: Duration::from_secs(60),
    silence: Duration::from_secs(60),
    text: 64 * 1024,
    retries: 0,
    pause: Duration::ZERO,
};
/// Characters of what a tested service said.
const SAID: usize = 200;

pub(super) async fn list(app: &App) -> Result<ModelList, Failure> {
    with(app, |place| Ok(Settings::load(&place.settings)?.models)).await
}

pub(super) async fn save(app: &App, caller: &Caller, params: ModelSave) -> Result<ModelList, Failure> {
    let terms = params.terms.map(terms);
    let base_url = params.base_url.map(|url| url.trim().to_owned());
    let described = ModelService {
        name: params.name,
        protocol: protocol(params.protocol),
        base_url: base_url.filter(|url| !url.is_empty()),
        model: params.model.trim().to_owned(),
        terms: terms.unwrap_or_default(),
    };
    // Said now and not when it is asked.
    Service::new(&described, None)?;
    let given = match params.key.as_deref() {
        None => Given::Kept,
        Some("") => Given::Gone,
        Some(key) => Given::New(Key::new(key)?),
    };
    let (name, was) = (described.name.clone(), params.was);
    let detail = json!({"was": was, "protocol": described.protocol, "baseUrl": described.base_url,
        "model": described.model, "terms": terms, "keyChanged": !matches!(given, Given::Kept)});
    let change = move |place: &Place| {
        let models = Settings::load(&place.settings)?.models;
        let there = |name: &str| models.services.iter().any(|service| service.name == name);
        if let Some(was) = &was
            && !there(was)
        {
            return Err(ModelError::Unknown(base::text::cut(was, 100)).into());
        }
        if was.as_ref() != Some(&described.name) && there(&described.name) {
            return Err(Failure::new("model_exists").with("service", described.name.clone()));
        }
        let key = match given {
            Given::New(key) => Some(key),
            Given::Gone => None,
            Given::Kept => match &was {
                Some(was) => place.keys.get(was)?,
                // What another service of this name left is not this one's.
                None => None,
            },
        };
        // The key first: a service that is listed has what it needs.
        match key {
            Some(key) => place.keys.set(&described.name, key)?,
            None => place.keys.remove(&described.name)?,
        }
        let changed = Settings::change(&place.settings, |fields| {
            let of = put(fields, was.as_deref(), &described);
            if let (Some(of), Some(terms)) = (of, terms) {
                put_terms(of, terms);
            }
        })?;
        if let Some(was) = was.filter(|was| *was != described.name) {
            place.keys.remove(&was)?;
        }
        Ok(changed.models)
    };
    changed(app, caller, "models.save", &name, detail, change).await
}

pub(super) async fn remove(app: &App, caller: &Caller, params: ModelRef) -> Result<ModelList, Failure> {
    let name = params.name.clone();
    let change = move |place: &Place| {
        known(place, &params.name)?;
        let changed = Settings::change(&place.settings, |fields| {
            if let Some(services) = services(fields) {
                services.retain(|service| name_of(service) != Some(params.name.as_str()));
            }
            if fields["models"]["default"] == params.name.as_str() {
                take(fields, "default");
            }
        })?;
        place.keys.remove(&params.name)?;
        Ok(changed.models)
    };
    changed(app, caller, "models.remove", &name, json!({}), change).await
}

pub(super) async fn choose(app: &App, caller: &Caller, params: ModelRef) -> Result<ModelList, Failure> {
    let name = params.name.clone();
    let change = move |place: &Place| {
        known(place, &params.name)?;
        let changed = Settings::change(&place.settings, |fields| {
            fields["models"]["default"] = params.name.into();
        })?;
        Ok(changed.models)
    };
    changed(app, caller, "models.default", &name, json!({}), change).await
}

pub(super) async fn key(app: &App, caller: &Caller, params: ModelKey) -> Result<ModelList, Failure> {
    let ModelKey { name, key } = params;
    let key = key.as_deref().map(Key::new).transpose()?;
    let detail = json!({"kept": key.is_some()});
    let service = name.clone();
    let change = move |place: &Place| {
        let models = known(place, &name)?;
        match key {
            Some(key) => place.keys.set(&name, key)?,
            None => place.keys.remove(&name)?,
        }
        Ok(models)
    };
    changed(app, caller, "models.key", &service, detail, change).await
}

pub(super) async fn test(app: &App, caller: &Caller, params: ModelRef) -> Result<ModelTested, Failure> {
    let service = app.service(Some(params.name)).await?;
    let asked = match app.lang() {
        Lang::ZhCn => "请只回答：可以",
        Lang::En => "Answer with one word: yes",
    };
    let chat = Chat::new(vec![Message::new(Role::User, asked)]);
    let given = json!({"prompt": asked});
    let recording = Recording::begin(app, caller, "models.test", None, &service, &given).await?;
    let begun = Instant::now();
    let work = async {
        let mut answer = app.inner.services.models.ask(&service, &chat, &TEST).await?;
        let (mut said, mut first, mut end) = (String::new(), None, llm::End::default());
        while let Some(piece) = answer.next().await? {
            match piece {
                Piece::Text(text) => {
                    first.get_or_insert_with(|| begun.elapsed());
                    recording.say(Stream::Stdout, &text);
                    said.push_str(&text);
                }
                // Nothing is offered that could be called.
                Piece::Call(_) => {}
                Piece::End(last) => end = last,
            }
        }
        Ok::<_, Failure>((said, first, end))
    };
    let done = recording.unless_cancelled(work).await;
    let told = |done: &(String, Option<Duration>, llm::End)| (json!({"text": done.0}), done.2);
    let (said, first, _) = recording.end(done, told).await?.0;
    let total = begun.elapsed();
    Ok(ModelTested {
        text: base::text::cut(said.trim(), SAID),
        first_ms: first.unwrap_or(total).as_secs_f64() * 1000.0,
        total_ms: total.as_secs_f64() * 1000.0,
    })
}

/// What becomes of a service's key.
enum Given {
    Kept,
    Gone,
    New(Key),
}

/// The files in which services are.
struct Place {
    settings: PathBuf,
    keys: Arc<Keys>,
}

/// Looks or changes on a thread that may wait for the disk, one after the other.
async fn with(
    app: &App,
    work: impl FnOnce(&Place) -> Result<ModelSettings, Failure> + Send + 'static,
) -> Result<ModelList, Failure> {
    let _one = app.inner.changing.lock().await;
    let place = Place {
        settings: app.inner.home.settings(),
        keys: Arc::clone(&app.inner.services.keys),
    };
    let file = app.inner.home.display(place.keys.path());
    let done = move || {
        let models = work(&place)?;
        let keys = place.keys.names()?;
        let chosen = default(&models).map(|service| service.name.clone());
        let rows = models.services.into_iter().map(|service| ModelRow {
            has_key: keys.contains(&service.name),
            default: chosen.as_ref() == Some(&service.name),
            protocol: wire_protocol(service.protocol),
            name: service.name,
            base_url: service.base_url,
            model: service.model,
            terms: wire_terms(service.terms),
        });
        Ok(ModelList {
            services: rows.collect(),
            keys_file: file,
        })
    };
    blocking(done).await?
}

/// A change with its trace: the audit, and the news that what was shown is stale. Never a key.
async fn changed(
    app: &App,
    caller: &Caller,
    action: &str,
    subject: &str,
    detail: Value,
    change: impl FnOnce(&Place) -> Result<ModelSettings, Failure> + Send + 'static,
) -> Result<ModelList, Failure> {
    let list = with(app, change).await?;
    // From now on a new key is masked wherever something is recorded.
    app.learn_secrets().await?;
    let entry = AuditEntry {
        actor: actor_of(caller),
        action: action.to_owned(),
        subject: format!("model:{subject}"),
        detail,
    };
    app.inner.store.audit(entry).await?;
    let event = Event::new("settings.changed", json!({})).tag("models");
    app.inner.store.announce(vec![event]).await?;
    Ok(list)
}

fn known(place: &Place, name: &str) -> Result<ModelSettings, Failure> {
    let models = Settings::load(&place.settings)?.models;
    match models.services.iter().any(|service| service.name == name) {
        true => Ok(models),
        false => Err(ModelError::Unknown(base::text::cut(name, 100)).into()),
    }
}

/// Writes a service down; what else a person wrote beside it stays.
fn put<'f>(
    fields: &'f mut Map<String, Value>,
    was: Option<&str>,
    described: &ModelService,
) -> Option<&'f mut Map<String, Value>> {
    let models = fields.entry("models").or_insert_with(|| json!({}));
    if !models["services"].is_array() {
        models["services"] = json!([]);
    }
    let was_default = was.is_some() && models["default"].as_str() == was;
    if was_default || models["default"].as_str().is_none() {
        models["default"] = described.name.clone().into();
    }
    let services = services(fields)?;
    let there = services
        .iter()
        .position(|one| was.is_some() && name_of(one) == was);
    let at = there.unwrap_or_else(|| {
        services.push(json!({}));
        services.len() - 1
    });
    let of = &mut services[at];
    of["name"] = described.name.clone().into();
    of["protocol"] = json!(described.protocol);
    of["model"] = described.model.clone().into();
    let of = of.as_object_mut()?;
    set(of, "baseUrl", described.base_url.clone().map(Value::from));
    Some(of)
}

fn put_terms(of: &mut Map<String, Value>, terms: ModelTerms) {
    set(of, "window", terms.window.map(Value::from));
    set(of, "output", terms.output.map(Value::from));
    set(of, "inputPrice", terms.input_price.map(Value::from));
    set(of, "outputPrice", terms.output_price.map(Value::from));
    set(of, "pictures", terms.pictures.map(Value::from));
}

fn set(of: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            of.insert(name.to_owned(), value);
        }
        None => {
            of.shift_remove(name);
        }
    }
}

fn services(fields: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    fields.get_mut("models")?.get_mut("services")?.as_array_mut()
}

fn take(fields: &mut Map<String, Value>, name: &str) {
    if let Some(Value::Object(models)) = fields.get_mut("models") {
        models.shift_remove(name);
    }
}

fn name_of(service: &Value) -> Option<&str> {
    service.get("name")?.as_str()
}

fn terms(given: wire::ModelTerms) -> ModelTerms {
    let wire::ModelTerms {
        window,
        output,
        input_price,
        output_price,
        pictures,
    } = given;
    ModelTerms {
        window,
        output,
        input_price,
        output_price,
        pictures,
    }
}

fn wire_terms(terms: ModelTerms) -> wire::ModelTerms {
    let ModelTerms {
        window,
        output,
        input_price,
        output_price,
        pictures,
    } = terms;
    wire::ModelTerms {
        window,
        output,
        input_price,
        output_price,
        pictures,
    }
}

fn protocol(protocol: wire::ModelProtocol) -> ModelProtocol {
    match protocol {
        wire::ModelProtocol::OpenAi => ModelProtocol::OpenAi,
        wire::ModelProtocol::Anthropic => ModelProtocol::Anthropic,
        wire::ModelProtocol::Gemini => ModelProtocol::Gemini,
        wire::ModelProtocol::Ollama => ModelProtocol::Ollama,
    }
}

fn wire_protocol(protocol: ModelProtocol) -> wire::ModelProtocol {
    match protocol {
        ModelProtocol::OpenAi => wire::ModelProtocol::OpenAi,
        ModelProtocol::Anthropic => wire::ModelProtocol::Anthropic,
        ModelProtocol::Gemini => wire::ModelProtocol::Gemini,
        ModelProtocol::Ollama => wire::ModelProtocol::Ollama,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(name: &str, url: Option<&str>) -> ModelService {
        ModelService {
            name: name.to_owned(),
            protocol: ModelProtocol::OpenAi,
            base_url: url.map(str::to_owned),
            model: "m".to_owned(),
            terms: ModelTerms::default(),
        }
    }

    #[test]
    fn a_service_is_written_down_and_nothing_else_is_touched() {
        let before = json!({"language": "en", "models": {"mine": 1, "services": [
            {"name": "a", "protocol": "ollama", "model": "x", "note": "keep", "baseUrl": "http://a"}]}});
        let Value::Object(mut fields) = before else {
            panic!()
        };
        put(&mut fields, Some("a"), &described("b", None));
        let expected = json!({"language": "en", "models": {"mine": 1, "default": "b", "services": [
            {"name": "b", "protocol": "openai", "model": "m", "note": "keep"}]}});
        assert_eq!(Value::Object(fields.clone()), expected);
        put(&mut fields, None, &described("c", Some("http://c")));
        assert_eq!(
            fields["models"]["default"], "b",
            "the first one stays the default"
        );
        assert_eq!(fields["models"]["services"][1]["baseUrl"], "http://c");
        let settings: Settings = serde_json::from_value(Value::Object(fields)).unwrap();
        assert_eq!(settings.models.services[1], described("c", Some("http://c")));
    }
}
