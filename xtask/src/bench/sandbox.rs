//! What walls cost: commands in each tier beside the same ones without walls, how soon a command over
//! its limit is dead with all that it started, many at once, and files by handle beside plain ones.
//! Two examples measure (`command_costs`, `file_timing`); they fail when the answers differ.

use crate::{Outcome, proc};
use serde_json::Value;
use std::fmt::Write as _;

const TIERS: &[(&str, &str)] = &[("full", "10"), ("reduced", "1")];

pub fn run() -> Outcome<String> {
    proc::run(proc::cargo().args(["build", "--release", "-p", "runtime", "--bin", "pm-worker"]))?;
    proc::run(proc::cargo().args([
        "build",
        "--release",
        "-p",
        "sandbox",
        "--example",
        "command_costs",
        "-p",
        "workspace",
        "--example",
        "file_timing",
    ]))?;
    let examples = proc::target("release").join("examples");
    let mut costs = proc::program(examples.join("command_costs"));
    let commands = proc::capture(costs.arg(proc::built("release", "pm-worker")))?;
    let files = proc::capture(&mut proc::program(examples.join("file_timing")))?;
    report(&parsed(&commands)?, &parsed(&files)?)
}

fn parsed(text: &str) -> Outcome<Value> {
    let line = text.lines().last().ok_or("the example printed nothing")?;
    Ok(serde_json::from_str(line)?)
}

fn report(commands: &Value, files: &Value) -> Outcome<String> {
    let mut text = format!(
        "Each tier and the plain command take turns in {} rounds; all answered the same. Over plain: of the two\n\
         in one round. The command is `sh -c` with two `echo` and an exit code; {} groups of the kernel were\n\
         found for limits on all processes together.\n\n\
         | tier | plain, p50 ms | p95 | walled, p50 | p95 | over plain, p50 | p95 | goal (p50) |\n\
         |---|---|---|---|---|---|---|---|\n",
        commands["rounds"], commands["groups"]
    );
    for (tier, goal) in TIERS {
        let row = &commands["spawn"][tier];
        if row.is_null() {
            writeln!(
                text,
                "| {tier} | not to be had on this machine | | | | | | {goal} |"
            )?;
            continue;
        }
        write!(text, "| {tier} ")?;
        for what in ["plain", "time", "over_plain"] {
            write!(text, "| {} | {} ", ms(&row[what], "p50")?, ms(&row[what], "p95")?)?;
        }
        writeln!(text, "| {goal} |")?;
    }
    text.push_str(
        "\nFrom the limit of time until the last process is dead (in front, nohup, setsid, double fork, deaf to\n\
         signals):\n\n| tier | p50, ms | p95, ms | most | of | left alive | goal |\n|---|---|---|---|---|---|---|\n",
    );
    let left = &commands["ends"]["plain_left_alive"];
    writeln!(
        text,
        "| none, its process group killed | | | | 5 | {left} processes | |"
    )?;
    for (tier, _) in TIERS {
        let row = &commands["ends"][tier];
        if !row.is_null() {
            writeln!(
                text,
                "| {tier} | {} | {} | {} | {} | 0 | 500 |",
                ms(row, "p50")?,
                ms(row, "p95")?,
                ms(row, "most")?,
                row["count"]
            )?;
        }
    }
    let many = &commands["at_once"];
    writeln!(
        text,
        "\n{} commands at once, all answers as without walls:\n\n| tier | all of them, ms |\n|---|---|",
        many["commands"]
    )?;
    for tier in ["plain", "full", "reduced"] {
        if !many[tier].is_null() {
            writeln!(text, "| {tier} | {:.0} |", number(many, tier)?)?;
        }
    }
    for (kind, goal) in [("reads", "5"), ("writes", "")] {
        writeln!(
            text,
            "\n| {kind} of a small file | us | over plain | goal |\n|---|---|---|---|"
        )?;
        let rows = files[kind].as_array().ok_or("file_timing gave no rows")?;
        for (at, row) in rows.iter().enumerate() {
            let name = row["name"].as_str().unwrap_or_default();
            let over = match at {
                0 => String::new(),
                _ => format!("{:.1}", number(row, "over_plain_us")?),
            };
            let goal = if at == 1 { goal } else { "" };
            writeln!(text, "| {name} | {:.1} | {over} | {goal} |", number(row, "us")?)?;
        }
    }
    Ok(text)
}

fn ms(of: &Value, name: &str) -> Outcome<String> {
    Ok(format!("{:.2}", number(of, name)?))
}

fn number(of: &Value, name: &str) -> Outcome<f64> {
    of[name]
        .as_f64()
        .ok_or_else(|| format!("no figure {name} in {of}").into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_figure_has_its_row_and_a_missing_one_is_an_error() {
        let times = json!({"p50": 2.5, "p95": 4.0, "most": 5.0, "count": 50});
        let tier = json!({"plain": times, "time": times, "over_plain": times});
        let mut commands = json!({
            "rounds": 200, "groups": 2,
            "spawn": {"full": tier},
            "ends": {"plain_left_alive": 6, "full": times},
            "at_once": {"commands": 200, "plain": 301.4, "full": 900},
        });
        let row = |name, us| json!({"name": name, "us": us, "over_plain_us": us - 1.0});
        let files = json!({"reads": [row("open and read", 5.0), row("by handle", 8.0)], "writes": [row("write", 9.0)]});
        let text = report(&commands, &files).unwrap();
        for line in [
            "| full | 2.50 | 4.00 | 2.50 | 4.00 | 2.50 | 4.00 | 10 |",
            "| reduced | not to be had on this machine | | | | | | 1 |",
            "| none, its process group killed | | | | 5 | 6 processes | |",
            "| plain | 301 |",
            "| by handle | 8.0 | 7.0 | 5 |",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        commands["spawn"]["full"]["time"] = json!({});
        assert!(report(&commands, &files).is_err());
    }
}
