//! Where people were born, by ethnic group.

use std::sync::LazyLock;

use crate::census::labels::{AFRICAN, OTHER_ASIAN, OTHER_GROUP, OTHER_WHITE};
use crate::draw::Choice;
use crate::people::Origin;

const UNITED_KINGDOM: [&str; 4] = ["England", "Wales", "Scotland", "Northern Ireland"];

/// Born in the United Kingdom, per thousand, by ethnic group and age (to 15, to 34, to 64, older).
pub(super) const BORN_IN_UK: [[u32; 4]; 18] = [
    [985, 975, 975, 975],
    [900, 550, 500, 250],
    [950, 900, 880, 850],
    [520, 130, 130, 250],
    [990, 970, 960, 750],
    [900, 650, 600, 500],
    [950, 800, 700, 500],
    [900, 650, 500, 400],
    [850, 500, 270, 60],
    [920, 620, 400, 80],
    [940, 620, 250, 50],
    [700, 180, 140, 50],
    [750, 280, 140, 50],
    [700, 300, 170, 80],
    [950, 850, 700, 150],
    [880, 620, 500, 250],
    [650, 250, 130, 70],
    [700, 250, 150, 120],
];

/// Countries of birth outside the United Kingdom with their weights. Each ethnic group has a row, and more rows for
/// parts that come from elsewhere.
#[rustfmt::skip]
const ABROAD: [&[(&str, u32)]; 23] = [
    // White British.
    &[
        ("Germany", 300), ("South Africa", 120), ("India", 60), ("Cyprus", 70), ("Australia", 80), ("USA", 90),
        ("Ireland", 90), ("Malta", 50), ("Singapore", 40), ("Kenya", 40), ("Canada", 60), ("Hong Kong", 40),
        ("Zimbabwe", 40), ("France", 50), ("New Zealand", 40), ("Spain", 30), ("Zambia", 15), ("Nigeria", 10),
        ("Egypt", 20), ("Malaysia", 15),
    ],
    // Irish.
    &[("Ireland", 960), ("USA", 25), ("Australia", 8), ("Germany", 7)],
    // Gypsy or Irish Traveller.
    &[("Ireland", 600), ("Romania", 250), ("Slovakia", 100), ("Poland", 50)],
    // Other White, not from eastern Europe.
    &[
        ("Italy", 130), ("Germany", 130), ("France", 130), ("Portugal", 110), ("Spain", 100), ("Turkey", 110),
        ("USA", 110), ("South Africa", 90), ("Australia", 80), ("Greece", 50), ("Cyprus", 50), ("Netherlands", 40),
        ("Brazil", 40), ("Canada", 40), ("New Zealand", 40), ("Kosovo", 30), ("Albania", 25), ("Sweden", 35),
        ("Iran", 15), ("Israel", 20), ("Argentina", 10),
    ],
    // White and Black Caribbean.
    &[("Jamaica", 600), ("USA", 150), ("Germany", 150), ("Barbados", 100)],
    // White and Black African.
    &[
        ("South Africa", 250), ("Nigeria", 200), ("Kenya", 100), ("Zimbabwe", 100), ("Germany", 80), ("Ghana", 80),
        ("Somalia", 70), ("Portugal", 60), ("USA", 60),
    ],
    // White and Asian.
    &[
        ("India", 300), ("Pakistan", 100), ("Hong Kong", 100), ("Malaysia", 80), ("Sri Lanka", 70), ("Thailand", 80),
        ("Singapore", 60), ("Philippines", 60), ("USA", 60), ("Iran", 50), ("Germany", 40),
    ],
    // Other Mixed.
    &[
        ("Brazil", 200), ("South Africa", 150), ("USA", 150), ("Mauritius", 120), ("Colombia", 80), ("Portugal", 80),
        ("Philippines", 70), ("Spain", 60), ("France", 60), ("Iran", 30),
    ],
    // Indian.
    &[
        ("India", 740), ("Kenya", 110), ("Uganda", 50), ("Tanzania", 35), ("Mauritius", 20), ("Malaysia", 12),
        ("Zambia", 8), ("Portugal", 8), ("Singapore", 7), ("Italy", 6), ("South Africa", 4),
    ],
    // Pakistani.
    &[
        ("Pakistan", 930), ("Kenya", 15), ("India", 15), ("Saudi Arabia", 12), ("Italy", 10), ("Spain", 8),
        ("Norway", 5), ("Germany", 5),
    ],
    // Bangladeshi.
    &[("Bangladesh", 955), ("Italy", 25), ("India", 12), ("Pakistan", 8)],
    // Chinese.
    &[
        ("China", 440), ("Hong Kong", 300), ("Malaysia", 120), ("Singapore", 40), ("Vietnam", 60), ("Taiwan", 20),
        ("Mauritius", 10), ("Ireland", 10),
    ],
    // Other Asian with Muslim names.
    &[
        ("Afghanistan", 400), ("Pakistan", 90), ("Iran", 140), ("Sri Lanka", 90), ("Malaysia", 90),
        ("Indonesia", 60), ("Saudi Arabia", 30), ("Bangladesh", 60),
    ],
    // African with Christian names.
    &[
        ("Nigeria", 320), ("Ghana", 180), ("Zimbabwe", 160), ("Kenya", 60), ("Uganda", 55), ("South Africa", 45),
        ("DR Congo", 45), ("Ethiopia", 35), ("Sierra Leone", 25), ("Zambia", 20), ("Malawi", 15), ("Eritrea", 25),
        ("Ivory Coast", 8), ("Portugal", 6),
    ],
    // Caribbean.
    &[
        ("Jamaica", 720), ("Barbados", 70), ("Trinidad and Tobago", 70), ("Guyana", 60), ("Saint Lucia", 30),
        ("Grenada", 30), ("Dominica", 20),
    ],
    // Other Black.
    &[
        ("Jamaica", 250), ("Nigeria", 200), ("Ghana", 120), ("USA", 120), ("Somalia", 90), ("Brazil", 60),
        ("France", 50), ("Mauritius", 50), ("Trinidad and Tobago", 60),
    ],
    // Arab.
    &[
        ("Iraq", 280), ("Yemen", 110), ("Saudi Arabia", 100), ("Egypt", 90), ("Libya", 90), ("Syria", 90),
        ("Morocco", 80), ("Algeria", 70), ("Kuwait", 30), ("Lebanon", 40), ("Sudan", 20),
    ],
    // Any other group with Muslim names.
    &[
        ("Iran", 260), ("Iraq", 240), ("Afghanistan", 180), ("Turkey", 160), ("Algeria", 60), ("Sudan", 60),
        ("Israel", 10),
    ],
    // Other White, from eastern Europe.
    &[
        ("Poland", 480), ("Romania", 110), ("Lithuania", 100), ("Latvia", 50), ("Bulgaria", 50), ("Hungary", 50),
        ("Slovakia", 50), ("Russia", 35), ("Ukraine", 20), ("Czechia", 35), ("Albania", 20),
    ],
    // Other Asian with Indian names.
    &[("Sri Lanka", 480), ("Nepal", 260), ("Mauritius", 110), ("India", 150)],
    // Other Asian with Chinese names.
    &[("Philippines", 430), ("Thailand", 140), ("Japan", 130), ("Vietnam", 110), ("South Korea", 90), ("Malaysia", 60)],
    // African with Muslim names.
    &[
        ("Somalia", 520), ("Nigeria", 140), ("Sudan", 90), ("Eritrea", 60), ("Sierra Leone", 60), ("Gambia", 50),
        ("Ethiopia", 50), ("Ghana", 30), ("Netherlands", 20),
    ],
    // Any other group with Latin names.
    &[
        ("Philippines", 250), ("Brazil", 260), ("Colombia", 180), ("Israel", 70), ("Ecuador", 70), ("Bolivia", 50),
        ("Venezuela", 30), ("Japan", 20),
    ],
];

