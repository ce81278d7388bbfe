//! What a register holds, as tables of a database.

use outward_ledger::{Form, LOG_TABLES};

/// The tables of a register and the words for it.
pub(crate) static FORM: Form = Form {
    name: "register",
    version_table: "outward_register",
    made_by: "`outward release` and `outward register submit` make a new register",
    migrations: MIGRATIONS,
};

/// The statements that bring a register from one version to the next.
const MIGRATIONS: &[&[&str]] = &[&[
    LOG_TABLES[0],
    LOG_TABLES[1],
    "create table datasets (id bigint primary key, name text not null unique)",
    "create table versions (dataset bigint not null references datasets (id), number bigint not null, sha256 text not null, \
     first_seen text not null, primary key (dataset, number), unique (dataset, sha256))",
    "create table releases (id bigint primary key, dataset bigint not null references datasets (id), version bigint not null, \
     title text not null, kind text not null, state text not null, author text not null, requester text not null, purpose text not null, \
     policy text not null, policy_version text not null, tier text not null, approvals bigint not null, bundle_hash text not null unique, \
     manifest text not null, submitted text not null, released text not null)",
    "create index releases_dataset on releases (dataset, state)",
    "create table files (release_id bigint not null references releases (id), path text not null, content text not null, \
     sha256 text not null, primary key (release_id, path))",
    "create table tables (release_id bigint not null references releases (id), position bigint not null, name text not null, \
     unit text not null, measure text not null, condition text not null, geography text not null, method text not null, \
     cells bigint not null, hidden bigint not null, primary key (release_id, position))",
    "create table table_variables (dataset bigint not null, source text not null, release_id bigint not null, position bigint not null, \
     primary key (dataset, source, release_id, position))",
    "create table decisions (id bigint primary key, release_id bigint not null references releases (id), kind text not null, \
     actor text not null, at text not null, reason text not null, bundle_hash text not null)",
    "create table exceptions (id bigint primary key, release_id bigint not null references releases (id), rule text not null, \
     scope text not null, reason text not null, approver text not null, expires text not null, at text not null, bundle_hash text not null)",
    "create table requests (id bigint primary key, dataset bigint not null references datasets (id), requester text not null, \
     spec_sha256 text not null, tables text not null, findings bigint not null, at text not null)",
    LOG_TABLES[2],
]];
