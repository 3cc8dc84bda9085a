//! Identifiers in the formats of the network, from a seed.
//!
//! Responsible for: CIDs (base32 over sha2-256), task, context and message ids, signatures that look like some. Equal seeds
//! give equal ids in equal order. Not for: keeping them. Serves control-plane 2.0.

use sha2::{Digest, Sha256};

/// The codec byte of dag-cbor; with it a CID begins `bafyrei`.
const DAG_CBOR: u8 = 0x71;
/// The codec byte of raw bytes; with it a CID begins `bafkrei`.
const RAW: u8 = 0x55;

/// RFC 4648 base32 in lower case, without padding.
pub fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut out = String::with_capacity((bytes.len() * 8).div_ceil(5));
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(ALPHABET[((held >> bits) & 31) as usize]));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        out.push(char::from(ALPHABET[((held << (5 - bits)) & 31) as usize]));
    }
    out
}

fn cid_of(codec: u8, content: &[u8]) -> String {
    let mut bytes = vec![0x01, codec, 0x12, 0x20];
    bytes.extend_from_slice(&Sha256::digest(content));
    format!("b{}", base32(&bytes))
}

/// The CID of a signed object: `bafyrei` and 52 more.
pub fn cid(content: impl AsRef<[u8]>) -> String {
    cid_of(DAG_CBOR, content.as_ref())
}

/// The CID of a file's bytes: `bafkrei` and 52 more.
pub fn raw_cid(content: impl AsRef<[u8]>) -> String {
    cid_of(RAW, content.as_ref())
}

/// The AID of an invented party: the same name gives the same AID in every world.
pub fn aid(name: &str) -> String {
    cid(format!("party of the mock network: {name}"))
}

/// 64 bytes that stand for an Ed25519 signature over the content, in base64.
pub fn signature(content: impl AsRef<[u8]>) -> String {
    let first = Sha256::digest(content.as_ref());
    let second = Sha256::digest(first);
    let mut bytes = first.to_vec();
    bytes.extend_from_slice(&second);
    base64(&bytes)
}

/// Standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Lower-case hex of the first `bytes` bytes of a digest.
pub fn hex_digest(content: impl AsRef<[u8]>, bytes: usize) -> String {
    use std::fmt::Write as _;
    Sha256::digest(content.as_ref()).iter().take(bytes).fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("writing to a string does not fail");
        out
    })
}

/// Whether a card's `kid` could carry this as an AID; that it exists is for the hub to say.
pub fn admissible_aid(text: &str) -> bool {
    (1..=256).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-'))
}

/// Whether a task id may stand in a command line that a person will copy (section 4.1).
pub fn plain_task_id(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.as_bytes()[0].is_ascii_alphanumeric()
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'))
}

/// A source of ids.
#[derive(Clone, Debug)]
pub struct Ids {
    seed: u64,
    made: u64,
}

impl Ids {
    /// Ids from a seed.
    pub fn new(seed: u64) -> Self {
        Self { seed, made: 0 }
    }

    fn hex(&mut self, kind: &str) -> String {
        self.made += 1;
        hex_digest(format!("{kind}/{}/{}", self.seed, self.made), 16)
    }

    /// A new task id: `ix_` and 32 hex characters.
    pub fn task(&mut self) -> String {
        format!("ix_{}", self.hex("task"))
    }

    /// A new context id: `ctx_` and 32 hex characters.
    pub fn context(&mut self) -> String {
        format!("ctx_{}", self.hex("context"))
    }

    /// A new message id: 32 hex characters.
    pub fn message(&mut self) -> String {
        self.hex("message")
    }

    /// A hub's transaction id.
    pub fn transaction(&mut self) -> String {
        format!("tx_{}", self.hex("transaction"))
    }

    /// A new CID of some signed object.
    pub fn cid(&mut self, kind: &str) -> String {
        cid(self.hex(kind))
    }

    /// A mark that only this source makes for this text: what makes page tokens its own.
    pub fn seal(&self, text: &str) -> String {
        hex_digest(format!("seal/{}/{text}", self.seed), 8)
    }
}

#[cfg(test)]
mod tests {
    use super::{Ids, admissible_aid, aid, base32, cid, plain_task_id, raw_cid};

    #[test]
    fn base32_follows_the_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "my"),
            ("fo", "mzxq"),
            ("foo", "mzxw6"),
            ("foob", "mzxw6yq"),
            ("fooba", "mzxw6ytb"),
            ("foobar", "mzxw6ytboi"),
        ] {
            assert_eq!(base32(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn cids_have_the_right_form() {
        // The well-known CID of no bytes at all under the raw codec.
        assert_eq!(raw_cid(""), "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
        for id in [cid("x"), aid("Lab-P")] {
            assert!(id.starts_with("bafyrei") && id.len() == 59, "{id}");
        }
    }

    #[test]
    fn equal_seeds_give_equal_ids() {
        let (mut one, mut two) = (Ids::new(7), Ids::new(7));
        assert_eq!(one.task(), two.task());
        assert_eq!(one.context(), two.context());
        assert_ne!(one.task(), Ids::new(8).task());
        assert_eq!(one.seal("50"), two.seal("50"));
    }

    #[test]
    fn plain_ids_are_told_from_hostile_ones() {
        let (fits, long) = ("a".repeat(128), "a".repeat(129));
        for plain in ["ix_0123abcd", "a", "0:.-_", fits.as_str()] {
            assert!(plain_task_id(plain), "{plain}");
        }
        for hostile in ["", "x; rm -rf ~ #", "--help", "_a", ".a", "a\n", "a`b", "ä", long.as_str()] {
            assert!(!plain_task_id(hostile), "{hostile}");
        }
        assert!(admissible_aid("someone") && !admissible_aid("not an aid") && !admissible_aid(""));
    }
}
