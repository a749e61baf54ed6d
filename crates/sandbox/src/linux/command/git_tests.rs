use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place {
            dir: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(place.path("ws")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    /// What `git init` makes.
    fn repository(&self, place: &str) {
        for folder in ["hooks", "objects", "refs"] {
            std::fs::create_dir_all(self.path(place).join(folder)).unwrap();
        }
        self.write(&format!("{place}/HEAD"), "ref: refs/heads/main\n");
        self.write(&format!("{place}/config"), "[core]\n\tbare = false\n");
        self.write(&format!("{place}/hooks/pre-push.sample"), "#!/bin/sh\n");
        self.runs(&format!("{place}/hooks/pre-push.sample"));
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    fn runs(&self, name: &str) {
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn look(&self) -> Found {
        look(&self.path("ws")).unwrap()
    }

    fn said(&self, before: &Found) -> Vec<String> {
        let dangers = before.clean().dangers;
        let line = |danger: GitDanger| format!("{} {}", danger.place.display(), danger.what.join(" "));
        dangers.into_iter().map(line).collect()
    }
}

/// What must be gone, by its path.
fn naive(unwanted: &[PathBuf]) {
    for path in unwanted {
        let _ = std::fs::remove_file(path);
    }
}

#[test]
fn what_came_is_removed_where_it_was_held_whatever_lies_at_its_path_now() {
    for by_path in [true, false] {
        let place = Place::new();
        place.repository("ws/.git");
        // A linked worktree of the person: this file is what makes it one.
        place.write("mine/commondir", "../..\n");
        let found = place.look();
        place.write("ws/.git/commondir", "../evil\n");
        // Another command in the same workspace, which began before there was a repository.
        std::fs::rename(place.path("ws/.git"), place.path("ws/moved")).unwrap();
        symlink(place.path("mine"), place.path("ws/.git")).unwrap();
        match by_path {
            true => naive(&[
                place.path("ws/.git/commondir"),
                place.path("ws/.git/config.worktree"),
            ]),
            false => assert_eq!(found.clean().removed, [place.path("ws/.git/commondir")]),
        }
        assert_eq!(place.path("mine/commondir").exists(), !by_path);
        assert_eq!(place.path("ws/moved/commondir").exists(), by_path);
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_goes_too_and_no_link_is_followed() {
    let place = Place::new();
    place.repository("ws/.git");
    place.write("outside/kept", "x");
    let found = place.look();
    place.write("ws/.git/commondir/file", "x");
    symlink(place.path("outside"), place.path("ws/.git/commondir/link")).unwrap();
    symlink(place.path("outside"), place.path("ws/.git/config.worktree")).unwrap();
    assert_eq!(found.clean().removed.len(), 2);
    assert!(!place.path("ws/.git/commondir").exists() && !place.path("ws/.git/config.worktree").is_symlink());
    assert!(place.path("outside/kept").exists());
}

fn held(found: &Found) -> Vec<String> {
    let line = |(part, _): &(GitPart, _)| format!("{} {:?}", part.name.display(), part.guard);
    found.parts.iter().map(line).collect()
}

#[test]
fn every_repository_of_a_workspace_is_held() {
    let place = Place::new();
    place.repository("ws/.git");
    place.repository("ws/.git/modules/part");
    place.write("ws/part/.git", "gitdir: ../.git/modules/part\n");
    place.write("ws/.git/worktrees/w/commondir", "../..\n");
    place.write("ws/.git/worktrees/w/gitdir", "/elsewhere/.git\n");
    place.write("ws/.git/worktrees/w/config.worktree", "");
    place.repository("ws/a/b/c/.git");
    std::fs::remove_dir_all(place.path("ws/a/b/c/.git/hooks")).unwrap();
    place.repository("ws/bare");
    // One that a command made so that nothing could be started any more.
    place.repository("ws/odd/.git");
    std::fs::remove_dir_all(place.path("ws/odd/.git/hooks")).unwrap();
    symlink("/tmp", place.path("ws/odd/.git/hooks")).unwrap();
    let found = place.look();
    let held = held(&found);
    for part in [
        ".git Keep",
        ".git/hooks ReadOnly",
        ".git/config ReadOnly",
        ".git/modules/part Keep",
        ".git/modules/part/hooks ReadOnly",
        ".git/modules/part/config ReadOnly",
        "part/.git ReadOnly",
        ".git/worktrees/w Keep",
        ".git/worktrees/w/commondir ReadOnly",
        ".git/worktrees/w/gitdir ReadOnly",
        ".git/worktrees/w/config.worktree ReadOnly",
        "a/b/c/.git Keep",
        "a/b/c/.git/hooks Empty",
        "a/b/c/.git/config ReadOnly",
        "bare/config ReadOnly",
        "odd/.git/config ReadOnly",
    ] {
        assert!(held.iter().any(|held| held == part), "{part}: {held:#?}");
    }
    assert!(
        !held.iter().any(|held| held.starts_with("odd/.git/hooks")),
        "{held:#?}"
    );
    place.write("ws/a/b/c/.git/config.worktree", "[core]\nfsmonitor = x\n");
    assert_eq!(
        found.clean().removed,
        [place.path("ws/a/b/c/.git/config.worktree")]
    );
}

#[test]
fn what_a_command_left_for_git_to_run_is_said_once() {
    let place = Place::new();
    place.repository("ws/.git");
    // The person's own.
    place.write("ws/.git/hooks/pre-commit", "#!/bin/sh\n");
    place.runs("ws/.git/hooks/pre-commit");
    let before = place.look();
    place.repository("ws/plain/.git");
    assert_eq!(place.said(&before), Vec::<String>::new(), "git init is no danger");
    place.repository("ws/made/.git");
    place.write("ws/made/.git/hooks/post-checkout", "#!/bin/sh\n");
    place.write("ws/made/.git/hooks/README", "not a program");
    place.runs("ws/made/.git/hooks/post-checkout");
    place.repository("ws/set/.git");
    place.write("ws/set/.git/config", "[core]\n\tfsmonitor = ./evil\n");
    // git takes it for a repository by its looks.
    place.repository("ws/looks/like");
    place.write(
        "ws/looks/like/config",
        "[core]\nbare = false\nworktree = .\nhooksPath = ../x\n",
    );
    place.write("ws/to/.git", "gitdir: ../looks/like\n");
    std::fs::create_dir(place.path("ws/by")).unwrap();
    symlink("../looks/like", place.path("ws/by/.git")).unwrap();
    place.repository("ws/led/.git");
    place.write("ws/led/.git/commondir", "../../looks/like\n");
    let mut said = place.said(&before);
    said.sort();
    assert_eq!(
        said,
        [
            "by/.git .git -> ?",
            "led/.git commondir",
            "looks/like config: core.hookspath",
            "made/.git hooks/post-checkout",
            "set/.git config: core.fsmonitor",
        ]
    );
    assert_eq!(place.said(&place.look()), Vec::<String>::new(), "known by now");
}

#[test]
fn a_search_ends() {
    let place = Place::new();
    place.repository("ws/.git");
    let deep = "d/".repeat(40);
    place.repository(&format!("ws/{deep}.git"));
    symlink(place.path("ws"), place.path("ws/again")).unwrap();
    assert_eq!(place.look().seen.len(), 1);
    for at in 0..200 {
        place.repository(&format!("ws/many/{at}/.git"));
    }
    assert!(place.look().seen.len() <= 64);
}
