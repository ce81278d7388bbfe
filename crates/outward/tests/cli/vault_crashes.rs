//! What is left where `vault enrol`, `vault extract` or `vault rotate` is killed at any call by which it writes, or the disk is full.

mod needs_strace {
    use std::path::Path;
    use std::process::{Command, Output};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::vault::{done, enrolled, vault_command};
    use crate::{stderr, stdout};

    const DATABASE: &str = "pwrite64,pwritev,write,writev,fsync,fdatasync,ftruncate,unlink,unlinkat";
    const FILES: &str = "write,writev,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,symlink,symlinkat";

    /// The files of both stores; those beside the vault where it is another's turn.
    const STORES: [&str; 4] =
        ["vault/identity.db", "vault/identity.db-wal", "vault/research.db", "vault/research.db-wal"];

    fn traced(folder: &Path, args: &[&str], (calls, files): (&str, &[&str]), options: &[&str]) -> Output {
        let own = vault_command(folder, args);
        let mut traced = Command::new("strace");
        traced.args(["-f", "-qq", "-o", "trace", "-e", &format!("trace={calls}")]).args(options);
        for file in files {
            traced.arg("-P").arg(folder.join(file));
        }
        traced.arg(own.get_program()).args(own.get_args()).current_dir(folder);
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => traced.env(name, value),
                None => traced.env_remove(name),
            };
        }
        traced.output().expect("strace is not installed")
    }

    fn copy(from: &Path) -> tempfile::TempDir {
        let to = tempfile::tempdir().unwrap();
        assert!(Command::new("cp").arg("-a").arg(from.join(".")).arg(to.path()).status().unwrap().success());
        to
    }

    fn writes(folder: &Path, args: &[&str], points: (&str, &[&str])) -> usize {
        let folder = copy(folder);
        let done = traced(folder.path(), args, points, &[]);
        assert_eq!(done.status.code(), Some(0), "{}{}", stdout(&done), stderr(&done));
        let trace = std::fs::read_to_string(folder.path().join("trace")).unwrap();
        let mut threads: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        for line in trace.lines().filter(|line| !line.contains("resumed>") && !line.contains("+++")) {
            *threads.entry(line.split_whitespace().next().unwrap()).or_default() += 1;
        }
        threads.into_values().max().unwrap()
    }

    fn killed_at_every_write(
        folder: &Path,
        args: &[&str],
        points: (&str, &[&str]),
        look: impl Fn(&Path) + Sync,
    ) -> usize {
        let count = writes(folder, args, points);
        let killed = AtomicUsize::new(0);
        let of = |half: usize| {
            for number in (1..=count).filter(|number| number % 2 == half) {
                let folder = copy(folder);
                let inject = format!("inject={}:signal=KILL:when={number}", points.0);
                if traced(folder.path(), args, points, &["-e", &inject]).status.code() != Some(0) {
                    killed.fetch_add(1, Ordering::Relaxed);
                }
                look(folder.path());
            }
        };
        std::thread::scope(|scope| [0, 1].map(|half| scope.spawn(move || of(half))).map(|one| one.join().unwrap()));
        killed.into_inner()
    }

    /// How many people an extract has.
    fn people(folder: &Path, bundle: &str) -> usize {
        done(folder, &["extract", "air", "--out", bundle, "--force", "--reason", "a look"]);
        std::fs::read_to_string(folder.join(bundle).join("public/data.csv")).unwrap().lines().count() - 1
    }

    #[test]
    fn an_enrolment_that_is_killed_at_any_write_enrols_all_or_nobody() {
        let desk = enrolled(120);
        let folder = desk.path();
        done(folder, &["application", "air.toml"]);
        let file = std::fs::read_to_string(folder.join("people.csv")).unwrap();
        let more: String = file.lines().take(1).map(|line| format!("{line}\n")).collect();
        let renamed = file.lines().skip(1).take(60).enumerate().map(|(at, line)| {
            let fields: Vec<&str> = line.split(',').collect();
            format!("Q{at},,{}\n", fields[2..].join(","))
        });
        std::fs::write(folder.join("people.csv"), more + &renamed.collect::<String>()).unwrap();
        let enrol = ["enrol", "enrol.toml"];
        let killed = killed_at_every_write(folder, &enrol, (DATABASE, &STORES), |left| {
            let people = self::people(left, "look");
            assert!(people == 120 || people == 180, "{people}");
            // Once more: all, or a word that they are there already.
            let again = vault_command(left, &enrol).output().unwrap();
            match people {
                120 => assert_eq!(again.status.code(), Some(0), "{}", stderr(&again)),
                _ => assert!(crate::refused(&again).contains("in table `people` already")),
            }
            assert_eq!(self::people(left, "look"), 180);
            assert!(done(left, &["audit"]).contains("holds"));
        });
        assert!(killed > 10, "killed {killed} times");
    }

    #[test]
    fn an_extract_that_is_killed_at_any_write_is_whole_or_not_there_and_always_in_the_log() {
        let desk = enrolled(60);
        let folder = desk.path();
        done(folder, &["application", "air.toml"]);
        let extract = ["extract", "air", "--out", "air", "--reason", "an extract"];
        let killed = [(FILES, &[][..]), (DATABASE, &STORES[..])].map(|points| {
            killed_at_every_write(folder, &extract, points, |left| {
                if left.join("air").exists() {
                    let verified = crate::outward(left, &["verify", "air"]);
                    assert_eq!(verified.status.code(), Some(0), "{}{}", stdout(&verified), stderr(&verified));
                    assert!(done(left, &["log"]).contains(": extract application air"));
                }
                // Records as they are in the vault are nowhere outside it.
                for entry in std::fs::read_dir(left)
                    .unwrap()
                    .flatten()
                    .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
                {
                    for file in std::fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                        let name = file.file_name().to_string_lossy().into_owned();
                        let is_records = name.ends_with(".parquet")
                            && std::fs::metadata(file.path()).is_ok_and(|about| about.is_file());
                        assert!(!is_records, "{name}");
                    }
                }
                done(left, &["extract", "air", "--out", "air", "--force", "--reason", "again"]);
                assert!(done(left, &["audit"]).contains("holds"));
            })
        });
        assert!(killed.iter().all(|killed| *killed > 10), "killed {killed:?} times");
    }

    #[test]
    fn a_rotation_that_is_killed_at_any_write_leaves_a_vault_that_opens_and_is_finished_by_the_same_command() {
        let desk = enrolled(30);
        let folder = desk.path();
        done(folder, &["application", "air.toml"]);
        done(folder, &["extract", "air", "--out", "air", "--reason", "before"]);
        let before = std::fs::read_to_string(folder.join("air/public/data.csv")).unwrap();
        let old_key = std::fs::read_to_string(folder.join("vault/root.key")).unwrap();
        let rotate = ["rotate", "--key-file", "vault/new.key", "--reason", "a keeper left"];
        let killed = [(FILES, &[][..]), (DATABASE, &STORES[2..])].map(|points| {
            killed_at_every_write(folder, &rotate, points, |left| {
                // Whichever key the vault is under, it opens, and no identifier changed.
                assert!(done(left, &["audit"]).contains("holds"));
                done(left, &["extract", "air", "--out", "look", "--reason", "a look"]);
                assert_eq!(std::fs::read_to_string(left.join("look/public/data.csv")).unwrap(), before);
                let file = |name: &str| std::fs::read_to_string(left.join("vault").join(name)).unwrap_or_default();
                if !file("vault.toml").contains("new.key") || file("vault.toml").contains("next_key") {
                    done(left, &rotate);
                }
                assert!(file("vault.toml").contains("new.key") && !file("vault.toml").contains("root.key"));
                assert!(done(left, &["audit"]).contains("holds"));
                // The old key opens nothing any more.
                assert_eq!(file("root.key"), old_key);
                std::fs::write(left.join("vault/vault.toml"), file("vault.toml").replace("new.key", "root.key"))
                    .unwrap();
                let refused = crate::refused(&crate::vault::vault(left, &["audit"]));
                assert!(refused.contains("does not open the vault"), "{refused}");
            })
        });
        assert!(killed.iter().all(|killed| *killed > 4), "killed {killed:?} times");
    }
}

