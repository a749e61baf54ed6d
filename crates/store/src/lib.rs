//! SQLite records of the data home: runs, audit, grants, artifacts, events
