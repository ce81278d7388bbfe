//! How the values of the corpus are written.

/// The value in this spelling; `groups` are those it is written in where marks stand between them.
pub(crate) fn spell(value: &str, spelling: &str, groups: &[usize]) -> String {
    let from_zero = |zero: u32| -> String {
        let digit = |c: char| c.to_digit(10).map_or(c, |digit| char::from_u32(zero + digit).unwrap());
        value.chars().map(digit).collect()
    };
    let one_by_one = |mark: &str| value.chars().map(String::from).collect::<Vec<_>>().join(mark);
    match spelling {
        "run" => value.to_owned(),
        "blank" => with_mark(value, " ", groups),
        "hyphen" => with_mark(value, "-", groups),
        "stop" => with_mark(value, ".", groups),
        "slash" => with_mark(value, "/", groups),
        "underscore" => with_mark(value, "_", groups),
        "comma" => with_mark(value, ",", groups),
        "colon" => with_mark(value, ":", groups),
        "dash" => with_mark(value, "–", groups),
        "no-break-blank" => with_mark(value, "\u{a0}", groups),
        "zero-width" => with_mark(value, "\u{200b}", groups),
        "one-by-one" => one_by_one(" "),
        "one-by-one-hyphen" => one_by_one("-"),
        "arabic-indic" => from_zero(0x660),
        "persian" => from_zero(0x6f0),
        "devanagari" => from_zero(0x966),
        "bengali" => from_zero(0x9e6),
        "fullwidth" => value.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap()).collect(),
        "zero-decimals" => format!("{value}.00"),
        "three-zero-decimals" => format!("{value}.000"),
        "powers-of-ten" => format!("{}.{}E+{:02}", &value[..1], &value[1..], value.len() - 1),
        "name-underscore" => value.replace(' ', "_"),
        "name-stop" => value.to_lowercase().replace(' ', "."),
        "name-hl7" => {
            value.split_once(' ').map(|(given, surname)| format!("{surname}^{given}")).unwrap().to_uppercase()
        }
        "in-quotes" => format!("'{value}'"),
        "small-letters" => value.to_lowercase(),
        "capitals" => value.to_uppercase(),
        "in-braces" => format!("{{{value}}}"),
        "at-in-brackets" => value.replace('@', "(at)"),
        "at-in-square-brackets" => value.replace('@', " [at] ").replace(".org", " dot org"),
        "at-and-dot-in-words" => value.replace('@', " at ").replace(".org", " dot org"),
        "at-with-blanks" => value.replace('@', " @ "),
        "at-encoded" => value.replace('@', "%40"),
        "at-in-underscores" => value.replace('@', "_at_").replace(".org", "_dot_org"),
        "at-in-a-word" => value.replace('@', " at "),
        "thousands" => {
            let mut text = value.to_owned();
            (1..)
                .map(|n| value.len().saturating_sub(3 * n))
                .take_while(|at| *at > 0)
                .for_each(|at| text.insert(at, ','));
            text
        }
        "surname-first" => {
            value.split_once(' ').map(|(given, surname)| format!("{}, {given}", surname.to_uppercase())).unwrap()
        }
        other => panic!("the corpus names the spelling `{other}`, which nothing writes"),
    }
}

/// The value in its groups; what has marks already gets these.
fn with_mark(value: &str, mark: &str, groups: &[usize]) -> String {
    if value.len() > 10 && value.contains(['-', ':']) {
        return value.replace(['-', ':'], mark);
    }
    let mut parts = Vec::new();
    let mut rest = value;
    for size in groups {
        if rest.is_empty() {
            break;
        }
        let (part, behind) = rest.split_at((*size).min(rest.len()));
        parts.push(part);
        rest = behind;
    }
    parts.join(mark)
}
