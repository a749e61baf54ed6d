//! `package.json` files, each read once: packages do not change while a worker lives.

use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Larger ones are taken for absent.
const LIMIT: u64 = 8 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Manifest {
    pub(crate) name: Option<String>,
    pub(crate) main: Option<String>,
    pub(crate) exports: Option<Value>,
    pub(crate) imports: Option<Value>,
    /// `"type"`.
    pub(crate) kind: Option<String>,
}

#[derive(Default)]
pub(crate) struct Manifests {
    known: RefCell<HashMap<PathBuf, Option<Rc<Manifest>>>>,
}

impl Manifests {
    /// The manifest in `folder`.
    pub(crate) fn of(&self, folder: &Path) -> Option<Rc<Manifest>> {
        if let Some(known) = self.known.borrow().get(folder) {
            return known.clone();
        }
        let read = read(&folder.join("package.json")).map(Rc::new);
        self.known.borrow_mut().insert(folder.to_owned(), read.clone());
        read
    }

    /// The package that files of `folder` belong to.
    pub(crate) fn scope(&self, folder: &Path) -> Option<(PathBuf, Rc<Manifest>)> {
        folder
            .ancestors()
            .take_while(|folder| !folder.ends_with("node_modules"))
            .find_map(|folder| Some((folder.to_owned(), self.of(folder)?)))
    }
}

fn read(path: &Path) -> Option<Manifest> {
    if std::fs::metadata(path).ok()?.len() > LIMIT {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    let Ok(Value::Object(mut map)) = serde_json::from_str(text.trim_start_matches('\u{feff}')) else {
        return Some(Manifest::default());
    };
    let mut text = |name: &str| match map.swap_remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (name, main, kind) = (text("name"), text("main"), text("type"));
    Some(Manifest {
        name,
        main,
        kind,
        exports: map.swap_remove("exports").filter(|exports| !exports.is_null()),
        imports: map.swap_remove("imports"),
    })
}
