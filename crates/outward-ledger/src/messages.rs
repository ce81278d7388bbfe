//! Messages about a ledger that cannot be used. No message quotes what is in it.

use outward_error::{Error, Fault};

use crate::store::Form;

/// Where a ledger is.
pub(crate) enum Address {
    Sqlite(String),
    Postgres,
}

impl Address {
    /// The address that a URL stands for.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        match url.split_once(':') {
            Some(("sqlite", file)) if !file.trim_start_matches('/').is_empty() => {
                Some(Self::Sqlite(file.strip_prefix("//").unwrap_or(file).to_owned()))
            }
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => Some(Self::Postgres),
            _ => None,
        }
    }
}

/// What is said of a ledger that cannot be used.
pub(crate) struct Messages(pub(crate) &'static Form);

impl Messages {
    pub(crate) fn wrong_url(&self) -> Error {
        Error::input(format!("this is not the address of a {}", self.0.name))
            .help("write sqlite:FILE, or postgres://user:password@host/database")
            .into()
    }

    pub(crate) fn unreachable(&self, address: &Address, error: &sqlx::Error) -> Error {
        let name = self.0.name;
        let code = match error {
            sqlx::Error::Database(error) => error.code().map(|code| format!(" (code {code})")).unwrap_or_default(),
            sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                ": nothing listens there".to_owned()
            }
            sqlx::Error::Io(_) => ": there is no such host, or it does not answer".to_owned(),
            _ => String::new(),
        };
        match address {
            Address::Sqlite(file) => Error::input(format!("the {name} cannot be opened{code}"))
                .file(file)
                .help(format!(
                    "check that the folder is there, that you may write in it, and that the file is a {name}"
                ))
                .into(),
            Address::Postgres => Error::input(format!("the database of the {name} cannot be reached{code}"))
                .help(
                    "check the address, the user and the password, and that the server is running; nothing was changed",
                )
                .into(),
        }
    }

    pub(crate) fn failed(&self, error: &sqlx::Error) -> Error {
        let name = self.0.name;
        let sqlx::Error::Database(said) = error else {
            return Error::input(format!("the connection to the {name} was lost"))
                .help("run again; nothing was changed")
                .into();
        };
        if said.message().contains("not a database") {
            return self.no_database().into();
        }
        let code = said.code().unwrap_or_default();
        let fault = match &*code {
            "5" | "517" | "55P03" => Error::input(format!("the {name} is locked by another process"))
                .help("wait for it to finish, and run again; nothing was changed"),
            "8" | "1032" => Error::input(format!("the {name} may not be written to"))
                .help("its file or folder is read-only: ask the person who keeps it; nothing was changed"),
            "11" | "26" => Error::input(format!("the file of the {name} is damaged"))
                .help("restore it from a copy, and hold the copy's log against the head that you kept"),
            // 13 is a full disk, 4874 one without room for the index of what SQLite writes ahead.
            "13" | "4874" => {
                Error::input(format!("the disk of the {name} is full")).help("free some space; nothing was changed")
            }
            // The message may quote what is in the ledger, so only its code is told.
            code => Error::input(format!("the database of the {name} refused (code {code})"))
                .help("see whether this user may read and write its tables; nothing was changed"),
        };
        fault.into()
    }

    pub(crate) fn lost(&self) -> Fault {
        Error::input(format!("the connection to the {} was lost", self.0.name)).help("run again; nothing was changed")
    }

    pub(crate) fn no_database(&self) -> Fault {
        Error::input(format!("this file is not a {}", self.0.name)).help("check the path; nothing was changed")
    }

    /// Whether an error says more than that a table is not there.
    pub(crate) fn is_no_database(&self, error: &Error) -> bool {
        error.fault().is_some_and(|fault| fault.what == self.no_database().what)
    }
}
