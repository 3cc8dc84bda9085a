//! placeholder of the slice
pub(crate) fn task(text: String) -> String {
    text
}
pub(crate) fn page(text: String) -> String {
    text
}
pub(crate) fn is_plain_id(id: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-');
    (1..=128).contains(&id.len())
        && id.bytes().all(plain)
        && id.as_bytes()[0].is_ascii_alphanumeric()
}
