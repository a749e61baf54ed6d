//! What an agent is told when it is made.

use super::SocietyError;
use base::Lang;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Each part says something; what a model may leave empty is said to be so by it ("none").
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBrief {
    pub objective: String,
    pub constraints: String,
    pub inputs: String,
    pub outputs: String,
    pub completion_criteria: String,
}

impl TaskBrief {
    /// A brief as a model writes it: each part is text, or a list of texts. All that is missing is named at once.
    pub fn read(value: &Value) -> Result<TaskBrief, SocietyError> {
        let mut missing = Vec::new();
        let mut part = |name: &'static str| {
            let said = value.get(name).map(text).unwrap_or_default();
            if said.trim().is_empty() {
                missing.push(name);
            }
            said
        };
        let brief = TaskBrief {
            objective: part("objective"),
            constraints: part("constraints"),
            inputs: part("inputs"),
            outputs: part("outputs"),
            completion_criteria: part("completion_criteria"),
        };
        match missing.is_empty() {
            true => Ok(brief),
            false => Err(SocietyError::InvalidTaskBrief { missing }),
        }
    }

    /// As whoever it is for reads it.
    pub fn told(&self, lang: Lang) -> String {
        let parts = [
            (lang.pick("目标", "Objective"), &self.objective),
            (lang.pick("约束", "Constraints"), &self.constraints),
            (lang.pick("输入", "Inputs"), &self.inputs),
            (lang.pick("输出", "Outputs"), &self.outputs),
            (lang.pick("完成标准", "Done when"), &self.completion_criteria),
        ];
        let parts: Vec<String> = parts
            .iter()
            .map(|(name, said)| format!("{name}: {said}"))
            .collect();
        parts.join("\n")
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => {
            let lines: Vec<String> = lines
                .iter()
                .map(text)
                .filter(|line| !line.trim().is_empty())
                .collect();
            lines.join("\n")
        }
        // A thing with names is kept as it was written; nothing, truth and numbers alone say nothing.
        Value::Object(fields) if !fields.is_empty() => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let whole = json!({
            "objective": "add", "constraints": ["fast", "", "small"], "inputs": {"a": "number"},
            "outputs": "sum", "completion_criteria": "tests pass",
        });
        let brief = TaskBrief::read(&whole).unwrap();
        assert_eq!(
            (brief.constraints.as_str(), brief.inputs.as_str()),
            ("fast\nsmall", "{\"a\":\"number\"}")
        );
        let missing = |value: &Value| match TaskBrief::read(value) {
            Err(SocietyError::InvalidTaskBrief { missing }) => missing,
            other => panic!("{other:?}"),
        };
        let some = json!({"objective": " ", "constraints": [""], "inputs": 3, "outputs": "x"});
        assert_eq!(
            missing(&some),
            ["objective", "constraints", "inputs", "completion_criteria"]
        );
        assert_eq!(missing(&json!("add")).len(), 5);
        assert_eq!(missing(&Value::Null).len(), 5);
    }
}
