#![allow(clippy::disallowed_methods, reason = "puts files to be found")]

use super::*;
use Asking::{Import, Require};

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let tree = Tree(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = tree.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn ask(&self, asking: Asking, base: &str, name: &str) -> Target {
        let manifests = Manifests::default();
        let folder = self.path("");
        let resolution = Resolution {
            manifests: &manifests,
            folder: &folder,
            asking,
        };
        resolution.resolve(self.path(base).to_str().unwrap(), name)
    }

    /// The file found, relative to the tree.
    fn found(&self, asking: Asking, base: &str, name: &str) -> String {
        match self.ask(asking, base, name) {
            Target::File(path, suffix) => {
                format!("{}{suffix}", path.strip_prefix(self.path("")).unwrap().display())
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn relative_names_find_files_extensions_folders_and_mains() {
    let tree = Tree::new(&[
        ("main.js", ""),
        ("a.js", ""),
        ("b.json", ""),
        ("t.ts", ""),
        ("lib/index.js", ""),
        ("pkg/package.json", r#"{"main": "./out"}"#),
        ("pkg/out/index.js", ""),
        ("sp ace.js", ""),
    ]);
    for (name, file) in [
        ("./a.js", "a.js"),
        ("./a", "a.js"),
        ("./lib/../b.json", "b.json"),
        ("./b", "b.json"),
        ("./lib", "lib/index.js"),
        ("./lib/", "lib/index.js"),
        ("./pkg", "pkg/out/index.js"),
        ("./t.js", "t.ts"),
    ] {
        assert_eq!(tree.found(Require, "main.js", name), file);
        assert_eq!(tree.found(Import, "main.js", name), file);
    }
    assert_eq!(
        tree.found(Import, "main.js", "./sp%20ace.js?x=1#y"),
        "sp ace.js?x=1#y"
    );
    assert_eq!(tree.ask(Require, "main.js", "./a.js?x"), Target::Nothing);
    assert_eq!(tree.ask(Import, "main.js", "./none"), Target::Nothing);
    let url = format!("file://{}", tree.path("a.js").display());
    assert_eq!(tree.found(Import, "main.js", &url), "a.js");
    assert!(matches!(
        tree.ask(Import, "main.js", "https://x/y.js"),
        Target::Unsupported(_)
    ));
}

#[test]
fn names_of_our_own_modules_win() {
    let tree = Tree::new(&[("node_modules/fs/index.js", "")]);
    assert_eq!(tree.ask(Require, "main.js", "fs"), Target::Node("fs".into()));
    assert_eq!(
        tree.ask(Import, "main.js", "node:fs/promises"),
        Target::Node("fs/promises".into())
    );
    assert_eq!(tree.ask(Import, "main.js", "node:nothing"), Target::Nothing);
}

#[test]
fn packages_are_looked_for_upwards() {
    let tree = Tree::new(&[
        ("node_modules/a/package.json", r#"{"main": "lib/m"}"#),
        ("node_modules/a/lib/m.js", ""),
        ("node_modules/a/sub.js", ""),
        ("node_modules/a/node_modules/b/index.js", ""),
        ("node_modules/b/index.js", ""),
        ("node_modules/@s/c/index.js", ""),
        ("node_modules/empty/x.txt", ""),
    ]);
    assert_eq!(tree.found(Require, "x/y/main.js", "a"), "node_modules/a/lib/m.js");
    assert_eq!(tree.found(Require, "main.js", "a/sub"), "node_modules/a/sub.js");
    assert_eq!(
        tree.found(Require, "node_modules/a/lib/m.js", "b"),
        "node_modules/a/node_modules/b/index.js"
    );
    assert_eq!(tree.found(Require, "main.js", "b"), "node_modules/b/index.js");
    assert_eq!(
        tree.found(Import, "main.js", "@s/c"),
        "node_modules/@s/c/index.js"
    );
    assert_eq!(
        tree.ask(Import, "main.js", "@s/none/x"),
        Target::Package("@s/none".into())
    );
    assert_eq!(
        tree.ask(Import, "main.js", "empty"),
        Target::Package("empty".into())
    );
    assert_eq!(tree.ask(Import, "main.js", "@s"), Target::Nothing);
}

#[test]
fn exports_are_a_wall_with_ordered_conditions() {
    let tree = Tree::new(&[
        (
            "node_modules/p/package.json",
            r##"{"name": "p", "main": "hidden.js",
            "exports": {
                ".": {"types": "./t.d.ts", "browser": "./w.js", "import": "./m.mjs", "require": "./c.cjs"},
                "./first": {"default": "./d.js", "require": "./c.cjs"},
                "./nested": {"node": {"import": "./m.mjs"}, "default": "./d.js"},
                "./f/*": "./files/*.js", "./f/private/*": null, "./f/special/*": "./d.js",
                "./up": "./../../x.js", "./list": ["./none-such", "./d.js"]
            },
            "imports": {"#in": "./d.js", "#dep": "q", "#x/*": "./files/*.js"}}"##,
        ),
        ("node_modules/p/m.mjs", ""),
        ("node_modules/p/c.cjs", ""),
        ("node_modules/p/d.js", ""),
        ("node_modules/p/hidden.js", ""),
        ("node_modules/p/files/a/b.js", ""),
        ("node_modules/q/package.json", r#"{"exports": "./q.js"}"#),
        ("node_modules/q/q.js", ""),
        ("x.js", ""),
    ]);
    let p = |file: &str| format!("node_modules/p/{file}");
    assert_eq!(tree.found(Import, "main.js", "p"), p("m.mjs"));
    assert_eq!(tree.found(Require, "main.js", "p"), p("c.cjs"));
    assert_eq!(tree.found(Require, "main.js", "p/first"), p("d.js"));
    assert_eq!(tree.found(Import, "main.js", "p/nested"), p("m.mjs"));
    assert_eq!(tree.found(Require, "main.js", "p/nested"), p("d.js"));
    assert_eq!(tree.found(Import, "main.js", "p/f/a/b"), p("files/a/b.js"));
    assert_eq!(tree.found(Import, "main.js", "p/f/special/z"), p("d.js"));
    for closed in ["p/hidden.js", "p/f/private/a", "p/package.json", "p/up"] {
        assert!(
            matches!(tree.ask(Import, "main.js", closed), Target::NotExported { .. }),
            "{closed}"
        );
    }
    // From inside: the package by its own name, and its private names.
    assert_eq!(
        tree.found(Import, "node_modules/p/files/a/b.js", "p/first"),
        p("d.js")
    );
    assert_eq!(
        tree.found(Import, "node_modules/p/files/a/b.js", "#in"),
        p("d.js")
    );
    assert_eq!(
        tree.found(Import, "node_modules/p/d.js", "#x/a/b"),
        p("files/a/b.js")
    );
    assert_eq!(
        tree.found(Require, "node_modules/p/d.js", "#dep"),
        "node_modules/q/q.js"
    );
    assert!(matches!(
        tree.ask(Import, "node_modules/p/d.js", "#none"),
        Target::NotImported { .. }
    ));
    assert!(matches!(
        tree.ask(Import, "main.js", "q/sub"),
        Target::NotExported { .. }
    ));
}

#[test]
fn links_lead_to_the_one_real_file() {
    let tree = Tree::new(&[("store/a/index.js", ""), ("node_modules/.keep", "")]);
    std::os::unix::fs::symlink(tree.path("store/a"), tree.path("node_modules/a")).unwrap();
    assert_eq!(tree.found(Require, "main.js", "a"), "store/a/index.js");
}
