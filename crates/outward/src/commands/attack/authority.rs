//! Who authorised an attack. There is no attack without authority.

use outward_spec::{Error, Result, Scenario};

use crate::cli::AttackArgs;

/// Who authorised this attack.
pub(super) fn of_attack(args: &AttackArgs, scenario: &Scenario) -> Result<String> {
    let said = args.authorised_by.as_ref().or(scenario.authorised_by.as_ref());
    let said = said.map(|who| who.trim()).filter(|who| !who.is_empty());
    said.map(str::to_owned).ok_or_else(|| {
        Error::input("nobody authorised this attack")
            .help(
                "say who did with --authorised-by \"NAME, OFFICE\", or with `authorised_by` in the scenario. Looking for people in a release without \
                 the consent of its custodian is an offence in the United Kingdom (Data Protection Act 2018, section 171)",
            )
            .into()
    })
}
