//! The arguments of `vault`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Make a new vault: two stores and a key
    Init(InitVaultArgs),
    /// Enrol participants and what is known of them, all or none
    Enrol(EnrolArgs),
    /// Add an application from its file, or change what it may have; without a file, list all
    Application(ApplicationArgs),
    /// Make the records of an application into a bundle
    Extract(ExtractArgs),
    /// Take in what researchers worked out from the first phase of a release in two
    Return(ReturnArgs),
    /// Give somebody leave to reverse identifiers, or to join those of two applications
    Grant(GrantArgs),
    /// Approve a grant as the second person
    Approve(ApproveArgs),
    /// Go back from identifiers of an application to participants, with a grant
    Reverse(ReverseArgs),
    /// Write the identifiers of two applications side by side, with a grant
    Bridge(BridgeArgs),
    /// Enter withdrawals, and find or remove those who withdrew in files that are out
    #[command(subcommand)]
    Withdraw(WithdrawCommand),
    /// Change the root key. No identifier changes
    Rotate(RotateArgs),
    /// Print the log: who did what, to whom, and why
    Log(LogArgs),
    /// Check the log from its first entry, and print its head
    Audit(InVaultArgs),
}

/// Which vault, and who speaks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct InVaultArgs {
    /// The folder of the vault, with its vault.toml [default: the environment variable OUTWARD_VAULT, or `vault`]
    #[arg(long, value_name = "DIR")]
    pub(crate) vault: Option<PathBuf>,
    /// Who does this, for the log [default: the environment variable OUTWARD_ACTOR, or the name you are logged in by]
    #[arg(long, value_name = "NAME")]
    pub(crate) actor: Option<String>,
}

