//! The rules about commands as they hold now: the built-in ones and a person's, which stand in the
//! settings and are read again when that file has changed. While her newest are broken, the last
//! good ones hold and she is told; where none were ever good, nothing is judged, and so nothing is
//! run.
//!
//! Deliberately not here: what rules mean (`workspace::policy`).

use crate::work::blocking;
use base::{Failure, Settings};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};
use workspace::policy::{Policy, PolicyError};

pub(crate) struct Rules {
    settings: PathBuf,
    state: Mutex<State>,
}

#[derive(Clone, Default)]
struct State {
    good: Option<Good>,
    broken: Option<Broken>,
}

#[derive(Clone)]
struct Good {
    policy: Arc<Policy>,
    /// The person's own, that it was made of.
    own: Option<Value>,
}

#[derive(Clone)]
struct Broken {
    failure: Failure,
    /// What is broken; nothing when the file cannot be read.
    own: Option<Value>,
}

impl Rules {
    pub(crate) fn new(settings: PathBuf) -> Self {
        Rules {
            settings,
            state: Mutex::default(),
        }
    }

    /// What commands are judged by now.
    pub(crate) async fn policy(&self) -> Result<Arc<Policy>, Failure> {
        let state = self.look().await?;
        match (&state.good, &state.broken) {
            (Some(good), _) => Ok(good.policy.clone()),
            (None, Some(broken)) => Err(broken.failure.clone()),
            (None, None) => Err(Failure::new("internal")),
        }
    }

    /// What is wrong with the person's own rules, if something is.
    pub(crate) async fn broken(&self) -> Option<Failure> {
        match self.look().await {
            Ok(state) => state.broken.as_ref().map(|broken| broken.failure.clone()),
            Err(failure) => Some(failure),
        }
    }

    async fn look(&self) -> Result<MutexGuard<'_, State>, Failure> {
        let mut state = self.state.lock().await;
        let (path, known) = (self.settings.clone(), state.clone());
        *state = blocking(move || known.after(&path)).await?;
        Ok(state)
    }
}

impl State {
    /// As the file has it now. Rules are read only when they differ from those that were read last.
    fn after(mut self, path: &Path) -> State {
        let settings = match Settings::load(path) {
            Ok(settings) => settings,
            Err(error) => {
                self.breaks(error.into(), None);
                return self;
            }
        };
        let own = settings.command_rules;
        if self.good.as_ref().is_some_and(|good| good.own == own) {
            self.broken = None;
            return self;
        }
        if self
            .broken
            .as_ref()
            .is_some_and(|broken| own.is_some() && broken.own == own)
        {
            return self;
        }
        let read = match &own {
            None => Policy::built_in(),
            Some(rules) => Policy::with_user_rules(&rules.to_string()),
        };
        match read {
            Ok(policy) => {
                let policy = Arc::new(policy);
                self.good = Some(Good { policy, own });
                self.broken = None;
            }
            Err(error) => self.breaks(Failure::from(error as PolicyError), own),
        }
        self
    }

    fn breaks(&mut self, failure: Failure, own: Option<Value>) {
        if self
            .broken
            .as_ref()
            .is_none_or(|broken| broken.failure != failure)
        {
            let kept = self.good.is_some();
            tracing::error!(%failure, kept, "the rules about commands are broken");
        }
        self.broken = Some(Broken { failure, own });
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "writes the settings as a person does")]
mod tests {
    use super::*;
    use serde_json::json;
    use workspace::policy::Decision;

    fn deploy(decision: &str) -> Value {
        json!({"commandRules": [{"name": "deploy", "programs": ["deploy"], "decision": decision}]})
    }

    #[tokio::test]
    async fn what_is_changed_holds_at_once_and_what_is_broken_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let write = |value: &Value| std::fs::write(&path, value.to_string()).unwrap();
        let rules = Rules::new(path.clone());
        let judged = async || rules.policy().await.unwrap().judge("deploy now").decision;
        assert_eq!(judged().await, Decision::Allow, "without a file");
        write(&deploy("block"));
        assert_eq!(judged().await, Decision::Block);
        write(&deploy("ask"));
        assert_eq!((judged().await, rules.broken().await), (Decision::Ask, None));

        write(&json!({"commandRules": [{"name": "deploy", "decision": "block", "oops": 1}]}));
        assert_eq!(judged().await, Decision::Ask, "the last good ones");
        let broken = rules.broken().await.unwrap();
        assert_eq!(
            (broken.code.as_str(), broken.arg("field")),
            ("policy_rule_field", Some(&json!("oops")))
        );
        std::fs::write(&path, "{\n oops").unwrap();
        assert_eq!(judged().await, Decision::Ask);
        assert_eq!(rules.broken().await.unwrap().code, "settings_invalid");

        write(&json!({"language": "en"}));
        assert_eq!(
            (judged().await, rules.broken().await),
            (Decision::Allow, None),
            "taken out"
        );
        // The same again after something broken is not broken.
        std::fs::write(&path, "{").unwrap();
        assert!(rules.broken().await.is_some());
        write(&json!({"language": "en", "more": 1}));
        assert_eq!(rules.broken().await, None);
    }

    #[tokio::test]
    async fn without_any_good_ones_nothing_is_judged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        std::fs::write(&path, json!({"commandRules": 5}).to_string()).unwrap();
        let rules = Rules::new(path.clone());
        assert_eq!(rules.policy().await.unwrap_err().code, "policy_rules_unreadable");
        std::fs::remove_file(&path).unwrap();
        assert!(rules.policy().await.is_ok());
    }
}
