//! `cargo xtask bench canvas`: the scenes of benches/peers/canvas-scenes.mjs in `pm`, in
//! @napi-rs/canvas and in node-canvas, built from source. Every picture is compared with that
//! of @napi-rs/canvas, so that nobody is quick by drawing something else.

use super::machine;
use super::stats::{Samples, ms};
use crate::{Outcome, node, proc, setup};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Contestants take turns, so that a noisy minute falls on all of them.
const TURNS: usize = 9;
const ROUNDS: usize = 7;
/// Which of the rounds is said of an engine. What else a machine does only adds to them, and on a shared one it comes
/// and goes within a second and doubles them: a median then says how often it came.
const QUIET: f64 = 10.0;
const MIDDLE: f64 = 50.0;
/// Starts of a whole process, script to PNG.
const STARTS: usize = 10;
/// What is drawn when whole processes are measured.
const PROCESS_SCENE: &str = "hand-made-chart";

/// Scenes and the mean difference, of 255, that is still the same picture. Text is placed to
/// quarters of a pixel here and to whole ones vertically by Skia.
const SCENES: &[(&str, f64)] = &[
    ("rects-10k", 0.5),
    ("alpha-rects-10k", 1.0),
    ("arcs-2k", 1.0),
    ("dashed-beziers-600", 3.0),
    ("texts-1000", 14.0),
    ("cjk-texts-300", 14.0),
    ("gradients", 1.0),
    ("images", 2.0),
    ("shadows-composites", 2.0),
    ("nested-clips", 1.0),
    ("image-data", 1.0),
    ("hand-made-chart", 1.0),
    ("chart-js", 1.0),
    ("png-800x600", 1.0),
    ("png-4k", 1.0),
];
/// Where the interpreter, and not the canvas, decides; and encoding: not part of the mean.
const NOT_DRAWING: &[&str] = &["image-data", "chart-js", "png-800x600", "png-4k"];

#[derive(Clone, Copy, PartialEq)]
enum Engine {
    Pm,
    Napi,
    NodeCanvas,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Engine::Pm => "pm",
            Engine::Napi => "@napi-rs/canvas",
            Engine::NodeCanvas => "node-canvas",
        }
    }

    fn command(self, scene: &str, rounds: usize, out: &Path) -> Command {
        let script = proc::root().join("benches/peers/canvas-draw.mjs");
        let (mut command, id) = match self {
            Engine::Pm => (proc::program(proc::built("release", "pm")), "pm"),
            Engine::Napi => (proc::program("node"), "napi"),
            Engine::NodeCanvas => (proc::program("node"), "node-canvas"),
        };
        if self == Engine::Pm {
            command.arg("conformance");
        }
        command
            .arg(script)
            .env("ENGINE", id)
            .env("SCENE", scene)
            .env("OUT", out)
            .env("FONTS", proc::root().join("resources/fonts"))
            .env("ROUNDS", rounds.to_string());
        command
    }
}

/// The folder of what was drawn, while it is compared.
struct Pictures(PathBuf);

