//! How deeply a source is nested, asked before it is parsed here. The engine's parser watches its
//! stack; the one in Rust (oxc) and what walks its trees do not, and would end the worker.
//!
//! Not a parser: what strings, comments and patterns hold counts as well, and a bracket that does
//! not fit takes back those inside it. Code that is made to be counted wrongly still ends its own
//! worker, and nothing else; this is for the clear error.

/// What an open bracket weighs against an operator: its frames are that much larger.
const BRACKET: usize = 8;

/// The most that is parsed: five hundred brackets in one another, or a chain of 4,000 operators.
const MOST: usize = 4_000;

/// An open bracket, and how much is in it since its last `,` or `;`.
struct Level {
    open: u8,
    chain: usize,
}

/// Whether parsing could need more stack than there is.
pub(crate) fn too_deep(source: &str) -> bool {
    let mut levels: Vec<Level> = Vec::new();
    let mut outside = 0_usize;
    let mut weight = 0_usize;
    let bytes = source.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let more = match byte {
            b'(' | b'[' | b'{' => {
                levels.push(Level {
                    open: *byte,
                    chain: 0,
                });
                weight += BRACKET;
                0
            }
            b')' | b']' | b'}' => {
                let open = match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if let Some(found) = levels.iter().rposition(|level| level.open == open) {
                    weight -= levels
                        .drain(found..)
                        .map(|level| BRACKET + level.chain)
                        .sum::<usize>();
                }
                // A block ends its statement; a call goes on.
                if *byte == b'}' {
                    end(&mut levels, &mut outside, &mut weight);
                }
                1
            }
            b';' => {
                // It stands in no brackets but a block's and those of one `for`: others were text.
                while let [.., below, Level { open: b'(', .. }] | [.., below @ Level { open: b'[', .. }] =
                    levels.as_slice()
                    && below.open != b'{'
                {
                    weight -= levels.pop().map_or(0, |level| BRACKET + level.chain);
                }
                end(&mut levels, &mut outside, &mut weight);
                0
            }
            b',' => {
                end(&mut levels, &mut outside, &mut weight);
                0
            }
            b'<' => BRACKET / 2,
            b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'?' | b':' | b'&' | b'|' | b'^' | b'!' | b'~'
            | b'.' => 1,
            b'i' if bytes[at..].starts_with(b"if(") || bytes[at..].starts_with(b"if ") => 1,
            _ => 0,
        };
        weight += more;
        match levels.last_mut() {
            Some(level) => level.chain += more,
            None => outside += more,
        }
        if weight > MOST {
            return true;
        }
    }
    false
}

/// The end of a statement or of a member.
fn end(levels: &mut [Level], outside: &mut usize, weight: &mut usize) {
    let chain = levels.last_mut().map_or(outside, |level| &mut level.chain);
    *weight -= std::mem::take(chain);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of these ended the process with a stack overflow.
    #[test]
    fn what_is_too_deep_is_not_parsed_and_the_rest_fits_into_the_stack() {
        let shapes: [fn(usize) -> String; 6] = [
            |n| format!("export const a = {}{};", "[".repeat(n), "]".repeat(n)),
            |n| format!("export const a = {}1{};", "(".repeat(n), ")".repeat(n)),
            |n| format!("export const a = {}1;", "1+".repeat(n)),
            |n| format!("export type A = {}B{};", "A<".repeat(n), ">".repeat(n)),
            |n| format!("export const a = {}1;", "- ".repeat(n)),
            |n| format!("export {{}}; {};", "if(1)".repeat(n)),
        ];
        for shape in shapes {
            assert!(too_deep(&shape(100_000)));
            // The deepest that is let through, on a stack like the worker's.
            let most = (1..5_000).rev().find(|n| !too_deep(&shape(*n))).unwrap();
            let source = shape(most);
            std::thread::Builder::new()
                .stack_size(super::super::STACK)
                .spawn(move || {
                    let _ = super::super::strip::strip(&source, "a.ts");
                    let _ = super::super::common_names::names(&source);
                    let _ = super::super::free_names::blocked(&source);
                })
                .unwrap()
                .join()
                .unwrap();
        }
    }

    #[test]
    fn brackets_in_text_do_not_pile_up() {
        let lines = "function f(a) { return a < 1 ? '(' : \"[\" + /[[(]/ + a.b.c(`)`); }\n";
        assert!(!too_deep(&lines.repeat(5_000)));
        assert!(!too_deep(&"if (a < b) c = d['['] + (e);\n".repeat(5_000)));
    }
}
