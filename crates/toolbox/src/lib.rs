//! Tools: model, sync, modes, environment file, run log
