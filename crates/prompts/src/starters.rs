//! Our own prompts for a library that never had any: written once, then the person's like all others.

use crate::PromptError;
use crate::library::Library;
use crate::path::PromptPath;
use base::Lang;
use base::atomic::{self, Access};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../resources/prompts"]
struct Files;

/// Says that they were written: what a person removed stays removed. Hidden names are no prompts.
const MARK: &str = ".starters";

impl Library {
    /// Writes the starters in `lang`, unless that was done before. Nothing is replaced.
    pub fn start(&self, lang: Lang) -> Result<(), PromptError> {
        let mark = self.folder().join(MARK);
        if mark.exists() {
            return Ok(());
        }
        let _changing = self.change()?;
        let folder = format!("{}/", lang.tag());
        for name in Files::iter() {
            let Some(name) = name.strip_prefix(folder.as_str()) else {
                continue;
            };
            let path = PromptPath::parse(name)?;
            if let Some(file) = Files::get(&format!("{folder}{name}"))
                && self.shelf().at(&path).is_none()
            {
                self.put(&path, &String::from_utf8_lossy(&file.data))?;
            }
        }
        atomic::write(&mark, b"1\n", Access::Shared).map_err(|source| PromptError::io(&mark, source))?;
        self.reread().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expected, fill, variables};

    #[test]
    fn both_languages_have_the_same_number_and_all_variables_are_declared() {
        let mut counts = Vec::new();
        for lang in [Lang::ZhCn, Lang::En] {
            let home = tempfile::tempdir().unwrap();
            let library = Library::open(&home.path().join("prompts"), home.path().join("history")).unwrap();
            library.start(lang).unwrap();
            let shelf = library.shelf();
            assert!(shelf.broken.is_empty(), "{:?}", shelf.broken);
            for prompt in shelf.prompts() {
                assert!(prompt.usable);
                let used: Vec<&str> = prompt
                    .content
                    .messages
                    .iter()
                    .flat_map(|message| variables(&message.text))
                    .collect();
                for argument in &prompt.content.arguments {
                    assert!(
                        used.contains(&argument.name.as_str()),
                        "{}: {}",
                        prompt.path,
                        argument.name
                    );
                }
                let filled = fill(&prompt.content, &serde_json::Map::new()).unwrap();
                assert!(
                    filled.undeclared.is_empty(),
                    "{}: {:?}",
                    prompt.path,
                    filled.undeclared
                );
            }
            counts.push(shelf.prompts().len());
        }
        assert!(counts[0] >= 6 && counts[0] == counts[1], "{counts:?}");
    }

    #[test]
    fn what_a_person_removed_does_not_come_back() {
        let home = tempfile::tempdir().unwrap();
        let open = || Library::open(&home.path().join("prompts"), home.path().join("history")).unwrap();
        let library = open();
        library.start(Lang::En).unwrap();
        let first = library.shelf().prompts().next().unwrap().path.clone();
        library.remove(&first, &Expected::Anything).unwrap();
        let again = open();
        again.start(Lang::ZhCn).unwrap();
        assert!(again.shelf().at(&first).is_none());
        assert_eq!(
            again.shelf().prompts().len() + 1,
            library.shelf().prompts().len() + 1
        );
    }
}
