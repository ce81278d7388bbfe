//! How the values of the corpus are made, and in which groups each is written.

/// A sequence of draws that is the same in every run.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub(crate) fn among<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// So many digits, the first of them not 0.
    fn digits(&mut self, count: usize) -> String {
        (0..count).map(|at| char::from(b'0' + if at == 0 { 1 + self.below(9) } else { self.below(10) } as u8)).collect()
    }

    fn letters(&mut self, count: usize, among: &[u8]) -> String {
        (0..count).map(|_| char::from(among[self.below(among.len() as u64) as usize])).collect()
    }

    fn hexadecimal(&mut self, count: usize) -> String {
        self.letters(count, b"0123456789abcdef")
    }
}

const LETTERS: &[u8] = b"ABCEGHJKLMNPRSTWXYZ";
const GIVEN: [&str; 20] = [
    "Mary", "John", "Aisha", "Piotr", "Rhys", "Priya", "Mohammed", "Chloe", "Callum", "Zofia", "Grace", "Ravi", "Emma",
    "Jack", "Olivia", "Harry", "Niamh", "Ewan", "Susan", "Peter",
];
const SURNAMES: [&str; 24] = [
    "Smith",
    "Jones",
    "Patel",
    "Khan",
    "Murphy",
    "Kowalski",
    "Campbell",
    "Begum",
    "Evans",
    "Ahmed",
    "Robinson",
    "Davies",
    "Singh",
    "Wilson",
    "Clarke",
    "Hughes",
    "Lewis",
    "Taylor",
    "Brown",
    "Walker",
    "Wright",
    "Green",
    "Hall",
    "Quillfeather",
];
const FOREIGN: [&str; 24] = [
    "Ylitalo", "Korhonen", "Virtanen", "Laine", "Nieminen", "Haapala", "Rantanen", "Saarinen", "Ojala", "Peltonen",
    "Hietala", "Jokela", "Koskela", "Lehtola", "Mattila", "Niskanen", "Palola", "Rekola", "Savola", "Toivola",
    "Uotila", "Vainio", "Ahola", "Eskola",
];
const STREETS: [&str; 6] =
    ["Mill Lane", "High Street", "Station Road", "Kings Close", "Victoria Avenue", "Abbey Gardens"];

