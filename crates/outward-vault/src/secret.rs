//! Bytes that nobody may read: they are overwritten when they are no longer needed, and no output shows them.

use std::fmt;

use outward_error::{Error, Result};
use zeroize::Zeroizing;

/// `N` secret bytes. `Debug` shows only how many there are, and there is no `Display`.
#[derive(Clone)]
pub struct Secret<const N: usize>(Zeroizing<[u8; N]>);

impl<const N: usize> Secret<N> {
    /// Takes the bytes.
    pub fn new(bytes: [u8; N]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Draws the bytes from the operating system.
    ///
    /// # Errors
    /// If the operating system gives no random numbers.
    pub fn draw() -> Result<Self> {
        let mut secret = Self::new([0; N]);
        fill_at_random(&mut secret.0[..])?;
        Ok(secret)
    }

    /// The bytes, for a cipher.
    pub(crate) fn expose(&self) -> &[u8; N] {
        &self.0
    }

    /// The bytes, to be filled.
    pub(crate) fn expose_mut(&mut self) -> &mut [u8; N] {
        &mut self.0
    }
}

impl<const N: usize> fmt::Debug for Secret<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({N} bytes)")
    }
}

/// Fills bytes with random numbers of the operating system.
pub(crate) fn fill_at_random(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|_| {
        Error::input("the operating system gives no random numbers")
            .help("a vault cannot make keys without them: run on a machine that has them")
            .into()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_shows_its_bytes() {
        let secret = Secret::new([0xAB; 32]);
        assert_eq!(format!("{secret:?}"), "Secret(32 bytes)");
    }

    #[test]
    fn two_drawn_secrets_differ() {
        assert_ne!(Secret::<32>::draw().unwrap().expose(), Secret::<32>::draw().unwrap().expose());
    }
}
