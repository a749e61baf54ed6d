//! Puts modules into the engine: ours (`node:fs`), ES modules, CommonJS behind a module of its
//! own, JSON, TypeScript without its types. What a name means is decided in `resolve`.
//!
//! A package that is not there is reported with its name. A worker that only describes a tool
//! gets stubs instead, so that a tool can be asked for its dependencies before they are there.

use super::common_names::{self, Names};
use super::free_names;
use super::resolve::{Asking, Resolution, Target};
use super::state::{Shared, State};
use super::strip;
use crate::node;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Exception, Function, Module, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Prefix of a stub's module name.
const STUB: &str = "stub:";

/// Files that re-export files that re-export …: so many of them are looked at.
const REEXPORTS: usize = 256;

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
        match resolve(&self.state, Asking::Import, base, name) {
            Target::Node(name) => Ok(format!("node:{name}")),
            Target::File(path, suffix) => {
                let found = format!("{}{suffix}", path.display());
                self.state.graph.imports(base, &found);
                Ok(found)
            }
            Target::Package(_) if self.state.describing => Ok(format!("{STUB}{name}")),
            other => Err(unresolved(ctx, &other, Asking::Import, base, name)),
        }
    }
}

/// The one place where specifiers are judged, for `import` and `require` alike.
pub(crate) fn resolve(state: &State, asking: Asking, base: &str, name: &str) -> Target {
    let resolution = Resolution {
        manifests: &state.manifests,
        folder: &state.folder,
        asking,
    };
    resolution.resolve(base, name)
}

/// The error of a name that means nothing.
pub(crate) fn unresolved(ctx: &Ctx<'_>, target: &Target, asking: Asking, base: &str, name: &str) -> Error {
    let not_found = match asking {
        Asking::Import => "ERR_MODULE_NOT_FOUND",
        Asking::Require => "MODULE_NOT_FOUND",
    };
    let in_package = |package: &Path| package.join("package.json").display().to_string();
    match target {
        Target::Package(package) => coded(
            ctx,
            not_found,
            &format!("Cannot find package '{package}' imported from {base}: it is not installed"),
            Some(("package", package)),
        ),
        Target::NotExported { subpath, package } => coded(
            ctx,
            "ERR_PACKAGE_PATH_NOT_EXPORTED",
            &if subpath == "." {
                format!("No \"exports\" main defined in {}", in_package(package))
            } else {
                format!(
                    "Package subpath '{subpath}' is not defined by \"exports\" in {}",
                    in_package(package)
                )
            },
            None,
        ),
        Target::NotImported { name, package } => coded(
            ctx,
            "ERR_PACKAGE_IMPORT_NOT_DEFINED",
            &format!(
                "Package import specifier \"{name}\" is not defined in {}",
                in_package(package)
            ),
            None,
        ),
        Target::Unsupported(why) => coded(ctx, "ERR_UNSUPPORTED_ESM_URL_SCHEME", why, None),
        _ if name.starts_with("node:") => coded(
            ctx,
            "ERR_UNKNOWN_BUILTIN_MODULE",
            &format!("No such built-in module: {name}"),
            None,
        ),
        _ => coded(
            ctx,
            not_found,
            &format!("Cannot find module '{name}' imported from {base}"),
            None,
        ),
    }
}

pub(crate) struct Load {
    state: Shared,
}

impl Load {
    pub(crate) fn new(state: Shared) -> Self {
        Load { state }
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
            return stub(ctx, &self.state, name, package);
        }
        declare(ctx, &self.state, name)
    }
}

/// Declares the module of a file, whatever kind of file it is.
pub(crate) fn declare<'js>(ctx: &Ctx<'js>, state: &Shared, name: &str) -> Result<Module<'js, Declared>> {
    let path = file_of(name);
    let names = match format(state, &path) {
        Format::Json | Format::Addon => Names::default(),
        Format::Module => {
            let source = source_text(ctx, &path)?;
            if source.contains("RegExp.$") {
                node::legacy_regexp(ctx, state)?;
            }
            return declare_text(ctx, state, name, &path, &source);
        }
        Format::Common | Format::Unknown => {
            let source = source_text(ctx, &path)?;
            match common_names::names(&source) {
                Some(names) => names,
                None => return declare_text(ctx, state, name, &path, &source),
            }
        }
    };
    common(ctx, state, name, &path, names)
}

/// Stands for a package that is not there, with the names that other modules import from it.
fn stub<'js>(ctx: &Ctx<'js>, state: &Shared, name: &str, package: &str) -> Result<Module<'js, Declared>> {
    let stub: Function = node::internal(ctx, state)?.get("stub")?;
    let names = state.stub_names.borrow().get(package).cloned();
    let names = names.unwrap_or_default();
    node::reexport(
        ctx,
        name,
        stub.call((package,))?,
        names.iter().map(String::as_str),
    )
}

