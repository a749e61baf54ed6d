//! Who is to deal with a cell: another cognitor, a model, an interpreter, a shell.
//!
//! Deliberately not here: whether there is such a one.

use crate::model::Cell;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// Another cognitor (`target_cognitor`).
    Delegate(String),
    /// A language model: `chat …`, and whatever is no code.
    Model,
    Code(Language),
    /// A shell of the workspace (`local_fish_shell`): a person is asked first.
    Shell(String),
    /// A context that the Arena does not know; its executor may.
    Context(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    JavaScript,
    Python,
    /// Lines that are both, or neither quite: the executor reads them as its subset.
    Plain,
}

/// The route of a cell that is executed in this context, in the Arena of this name.
pub fn route(cell: &Cell, context: Option<&str>, arena: &str) -> Route {
    if let Some(target) = cell.target_cognitor.as_deref().filter(|target| *target != arena) {
        return Route::Delegate(target.to_owned());
    }
    let text = cell.text().trim();
    if let Some(context) = context {
        return context_route(context);
    }
    if is_chat(text) || !is_code(text) {
        return Route::Model;
    }
    Route::Code(language(text))
}

fn context_route(context: &str) -> Route {
    let word = context.to_ascii_lowercase();
    match word.as_str() {
        "javascript" | "js" | "node" => Route::Code(Language::JavaScript),
        "python" | "python3" | "python_sandbox" => Route::Code(Language::Python),
        "chat" | "model" | "llm" => Route::Model,
        _ if word.starts_with("local_") && word.ends_with("shell") => Route::Shell(context.to_owned()),
        _ => Route::Context(context.to_owned()),
    }
}

/// `chat 你好`, `chat: …`, `chat("…")`
fn is_chat(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("chat") else {
        return false;
    };
    rest.chars()
        .next()
        .is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '_' | '.' | '='))
        && !rest.trim_start().starts_with('=')
}

/// Whether a line of this text reads as code: a call, an assignment, a keyword with what belongs to it.
fn is_code(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim();
        line_is_code(line)
    })
}

const KEYWORDS: [&str; 20] = [
    "for ",
    "while ",
    "if ",
    "def ",
    "import ",
    "from ",
    "return ",
    "class ",
    "const ",
    "let ",
    "var ",
    "function ",
    "await ",
    "async ",
    "try:",
    "try {",
    "with ",
    "print ",
    "del ",
    "raise ",
];

fn line_is_code(line: &str) -> bool {
    if line.starts_with("//") || line.starts_with('#') && line.contains('(') {
        return true;
    }
    if KEYWORDS.iter().any(|word| line.starts_with(word)) {
        // "if you like, …" is a sentence.
        return line.contains(['(', '=', '{', ';', '['])
            || line.ends_with(':')
            || line.starts_with("import ");
    }
    let name = line
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$')))
        .map_or(line, |at| &line[..at]);
    let rest = line[name.len()..].trim_start();
    let called = rest.starts_with('(')
        && !name.is_empty()
        && name.is_ascii()
        && line.contains(')')
        && rest.len() + name.len() == line.len();
    let assigned = !name.is_empty()
        && (rest.starts_with('=')
            || ["+=", "-=", "*=", "/="].iter().any(|op| rest.starts_with(op))
            || rest.starts_with('['));
    let arithmetic = !line.is_empty()
        && line.chars().any(|c| c.is_ascii_digit())
        && line
            .chars()
            .all(|c| c.is_ascii_digit() || " +-*/%().,<>=".contains(c));
    called || assigned || arithmetic || line.starts_with("[") && line.ends_with(']')
}

fn language(text: &str) -> Language {
    let script = [
        "const ",
        "let ",
        "var ",
        "function ",
        "=>",
        "await ",
        "console.log",
        "===",
    ];
    // Elsewhere it divides in Python, or stands in an address.
    let comment = text.lines().any(|line| line.trim_start().starts_with("//"));
    if comment || script.iter().any(|mark| text.contains(mark)) {
        return Language::JavaScript;
    }
    let python = ["def ", "import ", "elif ", "print(f\"", "print(f'"];
    let colon = text.lines().any(|line| line.trim_end().ends_with(':'));
    if colon || python.iter().any(|mark| text.contains(mark)) {
        return Language::Python;
    }
    Language::Plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CellType, Value};

    #[test]
    fn texts_go_where_they_belong() {
        for (text, wanted) in [
            ("chat 你好", Route::Model),
            ("chat(\"你好\")", Route::Model),
            ("chatter = 1", Route::Code(Language::Plain)),
            ("chat = 1", Route::Code(Language::Plain)),
            ("请总结上面的内容", Route::Model),
            ("What is in this file?", Route::Model),
            ("if you like, tell me more", Route::Model),
            ("需要被执行的输入内容", Route::Model),
            ("", Route::Model),
            ("print(\"Hello\")", Route::Code(Language::Plain)),
            ("a = 1", Route::Code(Language::Plain)),
            ("1+1", Route::Code(Language::Plain)),
            ("for i in range(3):\n    print(i)", Route::Code(Language::Python)),
            ("const a = 1;", Route::Code(Language::JavaScript)),
            ("名字 = input(\"名字?\")", Route::Code(Language::Plain)),
        ] {
            let mut cell = Cell::new("User", 0, CellType::Exec);
            cell.value = Some(Value::plain(text));
            assert_eq!(route(&cell, None, "Arena"), wanted, "{text}");
        }
    }

    #[test]
    fn attributes_rule() {
        let routed = |cell: &Cell| route(cell, cell.execution_context.as_deref(), "Arena");
        let mut cell = Cell::new("User", 0, CellType::Exec);
        cell.value = Some(Value::plain("ls -la"));
        cell.execution_context = Some("local_fish_shell".into());
        assert_eq!(routed(&cell), Route::Shell("local_fish_shell".into()));
        cell.target_cognitor = Some("Arena".into());
        assert_eq!(routed(&cell), Route::Shell("local_fish_shell".into()));
        cell.target_cognitor = Some("User".into());
        assert_eq!(routed(&cell), Route::Delegate("User".into()));
        cell.target_cognitor = None;
        cell.execution_context = Some("knowledge_base_query".into());
        assert_eq!(routed(&cell), Route::Context("knowledge_base_query".into()));
    }
}
