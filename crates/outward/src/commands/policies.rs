//! `outward policies`: the policies that ship with Outward.

use outward_spec::{Policy, Result};

use crate::cli::{OutputFormat, PoliciesArgs};
use crate::output::{Outcome, print, print_json};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &PoliciesArgs) -> Result<Outcome> {
    match (&args.name, session.format) {
        (Some(name), OutputFormat::Json) => print_json(&Policy::named(name)?)?,
        (Some(name), OutputFormat::Text) => print(Policy::shipped_text(name)?)?,
        (None, OutputFormat::Json) => print_json(&Policy::shipped()?)?,
        (None, OutputFormat::Text) => print(&listed(&Policy::shipped()?))?,
    }
    Ok(Outcome::Clean)
}

fn listed(policies: &[Policy]) -> String {
    let mut text = String::new();
    for policy in policies {
        text += &format!("{} (version {})\n  {}\n", policy.name, policy.version, policy.title);
        for tier in &policy.tiers {
            text += &format!("  tier {}: {}\n", tier.name, tier.title);
        }
    }
    text + "\nPrint one with `outward policies NAME`, copy it, and name the copy in a spec: [policy] file = \"mine.toml\"\n"
}
