//! A toolbox of 1,000 tools, no two alike, some broken, some big: how long until they are known, how long a list
//! takes then, when a change is seen, what it holds in memory. Beside it a script that imports the same files with
//! all of the machine's rights, and has to say the same versions.

use super::http::Connection;
use super::machine::memory;
use super::stats::{Samples, ms};
use super::toolm::peers;
use crate::serve::Server;
use crate::{Outcome, proc};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const TOOLS: usize = 1000;
const LISTS: usize = 50;
const CHANGES: usize = 10;
const RESTARTS: usize = 5;
const IMPORTS: usize = 5;
/// One of so many does not parse.
const BROKEN: usize = 50;
/// One of so many holds 300 kB of text.
const BIG: usize = 40;
const PATIENCE: Duration = Duration::from_secs(600);
/// Between two looks at a list that is not complete yet.
const LOOK: Duration = Duration::from_millis(20);

/// What a list says: version by name; those that cannot be read have none.
type Versions = BTreeMap<String, String>;

#[derive(Default)]
struct Figures {
    /// The first answer, while nobody has looked into any of them.
    first: Option<Duration>,
    cold: Option<Duration>,
    warm: Samples,
    seen: Samples,
    restart: Samples,
    again: Samples,
    import: Samples,
    pm_kb: u64,
    node_kb: u64,
}

pub fn run() -> Outcome<String> {
    // The page and the packages of other peers have no part in it.
    proc::build_programs(&["--release"])?;
    let mut figures = Figures::default();
    let mut pm = Server::start("release", |home| generate(&home.join("toolbox")))?;
    let begun = Instant::now();
    let (mut versions, _) = list(&pm)?;
    figures.first = Some(begun.elapsed());
    described(&pm, &mut versions)?;
    figures.cold = Some(begun.elapsed());
    for _ in 0..LISTS {
        let begun = Instant::now();
        list(&pm)?;
        figures.warm.add(begun.elapsed());
    }
    for n in 0..CHANGES {
        figures.seen.add(change(&pm, n, &mut versions)?);
    }
    figures.pm_kb = memory(pm.pid()).map_or(0, |memory| memory.pss);
    for _ in 0..RESTARTS {
        pm = pm.restarted("release")?;
        figures.restart.add(pm.start);
        let begun = Instant::now();
        let (mut found, _) = list(&pm)?;
        figures.again.add(begun.elapsed());
        // Only what is broken is looked into again.
        described(&pm, &mut found)?;
        if found != versions {
            return Err("after a restart the list is another one".into());
        }
    }
    for _ in 0..IMPORTS {
        let mut node = proc::program("node");
        node.arg(peers().join("toolbox.mjs"))
            .arg(pm.home().join("toolbox"));
        let begun = Instant::now();
        let said: Value = serde_json::from_str(&proc::capture(&mut node)?)?;
        figures.import.add(begun.elapsed());
        let theirs: Versions = serde_json::from_value(said["versions"].clone())?;
        same(&versions, &theirs)?;
        figures.node_kb = said["rss"].as_u64().unwrap_or(0) / 1024;
    }
    pm.stop()?;
    Ok(body(&figures))
}

/// Node finds what we made; our list has the built-in tools besides.
fn same(ours: &Versions, theirs: &Versions) -> Outcome {
    let made = |versions: &Versions| -> Versions {
        let made = versions.iter().filter(|(name, _)| name.starts_with("bench-"));
        made.map(|(name, version)| (name.clone(), version.clone()))
            .collect()
    };
    match made(ours) == made(theirs) && made(ours).len() == TOOLS {
        true => Ok(()),
        false => Err("pm and node do not say the same versions".into()),
    }
}

/// Versions by name, and whether some are not described yet.
/// Until every tool is described.
fn described(pm: &Server, versions: &mut Versions) -> Outcome {
    let begun = Instant::now();
    let mut describing = true;
    while describing {
        if begun.elapsed() > PATIENCE {
            return Err("some tools were never described".into());
        }
        std::thread::sleep(LOOK);
        (*versions, describing) = list(pm)?;
    }
    Ok(())
}

fn list(pm: &Server) -> Outcome<(Versions, bool)> {
    let mut connection = Connection::open(&pm.address)?;
    let token = [("Authorization", format!("Bearer {}", pm.token))];
    connection.send("POST", "/api/tool.list", &token, "{}")?;
    let answer = connection.answer()?;
    let said: Value = serde_json::from_slice(&answer.body)?;
    let rows = said["tools"]
        .as_array()
        .ok_or_else(|| format!("tool.list gave {}", answer.status))?;
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let versions = rows.iter().map(|row| (text(row, "name"), text(row, "version")));
    Ok((
        versions.collect(),
        rows.iter().any(|row| row["state"] == "describing"),
    ))
}

