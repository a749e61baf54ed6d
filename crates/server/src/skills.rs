//! The skills of this owner: opened when they are first needed, looked at again when somebody changes
//! them, here or at a client, and then brought into line.

use crate::app::App;
use crate::library::settled;
use base::{DataHome, Event, Failure, Settings};
use prompts::skills::{Client, Place, Places, SkillError, Skills, Standing, Target};
use prompts::{Watch, Watched};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, OnceCell};

#[derive(Default)]
pub(crate) struct Shelf {
    open: OnceCell<Arc<Skills>>,
    told: Arc<Notify>,
    /// What is watched, which changes with what is turned on.
    watch: Mutex<Option<(Vec<Watched>, Watch)>>,
}

/// What `settings.json` says at this moment: a person may have edited it.
pub(crate) struct Wanted {
    pub(crate) targets: Vec<Target>,
    pub(crate) off: BTreeSet<String>,
}

impl Wanted {
    pub(crate) fn read(home: &DataHome) -> Result<Self, Failure> {
        let settings = Settings::load(&home.settings())?.skills;
        let mut targets = Vec::new();
        for (name, way) in settings.clients {
            targets.push(Target {
                folder: Client::named(&name)?.folder()?,
                client: name,
                way,
            });
        }
        Ok(Wanted {
            targets,
            off: settings.off,
        })
    }
}

impl App {
    pub(crate) async fn skills(&self) -> Result<Arc<Skills>, Failure> {
        let open = || async {
            let home = &self.inner.home;
            let places = Places {
                skills: home.skills(),
                history: home.skill_history(),
                trash: home.skill_trash(),
                placed: home.placed_skills(),
            };
            let opened = tokio::task::spawn_blocking(move || Skills::open(places)).await;
            let skills =
                Arc::new(opened.map_err(|error| Failure::new("internal").detail(error.to_string()))??);
            self.keep(tokio::spawn(follow(self.clone(), Arc::clone(&skills))));
            // What changed while nobody looked is brought into line at once.
            self.inner.skills.told.notify_one();
            Ok::<_, Failure>(skills)
        };
        Ok(Arc::clone(self.inner.skills.open.get_or_try_init(open).await?))
    }

    /// Begins to follow skills, where some client is given them.
    pub(crate) async fn follow_skills(&self) {
        let home = self.inner.home.clone();
        let wanted = tokio::task::spawn_blocking(move || Wanted::read(&home)).await;
        let begun = match wanted {
            Ok(Ok(wanted)) if wanted.targets.is_empty() => return,
            Ok(Ok(_)) => self.skills().await.map(|_| ()),
            Ok(Err(failure)) => Err(failure),
            Err(error) => Err(Failure::new("internal").detail(error.to_string())),
        };
        if let Err(failure) = begun {
            tracing::warn!(%failure, "skills are not followed");
        }
    }

    /// Brings the clients' folders into line, and says that something may have changed.
    pub(crate) async fn sync_skills(&self) -> Result<Vec<Place>, Failure> {
        self.sync_these(self.skills().await?).await
    }

    async fn sync_these(&self, skills: Arc<Skills>) -> Result<Vec<Place>, Failure> {
        let home = self.inner.home.clone();
        let synced = tokio::task::spawn_blocking(move || {
            let wanted = Wanted::read(&home)?;
            let places = skills.sync(&wanted.targets, &wanted.off, &|_| {})?;
            let watched = watched(&skills, &wanted, &places);
            Ok::<_, Failure>((places, watched))
        });
        let (places, watched) = synced
            .await
            .map_err(|error| Failure::new("internal").detail(error.to_string()))??;
        self.watch_skills(watched);
        let event = Event::new("skill.changed", json!({})).tag("skills");
        self.inner.store.announce(vec![event]).await?;
        Ok(places)
    }

    fn watch_skills(&self, wanted: Vec<Watched>) {
        let mut watch = self
            .inner
            .skills
            .watch
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if watch.as_ref().is_some_and(|(watched, _)| *watched == wanted) {
            return;
        }
        let told = Arc::clone(&self.inner.skills.told);
        match Watch::start(&wanted, move || told.notify_one()) {
            Ok(started) => {
                *watch = Some((wanted, started));
                // What changed between the look and the watch.
                self.inner.skills.told.notify_one();
            }
            // Too many watches on the machine: what is there is used, and follows its own changes.
            Err(error) => {
                tracing::warn!(error = %base::failure::chain(&error), "skills are not watched");
            }
        }
    }
}

/// Does it on a thread that may wait for the disk, with what is turned on now.
pub(crate) async fn with<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&Skills, &Wanted) -> Result<T, SkillError> + Send + 'static,
) -> Result<T, Failure> {
    let skills = app.skills().await?;
    let home = app.inner.home.clone();
    let done = tokio::task::spawn_blocking(move || {
        let wanted = Wanted::read(&home)?;
        work(&skills, &wanted).map_err(Failure::from)
    });
    match done.await {
        Ok(done) => done,
        Err(error) => Err(Failure::new("internal").detail(error.to_string())),
    }
}

/// Ours; the clients' folders; and the copies in them.
fn watched(skills: &Skills, wanted: &Wanted, places: &[Place]) -> Vec<Watched> {
    let mut watched = vec![Watched::Deep(skills.folder().to_owned())];
    let folders: BTreeSet<PathBuf> = wanted
        .targets
        .iter()
        .map(|target| target.folder.clone())
        .collect();
    watched.extend(
        folders
            .into_iter()
            .filter(|folder| folder.is_dir())
            .map(Watched::Flat),
    );
    let copies = places.iter().filter(|place| {
        matches!(
            place.standing,
            Standing::Copied | Standing::Theirs | Standing::Both | Standing::Left
        ) && place.path.is_dir()
            && !place.path.is_symlink()
    });
    watched.extend(copies.map(|place| Watched::Deep(place.path.clone())));
    watched
}

async fn follow(app: App, skills: Arc<Skills>) {
    loop {
        settled(&app.inner.skills.told).await;
        // What others changed is kept, whether a client is on or not.
        let refreshed = Arc::clone(&skills);
        match tokio::task::spawn_blocking(move || refreshed.refresh()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => said(&error),
            Err(error) => tracing::error!(%error, "skills were not read again"),
        }
        if let Err(failure) = app.sync_these(Arc::clone(&skills)).await {
            tracing::warn!(%failure, "skills were not synced");
        }
    }
}

fn said(error: &SkillError) {
    tracing::warn!(error = %base::failure::chain(error), "skills were not read again");
}
