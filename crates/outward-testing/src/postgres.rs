//! A PostgreSQL server for one test: started on a free port, stopped when it is dropped.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// The password of its user.
pub const PASSWORD: &str = "correct-horse";

/// A server with one user, `outward`.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
}

impl Server {
    /// Starts a server.
    pub fn start() -> Self {
        let mut versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
        let programs = versions
            .find_map(|version| Some(version.ok()?.path().join("bin")).filter(|bin| bin.join("initdb").exists()));
        let programs = programs
            .expect("PostgreSQL is not installed: scripts/setup test installs it, scripts/test leaves this out");
        let folder = tempfile::tempdir().expect("the server of the test");
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .expect("the server of the test")
            .local_addr()
            .expect("the server of the test")
            .port();
        let server = Self { programs, folder, port };
        std::fs::write(server.folder.path().join("password"), PASSWORD).expect("the server of the test");
        if is_root() {
            assert!(
                Command::new("chown")
                    .args(["-R", "postgres"])
                    .arg(server.folder.path())
                    .status()
                    .expect("the server of the test")
                    .success()
            );
        }
        let (data, here) = (server.data(), server.folder.path().display());
        server.run(
            "initdb",
            &["-A", "scram-sha-256", "--pwfile", &format!("{here}/password"), "-U", "outward", "-D", &data],
        );
        let options = format!("-p {port} -k {here} -c listen_addresses=127.0.0.1 -c fsync=off");
        let log = format!("{here}/log");
        server.run("pg_ctl", &["-D", &data, "-l", &log, "-o", &options, "-w", "start"]);
        server
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// PostgreSQL refuses to run as root.
    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let output = command.args(arguments).current_dir(self.folder.path()).stdout(std::process::Stdio::null());
        assert!(output.status().expect("the server of the test").success(), "{arguments:?}");
    }

    /// The address of its first database, with a password.
    pub fn address(&self, password: &str) -> String {
        format!("postgres://outward:{password}@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status")
        .is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")))
}
