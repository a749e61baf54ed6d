//! Which files import which, for `require()` of an ES module.
//!
//! The engine evaluates modules depth first, and aborts when an evaluation inside another comes upon a
//! module that the outer one has not ended. Whatever is being evaluated has a frame on the stack, or
//! imports what has one; so a module that does not lead back to a frame can be evaluated, and one that
//! does is refused, as in Node. Deliberately not here: how far a module is; the engine does not tell.

use rquickjs::Ctx;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Frames that are looked at, and calls of natives in a row among them: the engine does not tell the end
/// of the stack from a native.
const FRAMES: isize = 20_000;
const NATIVES: usize = 256;

#[derive(Default)]
pub(crate) struct Graph {
    imports: RefCell<BTreeMap<String, BTreeSet<String>>>,
    /// Since the event loop had the word, something was linked: it may still be being evaluated.
    open: Cell<bool>,
}

impl Graph {
    /// No module is being evaluated but those that await something.
    pub(crate) fn at_rest(&self) {
        self.open.set(false);
    }

    pub(crate) fn linked(&self) {
        self.open.set(true);
    }

    pub(crate) fn imports(&self, base: &str, found: &str) {
        self.open.set(true);
        let mut imports = self.imports.borrow_mut();
        imports
            .entry(base.to_owned())
            .or_default()
            .insert(found.to_owned());
    }

    /// Whatever `from` leads to, itself included.
    fn reach(&self, from: &str) -> BTreeSet<String> {
        let imports = self.imports.borrow();
        let (mut all, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(name) = open.pop() {
            if all.contains(&name) {
                continue;
            }
            open.extend(imports.get(&name).into_iter().flatten().cloned());
            all.insert(name);
        }
        all
    }

    /// Whether a module may be being evaluated.
    pub(crate) fn open(&self) -> bool {
        self.open.get()
    }

    /// The evaluation inside has ended, and those around it are what they were.
    pub(crate) fn back_to(&self, open: bool) {
        self.open.set(open);
    }
}

/// The file on the stack to which the module `from`, which is linked, leads back.
pub(crate) fn back_into(ctx: &Ctx<'_>, graph: &Graph, from: &str) -> Option<String> {
    let reach = graph.reach(from);
    let mut natives = 0;
    for level in 0..FRAMES {
        let Some(name) = ctx.script_or_module_name(level) else {
            natives += 1;
            if natives > NATIVES {
                return None;
            }
            continue;
        };
        natives = 0;
        if let Ok(name) = name.to_string()
            && reach.contains(&name)
        {
            return Some(name);
        }
    }
    None
}
