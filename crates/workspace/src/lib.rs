//! Task folders: files by capability handle, commands, history
