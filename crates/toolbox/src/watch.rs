//! Somebody puts tools into the toolbox, edits, replaces or removes them with other programs: whoever lists tools
//! is told.
//!
//! Only that is told: what a tool is now is found where it is asked for, by a look at its folder. Watched are the
//! toolbox and the folder of each tool, not what lies deeper, where packages and data are; code in there is seen
//! when the tool is looked at the next time. Deliberately not here: reading any of it.

use crate::catalog::blocking;
use crate::fingerprint::{self, Look};
use crate::toolbox::Toolbox;
use base::name::ToolName;
use base::{DataHome, Event};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// One save is several changes, and a folder that is copied many: they are looked at together.
const QUIET: Duration = Duration::from_millis(250);
/// Told of one by one; more are told of at once.
const ONE_BY_ONE: usize = 16;

/// What the system says changed, until it is looked at.
#[derive(Default)]
struct Touched {
    tools: Mutex<BTreeSet<ToolName>>,
    told: Notify,
}

impl Touched {
    fn add(&self, root: &Path, path: &Path) {
        let Ok(below) = path.strip_prefix(root) else {
            return;
        };
        let mut parts = below.iter().filter_map(|part| part.to_str());
        let Some(tool) = parts.next().and_then(|name| ToolName::parse(name).ok()) else {
            return;
        };
        // Each run writes there; nothing of it is code.
        if parts
            .next()
            .is_some_and(|name| name == "run.log" || name.starts_with('.'))
        {
            return;
        }
        self.tools
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(tool);
        self.told.notify_one();
    }

