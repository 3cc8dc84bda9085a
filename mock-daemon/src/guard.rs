//! The guards before the routes, in the daemon's order.
//!
//! Responsible for: Host 421, Origin 403, bearer 401, unknown path 404, wrong method 405 (control-plane 1.6 items 2 to 5,
//! 10.6 items 29 to 34). Not for: the security headers, which `http` writes on every answer.

use std::fmt;

use crate::http::Head;
use crate::journal::Trespass;
use crate::route::Route;
use crate::script::Response;

/// Names under which a caller may know this machine's loopback.
const OWN_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// What a caller must know to come in.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Access {
    /// The public port.
    pub(crate) port: u16,
    /// 48 lowercase hex characters.
    pub(crate) token: String,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("port", &self.port).field("token", &"...").finish()
    }
}

/// Where a request that may pass goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// To the world.
    Route(Route),
    /// To `GET /ping`, which needs no token.
    Ping,
}

/// A request that may not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// What is wrong with it.
    pub(crate) trespass: Trespass,
    /// What it is told.
    pub(crate) response: Response,
}

/// Lets a request pass or refuses it.
pub(crate) fn judge(head: &Head, access: &Access) -> Result<Passage, Refusal> {
    let refuse = |trespass, response| Err(Refusal { trespass, response });
    let reading = matches!(head.method.as_str(), "GET" | "HEAD");
    let path = head.path();

    if !is_own_host(head.host(), access.port) {
        let sentence =
            format!("This request is meant for another host; the control plane is at 127.0.0.1:{}.", access.port);
        return refuse(Trespass::WrongHost, error(421, &sentence));
    }
    if head.header("Origin").is_some_and(|origin| !is_own_origin(origin, access.port)) {
        return refuse(Trespass::ForeignOrigin, error(403, "Requests from another origin are not served."));
    }
    if path == "/ping" && reading {
        return Ok(Passage::Ping);
    }
    match head.header("Authorization") {
        Some(given) if given.strip_prefix("Bearer ") == Some(&access.token) => {}
        None | Some("") => {
            return refuse(Trespass::MissingToken, Response::text(401, "unauthorized\n"));
        }
        Some(_) => return refuse(Trespass::WrongToken, Response::text(401, "unauthorized\n")),
    }
    let Some(route) = Route::from_path(path) else {
        if path == "/ping" {
            return refuse(Trespass::WrongMethod, not_allowed("GET, HEAD"));
        }
        return refuse(Trespass::UnknownPath, Response::text(404, "404 page not found\n"));
    };
    match (head.method.as_str(), route) {
        ("POST", _) => Ok(Passage::Route(route)),
        (_, Route::Status) if reading => Ok(Passage::Route(route)),
        (_, Route::Status) => refuse(Trespass::WrongMethod, not_allowed("GET, HEAD, POST")),
        _ => refuse(Trespass::WrongMethod, not_allowed("POST")),
    }
}

/// An error as the routes without codes answer it.
pub(crate) fn error(status: u16, sentence: &str) -> Response {
    Response::json(status, format!("{}\n", serde_json::json!({ "error": sentence })))
}

fn not_allowed(methods: &str) -> Response {
    Response::text(405, "Method Not Allowed\n").with_header("Allow", methods)
}

/// Whether a `Host` is one of our names with exactly our port; the port may be left out only where it is HTTP's own.
fn is_own_host(host: &str, port: u16) -> bool {
    let host = host.to_ascii_lowercase();
    OWN_NAMES.into_iter().any(|name| match host.strip_prefix(name) {
        Some("") => port == 80,
        Some(rest) => rest.strip_prefix(':') == Some(&port.to_string()),
        None => false,
    })
}

fn is_own_origin(origin: &str, port: u16) -> bool {
    origin.strip_prefix("http://").is_some_and(|host| is_own_host(host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_ours_by_name_and_port() {
        for ours in ["127.0.0.1:7", "localhost:7", "LocalHost:7", "[::1]:7"] {
            assert!(is_own_host(ours, 7), "{ours}");
        }
        for foreign in
            ["", "127.0.0.1", "127.0.0.1:", "127.0.0.1:07", "127.0.0.1:8", "127.0.0.1.nip.io:7", "0.0.0.0:7", "::1:7"]
        {
            assert!(!is_own_host(foreign, 7), "{foreign}");
        }
        assert!(is_own_host("localhost", 80), "the default port needs no mention");
    }

    #[test]
    fn the_token_is_not_in_the_debug_form() {
        let access = Access { port: 1, token: "secret".into() };
        assert!(!format!("{access:?}").contains("secret"));
    }
}
