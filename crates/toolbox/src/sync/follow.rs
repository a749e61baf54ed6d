//! While a program runs with a checkout, what changes there is put into the toolbox at once.
//!
//! Looked at once a second: a handful of folders, and only while somebody works on them. Deliberately not here:
//! what a watched file system says, which is different for each of them, and nothing for some.

use super::{BuiltIns, Synced, one};
use crate::catalog::blocking;
use crate::fingerprint::{self, Look};
use crate::toolbox::Toolbox;
use base::name::ToolName;
use std::collections::BTreeMap;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);

/// Until it is dropped. Ends at once where the tools come with the program.
pub(crate) async fn follow(toolbox: Toolbox) {
    let BuiltIns::Checkout(root) = toolbox.inner.built_ins.clone() else {
        return;
    };
    let mut known: BTreeMap<ToolName, Look> = BTreeMap::new();
    loop {
        let (built_ins, root) = (toolbox.inner.built_ins.clone(), root.clone());
        let looked = blocking(move || {
            let looks = built_ins.names().into_iter().filter_map(|tool| {
                // One that is being written is looked at again.
                let look = fingerprint::look(&root.join(tool.as_str())).ok()?;
                Some((tool, look))
            });
            Ok(looks.collect::<BTreeMap<_, _>>())
        });
        for (tool, look) in looked.await.unwrap_or_default() {
            if known.get(&tool) != Some(&look) && toolbox.sync_one(&tool).await {
                known.insert(tool, look);
            }
        }
        tokio::time::sleep(EVERY).await;
    }
}

impl Toolbox {
    /// Whether the tool is in the toolbox as it is in the checkout.
    async fn sync_one(&self, tool: &ToolName) -> bool {
        let _turn = self.inner.turns.change(tool).await;
        let _alone = self.inner.turns.alone(tool).await;
        let (home, built_ins, name) = (
            self.inner.home.clone(),
            self.inner.built_ins.clone(),
            tool.clone(),
        );
        let synced = blocking(move || Ok(one(&home, &built_ins, &name))).await;
        match synced {
            Ok(Ok(Synced::Changed)) => {
                if let Err(failure) = self.changed(tool).await {
                    tracing::warn!(%tool, %failure, "nobody was told of a changed built-in tool");
                }
                true
            }
            Ok(Ok(Synced::Same | Synced::Newer | Synced::Theirs)) => true,
            Ok(Err(error)) => {
                tracing::warn!(%tool, error = %base::failure::chain(&error), "a tool of the checkout was not taken");
                false
            }
            Err(error) => {
                tracing::warn!(%tool, %error, "a tool of the checkout was not taken");
                false
            }
        }
    }
}
