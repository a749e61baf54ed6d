//! Changes files of a workspace until it is killed, saying before and after each change which one it
//! is. For `tests/kill.rs`.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use store::{Actor, Store};
use workspace::files::ReadRequest;
use workspace::{EditRequest, Limits, MoveTo, Workspace, Workspaces};

fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()
}

fn actor() -> Actor {
    Actor {
        kind: "agent".to_owned(),
        name: "writer".to_owned(),
    }
}

async fn change(task: &Workspace, kind: &str, n: u64) -> Result<(), Box<dyn Error>> {
    let pad = "y".repeat(20_000);
    match kind {
        "write" => drop(task.write("f", format!("{n} {pad}").into(), actor()).await?),
        "append" => drop(task.append("log", format!("{n}\n").into(), actor()).await?),
        "edit" => {
            let text = task.read("e", ReadRequest::default()).await?.content;
            let old = text.split(' ').next().unwrap_or_default().to_owned();
            let request = EditRequest {
                new: format!("n{n}"),
                old,
                count: 1,
            };
            if request.old != request.new {
                task.edit("e", request, actor()).await?;
            }
        }
        "move" => {
            let at_a = task
                .list(None)
                .await?
                .files
                .iter()
                .any(|entry| entry.name == "m-a");
            let (from, to) = if at_a { ("m-a", "m-b") } else { ("m-b", "m-a") };
            task.move_file(from, to, MoveTo::Free, actor()).await?;
        }
        _ => {
            let there = task.list(None).await?.files.iter().any(|entry| entry.name == "d");
            match (there, task.trash().await?.first()) {
                (false, Some(deleted)) => drop(task.undelete(&deleted.id, actor()).await?),
                _ => drop(task.delete("d", actor()).await?),
            }
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(home), Some(folder), Some(start)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: kill_writer HOME FOLDER NUMBER".into());
    };
    let home = base::DataHome::at(home)?.prepare()?;
    let store = Store::open(&home, 1000)?;
    let all = Workspaces::open(store, &home, Limits::default()).await?;
    all.bind("t", Path::new(&folder), actor()).await?;
    let task = all.get("t")?;
    say("ready")?;
    for n in start.parse::<u64>()?.. {
        for kind in ["write", "append", "edit", "move", "delete"] {
            say(&format!("{kind} begins {n}"))?;
            change(&task, kind, n).await?;
            say(&format!("{kind} done {n}"))?;
        }
    }
    Ok(())
}
