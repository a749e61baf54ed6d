//! What stands beside a name in `dependencies`: version, range, tag, alias, file, URL or git.
//!
//! Deliberately not here: whether something satisfies it (`tree`), fetching it (`registry`).

use nodejs_semver::{Range, Version};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spec {
    /// Exactly this version.
    Version(String),
    Range(String),
    Tag(String),
    /// `npm:other@spec`
    Alias {
        name: String,
        inner: Box<Spec>,
    },
    /// A tarball file, relative to the folder of `package.json`.
    File(String),
    /// A folder, relative to the folder of `package.json`.
    Folder(String),
    /// A tarball by URL.
    Url(String),
    Git(String),
    /// Nothing that npm would accept.
    Invalid(String),
}

impl Spec {
    pub fn parse(raw: &str) -> Spec {
        let raw = raw.trim();
        if let Some(rest) = raw.strip_prefix("npm:") {
            return alias(rest).unwrap_or_else(|| Spec::Invalid(raw.to_owned()));
        }
        if let Some(spec) = registry(raw) {
            return spec;
        }
        let is_tarball = [".tgz", ".tar.gz", ".tar"].iter().any(|end| raw.ends_with(end));
        if let Some(path) = raw.strip_prefix("file:") {
            return if is_tarball {
                Spec::File(path.to_owned())
            } else {
                Spec::Folder(path.to_owned())
            };
        }
        if raw.starts_with("link:") || raw.starts_with("workspace:") {
            return Spec::Folder(raw.to_owned());
        }
        if raw.starts_with("http://") || raw.starts_with("https://") {
            return if crate::git::is_repository(raw) {
                Spec::Git(raw.to_owned())
            } else {
                Spec::Url(raw.to_owned())
            };
        }
        let is_git = raw.starts_with("git")
            || raw.contains("://")
            || raw.starts_with("bitbucket:")
            || raw.starts_with("gist:");
        if is_git {
            return Spec::Git(raw.to_owned());
        }
        if raw.starts_with(['.', '/', '~']) {
            return if is_tarball {
                Spec::File(raw.to_owned())
            } else {
                Spec::Folder(raw.to_owned())
            };
        }
        // `owner/repository` is GitHub's.
        if raw.split('/').count() == 2 && !raw.starts_with('@') {
            return Spec::Git(raw.to_owned());
        }
        Spec::Invalid(raw.to_owned())
    }

    /// The package that is really meant: an alias names another.
    pub fn package<'a>(&'a self, name: &'a str) -> (&'a str, &'a Spec) {
        match self {
            Spec::Alias { name, inner } => (name, inner),
            other => (name, other),
        }
    }
}

fn registry(raw: &str) -> Option<Spec> {
    if raw.is_empty() {
        return Some(Spec::Range("*".to_owned()));
    }
    let plain = raw.strip_prefix(['=', 'v']).unwrap_or(raw).trim();
    if Version::parse(plain).is_ok() {
        return Some(Spec::Version(plain.to_owned()));
    }
    if Range::parse(raw).is_ok() {
        return Some(Spec::Range(raw.to_owned()));
    }
    let is_tag = raw
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&b))
        && !raw.starts_with('.');
    is_tag.then(|| Spec::Tag(raw.to_owned()))
}

fn alias(rest: &str) -> Option<Spec> {
    let at = rest
        .char_indices()
        .skip(1)
        .find(|(_, c)| *c == '@')
        .map(|(at, _)| at);
    let (name, raw) = match at {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, ""),
    };
    // An alias of an alias or of a file is nothing that npm knows.
    let inner = registry(raw.trim())?;
    crate::is_package_name(name).then(|| Spec::Alias {
        name: name.to_owned(),
        inner: Box::new(inner),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shapes_npm_knows() {
        let range = |text: &str| Spec::Range(text.to_owned());
        assert_eq!(Spec::parse(""), range("*"));
        assert_eq!(Spec::parse(" ^1.2.3 "), range("^1.2.3"));
        assert_eq!(Spec::parse("1.x || >=2.5.0"), range("1.x || >=2.5.0"));
        assert_eq!(Spec::parse("v1.2.3"), Spec::Version("1.2.3".into()));
        assert_eq!(Spec::parse("=1.2.3"), Spec::Version("1.2.3".into()));
        assert_eq!(Spec::parse("latest"), Spec::Tag("latest".into()));
        assert_eq!(
            Spec::parse("npm:@s/x@^4.0.0"),
            Spec::Alias {
                name: "@s/x".into(),
                inner: Box::new(range("^4.0.0"))
            }
        );
        assert_eq!(
            Spec::parse("npm:x"),
            Spec::Alias {
                name: "x".into(),
                inner: Box::new(range("*"))
            }
        );
        assert_eq!(Spec::parse("npm:../x@1"), Spec::Invalid("npm:../x@1".into()));
        assert_eq!(Spec::parse("file:a/b.tgz"), Spec::File("a/b.tgz".into()));
        assert_eq!(Spec::parse("file:../b"), Spec::Folder("../b".into()));
        assert_eq!(Spec::parse("./b"), Spec::Folder("./b".into()));
        let url = "https://example.org/a.tgz";
        assert_eq!(Spec::parse(url), Spec::Url(url.into()));
        for git in [
            "git+ssh://git@example.org/a.git",
            "github:a/b",
            "a/b",
            "https://example.org/a.git#v1",
        ] {
            assert_eq!(Spec::parse(git), Spec::Git(git.into()));
        }
        assert_eq!(Spec::parse("not a tag"), Spec::Invalid("not a tag".into()));
    }
}
