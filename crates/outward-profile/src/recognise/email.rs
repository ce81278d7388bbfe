//! E-mail addresses.

/// Whether the whole value is an e-mail address.
pub fn is_email(value: &str) -> bool {
    let Some((local, domain)) = value.trim().split_once('@') else { return false };
    is_local(local) && is_domain(domain)
}

fn is_local(local: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-'!#$&*/=?^`{|}~".contains(&byte) || byte >= 0x80;
    (1..=64).contains(&local.len())
        && local.bytes().all(allowed)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

fn is_domain(domain: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let Some((host, ending)) = domain.rsplit_once('.') else { return false };
    domain.len() <= 253 && host.split('.').all(label) && ending.len() >= 2 && ending.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found() {
        for value in ["a@b.uk", "mary.o'neil+census@post.example.co.uk", "JOHN_SMITH@EXAMPLE.COM", " x@y.org "] {
            assert!(is_email(value), "{value}");
        }
    }

    #[test]
    fn near_misses_are_not() {
        for value in
            ["", "@", "a@b", "a@b.c1", "a b@c.uk", "a@@b.uk", ".a@b.uk", "a@-b.uk", "@handle", "5 @ 3.50", "a@b..uk"]
        {
            assert!(!is_email(value), "{value}");
        }
    }
}
