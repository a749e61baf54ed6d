//! Secrets that do not stand in the files that need them: [`Vault`] takes a value, keeps it in the
//! system's keychain or encrypted in a file of its own, and gives a [`Reference`] to write instead.
//!
//! A room of its own because two others need it (tools' `.env`, keys of model services) and because it
//! links D-Bus, which neither `base` nor `pm-worker` may.
//!
//! **What this protects against.** The keychain: against whoever reads the disk or a copy of the data
//! home while the person is not logged in. The file: its key lies beside it (`secrets/key`), so it
//! protects copies and backups of single files — a `.env` that is sent to somebody, `kept.json` alone —
//! and *not* against a program of the same user, nor against a copy of the whole data home.
//!
//! **Order.** `kept.json` is the index of all that is kept, in either place, and the journal: the row is
//! written first, then the keychain's entry, then the caller writes the reference; what was replaced goes
//! last. Killed anywhere, what is named is there, and what nobody names is removed by [`Vault::sweep`].
//!
//! Every call may wait for the disk and, within a limit, for the keychain: callers on async threads move
//! it off. Deliberately not here: which values are secrets, and where references are written.

mod error;
mod file;
mod keychain;
mod reference;
mod vault;

pub use error::SecretError;
pub use reference::{Owner, Place, Reference};
pub use vault::{Patience, Vault};
