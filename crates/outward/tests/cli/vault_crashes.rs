//! What is left where `vault enrol` or `vault extract` is killed at any call by which it writes.

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
}
