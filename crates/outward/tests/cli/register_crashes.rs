//! What is left where `release`, `register submit` or `table --register` is killed at any point at which it writes: at every call of the system that
//! touches the register or the bundle, one after the other.

mod needs_strace {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    use crate::tables::desk;
    use crate::{command, json, outward, stderr, stdout};

    const REGISTER: &str = "sqlite:register.db";

    /// The calls by which a database writes.
    const TO_REGISTER: &str = "pwrite64,pwritev,write,writev,fsync,fdatasync,ftruncate,unlink,unlinkat";

    /// The calls by which a folder is made, with files in it, and moved to its place. The database has a thread of its own, which makes none of these.
    const TO_BUNDLE: &str = "write,writev,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat";

    /// Where a command is killed: at which calls that touch which files; any where none are named.
    #[derive(Clone, Copy)]
    struct Points {
        calls: &'static str,
        files: &'static [&'static str],
    }

    const OF_REGISTER: Points =
        Points { calls: TO_REGISTER, files: &["register.db", "register.db-wal", "register.db-shm"] };
    const OF_BUNDLE: Points = Points { calls: TO_BUNDLE, files: &[] };

    fn run(folder: &Path, args: &[&str]) -> Output {
        command(folder, args).env_remove("OUTWARD_REGISTER").env("OUTWARD_ACTOR", "ann").output().unwrap()
    }

    /// The same command under strace, which notes its writes, or kills it at the one of a number.
    fn traced(folder: &Path, args: &[&str], Points { calls, files }: Points, options: &[&str]) -> Output {
        let own = command(folder, args);
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
        traced.env_remove("OUTWARD_REGISTER").env("OUTWARD_ACTOR", "ann").output().expect("strace is not installed")
    }

    /// A folder with everything in another one.
    fn copy(from: &Path) -> tempfile::TempDir {
        let to = tempfile::tempdir().unwrap();
        let copied = Command::new("cp").arg("-a").arg(from.join(".")).arg(to.path()).status().unwrap();
        assert!(copied.success());
        to
    }

    /// How often a thread of a command writes, at most.
    fn writes(folder: &Path, args: &[&str], points: Points) -> usize {
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

    /// Kills a command at its first, second, … write, each time from the same beginning, and looks at what is left.
    fn killed_at_every_write(folder: &Path, args: &[&str], points: Points, look: impl Fn(&Path) + Sync) -> usize {
        let count = writes(folder, args, points);
        let killed = std::sync::atomic::AtomicUsize::new(0);
        let of = |half: usize| {
            for number in (1..=count).filter(|number| number % 2 == half) {
                let folder = copy(folder);
                let inject = format!("inject={}:signal=KILL:when={number}", points.calls);
                let done = traced(folder.path(), args, points, &["-e", &inject]);
                if done.status.code() != Some(0) {
                    killed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
                look(folder.path());
            }
        };
        std::thread::scope(|scope| [0, 1].map(|half| scope.spawn(move || of(half))).map(|one| one.join().unwrap()));
        killed.into_inner()
    }

    /// The states of the releases, of a register whose log holds.
    fn states(folder: &Path) -> Vec<String> {
        let audited = run(folder, &["register", "audit", "--register", REGISTER]);
        assert_eq!(audited.status.code(), Some(0), "{}{}", stdout(&audited), stderr(&audited));
        let listed = json(&run(folder, &["register", "list", "--register", REGISTER, "--format", "json"]));
        let releases = listed["releases"].as_array().unwrap();
        releases.iter().map(|release| release["state"].as_str().unwrap().to_owned()).collect()
    }

    fn spec(variable: &str) -> String {
        format!(
            "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n\
             [[variables]]\nname = \"{variable}\"\n[[tables]]\nname = \"by {variable}\"\nvariables = [\"{variable}\"]\n"
        )
    }

    /// Data, two specs, and a bundle of the first that is submitted and approved.
    fn an_approved_bundle() -> (tempfile::TempDir, PathBuf) {
        let rows = [("north,f", 30), ("north,m", 25), ("south,f", 33), ("south,m", 41)];
        let people =
            rows.iter().fold("area,sex\n".to_owned(), |all, (row, count)| all + &format!("{row}\n").repeat(*count));
        let desk = desk(&[("people.csv", &people), ("a.toml", &spec("area")), ("b.toml", &spec("sex"))]);
        let folder = desk.path().to_owned();
        assert_eq!(outward(&folder, &["table", "a.toml", "--out", "a"]).status.code(), Some(0));
        run(&folder, &["register", "submit", "a", "--register", REGISTER]);
        let approved = run(&folder, &["register", "approve", "1", "--register", REGISTER, "--actor", "bob"]);
        assert_eq!(approved.status.code(), Some(0), "{}", stderr(&approved));
        (desk, folder)
    }

    #[test]
    fn a_release_that_is_killed_at_any_write_is_public_or_is_not() {
        let (_desk, folder) = an_approved_bundle();
        let release = ["release", "a", "--register", REGISTER];
        let killed = killed_at_every_write(&folder, &release, OF_REGISTER, |left| {
            let states = states(left);
            assert!(states == ["approved"] || states == ["released"], "{states:?}");
            let verified = run(left, &["verify", "a"]);
            assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
            let again = run(left, &release);
            assert_eq!(again.status.code(), Some(0), "{}{}", stdout(&again), stderr(&again));
            assert_eq!(self::states(left), ["released"]);
        });
        assert!(killed > 10, "killed {killed} times");
    }

    #[test]
    fn a_bundle_whose_submission_is_killed_at_any_write_is_entered_or_is_not() {
        let (_desk, folder) = an_approved_bundle();
        assert_eq!(run(&folder, &["release", "a", "--register", REGISTER]).status.code(), Some(0));
        assert_eq!(run(&folder, &["table", "b.toml", "--out", "b"]).status.code(), Some(0));
        let submit = ["register", "submit", "b", "--register", REGISTER];
        let killed = killed_at_every_write(&folder, &submit, OF_REGISTER, |left| {
            let states = states(left);
            assert!(states == ["released"] || states == ["released", "submitted"], "{states:?}");
            assert_eq!(run(left, &submit).status.code(), Some(0));
            assert_eq!(self::states(left), ["released", "submitted"]);
        });
        assert!(killed > 10, "killed {killed} times");
    }

    #[test]
    fn a_bundle_whose_making_is_killed_at_any_write_is_whole_or_is_not_there() {
        let (_desk, folder) = an_approved_bundle();
        assert_eq!(run(&folder, &["release", "a", "--register", REGISTER]).status.code(), Some(0));
        let table = ["table", "b.toml", "--register", REGISTER, "--out", "b"];
        let killed = [OF_BUNDLE, OF_REGISTER].map(|points| {
            killed_at_every_write(&folder, &table, points, |left| {
                assert_eq!(states(left), ["released"]);
                if left.join("b").exists() {
                    let verified = run(left, &["verify", "b"]);
                    assert_eq!(verified.status.code(), Some(0), "{}{}", stdout(&verified), stderr(&verified));
                }
                let again = run(left, &["table", "b.toml", "--register", REGISTER, "--out", "b", "--force"]);
                assert_eq!(again.status.code(), Some(0), "{}{}", stdout(&again), stderr(&again));
            })
        });
        assert!(killed.iter().all(|killed| *killed > 10), "killed {killed:?} times");
    }
}
