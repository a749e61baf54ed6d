//! Where modules come from: Node's own (`node:fs`), files of the tool's folder, JSON, CommonJS.
//!
//! The mount namespace decides what can be read; resolution decides only what a name means.
//! Packages are not resolved yet: they are reported as missing with their names, and a worker
//! that only describes a tool gets stubs for them, so that a tool can be asked for its
//! dependencies before they are there.

use super::failure::DEPENDENCY_MISSING;
use super::free_names;
use super::state::Shared;
use crate::node;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Exception, Function, Module, Result};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Prefix of a stub's module name.
const STUB: &str = "stub:";

/// Extensions tried, in order, when a relative specifier names no file.
const EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "json"];

pub(crate) struct Resolve {
    state: Shared,
}

impl Resolve {
    pub(crate) fn new(state: Shared) -> Self {
        Resolve { state }
    }
}

impl Resolver for Resolve {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        match resolve(base, name, &self.state.folder) {
            Target::Node(name) => Ok(format!("node:{name}")),
            Target::File(path) => Ok(path.to_string_lossy().into_owned()),
            Target::Package(_) if self.state.describing => Ok(format!("{STUB}{name}")),
            Target::Package(package) => Err(missing_package(ctx, &package)),
            Target::Nothing => Err(not_found(ctx, name, base)),
        }
    }
}

/// What a specifier means.
pub(crate) enum Target {
    /// A module of ours, without `node:`.
    Node(String),
    File(PathBuf),
    Package(String),
    Nothing,
}

/// The one place where specifiers are judged, for `import` and `require` alike.
pub(crate) fn resolve(base: &str, name: &str, folder: &Path) -> Target {
    let bare = name.strip_prefix("node:");
    if bare.is_some() || node::has(name) {
        let bare = bare.unwrap_or(name);
        return if node::has(bare) {
            Target::Node(bare.to_owned())
        } else {
            Target::Nothing
        };
    }
    let path = if let Some(url) = name.strip_prefix("file://") {
        PathBuf::from(url)
    } else if name.starts_with('/') {
        PathBuf::from(name)
    } else if name == "." || name == ".." || name.starts_with("./") || name.starts_with("../") {
        Path::new(base).parent().unwrap_or(folder).join(name)
    } else {
        return Target::Package(package_of(name));
    };
    existing(&normal(&path)).map_or(Target::Nothing, Target::File)
}

/// `@scope/name/sub` -> `@scope/name`.
fn package_of(name: &str) -> String {
    let parts = if name.starts_with('@') { 2 } else { 1 };
    name.split('/').take(parts).collect::<Vec<_>>().join("/")
}

fn existing(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let with_extension = |path: &Path| {
        EXTENSIONS
            .iter()
            .map(|extension| PathBuf::from(format!("{}.{extension}", path.display())))
            .find(|p| p.is_file())
    };
    with_extension(path).or_else(|| with_extension(&path.join("index")))
}

/// Removes `.` and `..` by their text: modules have one name each.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

pub(crate) struct Load {
    state: Shared,
}

impl Load {
    pub(crate) fn new(state: Shared) -> Self {
        Load { state }
    }

    /// Stands for a package that is not there, with the names that other modules import from it.
    fn stub<'js>(&self, ctx: &Ctx<'js>, name: &str, package: &str) -> Result<Module<'js, Declared>> {
        let stub: Function = node::internal(ctx, &self.state)?.get("stub")?;
        let names = self.state.stub_names.borrow().get(package).cloned();
        let names = names.unwrap_or_default();
        node::reexport(
            ctx,
            name,
            stub.call((package,))?,
            names.iter().map(String::as_str),
        )
    }

    /// A CommonJS file is run when the module is evaluated, not yet when it is declared.
    fn common<'js>(&self, ctx: &Ctx<'js>, path: &str) -> Result<Module<'js, Declared>> {
        let source = "export default import.meta.run(import.meta.filename);";
        let module = declare(ctx, &self.state, path, source)?;
        let run: Function = node::internal(ctx, &self.state)?.get("requireFile")?;
        module.meta()?.set("run", run)?;
        Ok(module)
    }
}

