//! Teams: roles that a task can begin with, and the words in which the person's wish is told to the root. Ours, and
//! files of the person's own.

use super::event::RoleTemplate;
use base::{Failure, Lang};
use serde::Deserialize;

/// Where the person's words stand in the requirement of a team.
const WISH: &str = "{{requirement}}";
/// Bytes of a team's file.
pub const FILE: usize = 256 * 1024;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Team {
    pub title: String,
    #[serde(default)]
    pub description: String,
    /// With `{{requirement}}` where the person's words stand.
    #[serde(default = "alone")]
    pub requirement: String,
    #[serde(default)]
    pub roles: Vec<RoleTemplate>,
}

fn alone() -> String {
    WISH.to_owned()
}

impl Team {
    /// From the text of a file, in YAML or JSON.
    pub fn read(name: &str, text: &str) -> Result<Team, Failure> {
        let wrong = |reason: String| {
            Failure::new("society_bad_team")
                .with("team", name)
                .with("reason", base::text::cut(&reason, 300))
        };
        if text.len() > FILE {
            return Err(wrong(format!("> {FILE} bytes")));
        }
        let value = base::yaml::parse(text).map_err(|error| {
            let place = format!("{}:{}", error.line, error.column);
            wrong(format!("{place}: {}", error.reason))
        })?;
        let team: Team = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
        if !team.requirement.contains(WISH) {
            return Err(wrong(format!("requirement: {WISH}")));
        }
        let names = team.roles.iter().map(|role| role.name.trim());
        if names.clone().any(str::is_empty) {
            return Err(wrong("roles: name".to_owned()));
        }
        let mut all: Vec<&str> = names.collect();
        all.sort_unstable();
        if let Some(twice) = all.windows(2).find(|two| two[0] == two[1]) {
            return Err(wrong(format!("roles: {}", twice[0])));
        }
        Ok(team)
    }

    /// The person's wish as the root is told it.
    pub fn words(&self, wish: &str) -> String {
        self.requirement.trim_end().replace(WISH, wish)
    }
}

/// The file of a team that comes with the program.
pub fn built_in(name: &str, lang: Lang) -> Option<&'static str> {
    (name == DEV_TEAM).then(|| {
        lang.pick(
            include_str!("../../../../resources/society/dev-team.zh-CN.yaml"),
            include_str!("../../../../resources/society/dev-team.en.yaml"),
        )
    })
}

const DEV_TEAM: &str = "dev-team";

/// Those that come with the program.
pub const BUILT_IN: [&str; 1] = [DEV_TEAM];

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_program_can_be_read_in_both_languages() {
        for name in BUILT_IN {
            let read = |lang| Team::read(name, built_in(name, lang).unwrap()).unwrap();
            let (zh, en) = (read(Lang::ZhCn), read(Lang::En));
            let roles = |team: &Team| -> Vec<(String, bool)> {
                team.roles
                    .iter()
                    .map(|role| (role.name.clone(), role.confirm))
                    .collect()
            };
            assert_eq!(roles(&zh), roles(&en));
            assert!(zh.words("写一个计算器").contains("写一个计算器"));
            assert!(!en.words("a calculator").contains("{{"));
        }
    }

    #[test]
    fn what_is_no_team_is_refused_with_its_place() {
        let reason = |text: &str| {
            let failure = Team::read("t", text).unwrap_err();
            assert_eq!(failure.code, "society_bad_team");
            failure.arg("reason").unwrap().as_str().unwrap().to_owned()
        };
        assert!(reason("title: [").contains(':'));
        assert!(reason("titel: x").contains("titel"));
        assert!(reason("title: x\nrequirement: nothing").contains("{{requirement}}"));
        let twice = "title: x\nroles:\n  - {name: a, prompt: p}\n  - {name: a, prompt: q}\n";
        assert_eq!(reason(twice), "roles: a");
        assert_eq!(Team::read("t", "title: x").unwrap().words("wish"), "wish");
    }
}
