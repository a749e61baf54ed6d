//! Calls of tools while their pieces come.

use super::Trouble;
use crate::tools::ToolCall;
use serde_json::Value;
use std::collections::HashSet;

/// Calls of one answer.
const MOST: usize = 128;

#[derive(Default)]
pub(super) struct Calls {
    /// Each with its place in the stream, where the protocol has one.
    all: Vec<(Option<u64>, ToolCall)>,
}

impl Calls {
    pub fn size(&self) -> usize {
        self.all.iter().map(|(_, call)| call.size()).sum()
    }

    /// A new one.
    pub fn begin(&mut self, place: Option<u64>) -> Result<&mut ToolCall, Trouble> {
        if self.all.len() == MOST {
            return Err(Trouble::Unreadable(format!("more than {MOST} calls of tools")));
        }
        let at = self.all.len();
        self.all.push((place, ToolCall::default()));
        Ok(&mut self.all[at].1)
    }

    /// The last one that was begun at this place, or without places the last of all.
    pub fn at(&mut self, place: Option<u64>) -> Option<&mut ToolCall> {
        let mut found = self.all.iter_mut().rev();
        found
            .find(|(known, _)| place.is_none() || *known == place)
            .map(|(_, call)| call)
    }

    /// All of them, each with an id that no other has.
    pub fn whole(self) -> Vec<ToolCall> {
        let mut calls: Vec<ToolCall> = self.all.into_iter().map(|(_, call)| call).collect();
        let given: HashSet<String> = calls.iter().map(|call| call.id.clone()).collect();
        let mut free = (1..)
            .map(|nth| format!("call-{nth}"))
            .filter(|id| !given.contains(id));
        let mut known = HashSet::new();
        for call in &mut calls {
            if call.id.is_empty() || !known.insert(call.id.clone()) {
                call.id = free.next().unwrap_or_default();
            }
        }
        calls
    }
}

/// Arguments as text, of services that give them as JSON.
pub(super) fn arguments(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

pub(super) fn word(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_an_id_of_its_own() {
        let mut calls = Calls::default();
        for id in ["a", "", "a", "call-2", "", "call-1"] {
            calls.begin(None).unwrap().id = id.to_owned();
        }
        let ids: Vec<String> = calls.whole().into_iter().map(|call| call.id).collect();
        assert_eq!(ids, ["a", "call-3", "call-4", "call-2", "call-5", "call-1"]);
    }

    #[test]
    fn calls_without_end_are_refused() {
        let mut calls = Calls::default();
        for _ in 0..MOST {
            calls.begin(None).unwrap();
        }
        assert!(calls.begin(None).is_err());
    }
}
