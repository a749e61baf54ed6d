//! Whether the cells of a canvas make a graph that can be followed: every dependency is there and
//! stands before what depends on it, nothing depends on itself, each originator counts on.
//!
//! Deliberately not here: repairs of the text (`read`), staleness (`engine`).

use std::collections::{HashMap, hash_map};

use crate::{
    diagnostic::{Code, Diagnostic},
    model::{Canvas, Cell, CellId, Entry, Part},
    read::Reading,
};

/// Everything that is to be said about a reading, in the order of the text.
pub fn check(reading: &Reading) -> Vec<Diagnostic> {
    let mut found = reading.diagnostics.clone();
    for (part, places) in reading.document.parts.iter().zip(&reading.places) {
        if let Part::Canvas(canvas) = part {
            check_canvas(canvas, places, &mut found);
        }
    }
    found.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column, diagnostic.code));
    found
}

fn check_canvas(canvas: &Canvas, places: &[(usize, usize)], found: &mut Vec<Diagnostic>) {
    let cells: Vec<(&Cell, (usize, usize))> = canvas
        .entries
        .iter()
        .zip(places)
        .filter_map(|(entry, place)| match entry {
            Entry::Cell(cell) => Some((&**cell, *place)),
            Entry::ArenaLog(_) | Entry::Other(_) => None,
        })
        .collect();
    let mut report = |code: Code, (line, column): (usize, usize), subject: String| {
        found.push(Diagnostic {
            code,
            severity: code.severity(),
            line,
            column,
            subject,
        });
    };
    let mut index: HashMap<CellId, usize> = HashMap::new();
    let mut last: HashMap<&str, u64> = HashMap::new();
    for (at, (cell, place)) in cells.iter().enumerate() {
        match index.entry(cell.id()) {
            hash_map::Entry::Occupied(_) => report(Code::DuplicateSeq, *place, cell.id().to_string()),
            hash_map::Entry::Vacant(vacant) => {
                vacant.insert(at);
                if last
                    .get(cell.originator.as_str())
                    .is_some_and(|last| *last > cell.seq)
                {
                    report(Code::WrongOrder, *place, cell.id().to_string());
                }
            }
        }
        let last = last.entry(&cell.originator).or_default();
        *last = (*last).max(cell.seq);
    }
    for (at, (cell, place)) in cells.iter().enumerate() {
        for needed in &cell.depends_on {
            match index.get(needed) {
                None => report(
                    Code::DanglingDependency,
                    *place,
                    format!("{} -> {needed}", cell.id()),
                ),
                Some(other) if *other > at => {
                    report(Code::WrongOrder, *place, format!("{} -> {needed}", cell.id()));
                }
                Some(_) => {}
            }
        }
    }
    let edges: Vec<Vec<usize>> = cells
        .iter()
        .map(|(cell, _)| {
            cell.depends_on
                .iter()
                .filter_map(|needed| index.get(needed).copied())
                .collect()
        })
        .collect();
    for cycle in cycles(&edges) {
        let names: Vec<String> = cycle.iter().map(|at| cells[*at].0.id().to_string()).collect();
        report(Code::DependencyCycle, cells[cycle[0]].1, names.join(", "));
    }
    if let Some((_, place)) = cells.first()
        && canvas.arena_logs().next().is_none()
    {
        report(Code::MissingArenaLog, *place, String::new());
    }
}

/// The groups of nodes that reach themselves, each in the order of the nodes: Tarjan's algorithm,
/// with its stack on the heap.
pub(crate) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut number = vec![NEW; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut on_stack = vec![false; edges.len()];
    let mut stack = Vec::new();
    let mut next = 0;
    let mut found = Vec::new();
    for root in 0..edges.len() {
        if number[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if *edge == 0 && number[node] == NEW {
                number[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(*edge) {
                *edge += 1;
                if number[to] == NEW {
                    path.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == number[node] {
                let mut group = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    group.push(member);
                    if member == node {
                        break;
                    }
                }
                if group.len() > 1 || edges[node].contains(&node) {
                    group.sort_unstable();
                    found.push(group);
                }
            }
        }
    }
    found.sort();
    found
}