/// A value of the kind of maker named in the corpus, for this record.
pub(crate) fn value(maker: &str, draws: &mut Draws, record: u64) -> String {
    match maker {
        "nhs" => nhs(draws),
        "four-digits" => draws.digits(4),
        "nino" => format!("{}{}{}", draws.among(&["AB", "JG", "PW", "SX"]), draws.digits(6), draws.letters(1, b"ABCD")),
        "card" => {
            let front = format!("4{}", draws.digits(14));
            (0..10).map(|check| format!("{front}{check}")).find(|number| luhn(number)).unwrap()
        }
        "iban" => iban(&format!("WEST{}", draws.digits(14))),
        "account" => format!("{}{}", draws.digits(6), draws.digits(8)),
        "email" => {
            let (given, surname) = (draws.among(&GIVEN).to_lowercase(), draws.among(&SURNAMES).to_lowercase());
            format!("{given}.{surname}{}@example.org", draws.below(100))
        }
        "phone" => format!("07{}{}", 700 + draws.below(200), draws.digits(6)),
        "mobile-without-zero" => format!("77{}", draws.digits(8)),
        "foreign-phone" => format!("+33{}", draws.digits(9)),
        "american-phone" => format!("{}{}{}", 200 + draws.below(700), 200 + draws.below(700), draws.digits(4)),
        "ssn" => format!("{}{}{}", 100 + draws.below(500), draws.digits(2), draws.digits(4)),
        "zip" => format!("{:05}", 10_000 + draws.below(80_000)),
        "zip-with-route" => format!("{:05}-{}", 10_000 + draws.below(80_000), draws.digits(4)),
        "passport" => format!("{}{}", draws.letters(2, LETTERS), draws.digits(7)),
        "mrn" => format!("MRN{}", draws.digits(7)),
        "patient" => format!("P{:05}", record * 7 % 99_991),
        "licence" => format!("{}{}{}", draws.letters(5, LETTERS), draws.digits(6), draws.letters(5, LETTERS)),
        "plate" => format!("{}{}{}", draws.letters(2, LETTERS), 51 + draws.below(20), draws.letters(3, LETTERS)),
        "old-plate" => format!("{}{}{}", draws.letters(1, LETTERS), draws.digits(3), draws.letters(3, LETTERS)),
        "vin" => format!("1HG{}{}{}", draws.letters(2, LETTERS), draws.digits(5), draws.digits(7)),
        "imei" => draws.digits(15),
        "mac" => (0..6).map(|_| draws.hexadecimal(2).to_uppercase()).collect::<Vec<_>>().join(":"),
        "ip" => format!("192.168.{}.{}", 10 + draws.below(240), 10 + draws.below(240)),
        "postcode" => format!(
            "{}{}{}",
            draws.among(&["LS6", "M14", "EH3", "CF10"]),
            draws.below(10),
            draws.letters(2, b"ABDEFGHJ")
        ),
        "latitude" => format!("{}.{}", 50 + draws.below(9), draws.digits(6)),
        "longitude" => format!("-{}.{}", draws.below(5), draws.digits(6)),
        "easting" => draws.digits(6),
        "point" => format!("5{}.{}, -1.{}", draws.below(9), draws.digits(5), draws.digits(5)),
        "grid-reference" => format!("SU{}", draws.digits(6)),
        "uuid" => [8, 4, 4, 4, 12].map(|size| draws.hexadecimal(size)).join("-"),
        "hash" => draws.hexadecimal(32),
        "running" => (record + 1).to_string(),
        "running-from-7000" => (record + 7_000).to_string(),
        "running-with-gaps" => (record * 3 + draws.below(3) + 40).to_string(),
        "record" => format!("{}{}", draws.letters(2, LETTERS), draws.digits(5)),
        "record-or-none" if record.is_multiple_of(3) => "none".to_owned(),
        "record-or-none" => value("record", draws, record),
        "foreign-surname" => draws.among(&FOREIGN).to_owned(),
        "short-record" => format!("K{}", 1_000 + record),
        "padded" => format!("{:07}", draws.below(9_000_000)),
        "up-to-a-million" => draws.below(1_000_000).to_string(),
        // Each event has one, two or three records.
        "event" => format!("2024{:09}", 131_000_000 + record * 2 / 3 * 7_919),
        "repeated-six-digits" => (300_000 + record / 4 * 6_151).to_string(),
        "swedish" => {
            format!("{:02}{:02}{:02}{}", draws.below(100), 1 + draws.below(12), 1 + draws.below(28), draws.digits(4))
        }
        "spanish" => format!("{}{}", draws.digits(8), draws.letters(1, LETTERS)),
        "name" => format!("{} {}", draws.among(&GIVEN), draws.among(&SURNAMES)),
        "surname" => draws.among(&SURNAMES).to_owned(),
        "address" => format!("{} {}", 1 + draws.below(200), draws.among(&STREETS)),
        "username" => format!("{}{}", draws.among(&["blue", "old", "happy", "wild"]), draws.letters(6, b"abcdefghij")),
        "url" => format!("https://example.org/people/{}", draws.letters(8, b"abcdefghij")),
        digits => draws.digits(match digits {
            "six-digits" => 6,
            "seven-digits" => 7,
            "eight-digits" => 8,
            "nine-digits" => 9,
            "ten-digits" => 10,
            "eleven-digits" => 11,
            "twelve-digits" => 12,
            other => panic!("the corpus names `{other}`, which nothing makes"),
        }),
    }
}

/// The groups in which people write a value.
pub(crate) fn groups(maker: &str) -> &'static [usize] {
    match maker {
        "nhs" | "american-phone" => &[3, 3, 4],
        "nino" => &[2, 2, 2, 2, 1],
        "card" | "twelve-digits" => &[4, 4, 4, 4],
        "iban" => &[4, 4, 4, 4, 4, 2],
        "account" => &[2, 2, 2, 8],
        "phone" => &[5, 6],
        "foreign-phone" => &[3, 1, 2, 2, 2, 2],
        "ssn" => &[3, 2, 4],
        "nine-digits" => &[3, 3, 3],
        "passport" | "record" => &[2, 7],
        "seven-digits" | "mrn" => &[3, 7],
        "licence" => &[5, 6, 5],
        "plate" | "old-plate" => &[4, 3],
        "postcode" => &[3, 4],
        "grid-reference" => &[2, 3, 3],
        "swedish" => &[6, 4],
        "spanish" => &[8, 1],
        _ => &[40],
    }
}

fn nhs(draws: &mut Draws) -> String {
    loop {
        let nine = draws.digits(9);
        let sum: u64 = nine.bytes().zip((2..=10).rev()).map(|(byte, weight)| u64::from(byte - b'0') * weight).sum();
        match (11 - sum % 11) % 11 {
            10 => {}
            check => return format!("{nine}{check}"),
        }
    }
}

fn luhn(number: &str) -> bool {
    let digit = |(at, byte): (usize, u8)| {
        let digit = u32::from(byte - b'0') * if at % 2 == 1 { 2 } else { 1 };
        digit / 10 + digit % 10
    };
    number.bytes().rev().enumerate().map(digit).sum::<u32>() % 10 == 0
}

fn iban(account: &str) -> String {
    let spelt = |c: char| c.to_digit(36).unwrap().to_string();
    let rest = |text: String| text.bytes().fold(0, |rest, byte| (rest * 10 + u32::from(byte - b'0')) % 97);
    let number: String = account.chars().chain("GB00".chars()).map(spelt).collect();
    format!("GB{:02}{account}", 98 - rest(number))
}
