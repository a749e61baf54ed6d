//! The network as processes get it, with real servers and real clients. Only names are made up:
//! what they lead to is judged by the real check.
#![allow(clippy::unwrap_used, reason = "tests build their own world")]

#[cfg(target_os = "linux")]
mod broker;
mod curl;
mod limits;
mod plain_http;
#[cfg(target_os = "linux")]
mod servers;
mod support;
mod tunnels;
#[cfg(target_os = "linux")]
mod walls;
#[cfg(target_os = "linux")]
#[path = "../support/mod.rs"]
mod world;