impl Loader for Load {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        if let Some(bare) = name.strip_prefix("node:") {
            return node::module(ctx, &self.state, bare);
        }
        if let Some(package) = name.strip_prefix(STUB) {
            return self.stub(ctx, name, package);
        }
        let path = Path::new(name);
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension == Some("cjs") {
            return self.common(ctx, name);
        }
        let mut source = read_text(ctx, path)?;
        if extension == Some("json") {
            source = format!("export default {source};");
        }
        declare(ctx, &self.state, name, &source)
    }
}

/// Declares a file's module with its `import.meta`.
pub(crate) fn declare<'js>(
    ctx: &Ctx<'js>,
    state: &Shared,
    path: &str,
    source: &str,
) -> Result<Module<'js, Declared>> {
    if state.describing {
        remember_imports(&mut state.stub_names.borrow_mut(), source);
    }
    let module = Module::declare(ctx.clone(), path, source)?;
    let meta = module.meta()?;
    meta.set("url", format!("file://{path}"))?;
    meta.set("filename", path)?;
    meta.set(
        "dirname",
        Path::new(path)
            .parent()
            .map(|folder| folder.to_string_lossy().into_owned()),
    )?;
    Ok(module)
}

pub(crate) type StubNames = BTreeMap<String, BTreeSet<String>>;

fn remember_imports(names: &mut StubNames, source: &str) {
    for (specifier, name) in free_names::imports(source) {
        names.entry(specifier).or_default().insert(name);
    }
}

pub(crate) fn read_text(ctx: &Ctx<'_>, path: &Path) -> Result<String> {
    let text = path.to_string_lossy();
    let bytes = std::fs::read(path).map_err(|error| super::node_error(ctx, &error, "open", Some(&text)))?;
    String::from_utf8(bytes).map_err(|_| Exception::throw_syntax(ctx, &format!("{text} is not UTF-8")))
}

fn missing_package(ctx: &Ctx<'_>, package: &str) -> Error {
    coded(
        ctx,
        DEPENDENCY_MISSING,
        &format!("package '{package}' is not installed"),
        Some(("package", package)),
    )
}

fn not_found(ctx: &Ctx<'_>, name: &str, base: &str) -> Error {
    coded(
        ctx,
        "ERR_MODULE_NOT_FOUND",
        &format!("Cannot find module '{name}' imported from {base}"),
        None,
    )
}

fn coded(ctx: &Ctx<'_>, code: &str, message: &str, more: Option<(&str, &str)>) -> Error {
    let made = (|| {
        let exception = Exception::from_message(ctx.clone(), message)?;
        exception.as_object().set("code", code)?;
        if let Some((name, value)) = more {
            exception.as_object().set(name, value)?;
        }
        Ok(exception)
    })();
    match made {
        Ok(exception) => exception.throw(),
        Err(error) => error,
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "puts files to be found")]
mod tests {
    use super::*;

    #[test]
    fn specifiers_mean_what_node_says() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        for name in ["a.js", "b.json"] {
            std::fs::write(file(name), "").unwrap();
        }
        std::fs::create_dir(file("lib")).unwrap();
        std::fs::write(file("lib/index.js"), "").unwrap();
        let base = file("main.js");
        let base = base.to_str().unwrap();
        let path = |name: &str| match resolve(base, name, dir.path()) {
            Target::File(path) => path,
            _ => panic!("{name} is no file"),
        };
        assert_eq!(path("./a.js"), file("a.js"));
        assert_eq!(path("./a"), file("a.js"));
        assert_eq!(path("./lib/../b.json"), file("b.json"));
        assert_eq!(path("./lib"), file("lib/index.js"));
        assert!(matches!(resolve(base, "fs", dir.path()), Target::Node(n) if n == "fs"));
        assert!(
            matches!(resolve(base, "node:fs/promises", dir.path()), Target::Node(n) if n == "fs/promises")
        );
        assert!(matches!(
            resolve(base, "node:nothing", dir.path()),
            Target::Nothing
        ));
        assert!(matches!(resolve(base, "./none", dir.path()), Target::Nothing));
        assert!(matches!(resolve(base, "@a/b/c", dir.path()), Target::Package(p) if p == "@a/b"));
        assert!(matches!(resolve(base, "lodash/fp", dir.path()), Target::Package(p) if p == "lodash"));
    }
}