/// The row of `ABROAD` for a family: families of one ethnic group whose names differ come from different countries.
pub(super) fn row(ethnic: usize, origin: Origin) -> usize {
    match (ethnic, origin) {
        (OTHER_WHITE, Origin::EastEuropean) => 18,
        (OTHER_ASIAN | OTHER_GROUP, Origin::Indian) => 19,
        (OTHER_ASIAN, Origin::Chinese) => 20,
        (AFRICAN, Origin::Muslim) => 21,
        (OTHER_GROUP, Origin::SouthEuropean) => 22,
        _ => ethnic,
    }
}

/// The countries that occur, and the choice of one per row of `ABROAD`.
pub(in crate::census) struct Birthplaces {
    /// Labels: the four countries of the United Kingdom, then the others in alphabetical order.
    pub(in crate::census) countries: Vec<&'static str>,
    pub(super) rows: Vec<(Choice, Vec<usize>)>,
}

pub(in crate::census) static BIRTHPLACES: LazyLock<Birthplaces> = LazyLock::new(|| {
    let mut others: Vec<&str> = ABROAD.iter().flat_map(|row| row.iter().map(|&(country, _)| country)).collect();
    others.sort_unstable();
    others.dedup();
    let index = |country: &str| UNITED_KINGDOM.len() + others.partition_point(|&other| other < country);
    let rows = ABROAD
        .iter()
        .map(|row| {
            let weights: Vec<u32> = row.iter().map(|&(_, weight)| weight).collect();
            (Choice::new(&weights), row.iter().map(|&(country, _)| index(country)).collect())
        })
        .collect();
    Birthplaces { rows, countries: UNITED_KINGDOM.into_iter().chain(others.iter().copied()).collect() }
});
