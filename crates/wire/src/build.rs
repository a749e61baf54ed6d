//! Which build this is, so that a newer program can take over from an older owner.

use std::time::UNIX_EPOCH;

/// Version and build time of the running executable. Ordered: later builds are greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BuildId {
    version: Vec<u64>,
    built: u64,
}

impl BuildId {
    /// Of this process; the executable's modification time stands for the build time, because
    /// packages keep it and every rebuild changes it.
    pub fn current() -> Self {
        let built = std::env::current_exe()
            .and_then(std::fs::metadata)
            .and_then(|data| data.modified())
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |age| age.as_secs());
        BuildId {
            version: numbers(env!("CARGO_PKG_VERSION")),
            built,
        }
    }

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (version, built) = text.split_once('+')?;
        Some(BuildId {
            version: numbers(version),
            built: built.parse().ok()?,
        })
    }
}

impl std::fmt::Display for BuildId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let version: Vec<String> = self.version.iter().map(u64::to_string).collect();
        write!(f, "{}+{}", version.join("."), self.built)
    }
}

fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_by_version_then_time() {
        let id = |text: &str| BuildId::parse(text).unwrap();
        assert!(id("0.1.0+5") < id("0.1.0+6"));
        assert!(id("0.9.0+9") < id("0.10.0+1"));
        assert_eq!(id(&BuildId::current().to_string()), BuildId::current());
        assert!(BuildId::parse("1.0").is_none());
    }
}
