//! What the tray leads to: the last pictures, the favourite tools, newer versions.

use crate::known::{Offers, Picture, Server};
use crate::updates;
use base::DataHome;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Manager};
use wire::{ArtifactRow, Client, ClientError, None as NoParams, Page};

/// How many pictures are shown, and how many rows are asked for: not each is a picture.
const PICTURES: usize = 3;
const ASKED: u32 = 12;

/// Characters of a label.
const LABEL: usize = 48;

/// Between two looks: a script may draw a hundred in a second.
const REST: Duration = Duration::from_millis(500);

/// Looks whenever there may be something new.
pub async fn follow(app: AppHandle, client: Client, server: Arc<Server>) {
    loop {
        server.offers.notified().await;
        let home = app.state::<DataHome>().inner().clone();
        let updates = tauri::async_runtime::spawn_blocking(move || updates::has_channel(&home));
        let updates = updates.await.unwrap_or_default();
        let before = server.known.borrow().offers.clone();
        server.tell_offers(match look(&client).await {
            Ok((pictures, tools)) => Offers {
                pictures,
                tools,
                updates,
            },
            Err(error) => {
                // Told again when the server is there again.
                tracing::debug!(%error, "what the tray offers");
                Offers { updates, ..before }
            }
        });
        // A limit of looks, and no wait for anybody: what comes meanwhile is seen by the next.
        tokio::time::sleep(REST).await;
    }
}

async fn look(client: &Client) -> Result<(Vec<Picture>, Vec<String>), ClientError> {
    let page = Page {
        offset: 0,
        limit: ASKED,
    };
    let pictures = newest(&client.artifact_list(page).await?.artifacts);
    Ok((pictures, client.settings_show(NoParams {}).await?.favourites))
}

fn newest(rows: &[ArtifactRow]) -> Vec<Picture> {
    let pictures = rows.iter().filter(|row| row.kind == "image/png");
    let newest = pictures.map(|row| Picture {
        id: row.id.clone(),
        label: label(row),
    });
    newest.take(PICTURES).collect()
}

/// `11-28 06:14  const canvas = …`
fn label(row: &ArtifactRow) -> String {
    // Milliseconds since the epoch, which an f64 holds exactly.
    let time = base::clock::iso_local(row.created_at as i64);
    let time = time.get(5..16).unwrap_or_default().replace('T', " ");
    let mut label = format!("{time}  {}", row.title.trim());
    if let Some((end, _)) = label.char_indices().nth(LABEL) {
        label.truncate(end);
        label.push('…');
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Actor, ActorKind};

    fn row(id: &str, kind: &str, title: &str) -> ArtifactRow {
        ArtifactRow {
            id: id.to_owned(),
            file: format!("{id}.png"),
            title: title.to_owned(),
            kind: kind.to_owned(),
            size: 1.0,
            width: 1,
            height: 1,
            source: "run_javascript".to_owned(),
            created_at: 1_700_000_000_000.0,
            actor: Actor {
                kind: ActorKind::Person,
                name: "pm".to_owned(),
            },
            url: String::new(),
            thumb: String::new(),
        }
    }

    #[test]
    fn the_newest_pictures_have_short_labels_and_other_files_none() {
        let long = "画".repeat(100);
        let rows = [
            row("a", "image/png", " one & two "),
            row("b", "application/json", "data"),
            row("c", "image/png", &long),
            row("d", "image/png", "three"),
            row("e", "image/png", "four"),
        ];
        let shown = newest(&rows);
        let ids: Vec<_> = shown.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["a", "c", "d"]);
        assert!(shown[0].label.starts_with("11-1") && shown[0].label.ends_with("  one & two"));
        assert_eq!(shown[1].label.chars().count(), LABEL + 1);
    }
}
