//! Settings of npm: the project's `.npmrc`, the user's, and `npm_config_…` in the environment,
//! which rules over both.
//!
//! Deliberately not here: settings that have no meaning without npm itself.

#![allow(clippy::disallowed_methods, reason = "reads .npmrc files")]

use crate::error::NpmError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use url::Url;

const DEFAULT_REGISTRY: &str = "https://registry.npmjs.org/";

/// Whose the project's own file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The person's: everything in it holds.
    Own,
    /// It came with code of others: it may name registries and what they ask for. The way there,
    /// which could be made to lead past somebody who listens, and the person's environment are not
    /// its to choose.
    Foreign,
}

#[derive(Clone, Debug, Default)]
pub struct Npmrc {
    values: BTreeMap<String, String>,
}

impl Npmrc {
    /// `environment` are the variables of the person or the tool.
    pub fn load(
        project: &Path,
        trust: Trust,
        home: Option<&Path>,
        environment: &BTreeMap<String, String>,
    ) -> Result<Npmrc, NpmError> {
        let named = environment.get("NPM_CONFIG_USERCONFIG").map(PathBuf::from);
        let user = named.or_else(|| home.map(|home| home.join(".npmrc")));
        let mut values = BTreeMap::new();
        if let Some(text) = user.map(|path| text_of(&path)).transpose()?.flatten() {
            read(&text, environment, &mut values);
        }
        if let Some(text) = text_of(&project.join(".npmrc"))? {
            match trust {
                Trust::Own => read(&text, environment, &mut values),
                Trust::Foreign => {
                    let own = environment.iter().filter(|(name, _)| name.starts_with("NPM_"));
                    let own = own.map(|(name, value)| (name.clone(), value.clone())).collect();
                    let mut theirs = BTreeMap::new();
                    read(&text, &own, &mut theirs);
                    theirs.retain(|key, _| is_of_registries(key));
                    values.extend(theirs);
                }
            }
        }
        for (name, value) in environment {
            let lower = name.to_ascii_lowercase();
            if let Some(key) = lower.strip_prefix("npm_config_") {
                values.insert(key.replace('_', "-"), value.clone());
            }
        }
        if let Some(registry) = environment.get("NPM_REGISTRY") {
            values.insert("registry".to_owned(), registry.clone());
        }
        Ok(Npmrc { values })
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.values
            .get(key)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Whether somebody chose a registry, so that no other may be asked.
    pub fn names_registry(&self) -> bool {
        self.get("registry").is_some()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            "false" | "0" | "null" => Some(false),
            _ => Some(true),
        }
    }

    /// The registry of a package: that of its scope, else the one for all.
    pub fn registry(&self, package: &str) -> Result<Url, NpmError> {
        let scoped = package
            .split_once('/')
            .and_then(|(scope, _)| self.get(&format!("{scope}:registry")));
        let named = scoped.or_else(|| self.get("registry"));
        registry_url(named.unwrap_or(DEFAULT_REGISTRY))
    }

    /// The `Authorization` for an address: of the longest `//host/path/` that it begins with.
    pub fn authorization(&self, url: &Url) -> Option<String> {
        let host = url.host_str()?;
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let mut path = url.path().to_owned();
        loop {
            let at = path.rfind('/')?;
            path.truncate(at + 1);
            for place in [path.as_str(), path.trim_end_matches('/')] {
                let prefix = format!("//{host}{port}{place}");
                if let Some(token) = self.get(&format!("{prefix}:_authToken")) {
                    return Some(format!("Bearer {token}"));
                }
                if let Some(basic) = self.get(&format!("{prefix}:_auth")) {
                    return Some(format!("Basic {basic}"));
                }
                let user = self.get(&format!("{prefix}:username"));
                if let (Some(user), Some(password)) = (user, self.get(&format!("{prefix}:_password"))) {
                    use base64::Engine;
                    use base64::engine::general_purpose::STANDARD;
                    let password = STANDARD.decode(password).ok()?;
                    let pair = [user.as_bytes(), b":", &password].concat();
                    return Some(format!("Basic {}", STANDARD.encode(pair)));
                }
            }
            path.truncate(at);
        }
    }
}

/// The address of a registry, as everything below it is joined to it.
pub fn registry_url(text: &str) -> Result<Url, NpmError> {
    let text = if text.ends_with('/') {
        text.to_owned()
    } else {
        format!("{text}/")
    };
    let url = Url::parse(&text).map_err(|error| NpmError::Setting {
        key: "registry".to_owned(),
        reason: error.to_string(),
    })?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        return Ok(url);
    }
    Err(NpmError::Setting {
        key: "registry".to_owned(),
        reason: text,
    })
}

