//! What every room may lean on: the shape of a failure, the data home, settings,
//! atomic file writes, the clock and the event sink.
//!
//! Deliberately not here: anything that knows tools, workers, HTTP or SQLite. A thing
//! belongs here only when at least two rooms need it and it depends on none of them.

pub mod atomic;
pub mod clock;
pub mod event;
pub mod failure;
pub mod home;
pub mod lang;
pub mod name;
pub mod settings;
pub mod text;
pub mod yaml;

pub use event::{Event, EventSink};
pub use failure::{Args, Coded, Failure};
pub use home::{DataHome, HomeError};
pub use lang::{Lang, LiveLang};
pub use settings::Settings;
