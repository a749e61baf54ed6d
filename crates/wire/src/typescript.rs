//! Writes the TypeScript side of the table: `ui/src/generated/calls.ts`.

use crate::calls::{CALLS, typescript_rows, typescript_types};
use crate::table::Effect;
use crate::types::{WireError, WireEvent};
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use ts_rs::{Config, TS, TypeVisitor};

/// Type declarations by name, in a stable order.
#[derive(Default)]
pub(crate) struct Declarations {
    seen: HashSet<TypeId>,
    texts: BTreeMap<String, String>,
}

impl Declarations {
    pub(crate) fn add<T: TS + 'static + ?Sized>(&mut self, cfg: &Config) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            self.texts.insert(T::ident(cfg), T::decl(cfg));
        }
        T::visit_dependencies(&mut Visit { into: self, cfg });
    }
}

struct Visit<'a> {
    into: &'a mut Declarations,
    cfg: &'a Config,
}

impl TypeVisitor for Visit<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        self.into.add::<T>(self.cfg);
    }
}

/// The whole generated file. Formatted by hand so that it needs no formatter to be stable.
pub fn write_bindings() -> String {
    let cfg = Config::new();
    let mut declarations = Declarations::default();
    typescript_types(&cfg, &mut declarations);
    declarations.add::<WireError>(&cfg);
    declarations.add::<WireEvent>(&cfg);

    let mut text = String::from("// Generated from crates/wire by `cargo xtask bindings`; do not edit.\n\n");
    for declaration in declarations.texts.values() {
        let _ = writeln!(text, "export {declaration}\n");
    }
    text.push_str("/** Parameters and result of every call. */\nexport interface Calls {\n");
    for (name, params, result) in typescript_rows(&cfg) {
        let _ = writeln!(text, "  \"{name}\": {{ params: {params}; result: {result} }};");
    }
    text.push_str(
        "}\n\n/** Whether a call changes something, and the cache tags it shows or makes stale. */\n",
    );
    text.push_str("export const calls = {\n");
    for call in CALLS {
        let changes = call.effect == Effect::Changes;
        let tags: Vec<String> = call.tags.iter().map(|tag| format!("\"{tag}\"")).collect();
        let _ = writeln!(
            text,
            "  \"{}\": {{ changes: {changes}, tags: [{}] }},",
            call.name,
            tags.join(", ")
        );
    }
    text.push_str(
        "} as const satisfies Record<keyof Calls, { changes: boolean; tags: readonly string[] }>;\n",
    );
    text
}