mod needs_small_disk {
    use std::process::Command;

    use crate::vault::{desk, done, enrolled, participants_file, vault};
    use crate::{SmallDisk, listing, refused};

    #[test]
    fn an_enrolment_on_a_full_disk_enrols_nobody_and_succeeds_once_there_is_space() {
        let desk = desk(120);
        let folder = desk.path();
        let disk = SmallDisk::mount(&folder.join("disk"), "1500k");
        let at = ["--vault", "disk/vault"];
        let on_disk = |args: &[&str]| vault(folder, &[args, &at[..]].concat());
        let well = |args: &[&str]| done(folder, &[args, &at[..]].concat());
        well(&["init"]);
        well(&["enrol", "enrol.toml"]);
        well(&["application", "air.toml"]);
        std::fs::write(folder.join("people.csv"), participants_file(120..6_000)).unwrap();
        let said = refused(&on_disk(&["enrol", "enrol.toml"]));
        assert!(said.contains("is full") && said.contains("nothing was changed"), "{said}");
        assert!(!said.contains("Planted"), "{said}");
        assert!(well(&["audit"]).contains("holds"));
        let people = |out: &str| {
            well(&["extract", "air", "--out", out, "--reason", "a look"]);
            std::fs::read_to_string(folder.join(out).join("public/data.csv")).unwrap().lines().count() - 1
        };
        let remount = Command::new("mount").args(["-o", "remount,size=32m"]).arg(disk.path()).status();
        assert!(remount.unwrap().success());
        assert_eq!(people("before"), 120);
        well(&["enrol", "enrol.toml"]);
        assert_eq!(people("after"), 6_000);
        assert!(well(&["audit"]).contains("holds"));
    }

    #[test]
    fn an_extract_to_a_full_disk_or_from_one_leaves_no_part_of_a_bundle() {
        let desk = enrolled(300);
        let folder = desk.path();
        done(folder, &["application", "air.toml"]);
        let disk = SmallDisk::mount(&folder.join("disk"), "16k");
        let extract = ["extract", "air", "--out", "disk/air", "--reason", "for a stick"];
        let said = refused(&vault(folder, &extract));
        assert!(said.contains("space"), "{said}");
        assert!(listing(disk.path()).is_empty(), "{:?}", listing(disk.path()));
        // It was begun, which the log says, and not written.
        let log = done(folder, &["log"]);
        assert!(log.contains(": extract application air") && !log.contains(": extracted"), "{log}");
        drop(disk);

        // A vault that cannot log an extract gives none.
        let disk = SmallDisk::mount(&folder.join("full"), "4m");
        assert!(Command::new("cp").args(["-a", "vault", "full/"]).current_dir(folder).status().unwrap().success());
        let rest = std::fs::File::create(disk.path().join("rest")).unwrap();
        let _ = std::io::copy(&mut std::io::repeat(7), &mut &rest);
        let said =
            refused(&vault(folder, &["extract", "air", "--out", "air", "--reason", "x", "--vault", "full/vault"]));
        assert!(said.contains("is full") && !folder.join("air").exists(), "{said}");
        assert!(listing(folder).iter().all(|name| !name.starts_with('.')), "{:?}", listing(folder));
    }
}
