//! `cargo run -p wire --example bindings -- [--check] FOLDER`: writes or compares `calls.ts`.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut check = false;
    let mut folder = None;
    for argument in std::env::args().skip(1) {
        if argument == "--check" {
            check = true
        } else {
            folder = Some(PathBuf::from(argument))
        }
    }
    let Some(folder) = folder else {
        eprintln!("usage: bindings [--check] FOLDER");
        return ExitCode::from(2);
    };
    let path = folder.join("calls.ts");
    let text = wire::write_bindings();
    if !check {
        return match base::atomic::write_with_dirs(&path, text.as_bytes(), base::atomic::Access::Shared) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                ExitCode::FAILURE
            }
        };
    }
    match std::fs::read_to_string(&path) {
        Ok(found) if found == text => ExitCode::SUCCESS,
        _ => {
            eprintln!(
                "{} is not what the table says: run `cargo xtask bindings`",
                path.display()
            );
            ExitCode::FAILURE
        }
    }
}
