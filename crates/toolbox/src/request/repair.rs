//! What models get wrong around a request, put right: texts to try in turn, each built on the one
//! before. Only the wrapping is touched, never a value inside `parameters`.

/// A text to try, and how many lines of the sent text stand before its first.
pub(super) struct Candidate {
    pub(super) text: String,
    pub(super) lines_before: u64,
}

/// A repair: the text it makes and the lines it drops before it; `None` when there is nothing to do.
type Repair = fn(&str) -> Option<(String, u64)>;

pub(super) fn candidates(text: &str) -> Vec<Candidate> {
    let mut list = Vec::new();
    let mut current = Candidate {
        text: text.to_owned(),
        lines_before: 0,
    };
    let steps: [Repair; 5] = [
        unfenced,
        unescaped,
        first_line_as_tool,
        tool_line_unwrapped,
        flow_url_quoted,
    ];
    for step in steps {
        if let Some((text, dropped)) = step(&current.text) {
            let lines_before = current.lines_before + dropped;
            list.push(Candidate {
                text: text.clone(),
                lines_before,
            });
            current = Candidate { text, lines_before };
        }
    }
    list
}

/// The inside of a fenced block that is the whole text.
fn unfenced(text: &str) -> Option<(String, u64)> {
    let start = text.len() - text.trim_start().len();
    let fence_char = text[start..].chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text[start..].chars().take_while(|c| *c == fence_char).count();
    if length < 3 {
        return None;
    }
    let first_end = start + text[start..].find('\n')?;
    let body = &text[first_end + 1..];
    let fence: String = std::iter::repeat_n(fence_char, length).collect();
    let mut end = body.len();
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end().trim_start_matches(' ') == fence {
            // The last one closes: parameters may hold fences of their own.
            end = at;
        }
        at += line.len();
    }
    let dropped = text[..=first_end].matches('\n').count() as u64;
    Some((body[..end].to_owned(), dropped))
}

/// `tool: tool://x\nmode: manual` with a written-out backslash and n, on one line.
fn unescaped(text: &str) -> Option<(String, u64)> {
    let line = text.trim();
    if line.contains('\n') || !line.contains("\\n") {
        return None;
    }
    let quoted = match line.len() >= 2 && line.starts_with('"') && line.ends_with('"') {
        true => line.to_owned(),
        false => format!("\"{line}\""),
    };
    let text = serde_json::from_str::<String>(&quoted).unwrap_or_else(|_| line.replace("\\n", "\n"));
    Some((text, 0))
}

/// A bare `tool://x` in the first line, fields in the lines below.
fn first_line_as_tool(text: &str) -> Option<(String, u64)> {
    let (at, line) = lines(text).find(|(_, line)| !line.trim().is_empty())?;
    let url = super::unwrapped(line);
    let whole = url.starts_with(super::SCHEME) && !url.contains(char::is_whitespace);
    whole.then(|| (replaced(text, at, line, &format!("tool: \"{url}\"")), 0))
}

/// `tool: @tool://x`: `@` cannot begin a YAML value. Only a field at the left edge is touched.
fn tool_line_unwrapped(text: &str) -> Option<(String, u64)> {
    let (at, line, field) = lines(text).find_map(|(at, line)| {
        let (field, _) = line.split_once(':')?;
        super::TOOL_FIELDS
            .contains(&field.trim_matches(['"', '\'']))
            .then_some((at, line, field))
    })?;
    let value = &line[field.len() + 1..];
    let value = value.split(" #").next().unwrap_or(value);
    let url = super::unwrapped(value.trim_end().trim_end_matches(','));
    let usable = url.starts_with(super::SCHEME) && !url.contains(['"', '\\']);
    usable.then(|| (replaced(text, at, line, &format!("{field}: \"{url}\"")), 0))
}

/// `{tool: @tool://x, …}`: the same inside braces.
fn flow_url_quoted(text: &str) -> Option<(String, u64)> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let at = text.match_indices(": @tool://").map(|(at, _)| at).find(|&at| {
        let before = text[..at].trim_end_matches(['"', '\'']);
        super::TOOL_FIELDS.iter().any(|field| before.ends_with(field))
    })?;
    let start = at + ": ".len();
    let end = text[start..]
        .find([',', '}', '\n', ' ', '"'])
        .map_or(text.len(), |length| start + length);
    let quoted = format!("{}\"{}\"{}", &text[..start], &text[start + 1..end], &text[end..]);
    Some((quoted, 0))
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

fn replaced(text: &str, at: usize, line: &str, with: &str) -> String {
    format!("{}{with}{}", &text[..at], &text[at + line.len()..])
}