    fn take(&self) -> BTreeSet<ToolName> {
        std::mem::take(&mut *self.tools.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The watch, and what is known of the folders.
struct Watch {
    home: DataHome,
    watcher: RecommendedWatcher,
    looks: BTreeMap<ToolName, Look>,
}

impl Watch {
    fn start(home: DataHome, touched: Arc<Touched>) -> notify::Result<Watch> {
        let root = home.toolbox();
        let seen = root.clone();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| match event {
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => {}
                Ok(event) => event.paths.iter().for_each(|path| touched.add(&seen, path)),
                Err(error) => tracing::warn!(%error, "watching the toolbox"),
            })?;
        watcher.watch(&root, RecursiveMode::NonRecursive)?;
        Ok(Watch {
            home,
            watcher,
            looks: BTreeMap::new(),
        })
    }

    /// Whether the tool is another one than it was. Its folder is watched from now on: that may
    /// be another folder, too.
    fn look(&mut self, tool: &ToolName) -> bool {
        let folder = self.home.tool(tool);
        let is_tool = fingerprint::main_in(&folder, tool).is_some();
        if folder.is_dir()
            && let Err(error) = self.watcher.watch(&folder, RecursiveMode::NonRecursive)
        {
            // Too many watches on the machine, or it is gone already.
            tracing::debug!(%tool, %error, "a tool's folder is not watched");
        }
        let before = self.looks.remove(tool);
        // What cannot be read is told of: it is listed as such.
        let now = is_tool.then(|| fingerprint::look(&folder).unwrap_or_default());
        let changed = before != now;
        if let Some(now) = now {
            self.looks.insert(tool.clone(), now);
        }
        changed
    }
}

/// Tells of changes as long as it is polled.
pub(crate) async fn watch(toolbox: Toolbox) {
    let touched = Arc::new(Touched::default());
    let (home, to_add) = (toolbox.inner.home.clone(), touched.clone());
    let names = toolbox.names().await.unwrap_or_default();
    let started = blocking(move || {
        let mut watch = Watch::start(home, to_add).map_err(std::io::Error::other)?;
        // As they are: nobody is told of what was there before.
        for tool in &names {
            watch.look(tool);
        }
        Ok(watch)
    });
    let mut watch = match started.await {
        Ok(watch) => watch,
        Err(error) => {
            tracing::warn!(%error, "the toolbox is not watched: what changes is seen when it is asked for");
            return;
        }
    };
    loop {
        touched.told.notified().await;
        tokio::time::sleep(QUIET).await;
        let tools = touched.take();
        let looked = blocking(move || {
            let changed: Vec<ToolName> = tools.into_iter().filter(|tool| watch.look(tool)).collect();
            Ok((watch, changed))
        });
        let changed = match looked.await {
            Ok((back, changed)) => {
                watch = back;
                changed
            }
            Err(error) => {
                tracing::warn!(%error, "the toolbox is not watched any more");
                return;
            }
        };
        toolbox.tell_of(&changed).await;
    }
}

impl Toolbox {
    /// Tells of tools that come, change and vanish, as long as it is polled.
    pub async fn watch_folders(self) {
        watch(self).await;
    }

    async fn tell_of(&self, changed: &[ToolName]) {
        let event = |tool: &ToolName| Event::new("tool.changed", json!({"tool": tool.as_str()})).tag("tools");
        let events = match changed.len() {
            0 => return,
            1..=ONE_BY_ONE => changed.iter().map(event).collect(),
            _ => vec![Event::new("tool.changed", json!({})).tag("tools")],
        };
        if let Err(error) = self.inner.store.announce(events).await {
            tracing::warn!(error = %base::failure::chain(&error), "changed tools were not told of");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "changes a toolbox as other programs do")]
    fn what_comes_changes_and_vanishes_is_named_and_runs_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        let tool = |name: &str| ToolName::parse(name).unwrap();
        let put = |name: &str, file: &str, text: &str| {
            std::fs::create_dir_all(home.tool(&tool(name))).unwrap();
            std::fs::write(home.tool(&tool(name)).join(file), text).unwrap();
        };
        put("there", "there.tool.js", "1");
        let touched = Arc::new(Touched::default());
        let mut watch = Watch::start(home.clone(), touched.clone()).unwrap();
        assert!(watch.look(&tool("there")), "as it is");
        // Waits for the system's word, then looks; gives what is another now.
        let mut changed = |what: &str| {
            let (send, gathered) = mpsc::channel();
            for _ in 0..1500 {
                for tool in touched.take() {
                    if watch.look(&tool) {
                        send.send(tool.to_string()).unwrap();
                    }
                }
                if let Ok(first) = gathered.try_recv() {
                    return first;
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
            panic!("nothing was said of {what}");
        };
        put("new", "new.tool.js", "1");
        assert_eq!(changed("a new tool"), "new");
        put("new", "new.tool.js", "22");
        assert_eq!(changed("an edit"), "new");
        put("there", "aside", "333");
        std::fs::rename(
            home.tool(&tool("there")).join("aside"),
            home.tool(&tool("there")).join("there.tool.js"),
        )
        .unwrap();
        assert_eq!(changed("an edit by renaming"), "there");
        // The whole folder is another one, and is watched as such.
        std::fs::rename(home.tool(&tool("new")), home.root().join("old")).unwrap();
        assert_eq!(changed("a tool that vanished"), "new");
        put("new", "new.tool.js", "4444");
        assert_eq!(changed("a folder that was replaced"), "new");
        put("new", "new.tool.js", "55555");
        assert_eq!(changed("an edit in the new folder"), "new");
    }

    #[test]
    fn logs_and_our_own_folders_are_nothing_to_look_at() {
        let touched = Touched::default();
        let root = Path::new("/home/toolbox");
        for path in [
            "t/run.log",
            "t/.env",
            ".changes/x",
            "t/.t.tool.js.pm-tmp-1",
            "Not-a-tool/x",
        ] {
            touched.add(root, &root.join(path));
        }
        touched.add(root, Path::new("/elsewhere/t"));
        assert!(touched.take().is_empty());
        touched.add(root, &root.join("t/t.tool.js"));
        touched.add(root, &root.join("u"));
        assert_eq!(touched.take().len(), 2);
    }
}
