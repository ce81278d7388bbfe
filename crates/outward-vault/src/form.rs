//! What the two stores of a vault hold, as tables of a database.

use outward_ledger::{Form, LOG_TABLES};

/// Who the participants are: every field sealed by itself, joined to the rest by the PID alone.
pub(crate) static IDENTITY: Form = Form {
    name: "store of identities",
    version_table: "outward_vault_identity",
    made_by: "`outward vault init` makes a new vault",
    migrations: &[&[
        LOG_TABLES[0],
        LOG_TABLES[1],
        LOG_TABLES[2],
        "create table vault (id bigint primary key, number text not null)",
        // Indexes are keyed hashes: equal numbers are found, and no number can be read from them. A field that is not known is empty.
        "create table people (pid bigint primary key, enrolment bigint not null, local_index {bytes} not null unique, \
         nhs_index {bytes} not null unique, local {bytes} not null, nhs_number {bytes} not null, name {bytes} not null, \
         address {bytes} not null, email {bytes} not null, phone {bytes} not null)",
        "create index people_enrolment on people (enrolment)",
    ]],
};

/// What is known of the participants, by PID, and all that was done: applications, grants, withdrawals, the log.
pub(crate) static RESEARCH: Form = Form {
    name: "vault",
    version_table: "outward_vault",
    made_by: "`outward vault init` makes a new vault",
    migrations: &[
        &[
            LOG_TABLES[0],
            LOG_TABLES[1],
            LOG_TABLES[2],
            "create table vault (id bigint primary key, number text not null, wrapped text not null, two_people bigint not null, made text not null)",
            "create table enrolments (id bigint primary key, at text not null, participants bigint not null)",
            // PIDs in the order of their running numbers, packed. A running number is what identifiers are made from; it never leaves the vault.
            "create table participants (first bigint primary key, enrolment bigint not null, pids {bytes} not null)",
            "create table tables (name text primary key, spec text not null, files text not null)",
            // Records in parts, as Parquet: a value takes a tenth of what it would take in a row of the database.
            "create table data (name text not null, enrolment bigint not null, part bigint not null, records bigint not null, \
         content {bytes} not null, primary key (name, enrolment, part))",
            "create table applications (name text primary key, file text not null, at text not null, identifiers text not null, \
         expires text not null)",
            "create table phases (application text not null, phase bigint not null, participants bigint not null, bundle text not null, \
         primary key (application, phase))",
            "create table returned (application text primary key, content {bytes} not null)",
            "create table grants (id bigint primary key, actor text not null, application text not null, other text not null, \
         operation text not null, purpose text not null, expires text not null, cap bigint not null, used bigint not null)",
            "create table approvals (grant_id bigint not null, approver text not null, at text not null, primary key (grant_id, approver))",
            "create table withdrawals (pid bigint not null, level text not null, day text not null, primary key (pid, level))",
            "create table opt_outs (pid bigint primary key)",
        ],
        &[
            // How many identifiers a grant is for in one day; 0 where only its whole number counts.
            "alter table grants add column per_day bigint not null default 0",
            "create table grant_days (grant_id bigint not null, day text not null, used bigint not null, primary key (grant_id, day))",
        ],
    ],
};