fn text_of(path: &Path) -> Result<Option<String>, NpmError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(NpmError::io(path, error)),
    }
}

/// `registry`, `@scope:registry`, `//host/:_authToken`.
fn is_of_registries(key: &str) -> bool {
    key == "registry" || key.starts_with('@') && key.ends_with(":registry") || key.starts_with("//")
}

fn read(text: &str, environment: &BTreeMap<String, String>, values: &mut BTreeMap<String, String>) {
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let value = value.trim();
        let quoted = |quote: char| {
            value
                .strip_prefix(quote)
                .and_then(|rest| rest.strip_suffix(quote))
        };
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
        values.insert(expand(key.trim(), environment), expand(value, environment));
    }
}

/// `${NAME}` is a variable; an unset one stays as it stands, `${NAME?}` becomes nothing.
fn expand(text: &str, environment: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let Some(end) = rest[at..].find('}') else { break };
        let name = &rest[at + 2..at + end];
        out.push_str(&rest[..at]);
        match (environment.get(name.trim_end_matches('?')), name.ends_with('?')) {
            (Some(value), _) => out.push_str(value),
            (None, true) => {}
            (None, false) => out.push_str(&rest[at..=at + end]),
        }
        rest = &rest[at + end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_rules_over_the_user_and_the_environment_over_both() {
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home"), dir.path().join("project"));
        for folder in [&home, &project] {
            std::fs::create_dir(folder).unwrap();
        }
        std::fs::write(
            home.join(".npmrc"),
            "; comment\nregistry=https://user.example\n//a.example/:_authToken=${TOKEN}\nstrict-ssl = false\n",
        )
        .unwrap();
        std::fs::write(
            project.join(".npmrc"),
            "@s:registry = \"https://b.example/deep\"\n//b.example/deep/:_auth=eA==\n",
        )
        .unwrap();
        let mut environment = BTreeMap::from([("TOKEN".to_owned(), "secret".to_owned())]);
        let load = |environment: &BTreeMap<_, _>| {
            Npmrc::load(&project, Trust::Own, Some(&home), environment).unwrap()
        };
        let rc = load(&environment);
        assert_eq!(rc.registry("x").unwrap().as_str(), "https://user.example/");
        assert_eq!(rc.registry("@s/x").unwrap().as_str(), "https://b.example/deep/");
        assert_eq!(rc.flag("strict-ssl"), Some(false));
        let auth = |url: &str| rc.authorization(&Url::parse(url).unwrap());
        assert_eq!(auth("https://a.example/x/-/x.tgz").unwrap(), "Bearer secret");
        assert_eq!(auth("https://b.example/deep/x/-/x.tgz").unwrap(), "Basic eA==");
        assert_eq!(auth("https://b.example/other/x.tgz"), None);
        assert_eq!(
            auth("https://a.example:8443/x"),
            None,
            "another port is another place"
        );
        environment.insert("npm_config_registry".into(), "https://env.example".into());
        assert_eq!(
            load(&environment).registry("x").unwrap().as_str(),
            "https://env.example/"
        );
        environment.insert("NPM_REGISTRY".into(), "file:///etc".into());
        assert!(load(&environment).registry("x").is_err());
    }

    #[test]
    fn a_file_of_others_names_registries_and_nothing_more() {
        let dir = tempfile::tempdir().unwrap();
        let text = "registry=https://r.example/${SECRET}/${NPM_PATH}\n@s:registry=https://s.example\n\
                    //r.example/:_authToken=${NPM_TOKEN}\nproxy=http://listens.example\nstrict-ssl=false\ncafile=/x\n";
        std::fs::write(dir.path().join(".npmrc"), text).unwrap();
        let environment = [("SECRET", "s3cret"), ("NPM_TOKEN", "t"), ("NPM_PATH", "p")];
        let environment = environment
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        let load = |trust| Npmrc::load(dir.path(), trust, None, &environment).unwrap();
        assert_eq!(
            load(Trust::Own).get("registry"),
            Some("https://r.example/s3cret/p")
        );
        let foreign = load(Trust::Foreign);
        assert_eq!(foreign.get("registry"), Some("https://r.example/${SECRET}/p"));
        assert_eq!(foreign.get("@s:registry"), Some("https://s.example"));
        assert_eq!(foreign.get("//r.example/:_authToken"), Some("t"));
        for key in ["proxy", "strict-ssl", "cafile"] {
            assert!(load(Trust::Own).get(key).is_some());
            assert_eq!(foreign.get(key), None, "{key}");
        }
    }
}
