//! The society of ten that `tests/crash.rs` kills: goes on with what is in its data home, and says which phase it is in.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/crash/script.rs"]
mod script;

use common::{Scripted, open_store, person, society, wanted};
use script::script;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let home = std::env::args_os().nth(1).map(std::path::PathBuf::from).unwrap();
    let store = open_store(&home.join("data"));
    let mut feed = store.subscribe();
    tokio::spawn(async move {
        while feed.recv().await.is_ok() {
            println!("phase kept");
        }
    });
    let mut outside = Scripted::new(&home.join("work"), script);
    outside.tell = Box::new(|what| println!("phase {what}"));
    println!("phase opened");
    let known = !store.society_tasks(false).await.unwrap().is_empty();
    let society = society(store, outside);
    match known {
        true => {
            society.resume().await.unwrap();
        }
        false => {
            society
                .submit("t1".to_owned(), wanted("ten"), person())
                .await
                .unwrap();
        }
    }
    society.settled("t1").await.unwrap();
    println!("phase settled");
    // Whoever is killed before has come to no end.
    std::future::pending::<()>().await;
}