/// Where a new key goes or comes from.
#[derive(Debug, Clone, Default, Args)]
#[group(multiple = false)]
pub(crate) struct NewKeyArgs {
    /// A key file to write, under the passphrase in OUTWARD_VAULT_PASSPHRASE [default: root.key in the vault's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
    /// In its place: two key files, each with one share of the key. The second is under OUTWARD_VAULT_PASSPHRASE_2
    #[arg(long, value_name = "FILE", num_args = 2)]
    pub(crate) key_shares: Option<Vec<PathBuf>>,
    /// In its place: an environment variable that holds the key, 64 hexadecimal digits
    #[arg(long, value_name = "NAME")]
    pub(crate) key_env: Option<String>,
    /// In its place: a command that prints the key, so that a key service can keep it
    #[arg(long, value_name = "COMMAND")]
    pub(crate) key_command: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InitVaultArgs {
    #[command(flatten)]
    pub(crate) key: NewKeyArgs,
    /// An environment variable with the address of a PostgreSQL database for who the participants are [default: a file in the folder]
    #[arg(long, value_name = "NAME", requires = "research_database")]
    pub(crate) identity_database: Option<String>,
    /// The same for what is known of them: another database, or another schema with another user
    #[arg(long, value_name = "NAME", requires = "identity_database")]
    pub(crate) research_database: Option<String>,
    /// A grant holds only once a second person has approved it
    #[arg(long)]
    pub(crate) two_people: bool,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EnrolArgs {
    /// The enrolment file: who the participants are, and the tables of what is known of them
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ApplicationArgs {
    /// The application file: what it may have, of whom, and until when
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The policy it comes under: a policy file, or one that ships
    #[arg(long, value_name = "POLICY", default_value = "uk-biobank")]
    pub(crate) policy: String,
    /// Who approved it, or why it changes
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

/// A phase of a release in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PhaseNumber {
    /// Places alone
    #[value(name = "1")]
    One,
    /// Everything else, under other identifiers
    #[value(name = "2")]
    Two,
}

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// The application
    #[arg(value_name = "APPLICATION")]
    pub(crate) application: String,
    /// The bundle to write; of several tables, a folder with a bundle for each
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Only this table; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Vec<String>,
    /// Only these fields of the table
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// The phase, of a release in two
    #[arg(long, value_enum)]
    pub(crate) phase: Option<PhaseNumber>,
    /// The policy: a policy file, or one that ships
    #[arg(long, value_name = "POLICY", default_value = "uk-biobank")]
    pub(crate) policy: String,
    /// Write the records as Parquet in place of CSV
    #[arg(long)]
    pub(crate) parquet: bool,
    /// Replace a bundle that is there already
    #[arg(long)]
    pub(crate) force: bool,
    /// What it is made for, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReturnArgs {
    /// The application
    #[arg(value_name = "APPLICATION")]
    pub(crate) application: String,
    /// What came back: a file with a column `eid` and numbers
    #[arg(value_name = "FILE")]
    pub(crate) results: PathBuf,
    /// The bundle that went out as the first phase
    #[arg(long, value_name = "BUNDLE")]
    pub(crate) phase_one: PathBuf,
    /// Where it comes from, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

/// What a grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrantedOperation {
    /// From an identifier to the PID
    Pid,
    /// From an identifier to the person
    Person,
    /// The identifiers of two applications side by side
    Bridge,
}

#[derive(Debug, Args)]
pub(crate) struct GrantArgs {
    /// The application whose identifiers
    #[arg(value_name = "APPLICATION")]
    pub(crate) application: String,
    /// Who may do it
    #[arg(long, value_name = "NAME")]
    pub(crate) to: String,
    /// What they may do
    #[arg(long, value_enum)]
    pub(crate) operation: GrantedOperation,
    /// The other application, of a bridge
    #[arg(long, value_name = "APPLICATION", default_value = "")]
    pub(crate) with: String,
    /// The last day on which they may, such as 2026-12-31
    #[arg(long, value_name = "DAY")]
    pub(crate) expires: String,
    /// How many identifiers in all
    #[arg(long, value_name = "N")]
    pub(crate) cap: u64,
    /// How many identifiers in one day [default: as many as in all]
    #[arg(long, value_name = "N")]
    pub(crate) per_day: Option<u64>,
    /// What for
    #[arg(long, value_name = "TEXT")]
    pub(crate) purpose: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The number of the grant
    #[arg(value_name = "GRANT")]
    pub(crate) grant: i64,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

/// A set of identifiers of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetName {
    /// That of an application without phases
    Main,
    /// That of the first phase
    PhaseOne,
    /// That of the second phase
    PhaseTwo,
}

#[derive(Debug, Args)]
pub(crate) struct ReverseArgs {
    /// The number of the grant
    #[arg(value_name = "GRANT")]
    pub(crate) grant: i64,
    /// The identifiers: a file with a column `eid`
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The set the identifiers are of
    #[arg(long, value_enum, default_value_t = SetName::Main)]
    pub(crate) set: SetName,
    /// Stop at the PID: for a grant that goes no further
    #[arg(long)]
    pub(crate) pid: bool,
    /// The CSV file to write, for your eyes alone
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BridgeArgs {
    /// The number of the grant
    #[arg(value_name = "GRANT")]
    pub(crate) grant: i64,
    /// The CSV file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WithdrawCommand {
    /// Enter withdrawals from a file with the columns `id`, `level` and `day`
    Enter(EnterWithdrawalsArgs),
    /// Find those who withdrew in files of an application; exit code 1 if there are any
    Check(TreeArgs),
    /// Remove those who withdrew from CSV and Parquet files of an application, and leave a receipt
    Apply(ApplyArgs),
    /// Send and take in the list of the national data opt-out
    #[command(subcommand)]
    OptOuts(OptOutsCommand),
}

#[derive(Debug, Args)]
pub(crate) struct EnterWithdrawalsArgs {
    /// The file: your own identifier of a participant, a level, and the day from which it holds. Levels: no-further-contact, no-further-access,
    /// no-further-use
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Where it comes from, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// The application whose files they are
    #[arg(value_name = "APPLICATION")]
    pub(crate) application: String,
    /// Files, and folders with all files in them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// The column of identifiers [default: every column most of whose values are identifiers of the application]
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub(crate) tree: TreeArgs,
    /// The receipt to write: which files changed, by how many records and from which hash to which
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OptOutsCommand {
    /// Write the NHS numbers of all participants as the service takes them
    Export {
        /// The file to write, for your eyes alone
        #[arg(long, short, value_name = "FILE")]
        out: PathBuf,
        /// Why, for the log
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        within: InVaultArgs,
    },
    /// Take in the list that came back: who is not on it has opted out
    Import {
        /// The file that was sent
        #[arg(long, value_name = "FILE")]
        sent: PathBuf,
        /// The file that came back
        #[arg(value_name = "FILE")]
        back: PathBuf,
        /// Why, for the log
        #[arg(long, value_name = "TEXT")]
        reason: String,
        #[command(flatten)]
        within: InVaultArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RotateArgs {
    #[command(flatten)]
    pub(crate) key: NewKeyArgs,
    /// Why, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Only entries after the one of this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) after: i64,
    #[command(flatten)]
    pub(crate) within: InVaultArgs,
}
