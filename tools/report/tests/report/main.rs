//! The tool from outside: directories in, pages, tables and complaints out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod bad_input;
mod cursor;
mod fixture;
mod goals_command;
mod page;
mod threads;
mod usage;
