//! From pieces to fields: braces, then the tilde, splitting and wildcards.

use super::Piece;
use crate::policy::mark;
use crate::policy::paths::HOME;

/// Most fields that braces may make of one word.
const FIELDS: usize = 256;

/// `a{b,c}d` is `abd acd`; `{1..9}` is of no interest and stays.
pub(super) fn braces(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut done = Vec::new();
    let mut waiting = vec![pieces.to_vec()];
    while let Some(word) = waiting.pop() {
        let Some((open, close, commas)) = first_brace(&word).filter(|_| waiting.len() + done.len() < FIELDS)
        else {
            done.push(word);
            continue;
        };
        let mut starts = vec![open + 1];
        starts.extend(commas.iter().map(|comma| comma + 1));
        let ends = commas.iter().copied().chain([close]);
        let options: Vec<Vec<Piece>> = starts
            .iter()
            .zip(ends)
            .map(|(start, end)| [&word[..open], &word[*start..end], &word[close + 1..]].concat())
            .collect();
        waiting.extend(options.into_iter().rev());
    }
    done
}

fn first_brace(word: &[Piece]) -> Option<(usize, usize, Vec<usize>)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (at, piece) in word.iter().enumerate() {
        match piece {
            Piece::Plain('{') => open.push((at, Vec::new())),
            Piece::Plain(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            Piece::Plain('}') => {
                if let Some((start, commas)) = open.pop()
                    && !commas.is_empty()
                {
                    best = Some((start, at, commas));
                    if open.is_empty() {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    best
}

/// Tilde, splitting at separators, wildcards.
pub(super) fn split(word: &[Piece], separators: &[char]) -> Vec<String> {
    let mut fields = Vec::new();
    let mut text = String::new();
    let mut there = false;
    let mut rest = word;
    if let [Piece::Plain('~'), after @ ..] = word {
        let user = after
            .iter()
            .take_while(|piece| matches!(piece, Piece::Plain(c) if *c != '/'))
            .count();
        if matches!(after.get(user), None | Some(Piece::Plain('/'))) {
            text.push_str(HOME);
            there = true;
            rest = &after[user..];
        }
    }
    for piece in rest {
        match piece {
            Piece::Mark => there = true,
            Piece::Cut => {
                if there {
                    fields.push(std::mem::take(&mut text));
                }
                there = false;
            }
            Piece::Soft(c) if separators.contains(c) => {
                if there {
                    fields.push(std::mem::take(&mut text));
                }
                there = false;
            }
            Piece::Unknown => {
                there = true;
                if !text.ends_with(mark::UNKNOWN) {
                    text.push(mark::UNKNOWN);
                }
            }
            Piece::Quoted(c) => {
                there = true;
                text.push(*c);
            }
            Piece::Plain(c) | Piece::Soft(c) => {
                there = true;
                text.push(match c {
                    '*' => mark::STAR,
                    '?' => mark::ONE,
                    '[' if word.contains(&Piece::Plain(']')) || word.contains(&Piece::Soft(']')) => {
                        mark::CLASS
                    }
                    other => *other,
                });
            }
        }
    }
    if there {
        fields.push(text);
    }
    fields
}
