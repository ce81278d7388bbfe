//! Addresses on the internet.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether the whole value is an IPv4 or IPv6 address.
pub fn is_ip_address(value: &str) -> bool {
    let value = value.trim();
    value.parse::<Ipv4Addr>().is_ok()
        || (value.matches(':').count() >= 2 && value.len() > 6 && value.parse::<Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_and_versions_and_times_are_not() {
        for value in ["192.0.2.17", "2001:db8::8a2e:370:7334"] {
            assert!(is_ip_address(value), "{value}");
        }
        for value in ["1.2.3", "256.1.1.1", "12:30:15", "::", "1.5"] {
            assert!(!is_ip_address(value), "{value}");
        }
    }
}