/// A CommonJS file is run when the module is evaluated, not yet when it is declared.
fn common<'js>(
    ctx: &Ctx<'js>,
    state: &Shared,
    name: &str,
    path: &Path,
    names: Names,
) -> Result<Module<'js, Declared>> {
    let names = all_names(state, path, names);
    let source = node::reexporting(
        "import.meta.run(import.meta.filename)",
        names.iter().map(String::as_str),
    );
    let module = declare_text(ctx, state, name, path, &source)?;
    let run: Function = node::internal(ctx, state)?.get("requireFile")?;
    module.meta()?.set("run", run)?;
    Ok(module)
}

/// Without the `?query` that makes a module of its own of a file.
fn file_of(name: &str) -> PathBuf {
    let plain = Path::new(name);
    if plain.is_file() {
        return plain.to_owned();
    }
    PathBuf::from(name.split(['?', '#']).next().unwrap_or(name))
}

/// How a file is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Module,
    Common,
    Json,
    /// Machine code for Node.
    Addon,
    /// Neither its name nor its package says: its text does.
    Unknown,
}

pub(crate) fn format(state: &State, path: &Path) -> Format {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("mjs" | "mts") => Format::Module,
        Some("cjs" | "cts") => Format::Common,
        Some("json") => Format::Json,
        Some("node") => Format::Addon,
        _ => {
            let scope = path.parent().and_then(|folder| state.manifests.scope(folder));
            match scope.as_ref().and_then(|(_, manifest)| manifest.kind.as_deref()) {
                Some("module") => Format::Module,
                Some("commonjs") => Format::Common,
                _ => Format::Unknown,
            }
        }
    }
}

/// Names of a CommonJS file with those of the files that it re-exports.
fn all_names(state: &State, path: &Path, names: Names) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut seen = BTreeSet::from([path.to_owned()]);
    let mut open = vec![(path.to_owned(), names)];
    while let Some((path, names)) = open.pop() {
        all.extend(names.own);
        for request in names.from {
            let target = resolve(state, Asking::Require, &path.to_string_lossy(), &request);
            if let Target::File(path, _) = target
                && seen.len() < REEXPORTS
                && seen.insert(path.clone())
                && let Ok(source) = std::fs::read_to_string(&path)
                && let Some(names) = common_names::names(&source)
            {
                open.push((path, names));
            }
        }
    }
    all
}

/// Declares a module with its `import.meta`.
fn declare_text<'js>(
    ctx: &Ctx<'js>,
    state: &Shared,
    name: &str,
    path: &Path,
    source: &str,
) -> Result<Module<'js, Declared>> {
    if state.describing {
        let mut names = state.stub_names.borrow_mut();
        for (specifier, name) in free_names::imports(source) {
            names.entry(specifier).or_default().insert(name);
        }
    }
    state.graph.linked();
    let module = Module::declare(ctx.clone(), name, source)?;
    let meta = module.meta()?;
    let text = path.to_string_lossy();
    let suffix = name.strip_prefix(&*text).unwrap_or_default();
    meta.set("url", format!("{}{suffix}", file_url(&text)))?;
    meta.set("filename", &*text)?;
    meta.set(
        "dirname",
        path.parent().map(|folder| folder.to_string_lossy().into_owned()),
    )?;
    let resolving = node::internal(ctx, state)?.get::<_, Function>("resolveImport")?;
    meta.set("resolve", resolving.call::<_, Function>((&*text,))?)?;
    Ok(module)
}

/// A path as a URL; what a URL would read otherwise is escaped.
pub(crate) fn file_url(path: &str) -> String {
    let mut url = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => url.push(char::from(byte)),
            b'/' | b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' | b'@' | b'&' | b'='
            | b'+' | b'$' | b',' | b';' | b':' => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

pub(crate) type StubNames = BTreeMap<String, BTreeSet<String>>;

/// The JavaScript of a file.
pub(crate) fn source_text(ctx: &Ctx<'_>, path: &Path) -> Result<String> {
    let source = read_text(ctx, path)?;
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("ts" | "mts" | "cts") => without_types(ctx, &source, &path.to_string_lossy()),
        _ => Ok(source),
    }
}

/// TypeScript as JavaScript, every token at its place.
pub(crate) fn without_types(ctx: &Ctx<'_>, source: &str, name: &str) -> Result<String> {
    strip::strip(source, name).map_err(|error| Exception::throw_syntax(ctx, &format!("{name}: {error}")))
}

pub(crate) fn read_text(ctx: &Ctx<'_>, path: &Path) -> Result<String> {
    let text = path.to_string_lossy();
    let bytes = std::fs::read(path).map_err(|error| super::node_error(ctx, &error, "open", Some(&text)))?;
    let source = match String::from_utf8(bytes) {
        Ok(source) => source,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    Ok(match source.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => source,
    })
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