/// From writing a tool anew until the list says so.
fn change(pm: &Server, n: usize, versions: &mut Versions) -> Outcome<Duration> {
    let (name, version) = (name(n * 3 + 1), format!("2.0.{n}"));
    let path = pm
        .home()
        .join("toolbox")
        .join(&name)
        .join(format!("{name}.tool.js"));
    let aside = path.with_extension("aside");
    fs::write(&aside, source(n * 3 + 1, &version))?;
    let begun = Instant::now();
    fs::rename(&aside, &path)?;
    while list(pm)?.0.get(&name) != Some(&version) {
        if begun.elapsed() > PATIENCE {
            return Err(format!("the change of {name} was never seen").into());
        }
        std::thread::sleep(LOOK);
    }
    versions.insert(name, version);
    Ok(begun.elapsed())
}

fn generate(toolbox: &Path) -> Outcome {
    for n in 0..TOOLS {
        let name = name(n);
        let folder = toolbox.join(&name);
        fs::create_dir_all(folder.join("lib"))?;
        let text = match n % BROKEN {
            0 => "export default { getMetadata( ".to_owned(),
            _ => source(n, &format!("1.0.{n}")),
        };
        fs::write(folder.join(format!("{name}.tool.js")), text)?;
        fs::write(folder.join("lib/help.js"), format!("export const help = {n};\n"))?;
    }
    Ok(())
}

fn name(n: usize) -> String {
    format!("bench-{n:04}")
}

fn source(n: usize, version: &str) -> String {
    let big = match n % BIG {
        7 => format!("const text = '{}';\n", "x".repeat(300_000)),
        _ => String::new(),
    };
    let parameters: String = (0..n % 12)
        .map(|at| format!("p{at}: {{ type: 'string', description: 'Parameter {at} of tool {n}' }}, "))
        .collect();
    format!(
        "import {{ help }} from './lib/help.js';\n{big}export default {{\n  getMetadata: () => ({{ name: 'Tool {n}', \
         version: '{version}', description: 'Does what tool {n} of many does', tags: ['t{}'], author: 'a{}' }}),\n  \
         getSchema: () => ({{ parameters: {{ type: 'object', properties: {{ {parameters}}} }} }}),\n  execute: () => help,\n}};\n",
        n % 17,
        n % 5
    )
}

fn body(figures: &Figures) -> String {
    let mut text = format!(
        "{TOOLS} tools, no two alike: {} of them do not parse, {} hold 300 kB of text, each imports a file of its \
         own. Node imports the same files in one process with all of the machine's rights; the versions that both \
         say are compared. In `pm` each is described in a sandboxed process of its own, once for each text.\n\n\
         | | median ms | worst ms |\n|---|---|---|\n",
        TOOLS / BROKEN,
        TOOLS / BIG
    );
    let mut row = |name: &str, middle: Option<Duration>, worst: Option<Duration>| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| {name} | {} | {} |", ms(middle), ms(worst));
    };
    row("first list, nobody has looked into any", figures.first, None);
    row("scan cold: until all are described", figures.cold, None);
    for (name, samples) in [
        ("list, warm", &figures.warm),
        ("a change, until the list has it", &figures.seen),
        ("start with 1,000 known tools, to the address", &figures.restart),
        ("first list after that (scan warm)", &figures.again),
        ("node imports them all", &figures.import),
    ] {
        row(name, samples.percentile(50.0), samples.percentile(100.0));
    }
    let mb = |kb: u64| kb as f64 / 1024.0;
    let _ = writeln!(
        text,
        "\nMemory: `pm serve` {:.0} MB (PSS) with all of them, node {:.0} MB (RSS) with all of them imported.",
        mb(figures.pm_kb),
        mb(figures.node_kb)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_compared() {
        let versions = |last: &str| -> Versions {
            let mut all: Versions = (0..TOOLS).map(|n| (name(n), "1".to_owned())).collect();
            all.insert(name(TOOLS - 1), last.to_owned());
            all.insert("todolist".to_owned(), last.to_owned());
            all
        };
        assert!(same(&versions("1"), &versions("1")).is_ok());
        assert!(same(&versions("1"), &versions("2")).is_err());
        assert!(same(&Versions::new(), &Versions::new()).is_err());
    }

    #[test]
    fn no_two_tools_are_alike() {
        let all: std::collections::BTreeSet<String> = (0..TOOLS).map(|n| source(n, "1")).collect();
        assert_eq!(all.len(), TOOLS);
        assert_eq!(
            (0..TOOLS).filter(|n| source(*n, "1").len() > 300_000).count(),
            TOOLS / BIG
        );
    }

    #[test]
    fn the_report_names_every_figure() {
        let text = body(&Figures::default());
        assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), 8);
    }
}
