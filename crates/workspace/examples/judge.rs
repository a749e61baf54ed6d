//! Verdicts of commands, one a line of standard input; with `--time`, how long a judgement takes.

use std::io::BufRead;
use std::time::Instant;

const COMMAND: &str = "cd src && for f in *.js; do node \"$f\" --check 2> /dev/null || echo \"bad $f\"; done | tee ../log.txt; git add -A && git commit -m \"remove sudo from $(basename \"$PWD\")\" && npm test -- --watch=false";

fn main() {
    let policy = match workspace::policy::Policy::built_in() {
        Ok(policy) => policy,
        Err(error) => return eprintln!("{error}"),
    };
    if std::env::args().any(|argument| argument == "--time") {
        let mut times: Vec<_> = (0..2000)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(policy.judge(std::hint::black_box(COMMAND)));
                start.elapsed()
            })
            .collect();
        times.sort();
        println!(
            "{} characters: p50 {:?}, p99 {:?}",
            COMMAND.len(),
            times[1000],
            times[1980]
        );
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let verdict = policy.judge(&line);
        println!("{:?}\t{line}\t{:?}", verdict.decision, verdict.findings);
    }
}
