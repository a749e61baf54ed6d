//! Agent Skills (agentskills.io): folders with a `SKILL.md`, kept beside the prompts and given to other
//! programs by putting them into the folders in which those look for skills.
//!
//! The folders are the truth, as the files of prompts are. Three things hold whatever happens: what is
//! not ours is not changed without a person's word; what a person replaces or removes can be brought
//! back ([`Kept`] folders, texts in the history); a kill at any moment leaves a skill as it was before
//! or as it is after, in every place, and the next [`Skills::sync`] puts right what it left behind.
//!
//! Deliberately not here: running what lies in a skill, archives (nothing in the workspace reads zip
//! with limits), and which clients a person turned on (`settings.json`).

mod clients;
mod compare;
mod error;
mod import;
mod kept;
mod library;
mod look;
mod moves;
mod name;
mod read;
mod resolve;
mod state;
mod sync;
mod tree;
mod versions;

pub use clients::{CLIENTS, Client};
pub use compare::{Compared, Side};
pub use error::SkillError;
pub use import::{Imported, Outcome};
pub use kept::Kept;
pub use library::{Detail, Places, Skill, Skills, TEXT};
pub use look::{Place, Standing, Target};
pub use name::SkillName;
pub use read::{Front, Problem};
pub use resolve::Take;
pub use sync::Phase;
pub use tree::{Head, Node, Tree};
pub use versions::Replaced;
