//! `GET /ping`: is somebody there, and does he hold the token?
//!
//! Responsible for: the public answer with the node's AID, and the proof by which a client that cannot look up the owner of
//! the port makes sure of the daemon before it sends the token (control-plane 1.4, 1.6). Not for: the guards before it.

use sha2::{Digest, Sha256};

use crate::guard::{Access, error};
use crate::script::Response;

/// SHA-256 works on blocks of this many bytes, and HMAC pads its key to one.
const BLOCK: usize = 64;

/// Answers with the AID, or with the proof for the nonce in the query.
pub(crate) fn answer(query: Option<&str>, access: &Access, aid: &str) -> Response {
    let nonce = query.and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("proof=")));
    let body = match nonce {
        None => serde_json::json!({ "aid": aid }),
        Some(hex) => match unhex(hex).filter(|nonce| (16..=64).contains(&nonce.len())) {
            None => {
                return error(400, "The proof nonce must be 16 to 64 bytes in hexadecimal.");
            }
            Some(nonce) => serde_json::json!({ "proof": proof(&nonce, access) }),
        },
    };
    Response::json(200, format!("{body}\n"))
}

fn proof(nonce: &[u8], access: &Access) -> String {
    let key = hmac(access.token.as_bytes(), b"anet/localpeer-key/v1");
    let address = format!("127.0.0.1:{}", access.port);
    let message = [b"anet/localpeer-proof/v1".as_slice(), nonce, address.as_bytes()].join(&0);
    hex(&hmac(&key, &message))
}

/// HMAC with SHA-256, as RFC 2104 puts it together.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}

/// Lowercase hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_agrees_with_the_published_vectors() {
        // RFC 4231, test cases 2 and 6 (a key longer than a block).
        let short = hmac(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(hex(&short), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let long = hmac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First");
        assert_eq!(hex(&long), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    }

    #[test]
    fn a_nonce_has_a_size() {
        let access = Access { port: 1, token: "ab".repeat(24) };
        for (nonce, status) in
            [("00".repeat(15), 400), ("00".repeat(16), 200), ("0f".repeat(64), 200), ("00".repeat(65), 400)]
        {
            assert_eq!(answer(Some(&format!("proof={nonce}")), &access, "a").status, status);
        }
        assert_eq!(answer(Some("proof=zz"), &access, "a").status, 400);
        assert_eq!(answer(Some("x=y"), &access, "a").body, b"{\"aid\":\"a\"}\n");
    }
}
