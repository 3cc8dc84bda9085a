//! HTTP/1.1 as the front speaks it: heads of requests, and heads of answers.
//!
//! Responsible for: what a request line and its headers say, and writing the head of an answer with the security headers
//! (control-plane 1.6 item 1). Not for: reading from a connection (`read`), who may ask (`guard`), nor what is answered.

use crate::script::Response;

/// What every answer carries, whatever its status (control-plane 1.6 item 1).
pub(crate) const SECURITY_HEADERS: [(&str, &str); 3] = [
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'"),
    ("Referrer-Policy", "no-referrer"),
];

/// The request line and the headers, spelled as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// The method, case kept.
    pub(crate) method: String,
    /// The request target, with its query.
    pub(crate) target: String,
    /// The minor version: 0 or 1.
    pub(crate) minor: u8,
    /// Names and values in order; bytes that are not UTF-8 are replaced.
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    /// The value of the first header of this name, in any case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// All values of this name, in order.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The path: the target without its query and without the origin of an absolute target.
    pub(crate) fn path(&self) -> &str {
        split_target(&self.target).1
    }

    /// The query string, without its question mark.
    pub(crate) fn query(&self) -> Option<&str> {
        self.target.split_once('?').map(|(_, query)| query)
    }

    /// The host that the caller means: that of an absolute target, else the `Host` header, else nothing.
    pub(crate) fn host(&self) -> &str {
        split_target(&self.target).0.or_else(|| self.header("Host")).unwrap_or_default()
    }

    /// Whether the caller will use the connection again.
    pub(crate) fn keeps_alive(&self) -> bool {
        let says = |word: &str| {
            self.values("Connection").any(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
        };
        if self.minor == 0 { says("keep-alive") } else { !says("close") }
    }
}

/// Splits a target into the host of an absolute one and the path.
fn split_target(target: &str) -> (Option<&str>, &str) {
    let target = target.split(['?', '#']).next().unwrap_or_default();
    let scheme = target.get(..7).filter(|start| start.eq_ignore_ascii_case("http://"));
    match scheme {
        None => (None, target),
        Some(scheme) => {
            let rest = &target[scheme.len()..];
            match rest.find('/') {
                Some(slash) => (Some(&rest[..slash]), &rest[slash..]),
                None => (Some(rest), "/"),
            }
        }
    }
}

/// Whether the connection can serve another request after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It stays open.
    Keep,
    /// It is closed, and the answer says so.
    Close,
}

/// Writes the status line and the headers. Security headers and a length are added unless the response has its own.
pub(crate) fn encode_head(response: &Response, length: usize, then: Then) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
    let mut line = |name: &str, value: &str| {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    };
    for (name, value) in &response.headers {
        line(name, value);
    }
    for (name, value) in SECURITY_HEADERS {
        if response.header(name).is_none() {
            line(name, value);
        }
    }
    let framed = response.header("Content-Length").or(response.header("Transfer-Encoding")).is_some();
    if !framed && !bodiless(response.status) {
        line("Content-Length", &length.to_string());
    }
    if then == Then::Close && response.header("Connection").is_none() {
        line("Connection", "close");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// Statuses that HTTP forbids a body.
pub(crate) fn bodiless(status: u16) -> bool {
    matches!(status, 100..=199 | 204 | 304)
}

/// The words after the status. Clients ignore them; people who read a dump do not.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Request Entity Too Large",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Unnamed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_target_names_the_host() {
        let head = Head {
            target: "http://evil.example:1/status?q".into(),
            headers: vec![("Host".into(), "127.0.0.1:2".into())],
            ..Head::default()
        };
        assert_eq!((head.host(), head.path()), ("evil.example:1", "/status"));
    }

    #[test]
    fn a_response_keeps_its_own_headers_and_gets_those_it_lacks() {
        let mut response = Response::json(200, b"{}");
        response.headers.push(("referrer-policy".into(), "origin".into()));
        let head = String::from_utf8(encode_head(&response, 2, Then::Keep)).expect("text");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nreferrer-policy: origin\r\n"));
        assert!(!head.contains("no-referrer") && head.contains("nosniff") && head.contains("Content-Length: 2\r\n"));
    }
}
