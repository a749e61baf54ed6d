//! Packages that lie in git repositories: `git+https://…`, `github:owner/repository`, `owner/repository`.
//!
//! A commit is asked for once and kept packed in the content store under `name of repository#commit`;
//! the lock has the commit and, as npm's, no integrity: the commit's own hash is one. What of its files
//! becomes the package is what `npm pack` would take ([`crate::pack`]).
//!
//! Limits: HTTP and HTTPS without passwords (what a known host offers by ssh is asked for by https);
//! no submodules, no large files kept elsewhere, no `prepare` script: a package that must be built
//! first arrives as it is in the repository.
//!
//! Deliberately not here: running the program `git` ([`RunGit`]).

use crate::error::NpmError;
use crate::files::{read_cached, write_cached};
use crate::integrity::Integrity;
use crate::manifest::Manifest;
use crate::pack::pack;
use crate::store::{Package, PackageStore};
use futures_util::future::BoxFuture;
use nodejs_semver::{Range, Version};
use sha2::Digest;
use std::path::PathBuf;
use std::sync::Arc;
use url::Url;

/// Runs a [`GitJob`] and answers what it left in the file `out`.
pub type RunGit = Arc<dyn Fn(GitJob) -> BoxFuture<'static, Result<Vec<u8>, NpmError>> + Send + Sync>;

/// Something for the program `git` to do, in an empty folder that is gone afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitJob {
    /// The package it is for.
    pub name: String,
    /// The only place it may reach.
    pub url: Url,
    /// For `sh`. It ends with [`NO_GIT`] where there is no `git`.
    pub script: &'static str,
    pub env: Vec<(&'static str, String)>,
}

pub const NO_GIT: i32 = 127;

/// Every name and the commit behind it.
const REFS: &str = "command -v git >/dev/null || exit 127
exec git ls-remote -- \"$PM_URL\" >out";