impl Drop for Pictures {
    fn drop(&mut self) {
        // What is left is ignored by git and in nobody's way.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const UNKNOWN: &str = "the system does not say what children took";

/// What one engine needed for one scene.
struct Figure {
    engine: Engine,
    wall: Samples,
    cpu: Samples,
    bytes: u64,
    /// What the scene needs and the engine has not; then nothing was measured.
    lacks: Option<String>,
}

pub fn run() -> Outcome<String> {
    node::install("benches/peers")?;
    // Beside the scripts: elsewhere `pm conformance` may not write.
    let folder = Pictures(proc::root().join("benches/peers/pictures"));
    std::fs::create_dir_all(&folder.0)?;
    setup::ensure(setup::PEERS)?;
    node::install("benches/node-canvas")?;
    let engines = [Engine::Pm, Engine::Napi, Engine::NodeCanvas];
    let mut text = String::from(
        "In process: one scene on a new canvas, until its pixels are there (or its PNG), after a warm-up; the lower\n\
         decile of 63 rounds in nine turns, milliseconds of wall and CPU, and what the medians come to. Difference:\n\
         mean and worst of a channel against @napi-rs/canvas, of 255, on white: ours, then node-canvas.\n\n",
    );
    scenes(&engines, &folder.0, &mut text)?;
    processes(&engines, &folder.0, &mut text)?;
    Ok(text)
}

fn scenes(engines: &[Engine], folder: &Path, text: &mut String) -> Outcome {
    text.push_str("| scene |");
    for engine in engines {
        write!(text, " {} wall | CPU |", engine.name())?;
    }
    text.push_str(" of the faster peer | by medians | difference |\n|---|");
    text.push_str(&"---|".repeat(engines.len() * 2 + 3));
    text.push('\n');
    let (mut logs, mut middle_logs) = (Vec::new(), Vec::new());
    for &(scene, bound) in SCENES {
        let figures = scene_figures(engines, scene, folder)?;
        let difference = compare(&figures, scene, bound, folder)?;
        write!(text, "| {scene} |")?;
        for figure in &figures {
            let quiet = |samples: &Samples| ms(samples.percentile(QUIET));
            match &figure.lacks {
                Some(lacks) => write!(text, " no {lacks} | |")?,
                None => write!(text, " {} | {} |", quiet(&figure.wall), quiet(&figure.cpu))?,
            }
        }
        let of = |percent| share(&figures, percent).ok_or("a scene was not measured");
        let (share, middle) = (of(QUIET)?, of(MIDDLE)?);
        writeln!(text, " {share:.2}x | {middle:.2}x | {difference} |")?;
        if let [ours, peer, ..] = &figures[..]
            && ours.bytes > 0
        {
            writeln!(
                text,
                "| *its PNG, bytes* |{} {}x | | |",
                " |".repeat(engines.len() * 2),
                two_digits(ours.bytes as f64 / peer.bytes as f64)
            )?;
        }
        if !NOT_DRAWING.contains(&scene) {
            logs.push(share.ln());
            middle_logs.push(middle.ln());
        }
    }
    let mean = |logs: &[f64]| (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    writeln!(
        text,
        "\nGeometric mean over the {} scenes of drawing: {:.2}x the faster peer, by medians {:.2}x. Of the others,\n{} are bounded by the interpreter or only encode.\n",
        logs.len(),
        mean(&logs),
        mean(&middle_logs),
        NOT_DRAWING.join(", ")
    )?;
    Ok(())
}

fn two_digits(v: f64) -> String {
    format!("{v:.2}")
}

/// Ours over the best of the others, by that part of the wall's samples.
fn share(figures: &[Figure], percent: f64) -> Option<f64> {
    let at = |figure: &Figure| figure.wall.percentile(percent).map(|time| time.as_secs_f64());
    let ours = figures.iter().find(|figure| figure.engine == Engine::Pm)?;
    let peers = figures.iter().filter(|figure| figure.engine != Engine::Pm);
    let best = peers.filter_map(at).fold(f64::INFINITY, f64::min);
    Some(at(ours)? / best)
}

fn scene_figures(engines: &[Engine], scene: &str, folder: &Path) -> Outcome<Vec<Figure>> {
    let mut figures: Vec<Figure> = engines
        .iter()
        .map(|engine| Figure {
            engine: *engine,
            wall: Samples::default(),
            cpu: Samples::default(),
            bytes: 0,
            lacks: None,
        })
        .collect();
    for _ in 0..TURNS {
        for figure in &mut figures {
            let out = picture(folder, scene, figure.engine);
            let printed = proc::capture(&mut figure.engine.command(scene, ROUNDS, &out))?;
            let said = |what| printed.lines().find_map(|line| line.strip_prefix(what));
            figure.lacks = said("LACKS ").map(str::to_owned);
            if figure.lacks.is_some() {
                continue;
            }
            let line = said("ROUNDS ").ok_or("a scene said nothing")?;
            let said: Value = serde_json::from_str(line)?;
            for round in said["rounds"].as_array().into_iter().flatten() {
                let of =
                    |key: &str| Duration::from_secs_f64(round[key].as_f64().unwrap_or(0.0).max(0.0) / 1e3);
                figure.wall.add(of("wall"));
                figure.cpu.add(of("cpu"));
            }
            figure.bytes = said["bytes"].as_u64().unwrap_or(0);
        }
    }
    Ok(figures)
}

fn picture(folder: &Path, scene: &str, engine: Engine) -> PathBuf {
    folder.join(format!("{scene}.{}.png", engine.name().replace('/', "-")))
}

/// The mean and the worst difference of ours from what @napi-rs/canvas drew, and those of the other peer.
/// Fails where a picture is not that one's, or where that one drew nothing.
fn compare(figures: &[Figure], scene: &str, bound: f64, folder: &Path) -> Outcome<String> {
    let of = |engine| picture(folder, scene, engine);
    let others = figures
        .iter()
        .filter(|figure| figure.engine != Engine::Napi && figure.lacks.is_none());
    let mut found = Vec::new();
    for Figure { engine, .. } in others {
        let script = proc::root().join("benches/peers/canvas-compare.mjs");
        let printed = proc::capture(
            proc::program("node")
                .arg(script)
                .args([of(*engine), of(Engine::Napi)]),
        )?;
        let said: Value = serde_json::from_str(printed.trim())?;
        let number = |key: &str| said[key].as_f64().ok_or("no difference was printed");
        let (mean, worst) = (number("mean")?, number("worst")?);
        if number("ink")? < 0.01 {
            return Err(format!("{scene}: the peer drew nothing").into());
        }
        if mean > bound {
            let engine = engine.name();
            return Err(
                format!("{scene}: {engine} is {mean:.2} from the peer's picture, more than {bound}").into(),
            );
        }
        found.push(format!("{mean:.2}, {worst:.0}"));
    }
    Ok(found.join(" · "))
}

/// Whole processes: start, draw the chart, encode, write the file.
fn processes(engines: &[Engine], folder: &Path, text: &mut String) -> Outcome {
    writeln!(
        text,
        "Whole process, script to PNG ({PROCESS_SCENE}), median of {STARTS} starts; CPU of the process and its children:\n\n\
         | engine | wall, ms | CPU, ms |\n|---|---|---|"
    )?;
    let mut figures: Vec<(Engine, Samples, Duration)> = engines
        .iter()
        .map(|engine| (*engine, Samples::default(), Duration::ZERO))
        .collect();
    for _ in 0..STARTS {
        for (engine, wall, cpu) in &mut figures {
            let out = picture(folder, "process", *engine);
            let before = machine::cpu_of_children().ok_or(UNKNOWN)?;
            let begun = Instant::now();
            proc::capture(&mut engine.command(PROCESS_SCENE, 0, &out))?;
            wall.add(begun.elapsed());
            *cpu += machine::cpu_of_children().ok_or(UNKNOWN)?.saturating_sub(before);
        }
    }
    for (engine, wall, cpu) in &figures {
        writeln!(
            text,
            "| {} | {} | {} |",
            engine.name(),
            ms(wall.percentile(50.0)),
            ms(Some(*cpu / STARTS as u32))
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(engine: Engine, millis: u64) -> Figure {
        let mut wall = Samples::default();
        wall.add(Duration::from_millis(millis));
        Figure {
            engine,
            wall,
            cpu: Samples::default(),
            bytes: 0,
            lacks: None,
        }
    }

    #[test]
    fn the_share_is_of_the_faster_peer() {
        let figures = [
            figure(Engine::Pm, 6),
            figure(Engine::Napi, 8),
            figure(Engine::NodeCanvas, 4),
        ];
        assert_eq!(share(&figures, MIDDLE), Some(1.5));
    }
}
