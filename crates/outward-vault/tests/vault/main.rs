//! What a vault promises, on SQLite and on PostgreSQL.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cohort;
mod enrolling;
mod extracts;
mod people;
mod phases;
mod secrets;

use outward_vault::Stores;
use tokio::runtime::Runtime;

/// Carries out a statement beside the vault.
pub(crate) async fn raw(address: &str, statement: &str) {
    use sqlx::Connection;
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(address).await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.unwrap();
}

pub(crate) fn sqlite(folder: &std::path::Path) -> Stores {
    let url = |name: &str| format!("sqlite:{}", folder.join(name).display());
    Stores { identity: url("identity.db"), research: url("research.db") }
}

/// A test for each promise on SQLite, and one for all of them on a PostgreSQL server.
macro_rules! on_both {
    ($($module:ident::$fact:ident),* $(,)?) => {
        mod on_sqlite {
            $(
                #[test]
                fn $fact() {
                    let folder = tempfile::tempdir().unwrap();
                    super::Runtime::new().unwrap().block_on(super::$module::$fact(&super::sqlite(folder.path())));
                }
            )*
        }

        mod needs_postgresql {
            use super::*;

            #[test]
            fn all_that_holds_on_sqlite_holds_on_postgresql() {
                let server = outward_testing::postgres::Server::start();
                let address = server.address(outward_testing::postgres::PASSWORD);
                let runtime = Runtime::new().unwrap();
                let mut made = 0..;
                let mut database = || {
                    let name = format!("vault_{}", made.next().unwrap());
                    runtime.block_on(raw(&address, &format!("create database {name}")));
                    format!("{}/{name}", address.trim_end_matches("/postgres"))
                };
                $(
                    println!("{}", stringify!($fact));
                    let stores = Stores { identity: database(), research: database() };
                    runtime.block_on($module::$fact(&stores));
                )*
            }

            /// One database with a schema and a user for each store.
            #[test]
            fn two_schemas_with_users_of_their_own_keep_the_stores_apart() {
                let server = outward_testing::postgres::Server::start();
                let address = server.address(outward_testing::postgres::PASSWORD);
                Runtime::new().unwrap().block_on(async {
                    for user in ["identity", "research"] {
                        raw(&address, &format!("create role {user} login password 'a-password'")).await;
                        raw(&address, &format!("create schema {user} authorization {user}")).await;
                    }
                    let host = address.split_once('@').unwrap().1;
                    let url = |user: &str| format!("postgres://{user}:a-password@{host}?options=-csearch_path%3D{user}");
                    let stores = Stores { identity: url("identity"), research: url("research") };
                    extracts::two_applications_have_other_identifiers_for_everyone(&stores).await;
                    let seen = people::rows(&url("research"), "select count(*) from identity.people").await;
                    assert!(seen.is_err(), "the user of one store reads the other");
                    assert!(people::rows(&url("identity"), "select count(*) from identity.people").await.is_ok());
                });
            }
        }
    };
}

on_both! {
    extracts::a_later_enrolment_keeps_every_identifier,
    extracts::two_applications_have_other_identifiers_for_everyone,
    extracts::an_extract_has_what_was_granted_and_nothing_else,
    extracts::no_extract_has_a_field_that_was_not_granted,
    extracts::two_extracts_side_by_side_do_not_join_by_their_order,
    extracts::rare_codes_stand_in_their_group_and_postcodes_lose_their_end,
    people::identities_are_reversed_with_a_grant_alone,
    people::a_grant_by_the_day_gives_no_more_in_one_day,
    people::a_vault_of_two_people_asks_for_both,
    people::two_applications_are_bridged_with_a_grant_alone,
    people::who_withdraws_is_in_no_later_extract,
    people::who_opts_out_nationally_is_left_out_where_that_is_honoured,
    phases::the_second_phase_waits_for_what_comes_back,
    phases::identifiers_of_both_phases_lead_to_the_same_people,
    phases::researchers_with_both_phases_join_nobody,
    phases::the_second_phase_has_no_field_from_which_a_place_follows,
    enrolling::an_enrolment_that_contradicts_itself_or_the_past_enrols_nobody,
    enrolling::records_come_under_a_hash_of_the_nhs_number,
    enrolling::stores_of_two_days_or_two_vaults_are_told,
    enrolling::another_root_key_opens_nothing_and_rotation_changes_no_identifier,
    enrolling::a_connection_lost_at_any_statement_leaves_nobody_half_enrolled,
    enrolling::a_killed_enrolment_leaves_nobody_half_enrolled,
}