/// The commit's name on a line, and its files as a tar archive. By its name, by itself, or all there
/// is: not every server gives any commit away, and not every one gives less than everything.
const FILES: &str = "command -v git >/dev/null || exit 127
set -e
git init -q --bare all
cd all
mkdir -p info
echo '* -export-ignore -export-subst' >info/attributes
fetch() { git fetch -q \"$@\"; }
fetch --depth 1 --no-tags -- \"$PM_URL\" \"$PM_REF\" 2>/dev/null ||
  fetch --depth 1 --no-tags -- \"$PM_URL\" \"$PM_COMMIT\" 2>/dev/null ||
  fetch -- \"$PM_URL\" '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*'
commit=$(git rev-parse -q --verify --end-of-options \"$PM_COMMIT^{commit}\")
{ echo \"$commit\"; git archive --format=tar \"$commit\"; } >../out";

/// Hosts whose addresses have several spellings.
const KNOWN: [(&str, &str); 4] = [
    ("github:", "github.com"),
    ("gitlab:", "gitlab.com"),
    ("bitbucket:", "bitbucket.org"),
    ("gist:", "gist.github.com"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    pub url: Url,
    /// What npm writes before `#` and the commit.
    saved: String,
    want: Want,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Want {
    Head,
    /// A commit, a branch or a tag.
    Named(String),
    /// Of the versions that tags name.
    Range(String),
}

impl Repository {
    /// `None`: not by HTTP, or not an address.
    pub(crate) fn parse(raw: &str) -> Option<Repository> {
        let (address, want) = raw.split_once('#').unwrap_or((raw, ""));
        let want = match want.strip_prefix("semver:") {
            Some(range) => Want::Range(
                percent_encoding::percent_decode_str(range)
                    .decode_utf8()
                    .ok()?
                    .into(),
            ),
            None if want.is_empty() => Want::Head,
            // A part of a repository is not a package of ours.
            None if want.contains("::") || want.starts_with("path:") => return None,
            None => Want::Named(want.to_owned()),
        };
        if let Some((host, path)) = known(address) {
            let url = Url::parse(&format!("https://{host}/{path}.git")).ok()?;
            let saved = format!("git+ssh://git@{host}/{path}.git");
            return Some(Repository { url, saved, want });
        }
        let url = Url::parse(address.strip_prefix("git+").unwrap_or(address)).ok()?;
        let is_open = matches!(url.scheme(), "http" | "https") && url.password().is_none();
        is_open.then(|| Repository {
            saved: format!("git+{url}"),
            url,
            want,
        })
    }

    /// Whether a package that came from `resolved` is what is meant here.
    pub(crate) fn accepts(&self, resolved: &str, version: Option<&Version>) -> bool {
        let Some(own) = Repository::parse(resolved).filter(|own| own.saved == self.saved) else {
            return false;
        };
        match &self.want {
            Want::Named(wanted) if is_commit(wanted) => own.want == self.want,
            // A branch was something on the day of the install; the lock keeps what it was.
            Want::Named(_) | Want::Head => true,
            Want::Range(range) => {
                let range = Range::parse(range).ok();
                range.is_some_and(|range| version.is_some_and(|version| range.satisfies(version)))
            }
        }
    }
}

/// Host and path of a repository of one of the known hosts, however it is spelled.
fn known(address: &str) -> Option<(&'static str, String)> {
    let host_of = |name: &str| {
        KNOWN
            .iter()
            .find(|(_, host)| *host == name)
            .map(|(_, host)| *host)
    };
    let plain = |path: &str| {
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let is_plain = !path.is_empty()
            && path
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_./".contains(&b))
            && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        is_plain.then(|| path.to_owned())
    };
    for (short, host) in KNOWN {
        if let Some(path) = address.strip_prefix(short) {
            return Some((host, plain(path)?));
        }
    }
    if let Some(rest) = address.strip_prefix("git@") {
        let (host, path) = rest.split_once(':')?;
        return Some((host_of(host)?, plain(path)?));
    }
    if address.contains("://") {
        let url = Url::parse(address.strip_prefix("git+").unwrap_or(address)).ok()?;
        let host = host_of(url.host_str()?)?;
        let path = plain(url.path())?;
        let parts = path.split('/').count();
        return (url.port().is_none() && parts <= 2).then_some((host, path));
    }
    let is_short = address.split('/').count() == 2 && !address.starts_with(['@', '.', '/', '~']);
    is_short
        .then(|| plain(address))
        .flatten()
        .map(|path| ("github.com", path))
}

/// Whether an address of the web is that of a repository.
pub(crate) fn is_repository(address: &str) -> bool {
    let address = address.split('#').next().unwrap_or_default();
    address.ends_with(".git") || known(address).is_some()
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A commit of a repository, packed.
pub(crate) struct Packed {
    pub package: Package,
    pub integrity: Integrity,
    /// What the lock says of where it is from.
    pub resolved: String,
}

impl Packed {
    pub(crate) fn manifest(&self, name: &str) -> Result<Manifest, NpmError> {
        let mut manifest = Manifest::new(name, self.package.manifest()?);
        manifest.resolved = Some(self.resolved.clone());
        manifest.integrity = Some(self.integrity.clone());
        Ok(manifest)
    }
}

/// Where commits come from.
#[derive(Clone)]
pub(crate) struct Git<'a> {
    pub run: Option<&'a RunGit>,
    pub store: &'a PackageStore,
    pub offline: bool,
}

impl Git<'_> {
    pub(crate) async fn package(&self, name: &str, repository: &Repository) -> Result<Packed, NpmError> {
        let (reference, commit) = match &repository.want {
            Want::Named(commit) if is_commit(commit) => {
                if let Some(packed) = self.kept(repository, commit).await? {
                    return Ok(packed);
                }
                (String::new(), commit.clone())
            }
            _ => self.choose(name, repository).await?,
        };
        if is_commit(&commit)
            && let Some(packed) = self.kept(repository, &commit).await?
        {
            return Ok(packed);
        }
        let env = vec![("PM_REF", reference), ("PM_COMMIT", commit)];
        let out = self.run(name, repository, FILES, env).await?;
        let (store, name, repository) = (self.store.clone(), name.to_owned(), repository.clone());
        blocking(move || {
            let end = out.iter().position(|byte| *byte == b'\n').unwrap_or(0);
            let commit = String::from_utf8_lossy(&out[..end]).into_owned();
            if !is_commit(&commit) {
                return Err(failed(&name, "it did not say which commit it is"));
            }
            let tarball = pack(&name, &out[end + 1..])?;
            let integrity = Integrity::of(&tarball);
            let package = store.put(&name, &tarball, Some(&integrity))?;
            let resolved = format!("{}#{commit}", repository.saved);
            // A cache that cannot be written costs time, not the install.
            let _ = write_cached(&note(&store, &resolved), &[integrity.to_string().as_bytes()]);
            Ok(Packed {
                package,
                integrity,
                resolved,
            })
        })
        .await
    }

    async fn kept(&self, repository: &Repository, commit: &str) -> Result<Option<Packed>, NpmError> {
        let resolved = format!("{}#{commit}", repository.saved);
        let store = self.store.clone();
        blocking(move || {
            let noted = read_cached(&note(&store, &resolved)).and_then(|bytes| String::from_utf8(bytes).ok());
            let integrity = noted.and_then(|text| Integrity::parse(&text));
            Ok(integrity.and_then(|integrity| {
                Some(Packed {
                    package: store.get(&integrity)?,
                    integrity,
                    resolved,
                })
            }))
        })
        .await
    }

    /// A name that the repository has and the commit behind it; or what may be the beginning of one.
    async fn choose(&self, name: &str, repository: &Repository) -> Result<(String, String), NpmError> {
        let out = self.run(name, repository, REFS, Vec::new()).await?;
        let text = String::from_utf8_lossy(&out);
        let refs: Vec<(&str, &str)> = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter(|(commit, _)| is_commit(commit))
            .collect();
        let find = |wanted: &str| refs.iter().find(|(_, name)| *name == wanted);
        let chosen = match &repository.want {
            Want::Head => find("HEAD"),
            Want::Named(wanted) => {
                let places = [
                    wanted.clone(),
                    format!("refs/{wanted}"),
                    format!("refs/tags/{wanted}"),
                    format!("refs/heads/{wanted}"),
                ];
                let found = places.iter().find_map(|place| find(place));
                if found.is_none() && wanted.len() >= 7 && wanted.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Ok((String::new(), wanted.clone()));
                }
                found
            }
            Want::Range(range) => {
                let range = Range::parse(range).map_err(|error| failed(name, &error.to_string()))?;
                refs.iter()
                    .filter_map(|found| Some((version_of(found.1)?, found)))
                    .filter(|(version, _)| range.satisfies(version))
                    .max_by(|a, b| a.0.cmp(&b.0))
                    .map(|(_, found)| found)
            }
        };
        let (commit, reference) = chosen.ok_or_else(|| NpmError::NoVersion {
            name: name.to_owned(),
            spec: match &repository.want {
                Want::Head => "HEAD".to_owned(),
                Want::Named(wanted) | Want::Range(wanted) => wanted.clone(),
            },
        })?;
        // A tag with words of its own stands for the commit behind it.
        let peeled = find(&format!("{reference}^{{}}")).map_or(*commit, |(commit, _)| *commit);
        Ok(((*reference).to_owned(), peeled.to_owned()))
    }

    async fn run(
        &self,
        name: &str,
        repository: &Repository,
        script: &'static str,
        mut env: Vec<(&'static str, String)>,
    ) -> Result<Vec<u8>, NpmError> {
        if self.offline {
            return Err(NpmError::Offline {
                missing: vec![format!("{name} ({})", repository.saved)],
            });
        }
        let run = self.run.ok_or_else(|| NpmError::GitMissing {
            name: name.to_owned(),
        })?;
        env.push(("PM_URL", repository.url.to_string()));
        run(GitJob {
            name: name.to_owned(),
            url: repository.url.clone(),
            script,
            env,
        })
        .await
    }
}

/// The version that a tag names, in the ways that are usual: `v1.2.3`, `name@1.2.3`, `name/v1.2.3`.
fn version_of(reference: &str) -> Option<Version> {
    let tag = reference.strip_prefix("refs/tags/")?;
    // What a tag with words of its own stands for is no name.
    if tag.contains('^') {
        return None;
    }
    let last = tag.rsplit(['/', '@']).next().unwrap_or(tag);
    Version::parse(last.strip_prefix('v').unwrap_or(last)).ok()
}

/// Where the store remembers how a commit was packed.
fn note(store: &PackageStore, resolved: &str) -> PathBuf {
    let digest = sha2::Sha256::digest(resolved.as_bytes());
    let name = base::text::hex(&digest[..20]);
    store.metadata().join(format!("git-{name}"))
}

fn failed(name: &str, reason: &str) -> NpmError {
    NpmError::Git {
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NpmError> + Send + 'static,
) -> Result<T, NpmError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| NpmError::Internal(error.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "583f1cf4e3bd089f4d23c520ef11c3c48f602c64";

    #[test]
    fn one_repository_in_many_spellings() {
        for raw in [
            "o/r",
            "github:o/r",
            "https://github.com/o/r.git",
            "https://github.com/o/r",
            "git+https://github.com/o/r.git",
            "git+ssh://git@github.com/o/r.git",
            "git@github.com:o/r.git",
            "git://github.com/o/r.git",
        ] {
            let found = Repository::parse(raw).unwrap_or_else(|| panic!("{raw}"));
            assert_eq!(found.url.as_str(), "https://github.com/o/r.git", "{raw}");
            assert_eq!(found.saved, "git+ssh://git@github.com/o/r.git", "{raw}");
            assert_eq!(found.want, Want::Head, "{raw}");
        }
        let other = Repository::parse("git+http://example.org:8080/a.git#v1").expect("an address");
        assert_eq!(other.saved, "git+http://example.org:8080/a.git");
        assert_eq!(other.want, Want::Named("v1".into()));
        let range = Repository::parse("gitlab:g/r#semver:%5E1.2").expect("an address");
        assert_eq!(range.want, Want::Range("^1.2".into()));
        for none in [
            "git+ssh://git@example.org/a.git",
            "git+file:///tmp/r",
            "git+ext::sh -c true",
            "https://me:secret@example.org/a.git",
            "github:o/../../etc",
            "o/r#main::path:x",
            "--upload-pack=x/y",
        ] {
            assert!(
                Repository::parse(none).is_none_or(|found| found.url.host_str() == Some("github.com")),
                "{none}"
            );
        }
    }

    #[test]
    fn what_a_lock_answers() {
        let version = Version::parse("1.2.3").ok();
        let locked = format!("git+ssh://git@github.com/o/r.git#{COMMIT}");
        let accepts = |raw: &str| {
            Repository::parse(raw)
                .expect("an address")
                .accepts(&locked, version.as_ref())
        };
        assert!(accepts("o/r"));
        assert!(accepts("o/r#main"));
        assert!(accepts("https://github.com/o/r.git#semver:^1.0.0"));
        assert!(!accepts("o/r#semver:^2.0.0"));
        assert!(accepts(&format!("o/r#{COMMIT}")));
        assert!(!accepts(&format!("o/r#{}", "0".repeat(40))));
        assert!(!accepts("o/other"));
        assert!(!accepts("git+https://example.org/o/r.git"));
    }

    #[test]
    fn versions_of_tags() {
        let of = |tag: &str| version_of(tag).map(|version| version.to_string());
        assert_eq!(of("refs/tags/v1.2.3").as_deref(), Some("1.2.3"));
        assert_eq!(
            of("refs/tags/@s/name@1.2.3-beta.1").as_deref(),
            Some("1.2.3-beta.1")
        );
        assert_eq!(of("refs/tags/latest"), None);
        assert_eq!(of("refs/tags/v1.2.3^{}"), None);
        assert_eq!(of("refs/heads/v1.2.3"), None);
    }
}
