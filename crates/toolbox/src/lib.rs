//! Tools: model, sync, modes, environment file, run log

pub mod configure;
pub mod directories;
pub mod env_file;
pub mod failure_text;
pub mod manual;
mod markdown;
pub mod model;
pub mod package_json;
pub mod parameters;
pub mod request;
pub mod run_log;
