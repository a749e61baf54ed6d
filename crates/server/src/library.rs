//! The prompt library of this owner: opened when it is first needed, and looked at again when
//! somebody changes its files.

use crate::app::App;
use base::{Event, Failure};
use prompts::{Library, PromptError, Watch, Watched};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OnceCell};

/// An editor's save is several changes; this long nothing more has to come.
const QUIET: Duration = Duration::from_millis(150);
/// A folder that changes all the time is looked at again after this long nevertheless.
const IMPATIENT: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(crate) struct Shelves {
    open: OnceCell<(Arc<Library>, Option<Watch>)>,
}

impl App {
    pub(crate) async fn library(&self) -> Result<Arc<Library>, Failure> {
        let open = || async {
            let home = &self.inner.home;
            let (folder, history) = (home.prompts(), home.prompt_history());
            let lang = self.lang();
            let opened = tokio::task::spawn_blocking(move || {
                let library = Library::open(&folder, history)?;
                library.start(lang)?;
                Ok::<_, PromptError>(library)
            });
            let library = opened
                .await
                .map_err(|error| Failure::new("internal").detail(error.to_string()))??;
            let library = Arc::new(library);
            let told = Arc::new(Notify::new());
            let watch = Watch::start(&[Watched::Deep(library.folder().to_owned())], {
                let told = Arc::clone(&told);
                move || told.notify_one()
            });
            // Too many watches on the machine: the library is there, and follows its own changes.
            let watch = watch
                .map_err(
                    |error| tracing::warn!(error = %base::failure::chain(&error), "prompts are not watched"),
                )
                .ok();
            self.keep(tokio::spawn(follow(self.clone(), Arc::clone(&library), told)));
            Ok::<_, Failure>((library, watch))
        };
        let (library, _) = self.inner.shelves.open.get_or_try_init(open).await?;
        Ok(Arc::clone(library))
    }
}

async fn follow(app: App, library: Arc<Library>, told: Arc<Notify>) {
    loop {
        settled(&told).await;
        let library = Arc::clone(&library);
        match tokio::task::spawn_blocking(move || library.refresh()).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::warn!(error = %base::failure::chain(&error), "prompts were not read again");
            }
            Err(error) => tracing::error!(%error, "prompts were not read again"),
        }
        // What was changed by a call was read by it already, and is news for the others all the same.
        let event = Event::new("prompt.changed", json!({})).tag("prompts");
        if let Err(error) = app.inner.store.announce(vec![event]).await {
            tracing::warn!(error = %base::failure::chain(&error), "an event was lost");
        }
    }
}

/// Waits until something was told and nothing more comes for a moment.
pub(crate) async fn settled(told: &Notify) {
    told.notified().await;
    let patience = tokio::time::sleep(IMPATIENT);
    tokio::pin!(patience);
    loop {
        tokio::select! {
            () = &mut patience => return,
            more = tokio::time::timeout(QUIET, told.notified()) => match more {
                Ok(()) => {}
                Err(_) => return,
            },
        }
    }
}
