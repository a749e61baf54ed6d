//! The installer of npm packages
